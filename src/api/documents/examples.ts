import { FEATURE_EXAMPLES } from '../../features/documents.ts';
import { type Endpoint, ENDPOINTS, type OperationId } from '../endpoints.ts';
import { ACCOUNT_EXAMPLES, PROGRAM_EXAMPLES } from './examples/accounts.ts';
import { SERVICE_EXAMPLES, USER_EXAMPLES } from './examples/administration.ts';
import type { Example, JsonValue } from './examples/example.ts';
import { HISTORY_EXAMPLES, PET_EXAMPLES, PHOTO_EXAMPLES } from './examples/pets.ts';
import { END_EXAMPLES, START_EXAMPLES } from './examples/playgrounds.ts';
import { BASE_PATH } from './introduction.ts';

/** By operation, in their order. */
export const EXAMPLES: ReadonlyMap<OperationId, Example> = new Map(
  [
    START_EXAMPLES,
    PET_EXAMPLES,
    PHOTO_EXAMPLES,
    HISTORY_EXAMPLES,
    USER_EXAMPLES,
    SERVICE_EXAMPLES,
    FEATURE_EXAMPLES,
    ACCOUNT_EXAMPLES,
    PROGRAM_EXAMPLES,
    END_EXAMPLES,
  ].flatMap((examples) => Object.entries(examples) as [OperationId, Example][]),
);

/** The body of a request. All texts may have `{{name}}`. */
type ExampleContent =
  | { kind: 'text'; mediaType: string; text: string }
  | { kind: 'form'; fields: Readonly<Record<string, string>> }
  | { kind: 'multipart'; fields: Readonly<Record<string, string>>; file: string };

/** An example as a request, still with `{{name}}` for the values of earlier responses. */
export interface ExampleRequest {
  method: Endpoint['method'];
  /** Without `/v2`. */
  path: string;
  query: readonly (readonly [name: string, value: string])[];
  content: ExampleContent | undefined;
  /** Whether it is about playgrounds or documents: sent to the service, and not to the playground. */
  isOfService: boolean;
}

const MEDIA_TYPES = {
  json: 'application/json',
  'merge-patch': 'application/merge-patch+json',
  ndjson: 'application/x-ndjson',
} as const;

export function exampleRequest(id: OperationId, { parameters = {}, body, file }: Example): ExampleRequest {
  const { method, path, body: kind } = ENDPOINTS[id];
  const texts = Object.entries(parameters).map(([name, value]) => [name, String(value)] as const);
  const inPath = (name: string) => path.includes(`{${name}}`);
  const filled = texts.reduce((left, [name, value]) => left.replace(`{${name}}`, value), path.slice(BASE_PATH.length));
  return {
    method,
    path: filled,
    query: texts.filter(([name]) => !inPath(name)),
    content: contentOf(kind, body, file),
    isOfService: /^\/(?:playgrounds|openapi|swagger|arazzo)\b/.test(filled),
  };
}

function contentOf(
  kind: Endpoint['body'],
  body: JsonValue | undefined,
  file: string | undefined,
): ExampleContent | undefined {
  if (file !== undefined) return { kind: 'multipart', fields: (body ?? {}) as Readonly<Record<string, string>>, file };
  if (body === undefined) return undefined;
  if (kind === 'form') return { kind: 'form', fields: body as Readonly<Record<string, string>> };
  const lines = () => (body as readonly JsonValue[]).map((line) => JSON.stringify(line)).join('\n');
  return kind === 'ndjson'
    ? { kind: 'text', mediaType: MEDIA_TYPES.ndjson, text: lines() }
    : { kind: 'text', mediaType: MEDIA_TYPES[kind as 'json' | 'merge-patch'], text: JSON.stringify(body, null, 2) };
}

/** The values that earlier examples keep, from their responses. */
const SAMPLES: ReadonlyMap<string, JsonValue> = new Map(
  [...EXAMPLES.values()].flatMap(({ response, keep = {} }) =>
    Object.entries(keep).map(([name, pointer]) => [name, valueAt(response, pointer) ?? ''] as const),
  ),
);

/** Replaces `{{name}}` by the sample in an earlier response. */
export function withSamples(value: JsonValue): JsonValue {
  if (typeof value === 'string') {
    const name = /^\{\{(\w+)\}\}$/.exec(value)?.[1];
    return name === undefined ? value : (SAMPLES.get(name) ?? value);
  }
  if (Array.isArray(value)) return value.map((item: JsonValue) => withSamples(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withSamples(inner)]));
}

/** The value at a JSON Pointer (RFC 6901) whose segments need no escaping. */
export function valueAt(value: JsonValue | undefined, pointer: string): JsonValue | undefined {
  return pointer
    .split('/')
    .slice(1)
    .reduce<JsonValue | undefined>(
      (inner, segment) => (inner as Readonly<Record<string, JsonValue>> | undefined)?.[segment],
      value,
    );
}
