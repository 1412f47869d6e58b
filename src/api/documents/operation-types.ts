import type { Static, TObject, TSchema } from 'typebox';
import type { ResponseLines, Responses, DESCRIPTIONS } from './descriptions.ts';
import type { OperationId } from '../endpoints.ts';

/*
 * The arguments, options and results of each operation, derived from its description in `documents/`.
 */

/** A file to upload. A browser's Blob may be a File, which has a name. */
export type UploadSource = Blob | Uint8Array;

export interface UploadProgress {
  /** Bytes handed to the connection; the last of them may not have arrived yet. */
  sentBytes: number;
  totalBytes: number;
}

type Described = typeof DESCRIPTIONS;

/** The request headers of operations, by the names of their options. */
export const HEADER_OPTIONS = {
  ifMatch: 'If-Match',
  ifNoneMatch: 'If-None-Match',
  idempotencyKey: 'Idempotency-Key',
  lastEventId: 'Last-Event-ID',
} as const;

type HeaderOption = Exclude<keyof typeof HEADER_OPTIONS, 'idempotencyKey'>;

export interface CallOptions {
  /** Aborts the call. */
  signal?: AbortSignal | undefined;
  /** The timeout until the response is complete; for a stream, until it begins. By default that of the client. */
  timeoutMs?: number;
  /**
   * For a POST: a retry with the same key is not executed again. With a key, the client also retries after a lost
   * connection, and while the first request is in progress (409 with Retry-After).
   */
  idempotencyKey?: string;
  /** Further headers. */
  headers?: Readonly<Record<string, string>>;
}

type HeadersOf<Id extends OperationId> = {
  [
    O in HeaderOption as Described[Id] extends { headers: Readonly<Record<(typeof HEADER_OPTIONS)[O], TSchema>> }
      ? O
      : never
  ]?: O extends 'lastEventId' ? string | bigint | number : string;
};

type ProgressOf<Id extends OperationId> = 'multipart/form-data' extends keyof ContentOf<Id>
  ? {
      /** Called while the body is sent. */
      onProgress?: (progress: UploadProgress) => void;
    }
  : unknown;

export type OptionsOf<Id extends OperationId> = CallOptions & HeadersOf<Id> & ProgressOf<Id>;

type ContentOf<Id extends OperationId> = Described[Id] extends { body: { content: infer C } } ? C : unknown;

/** The type of an argument: a 64-bit integer may be a bigint, or a number that is exact as a double. */
type Given<T> = T extends Blob
  ? UploadSource
  : T extends bigint
    ? bigint | number
    : T extends readonly (infer Item)[]
      ? readonly Given<Item>[]
      : T extends object
        ? { [K in keyof T]: GivenField<T[K]> }
        : T;

/** A field that may be a number or a string in JSON is a 64-bit integer. */
type GivenField<T> = string extends T ? (number extends T ? T | bigint : Given<T>) : Given<T>;

type FieldsOf<Id extends OperationId, Place extends 'path' | 'query'> =
  Described[Id] extends Readonly<Record<Place, infer F extends Readonly<Record<string, TSchema>>>>
    ? Given<Static<TObject<F>>>
    : unknown;

/** The schema of NDJSON is that of a line. */
type GivenAs<Media, T> = Media extends 'application/x-ndjson' ? readonly T[] : T;

type BodyOf<Id extends OperationId> = keyof ContentOf<Id> extends never
  ? unknown
  : {
        [M in keyof ContentOf<Id>]: ContentOf<Id>[M] extends infer T extends TSchema
          ? GivenAs<M, Given<Static<T>>>
          : never;
      } extends infer Bodies
    ? Described[Id] extends { body: { isOptional: true } }
      ? { body?: Bodies[keyof Bodies] }
      : { body: Bodies[keyof Bodies] }
    : never;

/** The arguments of an operation: path and query parameters by name, and `body`. */
export type ArgumentsOf<Id extends OperationId> = FieldsOf<Id, 'path'> & FieldsOf<Id, 'query'> & BodyOf<Id>;

