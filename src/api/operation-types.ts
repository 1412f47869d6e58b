import type { Static, TObject, TSchema } from 'typebox';
import type { AnswerLines, Answers, DESCRIPTIONS } from './documents/descriptions.ts';
import type { OperationId } from './endpoints.ts';

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

/** Headers of requests that an operation may know, by their names as options. */
export const HEADER_OPTIONS = {
  ifMatch: 'If-Match',
  ifNoneMatch: 'If-None-Match',
  idempotencyKey: 'Idempotency-Key',
  lastEventId: 'Last-Event-ID',
} as const;

type HeaderOption = Exclude<keyof typeof HEADER_OPTIONS, 'idempotencyKey'>;

export interface CallOptions {
  /** Ends the call, whatever it is waiting for. */
  signal?: AbortSignal | undefined;
  /** Until the answer has arrived; of what streams, until it begins. The client's by default. */
  timeoutMs?: number;
  /** Of a POST: sent again with the same key, it is carried out once. With one, it is also tried again after a lost connection. */
  idempotencyKey?: string;
  /** Any others. */
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
      /** Called as the body leaves. */
      onProgress?: (progress: UploadProgress) => void;
    }
  : unknown;

export type OptionsOf<Id extends OperationId> = CallOptions & HeadersOf<Id> & ProgressOf<Id>;

type ContentOf<Id extends OperationId> = Described[Id] extends { body: { content: infer C } } ? C : unknown;

/** As a program may give it: a 64-bit integer as a bigint, or as a number within what a double holds. */
type Given<T> = T extends Blob
  ? UploadSource
  : T extends bigint
    ? bigint | number
    : T extends readonly (infer Item)[]
      ? readonly Given<Item>[]
      : T extends object
        ? { [K in keyof T]: GivenField<T[K]> }
        : T;

/** Where the wire takes numbers and strings, it is a 64-bit integer. */
type GivenField<T> = string extends T ? (number extends T ? T | bigint : Given<T>) : Given<T>;

type FieldsOf<Id extends OperationId, Place extends 'path' | 'query'> =
  Described[Id] extends Readonly<Record<Place, infer F extends Readonly<Record<string, TSchema>>>>
    ? Given<Static<TObject<F>>>
    : unknown;

/** Of what is sent line by line, the schema is that of a line. */
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

/** What an operation takes: what stands in its path and its query, by name, and its body. */
export type ArgumentsOf<Id extends OperationId> = FieldsOf<Id, 'path'> & FieldsOf<Id, 'query'> & BodyOf<Id>;

type MediaOf<Id extends OperationId> = {
  [S in keyof Described[Id]['answers']]: Described[Id]['answers'][S] extends { content: infer C } ? keyof C : never;
}[keyof Described[Id]['answers']];

/** What an operation gives when it succeeds; of a picture, its bytes; of what only answers line by line, all lines. */
export type ResultOf<Id extends OperationId> =
  'image/jpeg' extends MediaOf<Id> ? Blob : [Answers[Id]] extends [never] ? readonly AnswerLines[Id][] : Answers[Id];

/** A success with all that came with it. */
export interface Answered<T> {
  status: number;
  /** Undefined with 304: what the caller has is the newest. */
  value: T;
  etag: string | undefined;
  headers: Headers;
}

type Call<Id extends OperationId, Result> =
  Partial<ArgumentsOf<Id>> extends ArgumentsOf<Id>
    ? (input?: ArgumentsOf<Id>, options?: OptionsOf<Id>) => Result
    : (input: ArgumentsOf<Id>, options?: OptionsOf<Id>) => Result;

/** One of the records of a page. */
type ItemOf<T> = T extends readonly (infer Item)[] ? Item : T extends { pets: readonly (infer Item)[] } ? Item : never;

type Paged<Id extends OperationId> = Described[Id] extends { query: { cursor: TSchema } }
  ? {
      /** Page after page, each asked for when it is wanted. */
      pages: Call<Id, AsyncGenerator<ResultOf<Id>, void, void>>;
      /** Record after record, from one page after the other. */
      all: Call<Id, AsyncGenerator<ItemOf<ResultOf<Id>>, void, void>>;
    }
  : unknown;

type Lined<Id extends OperationId> = [AnswerLines[Id]] extends [never]
  ? unknown
  : {
      /** Record after record, from one answer that streams. */
      lines: Call<Id, AsyncGenerator<AnswerLines[Id], void, void>>;
    };

type EventsIn<T> = T extends { answers: { 200: { content: { 'text/event-stream': infer S extends TSchema } } } }
  ? Extract<Static<S>, { type: string }>
  : never;

/** One that goes on without an end: event after event; it comes back by itself when the connection breaks, and misses nothing. */
type FollowedOf<Id extends OperationId> = Call<Id, AsyncGenerator<EventsIn<Described[Id]>, void, void>>;

/** An operation as a function. */
export type OperationOf<Id extends OperationId> = [EventsIn<Described[Id]>] extends [never]
  ? AskedOf<Id>
  : FollowedOf<Id>;

type AskedOf<Id extends OperationId> = Call<Id, Promise<ResultOf<Id>>> & {
  /** The same, with status, entity tag and headers. */
  answer: Call<Id, Promise<Answered<ResultOf<Id> | undefined>>>;
} & Paged<Id> &
  Lined<Id>;

/** Every operation under its id. */
export type Operations = { [Id in OperationId]: OperationOf<Id> };
