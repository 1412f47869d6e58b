import type { Static, TObject, TSchema } from 'typebox';
import type { Group } from './groups.ts';
import type { HeaderName } from './headers.ts';

/*
 * How an operation is described. The endpoint table says where it is and what it needs; from that alone follow the answers that any such operation
 * may give (`usual-failures.ts`). What is written here is the rest: what it is for, what it takes, and what it answers.
 */

/** Parameters by name. Each schema has a `description`; one that may be left out is `Type.Optional`. */
export type Fields = Readonly<Record<string, TSchema>>;

/** Schemas by media type. Of `application/x-ndjson` it is the schema of one line, of `text/event-stream` that of the data of one event. */
export type Content = Readonly<Record<string, TSchema>>;

export interface Body<C extends Content = Content> {
  content: C;
  /** The whole body may be left out. */
  isOptional?: true;
}

export interface Answer<C extends Content = Content> {
  description: string;
  headers: readonly HeaderName[];
  /** Absent where there is no body. */
  content?: C;
}

export interface OperationDescription {
  group: Group;
  /** A few words, without a full stop. */
  summary: string;
  description?: string;
  deprecated?: true;
  /** What stands in braces in the path. */
  path?: Fields;
  query?: Fields;
  /** Beside those that say who is asking. */
  headers?: Fields;
  body?: Body;
  /** Everything below 400, by status. */
  answers: Readonly<Record<number, Answer>>;
  /** What is refused, and why, by status. Takes the place of the usual sentence where there is one for the status. */
  failures?: Readonly<Record<number, string>>;
}

/** An answer in JSON. */
export function json<T extends TSchema>(schema: T, description: string, ...headers: readonly HeaderName[]) {
  return { description, headers, content: { 'application/json': schema } } as const satisfies Answer;
}

/** An answer in another form than JSON alone. */
export function answer<C extends Content>(content: C, description: string, ...headers: readonly HeaderName[]) {
  return { description, headers, content } as const satisfies Answer;
}

export const NOT_MODIFIED = {
  description: 'The client has the newest already: its entity tag is among those of `If-None-Match`.',
  headers: ['ETag'],
} as const satisfies Answer;

/** The same of what may be kept. */
export const KEPT_NOT_MODIFIED = { ...NOT_MODIFIED, headers: ['ETag', 'Cache-Control'] } as const satisfies Answer;

export function jsonBody<T extends TSchema>(schema: T) {
  return { content: { 'application/json': schema } } as const satisfies Body;
}

/** The static type of what a description says of an answer below 400, in this media type; `never` where there is none. */
export type AnswerOf<D extends OperationDescription, Media extends string> = {
  [S in keyof D['answers']]: D['answers'][S] extends { content: infer C } ? SchemaType<C, Media> : never;
}[keyof D['answers']];

/** The static type of the body in this media type; `never` where there is none. */
export type BodyOf<D extends OperationDescription, Media extends string> = D extends { body: { content: infer C } }
  ? SchemaType<C, Media>
  : never;

/** The static type of the parameters that stand in a place; those that may be left out are optional. */
export type ParametersOf<D extends OperationDescription, Place extends 'path' | 'query' | 'headers'> =
  D extends Readonly<Record<Place, infer F extends Fields>> ? Static<TObject<F>> : Readonly<Record<string, never>>;

type SchemaType<C, Media extends string> =
  C extends Readonly<Record<Media, infer T extends TSchema>> ? Static<T> : never;
