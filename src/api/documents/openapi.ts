import { FEATURE_PARAMETER_NAMES } from '../../features/documents.ts';
import type { TSchema } from 'typebox';
import { FEATURE_REQUESTS } from '../../features/documents.ts';
import { RULES } from '../../domain/access.ts';
import { Pet } from '../records/pet.ts';
import { SentPetFields } from '../records/sent-pet.ts';
import { ENDPOINTS, type Endpoint, type OperationId } from '../endpoints.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { EXAMPLES, withSamples } from './examples.ts';
import { PARAMETER_EXAMPLES } from './parameter-examples.ts';
import type { JsonValue } from './examples/example.ts';
import { LINKS } from './links.ts';
import {
  type ResponseDescription,
  type Body,
  type Content,
  type Fields,
  type OperationDescription,
  GROUPS,
} from './parts/format.ts';
import { HEADERS, type HeaderName } from './parts/headers.ts';
import { BASE_PATH, INTRODUCTION, oauthUrls, PETSTORE_SCOPES, SECURITY_SCHEMES, TITLE } from './introduction.ts';
import { ErrorResponse, Problem } from '../records/api-response.ts';
import { flattened, opened, portable, withNullType } from './parts/portable-schemas.ts';
import type { SentRequests } from './parts/sent-requests.ts';
import { createSchemaWriter, mapValues, type SchemaWriter, type WrittenSchema } from './parts/schema-writer.ts';
import { withResponseHints } from './swagger-schemas.ts';
import {
  FAILURES,
  failureSentences,
  failureHeaders,
  isShared,
  SHARED_FAILURE,
  type FailureStatus,
} from './parts/usual-failures.ts';
import { RECORDED_FILTER } from './operations/playgrounds.ts';
import { EXPORT_FORMAT, NAMED_USER, USER_FILTER, IDEMPOTENCY_KEY, LABEL_FILTER } from './parts/parameters.ts';
import { isOptional } from '../records/type.ts';

/* The whole API as OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.0). */

const SENT_REQUESTS: readonly SentRequests[] = FEATURE_REQUESTS;

export interface DocumentSettings {
  /**
   * The URL of the service, such as `http://127.0.0.1:8080`. Absolute, so that a generated client works wherever the
   * document is copied.
   */
  origin: string;
  version: string;
  /**
   * For tests that check responses against the document: it forbids undescribed fields, which clients must accept, and
   * lists all failures of each operation.
   */
  isExact?: boolean;
}

const OPERATION_IDS = Object.keys(ENDPOINTS) as readonly OperationId[];

const FAILURE_CONTENT = { 'application/json': ErrorResponse, 'application/problem+json': Problem };
const FAILURE_CONTENT_WITH_XML = { ...FAILURE_CONTENT, 'application/xml': ErrorResponse };

/** XML has neither null nor a difference between numbers and strings, so its schema is simpler. */
const PET_IN_XML = { ...withResponseHints(SentPetFields, Pet, ['name']), title: 'PetInXml' };

/**
 * The headers that any response of an operation may have. The published document has those of most operations in its
 * introduction: everywhere, they would be 9 KB.
 */
function commonHeaders(
  { isPrivate, method, response }: Endpoint,
  deprecated: boolean,
  isExact: boolean,
): readonly HeaderName[] {
  return [
    ...((isExact && isPrivate) || response === 'photo' ? (['Cache-Control'] as const) : []),
    ...(deprecated ? (['Deprecation'] as const) : []),
    ...(isExact && method === 'POST' ? (['Idempotency-Replayed'] as const) : []),
    ...(isExact ? (['X-Request-Id'] as const) : []),
  ];
}

export function createOpenApi({ origin, version, isExact = false }: DocumentSettings) {
  const schemas = createSchemaWriter('#/components/schemas/', (schema) => {
    const written = portable(withNullType(flattened(schema)));
    return isExact ? written : opened(written);
  });
  const parts: Parts = { schemas, parameters: new Map(), responses: {}, isExact };
  const paths: Record<string, Record<string, unknown>> = {};
  const sentHeaders = SENT_REQUESTS.flatMap(({ headers }) => Object.entries(headers));
  for (const id of OPERATION_IDS) {
    const { path, method } = ENDPOINTS[id];
    const place = (paths[path.slice(BASE_PATH.length)] ??= {});
    place[method.toLowerCase()] = operation(id, ENDPOINTS[id], DESCRIPTIONS[id], parts);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: TITLE,
      version,
      description: INTRODUCTION,
      contact: { name: TITLE, url: origin },
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: `${origin}${BASE_PATH}` }],
    tags: Object.entries(GROUPS).map(([name, description]) => ({ name, description })),
    security: ANYBODY,
    paths,
    webhooks: Object.fromEntries(SENT_REQUESTS.flatMap((sent) => Object.entries(sent.requestsIn(schemas)))),
    components: {
      schemas: schemas.named(),
      parameters: { ...Object.fromEntries(parts.parameters.values()), ...Object.fromEntries(sentHeaders) },
      responses: parts.responses,
      headers: mapValues(HEADERS, (schema) => described(schema, schemas)),
      securitySchemes: { ...SECURITY_SCHEMES, petstore_auth: petstoreAuth(origin) },
    },
  };
}

