import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
import { jsonText, plainText, TEXT, valuesOf, type Resolve, type Schema } from './schema-arbitraries.ts';

/* Requests generated from an OpenAPI 3.1 document, operation by operation. */

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  required?: boolean;
  schema: Schema;
}

interface Operation {
  operationId: string;
  parameters?: readonly (Parameter | { $ref: string })[];
  requestBody?: { content: Readonly<Record<string, { schema?: Schema }>> };
}

export interface OpenApi {
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

export interface FuzzRequest {
  operation: string;
  method: string;
  /** The path from the root of the server. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array<ArrayBuffer> | undefined;
  /** The index of the caller that sends it. */
  caller: number;
}

const METHODS = new Set(['get', 'put', 'post', 'delete', 'patch']);

const ACCEPTS = [
  'application/json',
  '*/*',
  'application/xml',
  'application/problem+json',
  'application/xml, application/json',
  'text/plain',
  'application/x-ndjson',
  'image/*',
  'nonsense',
  'text/html;q=0.1, */*;q=0.01',
  '',
];

/** One arbitrary for each operation of the document that `isWanted`. */
export function requestsOf(
  document: OpenApi,
  root: string,
  isWanted: (operationId: string) => boolean,
): readonly Arbitrary<FuzzRequest>[] {
  const resolve: Resolve = (reference) => {
    const steps = reference
      .replace('#/', '')
      .split('/')
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
    return steps.reduce<unknown>((place, step) => (place as Record<string, unknown>)[step], document) as Schema;
  };
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method, { operationId }]) => METHODS.has(method) && isWanted(operationId))
      .map(([method, operation]) =>
        requestsOfOperation({ path: root + path, method: method.toUpperCase(), operation }, resolve),
      ),
  );
}

function requestsOfOperation(
  { path, method, operation }: { path: string; method: string; operation: Operation },
  resolve: Resolve,
): Arbitrary<FuzzRequest> {
  const parameters = (operation.parameters ?? []).map((parameter) =>
    '$ref' in parameter ? (resolve(parameter.$ref) as unknown as Parameter) : parameter,
  );
  const of = (place: Parameter['in']) => parameters.filter((parameter) => parameter.in === place);
  return fc
    .record({
      pathValues: fieldsOf(of('path'), resolve),
      queryValues: fieldsOf(of('query'), resolve),
      headerValues: fieldsOf(of('header'), resolve),
      accept: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, fc.constantFrom(...ACCEPTS)),
      body: bodiesOf(operation, resolve),
      caller: fc.nat({ max: 3 }),
    })
    .map(({ pathValues, queryValues, headerValues, accept, body, caller }) => ({
      operation: operation.operationId,
      method,
      path:
        path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeText(plainText(pathValues[name] ?? ''))) +
        queryText(queryValues),
      headers: {
        ...headersOf(headerValues),
        ...(accept !== null && { accept }),
        ...(body !== undefined && { 'content-type': body.mediaType }),
      },
      body: body?.bytes,
      caller,
    }));
}

function fieldsOf(parameters: readonly Parameter[], resolve: Resolve): Arbitrary<Record<string, unknown>> {
  return fc.record(Object.fromEntries(parameters.map(({ name, schema }) => [name, valuesOf(schema, resolve)])), {
    requiredKeys: parameters.filter((parameter) => parameter.required === true).map(({ name }) => name),
  });
}

interface SentBody {
  mediaType: string;
  bytes: Uint8Array<ArrayBuffer>;
}

function bodiesOf({ requestBody }: Operation, resolve: Resolve): Arbitrary<SentBody | undefined> {
  const kinds = Object.entries(requestBody?.content ?? {});
  if (kinds.length === 0) return fc.constant(undefined);
  const made = kinds.map(([mediaType, { schema = {} }]) =>
    valuesOf(schema, resolve).map((value) => write(mediaType, value)),
  );
  const broken = fc.record({
    mediaType: fc.constantFrom(...kinds.map(([name]) => name), 'text/plain', 'nonsense'),
    bytes: fc.oneof(fc.uint8Array({ maxLength: 200 }), TEXT.map(bytesOf)),
  });
  return fc.oneof(
    { weight: 18, arbitrary: fc.oneof(...made) },
    { weight: 1, arbitrary: broken.map(({ mediaType, bytes }) => ({ mediaType, bytes: new Uint8Array(bytes) })) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}

const BOUNDARY = 'boundary-of-the-fuzzer';

function write(mediaType: string, value: unknown): SentBody {
  const fields = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  switch (mediaType) {
    case 'application/x-www-form-urlencoded':
      return {
        mediaType,
        bytes: bytesOf(fields.map(([name, field]) => `${encodeText(name)}=${encodeText(plainText(field))}`).join('&')),
      };
    case 'multipart/form-data':
      return { mediaType: `${mediaType}; boundary=${BOUNDARY}`, bytes: bytesOf(multipart(fields)) };
    case 'application/x-ndjson':
      return {
        mediaType,
        bytes: bytesOf((Array.isArray(value) ? value : [value, value]).map((line) => `${jsonText(line)}\n`).join('')),
      };
    case 'application/xml':
      return {
        mediaType,
        bytes: bytesOf(
          `<Pet>${fields.map(([name, field]) => `<${name}>${plainText(field)}</${name}>`).join('')}</Pet>`,
        ),
      };
    default:
      return { mediaType, bytes: bytesOf(jsonText(value)) };
  }
}

function multipart(fields: readonly [string, unknown][]): string {
  const parts = fields.map(
    ([name, field]) =>
      `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${name === 'file' ? '; filename="x.png"' : ''}\r\n\r\n${plainText(field)}\r\n`,
  );
  return `${parts.join('')}--${BOUNDARY}--\r\n`;
}

function queryText(values: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(values).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) => `${encodeText(name)}=${encodeText(plainText(one))}`),
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** The value as far as a header can carry it. */
function headersOf(values: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name.toLowerCase(),
      plainText(value)
        .replaceAll(/[^\x20-\x7e]/g, '?')
        .trim(),
    ]),
  );
}

/** Also for text that is not well-formed. */
function encodeText(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text));
}
