import { IsOptional, type TSchema } from 'typebox';
import { RULES } from '../../domain/access.ts';
import { SentPet } from '../records/pet.ts';
import { ENDPOINTS, type Endpoint, type OperationId } from '../endpoints.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import type { Answer, Body, Content, Fields, OperationDescription } from './format.ts';
import { GROUPS } from './groups.ts';
import { HEADERS, type HeaderName } from './headers.ts';
import { BASE_PATH, INTRODUCTION, SECURITY_SCHEMES, TITLE } from './introduction.ts';
import { ErrorResponse, Problem } from '../records/api-response.ts';
import { Pet } from '../records/pet.ts';
import { opened, portable } from './portable-schemas.ts';
import { createSchemaWriter, mapValues, type SchemaWriter, type WrittenSchema } from './schema-writer.ts';
import { asAnsweredToo } from './swagger-schemas.ts';
import { webhookRequests } from './webhooks.ts';
import { FAILURES, failureHeaders, usualFailures, type FailureStatus } from './usual-failures.ts';
import { NAMED_USER, USER_FILTER, IDEMPOTENCY_KEY } from './parameters.ts';

/*
 * The whole interface as OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.0).
 */

export interface DocumentSettings {
  /** Where the service is reached: `http://127.0.0.1:8080`. Absolute, so that a generated client works wherever the document has gone. */
  origin: string;
  version: string;
  /** Are the answers described as having no other fields? For our own tests, which find what is not described. Clients must survive the next field. */
  isClosed?: boolean;
}

const OPERATION_IDS = Object.keys(ENDPOINTS) as readonly OperationId[];

const FAILURE_CONTENT = { 'application/json': ErrorResponse, 'application/problem+json': Problem };
const FAILURE_CONTENT_WITH_XML = { ...FAILURE_CONTENT, 'application/xml': ErrorResponse };

/** Which of these a failure has depends on its operation. The description of the failure is the same for all. */
const FAILURE_HEADERS = ['Cache-Control', 'Idempotency-Replayed', 'X-Request-Id'] as const;

/** XML has neither null nor numbers beside strings: what is left is simpler. */
const PET_IN_XML = { ...asAnsweredToo(SentPet, Pet, ['name']), title: 'PetInXml' };

/** What any answer of an operation may have, whatever it is. */
function commonHeaders({ isPrivate, method }: Endpoint, isDeprecated: boolean): readonly HeaderName[] {
  return [
    ...(isPrivate ? (['Cache-Control'] as const) : []),
    ...(isDeprecated ? (['Deprecation'] as const) : []),
    ...(method === 'POST' ? (['Idempotency-Replayed'] as const) : []),
    'X-Request-Id',
  ];
}

