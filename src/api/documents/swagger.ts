import { ENDPOINTS, type Endpoint } from '../endpoints.ts';
import { SentPetFields } from '../records/sent-pet.ts';
import { SentUser } from '../records/user.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import type { ResponseDescription, Body, Fields, OperationDescription } from './parts/format.ts';
import { HEADERS } from './parts/headers.ts';
import { BASE_PATH, INTRODUCTION, oauthUrls, PETSTORE_SCOPES, SECURITY_SCHEMES, TITLE } from './introduction.ts';
import type { DocumentSettings } from './openapi.ts';
import { PETSTORE_OPERATIONS, type PetstoreOperation } from './petstore.ts';
import { ApiResponse } from '../records/api-response.ts';
import { Pet } from '../records/pet.ts';
import { User } from '../records/user.ts';
import { createSchemaWriter, mapValues, type SchemaWriter, type WrittenSchema } from './parts/schema-writer.ts';
import { withResponseHints, simplified } from './swagger-schemas.ts';
import { failureHeaders, failureSentences } from './parts/usual-failures.ts';
import { isOptional } from '../records/type.ts';

/*
 * The sixteen operations as Swagger 2.0 (https://spec.openapis.org/oas/v2.0), in the same shape as Petstore's document,
 * from which clients are generated: the same parameters in the same order, and one definition for requests and
 * responses.
 */

const JSON_AND_XML = ['application/json', 'application/xml'];

const BEYOND_PETSTORE: ReadonlySet<string> = new Set(['limit', 'cursor']);

/** Required fields and their order are those of Petstore: generators turn them into function parameters. */
const FORM_FIELDS: Partial<Record<PetstoreOperation, readonly object[]>> = {
  updatePetWithForm: [
    { name: 'name', in: 'formData', description: 'The new name.', required: false, type: 'string' },
    { name: 'status', in: 'formData', description: 'The new status.', required: false, type: 'string' },
  ],
  uploadFile: [
    {
      name: 'additionalMetadata',
      in: 'formData',
      description: 'The alternative text of the photo.',
      required: false,
      type: 'string',
    },
    {
      name: 'file',
      in: 'formData',
      description: 'The photo. Required: without it, the response is 400.',
      required: false,
      type: 'file',
    },
  ],
};

const SECURITY = [{}, { api_key: [] }, { petstore_auth: Object.keys(PETSTORE_SCOPES) }];

const API_KEY_OF_DELETE = { name: 'api_key', in: 'header', required: false, type: 'string' };

export function createSwagger({ origin, version }: DocumentSettings) {
  const { host, protocol, pathname } = new URL(origin);
  const schemas = createSchemaWriter('#/definitions/', simplified);
  // First, so that responses refer to these definitions.
  const pet = schemas.write(withResponseHints(SentPetFields, Pet, ['name', 'photoUrls']));
  const user = schemas.write(withResponseHints(SentUser, User, []));
  const users = { type: 'array', items: user };
  const bodies: Partial<Record<PetstoreOperation, WrittenSchema>> = {
    addPet: pet,
    updatePet: pet,
    createUser: user,
    createUsersWithArrayInput: users,
    createUsersWithListInput: users,
    updateUser: user,
  };
  const paths: Record<string, Record<string, unknown>> = {};
  for (const id of PETSTORE_OPERATIONS) {
    const { path, method } = ENDPOINTS[id];
    const place = (paths[path.slice(BASE_PATH.length)] ??= {});
    place[method.toLowerCase()] = operation(id, bodies[id], schemas);
  }
  return {
    swagger: '2.0',
    info: { title: TITLE, version, description: INTRODUCTION },
    host,
    basePath: `${pathname.replace(/\/$/, '')}${BASE_PATH}`,
    schemes: [protocol.slice(0, -1)],
    tags: [
      { name: 'pet', description: 'Everything about your pets' },
      { name: 'user', description: 'Operations about users' },
    ],
    paths,
    securityDefinitions: {
      api_key: SECURITY_SCHEMES.api_key,
      petstore_auth: {
        type: 'oauth2',
        flow: 'accessCode',
        ...oauthUrls(origin),
        scopes: PETSTORE_SCOPES,
        description: 'With PKCE (S256). A session token or an API key can be used as the access token as well.',
      },
    },
    definitions: schemas.named(),
  };
}

function operation(id: PetstoreOperation, body: WrittenSchema | undefined, schemas: SchemaWriter) {
  const endpoint: Endpoint = ENDPOINTS[id];
  const described: OperationDescription = DESCRIPTIONS[id];
  const { group, summary, description, deprecated, path, query, responses, failures } = described;
  return {
    tags: [group],
    summary,
    description,
    operationId: id,
    ...(described.body !== undefined && { consumes: consumed(endpoint, described.body) }),
    produces: JSON_AND_XML,
    parameters: [
      ...(id === 'deletePet' ? [API_KEY_OF_DELETE] : []),
      ...parameters('path', path, schemas),
      ...parameters('query', query, schemas),
      ...(body === undefined ? [] : [{ in: 'body', name: 'body', required: true, schema: body }]),
      ...(FORM_FIELDS[id] ?? []),
    ],
    responses: {
      ...mapValues(responses, ({ headers, ...response }) =>
        writtenResponse(
          {
            ...response,
            headers: [
              ...headers,
              ...(endpoint.isPrivate ? (['Cache-Control'] as const) : []),
              ...(deprecated ? (['Deprecation'] as const) : []),
            ],
          },
          schemas,
        ),
      ),
      ...mapValues(failureSentences(endpoint, failures), (description, status) =>
        writtenResponse(
          {
            description,
            headers: failureHeaders(Number(status)),
            content: { 'application/json': ApiResponse },
          },
          schemas,
        ),
      ),
    },
    ...((endpoint.identifiesActor || id === 'logoutUser') && { security: SECURITY }),
    ...(deprecated && { deprecated }),
  };
}

function consumed({ takesXml }: Endpoint, { content }: Body): readonly string[] {
  return takesXml ? JSON_AND_XML : Object.keys(content);
}

function parameters(place: 'path' | 'query', fields: Fields = {}, schemas: SchemaWriter) {
  return Object.entries(fields)
    .filter(([name]) => !BEYOND_PETSTORE.has(name))
    .map(([name, schema]) => ({
      name,
      in: place,
      required: !isOptional(schema),
      ...schemas.write(schema),
      ...('items' in schema && { collectionFormat: 'multi' }),
    }));
}

function writtenResponse({ description, headers, content }: ResponseDescription, schemas: SchemaWriter) {
  const schema = content?.['application/json'];
  return {
    description,
    ...(headers.length > 0 && {
      headers: Object.fromEntries(headers.map((name) => [name, schemas.write(HEADERS[name])])),
    }),
    ...(schema !== undefined && { schema: schemas.write(schema) }),
  };
}