type MediaOf<Id extends OperationId> = {
  [S in keyof Described[Id]['responses']]: Described[Id]['responses'][S] extends { content: infer C } ? keyof C : never;
}[keyof Described[Id]['responses']];

/**
 * The result of an operation: a Blob for a photo, a stream for an archive, and all lines for an operation that only
 * responds with NDJSON, or the text of CSV.
 */
export type ResultOf<Id extends OperationId> =
  'image/jpeg' extends MediaOf<Id>
    ? Blob
    : 'application/x-tar' extends MediaOf<Id>
      ? ReadableStream<Uint8Array>
      : 'application/zip' extends MediaOf<Id>
        ? ReadableStream<Uint8Array>
        : [Responses[Id]] extends [never]
          ? readonly ResponseLines[Id][] | ('text/csv' extends MediaOf<Id> ? string : never)
          : Responses[Id];

/** A successful response with its headers. */
export interface ClientResponse<T> {
  status: number;
  /** Undefined for 304: the cached value is current. */
  value: T;
  etag: string | undefined;
  headers: Headers;
}

type Call<Id extends OperationId, Result> =
  Partial<ArgumentsOf<Id>> extends ArgumentsOf<Id>
    ? (input?: ArgumentsOf<Id>, options?: OptionsOf<Id>) => Result
    : (input: ArgumentsOf<Id>, options?: OptionsOf<Id>) => Result;

/** A record of a page. */
type ItemOf<T> = T extends readonly (infer Item)[] ? Item : T extends { pets: readonly (infer Item)[] } ? Item : never;

type Paged<Id extends OperationId> = Described[Id] extends { query: { cursor: TSchema } }
  ? {
      /** All pages, each requested on demand. */
      pages: Call<Id, AsyncGenerator<ResultOf<Id>, void, void>>;
      /** The records of all pages. */
      all: Call<Id, AsyncGenerator<ItemOf<ResultOf<Id>>, void, void>>;
    }
  : unknown;

type Lined<Id extends OperationId> = [ResponseLines[Id]] extends [never]
  ? unknown
  : {
      /** All records, from one streamed response. */
      lines: Call<Id, AsyncGenerator<ResponseLines[Id], void, void>>;
    };

type EventsIn<T> = T extends { responses: { 200: { content: { 'text/event-stream': infer S extends TSchema } } } }
  ? Extract<Static<S>, { type: string }>
  : never;

/** An endless stream of events. It reconnects automatically, and misses no event. */
type FollowedOf<Id extends OperationId> = Call<Id, AsyncGenerator<EventsIn<Described[Id]>, void, void>>;

/** An operation as a function. */
type OperationOf<Id extends OperationId> = [EventsIn<Described[Id]>] extends [never] ? AskedOf<Id> : FollowedOf<Id>;

type AskedOf<Id extends OperationId> = Call<Id, Promise<ResultOf<Id>>> & {
  /** The response with status, entity tag and headers. */
  response: Call<Id, Promise<ClientResponse<ResultOf<Id> | undefined>>>;
} & Paged<Id> &
  Lined<Id>;

/** Every operation by its ID. */
export type Operations = { [Id in OperationId]: OperationOf<Id> };

/** Results with `integers: 'number'`: 64-bit integers are numbers, or bigints beyond 2^53. */
type Numbered<T> = T extends bigint
  ? bigint | number
  : T extends Blob | ReadableStream | Headers
    ? T
    : T extends Promise<infer R>
      ? Promise<Numbered<R>>
      : T extends AsyncGenerator<infer Y, void, void>
        ? AsyncGenerator<Numbered<Y>, void, void>
        : T extends object
          ? { [K in keyof T]: Numbered<T[K]> }
          : T;

type NumberedOperation<O> = O extends (...args: infer A) => infer R
  ? ((...args: A) => Numbered<R>) & { [K in keyof O]: NumberedOperation<O[K]> }
  : O;

export type NumberOperations = { [Id in OperationId]: NumberedOperation<Operations[Id]> };