export function createOpenApi({ origin, version, isClosed = false }: DocumentSettings) {
  const schemas = createSchemaWriter('#/components/schemas/', (schema) => {
    const told = portable(flattened(schema));
    return isClosed ? told : opened(told);
  });
  const parts: Parts = { schemas, parameters: new Map(), responses: {} };
  const paths: Record<string, Record<string, unknown>> = {};
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
    paths,
    webhooks: webhookRequests(schemas),
    components: {
      schemas: schemas.named(),
      parameters: Object.fromEntries(parts.parameters.values()),
      responses: parts.responses,
      headers: mapValues(HEADERS, (schema) => described(schema, schemas)),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

/** The components of the document that are written so far. */
interface Parts {
  schemas: SchemaWriter;
  /** By their schemas. */
  parameters: Map<TSchema, readonly [name: string, parameter: object]>;
  responses: Record<string, object>;
}

function operation(
  id: OperationId,
  endpoint: Endpoint,
  { group, summary, description, deprecated, path, query, headers, body, answers, failures }: OperationDescription,
  parts: Parts,
) {
  const { schemas } = parts;
  const inXml = endpoint.xml !== undefined;
  const answered = ({ headers: own, ...answer }: Answer) =>
    response({ ...answer, headers: [...own, ...commonHeaders(endpoint, deprecated === true)] }, schemas);
  return {
    operationId: id,
    tags: [group],
    summary,
    ...(description !== undefined && { description }),
    ...(deprecated && { deprecated }),
    security: securityOf(endpoint),
    parameters: [
      ...parameters('path', path, parts),
      ...parameters('query', query, parts),
      ...parameters('header', endpoint.method === 'POST' ? { ...headers, ...IDEMPOTENCY_KEY } : headers, parts),
    ],
    ...(body !== undefined && { requestBody: requestBody(endpoint.takesXml ? petAlsoInXml(body) : body, schemas) }),
    responses: {
      ...mapValues(answers, (answer) => answered(inXml ? alsoInXml(answer) : answer)),
      ...mapValues({ ...usualFailures(endpoint), ...failures }, (sentence, status) =>
        failure(Number(status) as FailureStatus, sentenceOf(sentence), inXml, parts),
      ),
    },
  };
}

export function sentenceOf(reason: string): string {
  return reason.endsWith('.') ? reason : `${reason}.`;
}

/** By which credentials one may do it; by none where, at least in one mode of access, everybody may. */
function securityOf({ needs, asksWho, path }: Endpoint): readonly Readonly<Record<string, readonly string[]>>[] {
  const none = {};
  const session = [{ bearer: [] }, { session: [] }];
  if (needs === undefined) return asksWho || path.endsWith('/logout') ? [none, ...session, { api_key: [] }] : [];
  const rule = RULES[needs];
  return [...(rule.free ? [none] : []), ...session, { api_key: [] }];
}

/** A failure is a component; an operation only replaces its description (section 4.8.23). */
function failure(status: FailureStatus, description: string, inXml: boolean, { responses, schemas }: Parts) {
  const [title, usual] = FAILURES[status];
  const name = inXml ? `${title}WithXml` : title;
  responses[name] ??= response(
    {
      description: usual,
      // One of Petstore's operations, which also have XML, is deprecated.
      headers: [...FAILURE_HEADERS, ...(inXml ? (['Deprecation'] as const) : []), ...failureHeaders(status)],
      content: inXml ? FAILURE_CONTENT_WITH_XML : FAILURE_CONTENT,
    },
    schemas,
  );
  return { $ref: `#/components/responses/${name}`, ...(description !== usual && { description }) };
}

/** How many operations have a parameter with this schema. */
const USES = Map.groupBy(
  Object.values<OperationDescription>(DESCRIPTIONS).flatMap(({ path, query, headers }) =>
    [path, query, headers, IDEMPOTENCY_KEY].flatMap((fields) => Object.values(fields ?? {})),
  ),
  (schema) => schema,
);

/** The names of components whose parameters have the name of another. */
const PARAMETER_NAMES: ReadonlyMap<TSchema, string> = new Map<TSchema, string>([
  [NAMED_USER.username, 'UsernameOrAccountId'],
  [USER_FILTER.text, 'UserText'],
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
    ...(IsOptional(schema) ? {} : { required: true }),
    ...described(schema, schemas),
    ...(isArray(schema) && { style: 'form', explode: true }),
  };
}

function isArray(schema: TSchema): boolean {
  return (schema as { type?: unknown }).type === 'array';
}

/** A schema whose description belongs to what it is for. */
function described(schema: TSchema, schemas: SchemaWriter) {
  const { description, ...rest } = schemas.write(schema);
  return { ...(description !== undefined && { description }), schema: rest };
}

function requestBody({ content, isOptional }: Body, schemas: SchemaWriter) {
  return { required: isOptional !== true, content: written(content, schemas) };
}

function response({ description, headers, content }: Answer, schemas: SchemaWriter) {
  return {
    description,
    headers: Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    ...(content !== undefined && { content: written(content, schemas) }),
  };
}

function alsoInXml(answer: Answer): Answer {
  const schema = answer.content?.['application/json'];
  return schema === undefined ? answer : { ...answer, content: { ...answer.content, 'application/xml': schema } };
}

function petAlsoInXml(body: Body): Body {
  return { ...body, content: { ...body.content, 'application/xml': PET_IN_XML } };
}

function written(content: Content, schemas: SchemaWriter) {
  return mapValues(content, (schema, mediaType) => ({ schema: writtenAs(mediaType, schemas.write(schema)) }));
}

/** Of a body that is a sequence, OpenAPI 3.1 can say what it is as a whole; JSON Schema, what it holds (contentSchema). */
function writtenAs(mediaType: string, schema: WrittenSchema): WrittenSchema {
  const told = SEQUENCES[mediaType];
  if (told === undefined) return schema;
  return { type: 'string', description: told, contentMediaType: 'application/json', contentSchema: schema };
}

const SEQUENCES: Readonly<Record<string, string>> = {
  'application/x-ndjson': 'One JSON text a line, each as `contentSchema` has it.',
  'text/event-stream': 'Server-sent events; the data of each is a JSON text as `contentSchema` has it.',
};

/** A choice among choices is one choice: generators of clients would make a type of each. */
function flattened(schema: WrittenSchema): WrittenSchema {
  const { anyOf } = schema;
  return Array.isArray(anyOf) ? { ...schema, anyOf: (anyOf as readonly WrittenSchema[]).flatMap(choicesOf) } : schema;
}

function choicesOf(schema: WrittenSchema): readonly WrittenSchema[] {
  const { anyOf, message: _message, ...rest } = schema;
  return Array.isArray(anyOf) && Object.keys(rest).length === 0
    ? (anyOf as readonly WrittenSchema[]).flatMap(choicesOf)
    : [schema];
}