function petstoreAuth(origin: string) {
  const { authorizationUrl, tokenUrl } = oauthUrls(origin);
  const scopes = PETSTORE_SCOPES;
  return {
    type: 'oauth2',
    flows: { authorizationCode: { authorizationUrl, tokenUrl, scopes }, clientCredentials: { tokenUrl, scopes } },
  };
}

/** The components of the document, collected while its operations are written. */
interface Parts {
  schemas: SchemaWriter;
  parameters: Map<TSchema, readonly [name: string, parameter: object]>;
  responses: Record<string, object>;
  isExact: boolean;
}

function operation(id: OperationId, endpoint: Endpoint, entry: OperationDescription, parts: Parts) {
  const { group, summary, description, deprecated, path, query, headers, body, responses } = entry;
  const { schemas, isExact } = parts;
  const common = commonHeaders(endpoint, deprecated === true, isExact);
  const example = EXAMPLES.get(id);
  const success = (response: ResponseDescription, status: string) => {
    const whole = { ...response, headers: [...response.headers, ...common] };
    if (response.name === undefined || isExact)
      return {
        ...writtenResponse(whole, schemas, status === '200' ? example?.response : undefined),
        ...linksOf(id, status),
      };
    return sharedResponse(response.name, whole, parts);
  };
  return {
    operationId: id,
    tags: [group],
    summary,
    description,
    ...(deprecated && { deprecated }),
    ...securityOf(endpoint),
    parameters: [
      ...parameters('path', path, parts),
      ...parameters('query', query, parts),
      ...parameters('header', endpoint.method === 'POST' ? { ...headers, ...IDEMPOTENCY_KEY } : headers, parts),
    ],
    ...(body !== undefined && {
      requestBody: requestBody(endpoint.takesXml ? petAlsoInXml(body) : body, schemas, example?.body),
    }),
    responses: {
      ...mapValues(responses, (response, status) =>
        success(endpoint.xml === undefined ? response : alsoInXml(response), status),
      ),
      ...failuresOf(endpoint, entry, parts),
    },
  };
}

type Security = readonly Readonly<Record<string, readonly string[]>>[];

const CREDENTIALS: Security = [{ bearer: [] }, { session: [] }, { api_key: [] }];

/**
 * The security of an operation that does not state its own: in at least one mode of access, no credentials are
 * required.
 */
const ANYBODY: Security = [{}, ...CREDENTIALS, { petstore_auth: ['read:pets'] }];

/** The security of operations that change pets. */
const EDITORS: Security = [{}, ...CREDENTIALS, { petstore_auth: ['write:pets'] }];

function securityOf({ permission, identifiesActor, path }: Endpoint): { security?: Security } {
  if (permission === undefined) return identifiesActor || path.endsWith('/logout') ? {} : { security: [] };
  if (permission === 'write pets') return { security: EDITORS };
  return RULES[permission].free ? {} : { security: CREDENTIALS };
}

/**
 * Failures by status. Unless the document is exact, they refer to components, and `default` stands for the failures of
 * every operation.
 */
function failuresOf(endpoint: Endpoint, { failures, deprecated }: OperationDescription, parts: Parts) {
  const content = endpoint.xml === undefined ? FAILURE_CONTENT : FAILURE_CONTENT_WITH_XML;
  const reasons = failureSentences(endpoint, failures);
  if (parts.isExact) {
    const common = commonHeaders(endpoint, deprecated === true, true);
    return mapValues(reasons, (description, status) =>
      writtenResponse({ description, headers: [...common, ...failureHeaders(Number(status))], content }, parts.schemas),
    );
  }
  const listed = Object.entries(reasons).filter(([status, reason]) => !isShared(Number(status), reason));
  // Generators and linters expect each operation to list a failure of the client.
  const hasClientFailure = listed.some(([status]) => status.startsWith('4'));
  const ownReasons = Object.fromEntries(hasClientFailure ? listed : [['400', FAILURES[400][1]], ...listed]);
  return {
    ...mapValues(ownReasons, (description, status) => {
      const [name, usual] = FAILURES[Number(status) as FailureStatus];
      const shared = { description: usual, headers: failureHeaders(Number(status)), content };
      // An operation may replace the description (section 4.8.23).
      return { ...sharedResponse(name, shared, parts), ...(description !== usual && { description }) };
    }),
    default: sharedResponse('Failure', { ...SHARED_FAILURE, content }, parts),
  };
}

