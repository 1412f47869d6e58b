import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { BASE_PATH } from '../../src/api/documents/introduction.ts';
import { createOpenApi } from '../../src/api/documents/openapi.ts';
import { HEADERS } from '../../src/api/documents/parts/headers.ts';
import { methodsOf } from '../../src/api/endpoints.ts';
import { MAX_INT64 } from '../../src/domain/int64.ts';

/* Compares responses under /v2 with the OpenAPI document. */

export interface SeenResponse {
  method: string;
  /** As in the request line. */
  target: string;
  status: number;
  headers: Readonly<Record<string, unknown>>;
  /** As much as was recorded; undefined for a response without a body, as to HEAD. */
  body: string | undefined;
  /** Whether only the beginning was recorded. */
  isCut: boolean;
}

interface WrittenResponse {
  headers?: Readonly<Record<string, unknown>>;
  content?: Readonly<Record<string, { schema: { contentSchema?: object } }>>;
}

type WrittenOperation = { operationId: string; responses: Readonly<Record<string, WrittenResponse>> };
type WrittenPath = Readonly<Record<string, WrittenOperation>>;

const DOCUMENT_ID = 'https://menagerie.invalid/openapi.json';
const document = createOpenApi({ origin: 'http://localhost', version: '0', isExact: true });
const paths = document.paths as Readonly<Record<string, WrittenPath>>;

