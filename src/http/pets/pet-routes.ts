import type { FastifyReply, FastifyRequest } from 'fastify';
import { SentPet, SentPetForm, SentPetPatch } from '../../api/pet-schemas.ts';
import { assignable, readPet, readPetForm, readPetPatch } from '../../api/read-bodies.ts';
import { altOfUpload } from '../../api/photos/photo-texts.ts';
import { readListParameter } from '../../api/query-values.ts';
import type { Actor } from '../../domain/access.ts';
import { Failure } from '../../domain/failure.ts';
import { PET_STATUSES, type PetStatus, type StoredPet } from '../../domain/pets/pet.ts';
import type { PetCatalogue } from '../../domain/pets/pet-catalogue.ts';
import type { Precondition } from '../../domain/pets/precondition.ts';
import { entityTagOf, etagOf, sendApiResponse, sendPet } from '../answer.ts';
import { actorOf } from '../accounts/identify-actor.ts';
import { readPage } from '../paging.ts';
import { petIdOf } from './pet-id.ts';
import { ListTurns } from '../list-turns.ts';
import { sendAll, sendPage, type PetLister } from './lists.ts';
import { isUnchanged, preconditionOf } from './preconditions.ts';
import type { AddRoute, Handler } from '../routes.ts';
import type { PhotoUpload, ReceiveUpload } from './upload.ts';

export interface PetRoutesNeeds {
  catalogue: PetCatalogue;
  receive: ReceiveUpload;
  /** Where the client of a request reaches the service: `http://localhost:8080`, or the public URL. */
  baseOf: (request: FastifyRequest) => string;
}

/** Operation 4 was deprecated when this interface was first written down, on 2026-11-20 (RFC 9745: the date as Unix time). */
const FIND_BY_TAGS_DEPRECATED = '@1795132800';

/** Operations 1 to 8. */
export function addPetRoutes(add: AddRoute, { catalogue, receive, baseOf }: PetRoutesNeeds): void {
  const turns = new ListTurns();

  add(
    'addPet',
    async (request, reply) => {
      const { id, pet } = readPet(request.body);
      const stored = await catalogue.addPet(actorOf(request), assignable(id), pet, preconditionOf(request.headers));
      return sendPet(reply, stored, baseOf(request));
    },
    SentPet,
  );

  add(
    'updatePet',
    async (request, reply) => {
      const { id, pet } = readPet(request.body);
      const stored = await catalogue.replacePet(actorOf(request), demandId(id), pet, preconditionOf(request.headers));
      return sendPet(reply, stored, baseOf(request));
    },
    SentPet,
  );

  add('findPetsByStatus', (request, reply) => {
    const statuses = readStatuses(request.query);
    return sendList(request, reply, (part) => catalogue.listByStatus(actorOf(request), statuses, part));
  });

  add('findPetsByTags', (request, reply) => {
    const tagNames = readTagNames(request.query);
    reply.header('deprecation', FIND_BY_TAGS_DEPRECATED);
    return sendList(request, reply, (part) => catalogue.listByTags(actorOf(request), tagNames, part));
  });

  // Nearly every pet can be told at once: a promise for each would cost as much as reading it.
  add('getPetById', (request, reply) => {
    const id = petIdOf(request);
    const pet = catalogue.peekPet(id);
    if (pet === undefined)
      return catalogue.getPet(actorOf(request), id).then((found) => answerWith(found, request, reply));
    answerWith(pet, request, reply);
    return undefined;
  });

  add(
    'updatePetWithForm',
    async (request, reply) => {
      const id = petIdOf(request);
      const edit = readPetForm(request.body);
      const pet = await catalogue.editPet(actorOf(request), id, edit, preconditionOf(request.headers));
      return sendApiResponse(reply.header('etag', etagOf(pet, request)), String(id));
    },
    SentPetForm,
  );

  add(
    'patchPet',
    async (request, reply) => {
      const id = petIdOf(request);
      const edit = readPetPatch(request.body, id);
      const pet = await catalogue.editPet(actorOf(request), id, edit, preconditionOf(request.headers));
      return sendPet(reply, pet, baseOf(request));
    },
    SentPetPatch,
  );

  add('deletePet', async (request, reply) => {
    const id = petIdOf(request);
    await catalogue.deletePet(actorOf(request), id, preconditionOf(request.headers));
    return sendApiResponse(reply, String(id));
  });

  add('uploadFile', async (request, reply) => {
    const id = petIdOf(request);
    const actor = actorOf(request);
    const precondition = preconditionOf(request.headers);
    const upload = await receive(request);
    const { file, fileName, additionalMetadata } = upload;
    const pet = await addThenDiscard(actor, id, upload, precondition);
    const message = `additionalMetadata: ${additionalMetadata ?? 'null'}\nFile uploaded to ./${fileName}, ${file.byteLength} bytes`;
    return sendApiResponse(reply.header('etag', etagOf(pet, request)), message);
  });

  function answerWith(pet: StoredPet, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    if (isUnchanged(request.headers, entityTagOf(pet, request)))
      return reply.code(304).header('etag', etagOf(pet, request)).send();
    return sendPet(reply, pet, baseOf(request));
  }

  /** The staged file is gone before the answer, however it turns out. */
  async function addThenDiscard(
    actor: Actor,
    id: bigint,
    { file, additionalMetadata }: PhotoUpload,
    precondition: Precondition | undefined,
  ) {
    try {
      return await catalogue.addPhoto(actor, id, { file, alt: altOfUpload(additionalMetadata) }, precondition);
    } finally {
      await file.discard();
    }
  }

  function sendList(request: FastifyRequest, reply: Parameters<Handler>[1], list: PetLister) {
    const page = readPage(request.query);
    const origin = baseOf(request);
    return page === undefined
      ? sendAll(request, reply, list, { origin, turns })
      : sendPage(request, reply, list, page, origin);
  }
}

function demandId(id: bigint | undefined): bigint {
  const known = assignable(id);
  if (known === undefined) {
    throw new Failure('invalid-input', 'Invalid ID supplied: to update a pet, send its id.', {
      problems: [{ path: '/id', message: 'must be the positive id of the pet to update' }],
    });
  }
  return known;
}

function readStatuses(query: unknown): readonly PetStatus[] {
  const values = readListParameter(query, 'status') ?? [];
  if (values.length === 0 || !values.every(isStatus)) throw new Failure('invalid-input', 'Invalid status value');
  return values;
}

function isStatus(value: string): value is PetStatus {
  return (PET_STATUSES as readonly string[]).includes(value);
}

function readTagNames(query: unknown): readonly string[] {
  const values = [...new Set(readListParameter(query, 'tags'))];
  if (values.length === 0 || values.includes('')) throw new Failure('invalid-input', 'Invalid tag value');
  return values;
}
