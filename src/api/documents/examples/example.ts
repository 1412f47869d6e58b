import type { OperationId } from '../../endpoints.ts';

export type JsonValue =
  null | boolean | number | string | readonly JsonValue[] | { readonly [name: string]: JsonValue };

/**
 * An example of a request. Texts such as `{{keyId}}` stand for values of earlier responses: the examples of all
 * operations, in their order, work as one session in a playground.
 */
export interface Example {
  /** Path and query parameters, by name. */
  parameters?: Readonly<Record<string, string | number | boolean>>;
  /** In JSON; the fields of a form; the lines of NDJSON. */
  body?: JsonValue;
  /** The name of the file that is sent in the field `file`. */
  file?: string;
  /** A response in JSON. The real one has the same members, with values of the same types. */
  response?: JsonValue;
  /** Values that later examples use, by JSON Pointers into the response. */
  keep?: Readonly<Record<string, string>>;
}

export type Examples = Readonly<Partial<Record<OperationId, Example>>>;

/** The response to many changes. */
export const OK = { code: 200, type: 'unknown', message: 'ok' } as const;