/** The most specific first: `pet/findByStatus` also matches `pet/{petId}`. */
const templates = Object.keys(paths)
  .map((path) => ({
    path,
    pattern: new RegExp(`^/v2${path.replaceAll('.', String.raw`\.`).replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }))
  .toSorted((a, b) => a.path.split('{').length - b.path.split('{').length);

/** Statuses that any request may get; the introduction of the document lists them. */
const OF_ANY_REQUEST: ReadonlySet<number> = new Set([408, 431]);

/** Number of elements of a long list that are checked, from its beginning and its end. */
const SAMPLE = 50;

const ajv = new Ajv2020({ strict: false, allErrors: false });
addFormats.default(ajv);
ajv.addSchema(document, DOCUMENT_ID);
const checks = new Map<string, ValidateFunction>();

/** Returns the problems of a response; empty if it agrees with the document. */
export function problemsOf(response: SeenResponse): readonly string[] {
  const path = response.target.replace(/^https?:\/\/[^/?#]*/i, '').replace(/\/?(?:[?#].*)?$/s, '');
  if (!path.startsWith('/v2/') || path === '/v2/') return [];
  return [...retryProblems(response), ...documentProblems(response, path)];
}

/** A client has to know when it may try again. */
function retryProblems({ status, headers }: SeenResponse): readonly string[] {
  const isTemporary = status === 429 || status === 503;
  return isTemporary && !/^\d+$/.test(String(headers['retry-after'])) ? [`${status} has no Retry-After`] : [];
}

function documentProblems(response: SeenResponse, path: string): readonly string[] {
  const template = templates.find(({ pattern }) => pattern.test(path))?.path;
  if (template === undefined) return response.status < 400 ? ['the path is not in the document'] : [];
  const isLikeGet = response.method === 'HEAD' && methodsOf(`${BASE_PATH}${template}`).includes('HEAD');
  const method = isLikeGet ? 'get' : response.method.toLowerCase();
  const operation = paths[template]?.[method];
  if (operation === undefined) {
    const isSuccess = response.status < 400 && method !== 'options';
    return isSuccess ? [`the document has no ${method} for this path`] : [];
  }
  if (OF_ANY_REQUEST.has(response.status)) return [];
  const documented = operation.responses[response.status];
  if (documented === undefined) return [`${operation.operationId}: the document has no status ${response.status}`];
  const place = `#/paths/${escaped(template)}/${method}/responses/${response.status}`;
  return [...headerProblems(response, documented), ...bodyProblems(response, documented, place)].map(
    (problem) => `${operation.operationId}, ${response.status}: ${problem}`,
  );
}

/** Returns the problems of the body of a webhook request; empty if the document describes it. */
export function problemsOfDelivery(name: 'petEvent' | 'accountEvent' | 'ping', body: string): readonly string[] {
  const check = compiled(`#/webhooks/${name}/post/requestBody/content/application~1json/schema`);
  return check(parseExact(body)) ? [] : [`${name}: the body ${wrongWith(check)}`];
}

function headerProblems({ headers }: SeenResponse, response: WrittenResponse): readonly string[] {
  return Object.keys(HEADERS).flatMap((name) => {
    const value = headers[name.toLowerCase()];
    if (value === undefined) return [];
    if (response.headers?.[name] === undefined) return [`the document has no header ${name} here`];
    const check = compiled(`#/components/headers/${name}/schema`);
    const values = (Array.isArray(value) ? value : [value]) as readonly (string | number)[];
    const { type } = HEADERS[name as keyof typeof HEADERS] as { type?: unknown };
    return values.flatMap((one) =>
      check(type === 'integer' ? Number(one) : String(one)) ? [] : [`the header ${name} ${wrongWith(check)}`],
    );
  });
}

function bodyProblems({ status, headers, body, isCut }: SeenResponse, response: WrittenResponse, place: string) {
  if (body === undefined) return [];
  if (body === '' && (status === 304 || status === 204)) return [];
  const { 'content-type': type = '', 'content-encoding': encoding } = headers as Readonly<Record<string, string>>;
  // `test/http/compression.test.ts` compares compressed bodies with others.
  if (encoding !== undefined) return [];
  // `text/xml` is the older name.
  const mediaType = type.replace(/;.*$/s, '').replace('text/xml', 'application/xml');
  const content = response.content?.[mediaType];
  if (content === undefined) return [`the document has no ${mediaType || 'body without a Content-Type'} here`];
  const schema = `${place}/content/${escaped(mediaType)}/schema`;
  const isSequence = content.schema.contentSchema !== undefined;
  const check = compiled(isSequence ? `${schema}/contentSchema` : schema);
  try {
    const texts = isSequence ? elementsOf(mediaType, body, isCut) : jsonTexts(mediaType, body, isCut);
    return texts.flatMap((text) => (check(parseExact(text)) ? [] : [`the body ${wrongWith(check)}`]));
  } catch (error) {
    return [`the body is not what its type says: ${(error as Error).message}`];
  }
}

/** Other tests check bodies that are not JSON. */
function jsonTexts(mediaType: string, body: string, isCut: boolean): readonly string[] {
  if (!/^application\/(?:\w+\+)?json$/.test(mediaType)) return [];
  if (!isCut) return [body];
  // An incomplete object cannot be checked.
  if (!body.startsWith('[')) return [];
  // The records of a list begin with their ids.
  const end = body.lastIndexOf(',{"id":');
  return end === -1 ? [] : [`${body.slice(0, end)}]`];
}

/** The lines, or the data of the events, without an incomplete last one. */
function elementsOf(mediaType: string, body: string, isCut: boolean): readonly string[] {
  const isEvents = mediaType === 'text/event-stream';
  const parts = body.split(isEvents ? '\n\n' : '\n');
  const last = parts.pop() ?? '';
  if (last !== '' && !isCut) throw new Error('its last line has no end');
  const texts = isEvents ? parts.map(dataOf).filter((data) => data !== '') : parts;
  return texts.length <= 2 * SAMPLE ? texts : [...texts.slice(0, SAMPLE), ...texts.slice(-SAMPLE)];
}

function dataOf(event: string): string {
  return event
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length))
    .join('\n')
    .trim();
}

function parseExact(text: string): unknown {
  return /\d{16}/.test(text) ? JSON.parse(text, demandInt64) : JSON.parse(text);
}

/** A number beyond 2^53 is rounded here, so its source text is checked. */
function demandInt64(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? '';
  const digits = /^-?\d+$/.test(source) ? BigInt(source) : MAX_INT64 + 1n;
  if (digits > MAX_INT64 || digits < -MAX_INT64 - 1n) throw new Error(`${source} is no integer of 64 bits`);
  return value;
}

function compiled(place: string): ValidateFunction {
  let check = checks.get(place);
  if (check === undefined) {
    check = ajv.compile({ $ref: `${DOCUMENT_ID}${encodeURI(place)}` });
    checks.set(place, check);
  }
  return check;
}

function wrongWith({ errors }: ValidateFunction): string {
  const [error] = errors ?? [];
  return `at ${error?.instancePath || 'its top'} ${error?.message ?? 'is wrong'} ${JSON.stringify(error?.params ?? {})}`;
}

function escaped(pointer: string): string {
  return pointer.replaceAll('~', '~0').replaceAll('/', '~1');
}
