import { IsOptional, type TSchema } from 'typebox';
import { RULES } from '../../domain/access.ts';
import { SentPet } from '../pet-schemas.ts';
import { ENDPOINTS, type Endpoint, type OperationId } from '../endpoints.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import type { Answer, Body, Content, Fields, OperationDescription } from './format.ts';
import { GROUPS } from './groups.ts';
import { HEADERS, type HeaderName } from './headers.ts';
import { BASE_PATH, INTRODUCTION, SECURITY_SCHEMES, TITLE } from './introduction.ts';
import { IDEMPOTENCY_KEY } from './parameters.ts';
import { ErrorResponse, Problem } from './records/api-response.ts';
import { Pet } from './records/pet.ts';
import { opened, portable } from './portable-schemas.ts';
import { createSchemaWriter, mapValues, type SchemaWriter, type WrittenSchema } from './schema-writer.ts';
import { asAnsweredToo } from './swagger-schemas.ts';
import { failureHeaders, usualFailures } from './usual-failures.ts';

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
  const paths: Record<string, Record<string, unknown>> = {};
  for (const id of OPERATION_IDS) {
    const { path, method } = ENDPOINTS[id];
    const place = (paths[path.slice(BASE_PATH.length)] ??= {});
    place[method.toLowerCase()] = operation(id, ENDPOINTS[id], DESCRIPTIONS[id], schemas);
  }
  return {
    openapi: '3.1.0',
    info: { title: TITLE, version, description: INTRODUCTION },
    servers: [{ url: `${origin}${BASE_PATH}` }],
    tags: Object.entries(GROUPS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: schemas.named(),
      headers: mapValues(HEADERS, (schema) => described(schema, schemas)),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function operation(
  id: OperationId,
  endpoint: Endpoint,
  { group, summary, description, deprecated, path, query, headers, body, answers, failures }: OperationDescription,
  schemas: SchemaWriter,
) {
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
      ...parameters('path', path, schemas),
      ...parameters('query', query, schemas),
      ...parameters('header', endpoint.method === 'POST' ? { ...headers, ...IDEMPOTENCY_KEY } : headers, schemas),
    ],
    ...(body !== undefined && { requestBody: requestBody(endpoint.takesXml ? petAlsoInXml(body) : body, schemas) }),
    responses: {
      ...mapValues(answers, (answer) => answered(inXml ? alsoInXml(answer) : answer)),
      ...mapValues({ ...usualFailures(endpoint), ...failures }, (sentence, status) =>
        answered({
          description: sentenceOf(sentence),
          headers: failureHeaders(Number(status)),
          content: inXml ? FAILURE_CONTENT_WITH_XML : FAILURE_CONTENT,
        }),
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

function parameters(place: 'path' | 'query' | 'header', fields: Fields = {}, schemas: SchemaWriter) {
  return Object.entries(fields).map(([name, schema]) => ({
    name,
    in: place,
    ...(IsOptional(schema) ? {} : { required: true }),
    ...described(schema, schemas),
    ...(isArray(schema) && { style: 'form', explode: true }),
  }));
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
