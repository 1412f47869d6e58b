import { TITLE } from './introduction.ts';
import type { DocumentSettings } from './openapi.ts';
import type { OperationId } from '../endpoints.ts';

/* Workflows across several operations (Arazzo 1.1.0). */

interface Step {
  description: string;
  parameters?: readonly Parameter[];
  body?: { contentType: string; payload: object };
  status?: number;
  /** Further criteria of success. */
  criteria?: readonly string[];
  outputs?: Readonly<Record<string, string>>;
}

type Parameter = { name: string; in: 'path' | 'query'; value: string | number };

const pet = (value: string): readonly Parameter[] => [{ name: 'petId', in: 'path', value }];
const NEW_PET = { name: 'Rex', photoUrls: [], status: 'available' };
const ADD_PET = {
  description: 'Add a pet.',
  body: { contentType: 'application/json', payload: NEW_PET },
  outputs: { petId: '$response.body#/id' },
};
const ADDED = '$steps.addPet.outputs.petId';

export function createArazzo({ version }: Pick<DocumentSettings, 'version'>) {
  return {
    arazzo: '1.1.0',
    info: {
      title: `${TITLE}: workflows`,
      version,
      description: 'For a service in open or sandbox access, or an open playground: no step needs credentials.',
    },
    sourceDescriptions: [{ name: 'menagerie', url: './openapi.json', type: 'openapi' }],
    workflows: [adoptPet(), uploadPhoto(), undoDeletion()],
  };
}

function adoptPet() {
  const found = '$steps.findPetsByStatus.outputs.petId';
  return workflow('adopt-a-pet', 'Adopt a pet', 'Finds an available pet, and sets its status to `sold`.', [
    [
      'findPetsByStatus',
      {
        description: 'Find an available pet.',
        parameters: [
          { name: 'status', in: 'query', value: 'available' },
          { name: 'limit', in: 'query', value: 1 },
        ],
        outputs: { petId: '$response.body#/0/id' },
      },
    ],
    [
      'updatePetWithForm',
      {
        description: 'Set its status.',
        parameters: pet(found),
        body: { contentType: 'application/x-www-form-urlencoded', payload: { status: 'sold' } },
      },
    ],
    ['getPetById', { description: 'Read it.', parameters: pet(found), criteria: ['$response.body#/status == "sold"'] }],
  ]);
}

function uploadPhoto() {
  return workflow('upload-a-photo', 'Upload a photo', 'Adds a pet with a photo, and lists its photos.', [
    ['addPet', ADD_PET],
    [
      'uploadFile',
      {
        description: 'Upload the photo. Runners read the file `photo.gif` beside this document.',
        parameters: pet(ADDED),
        body: {
          contentType: 'multipart/form-data',
          payload: { additionalMetadata: 'Rex in the garden', file: "$file('photo.gif')" },
        },
      },
    ],
    [
      'listPetPhotos',
      {
        description: 'List its photos.',
        parameters: pet(ADDED),
        criteria: ['$response.body#/0/alt == "Rex in the garden"'],
      },
    ],
  ]);
}

function undoDeletion() {
  return workflow('undo-a-deletion', 'Undo a deletion', 'Deletes a pet, and restores it from its history.', [
    ['addPet', ADD_PET],
    ['deletePet', { description: 'Delete the pet.', parameters: pet(ADDED) }],
    ['restorePet', { description: 'Restore it.', parameters: pet(ADDED) }],
    ['getPetById', { description: 'Read it.', parameters: pet(ADDED), criteria: ['$response.body#/name == "Rex"'] }],
  ]);
}

function workflow(
  workflowId: string,
  summary: string,
  description: string,
  steps: readonly (readonly [operation: OperationId, step: Step])[],
) {
  return {
    workflowId,
    summary,
    description,
    steps: steps.map(([operation, step]) => ({
      stepId: operation,
      description: step.description,
      operationId: operation,
      ...(step.parameters !== undefined && { parameters: step.parameters }),
      ...(step.body !== undefined && { requestBody: step.body }),
      successCriteria: ['$statusCode == 200', ...(step.criteria ?? [])].map((condition) => ({ condition })),
      ...(step.outputs !== undefined && { outputs: step.outputs }),
    })),
  };
}