function sharedResponse(title: string, response: ResponseDescription, { responses, schemas }: Parts) {
  const name = response.content === FAILURE_CONTENT_WITH_XML ? `${title}WithXml` : title;
  responses[name] ??= writtenResponse(response, schemas);
  return { $ref: `#/components/responses/${name}` };
}

/** How many operations have a parameter with this schema. */
const USES = Map.groupBy(
  Object.values<OperationDescription>(DESCRIPTIONS).flatMap(({ path, query, headers }) =>
    [path, query, headers, IDEMPOTENCY_KEY].flatMap((fields) => Object.values(fields ?? {})),
  ),
  (schema) => schema,
);

/** The component names of parameters that share their name with another parameter. */
const PARAMETER_NAMES: ReadonlyMap<TSchema, string> = new Map<TSchema, string>([
  [NAMED_USER.username, 'UsernameOrAccountId'],
  [USER_FILTER.text, 'UserText'],
  [LABEL_FILTER.text, 'LabelText'],
  [EXPORT_FORMAT.format, 'ExportFormat'],
  [RECORDED_FILTER.status, 'RecordedStatus'],
  ...FEATURE_PARAMETER_NAMES,
]);

function parameters(place: 'path' | 'query' | 'header', fields: Fields = {}, parts: Parts) {
  return Object.entries(fields).map(([name, schema]) => {
    if ((USES.get(schema)?.length ?? 0) < 2) return parameter(place, name, schema, parts);
    const [title] = parts.parameters.get(schema) ?? [PARAMETER_NAMES.get(schema) ?? titleOf(name)];
    if (!parts.parameters.has(schema)) parts.parameters.set(schema, [title, parameter(place, name, schema, parts)]);
    return { $ref: `#/components/parameters/${title}` };
  });
}

/** `If-Match` is `IfMatch`, `petId` is `PetId`. */
function titleOf(name: string): string {
  return name.replaceAll(/(?:^|-)(\w)/g, (_match, first: string) => first.toUpperCase());
}

function parameter(place: 'path' | 'query' | 'header', name: string, schema: TSchema, { schemas }: Parts) {
  return {
    name,
    in: place,
    ...(isOptional(schema) ? {} : { required: true }),
    ...described(schema, schemas),
    ...(PARAMETER_EXAMPLES.has(schema) && { example: PARAMETER_EXAMPLES.get(schema) }),
  };
}

/** Moves the description from the schema to the object that has it. */
function described(schema: TSchema, schemas: SchemaWriter) {
  const { description, ...rest } = schemas.write(schema);
  return { ...(description !== undefined && { description }), schema: rest };
}

function requestBody({ content, isOptional }: Body, schemas: SchemaWriter, example: JsonValue | undefined) {
  return { required: isOptional !== true, content: written(content, schemas, example) };
}

function writtenResponse(
  { description, headers, content }: ResponseDescription,
  schemas: SchemaWriter,
  example?: JsonValue,
) {
  return {
    description,
    ...(headers.length > 0 && {
      headers: Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    }),
    ...(content !== undefined && { content: written(content, schemas, example) }),
  };
}

function alsoInXml(response: ResponseDescription): ResponseDescription {
  const schema = response.content?.['application/json'];
  return schema === undefined ? response : { ...response, content: { ...response.content, 'application/xml': schema } };
}

function petAlsoInXml(body: Body): Body {
  return { ...body, content: { ...body.content, 'application/xml': PET_IN_XML } };
}

/** @param example for JSON and forms */
function written(content: Content, schemas: SchemaWriter, example?: JsonValue) {
  return mapValues(content, (schema, mediaType) => ({
    schema: writtenAs(mediaType, schemas.write(schema)),
    ...(example !== undefined && WITH_EXAMPLE.test(mediaType) && { example: withSamples(example) }),
  }));
}

const WITH_EXAMPLE = /^application\/(?:(?:merge-patch\+)?json|x-www-form-urlencoded)$/;

function linksOf(id: OperationId, status: string): { links?: object } {
  const links = status === '200' ? LINKS[id] : undefined;
  if (links === undefined) return {};
  return { links: mapValues(links, (parameters, operationId) => ({ operationId, parameters })) };
}

/** OpenAPI 3.1 describes a streamed body only as a whole; `contentSchema` of JSON Schema describes its items. */
function writtenAs(mediaType: string, schema: WrittenSchema): WrittenSchema {
  const description = SEQUENCES[mediaType];
  if (description === undefined) return schema;
  return { type: 'string', description, contentMediaType: 'application/json', contentSchema: schema };
}

const SEQUENCES: Readonly<Record<string, string>> = {
  'application/x-ndjson': 'One JSON value per line, each as in `contentSchema`.',
  'text/event-stream': 'Server-sent events. The data of each is a JSON value as in `contentSchema`.',
};
