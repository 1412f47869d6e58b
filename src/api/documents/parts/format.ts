import type { Static, TSchema } from 'typebox';
import { FEATURE_GROUPS } from '../../../features/names.ts';
import type { HeaderName } from './headers.ts';

/** The groups of operations: the tags of the documents, in this order. */
export const GROUPS = {
  pet: 'Pets: the operations of Petstore, search, history and bulk changes',
  user: 'Users: the operations of Petstore',
  photos: 'Photos of pets',
  events: 'Event streams',
  'sign-in': 'Login with a second factor or a passkey',
  account: 'The account of the current user: password, sessions and API keys',
  oauth: 'OAuth 2.0: access for programs',
  organisation: 'The organisation that runs the service, and its own profile fields',
  ...FEATURE_GROUPS,
  administration: 'Administration of users, the audit log and backups',
  playgrounds: 'Services of their own in memory, for tests',
  documents: 'Descriptions of this API for programs',
} as const;

type Group = keyof typeof GROUPS;

/*
 * The format of the description of an operation: its purpose, parameters and responses. The table of endpoints has its
 * address and permission, from which the usual failures follow (`usual-failures.ts`).
 */

/** Parameters by name. Each schema has a `description`; that of an optional parameter is `Type.Optional`. */
export type Fields = Readonly<Record<string, TSchema>>;

/**
 * Schemas by media type. For `application/x-ndjson` the schema is that of a line, for `text/event-stream` that of the
 * data of an event.
 */
export type Content = Readonly<Record<string, TSchema>>;

export interface Body<C extends Content = Content> {
  content: C;
  isOptional?: true;
}

export interface ResponseDescription<C extends Content = Content> {
  description: string;
  headers: readonly HeaderName[];
  /** Undefined for a response without a body. */
  content?: C;
  /** The name of a response that several operations share. */
  name?: string;
}

export interface OperationDescription {
  group: Group;
  /** An imperative of a few words, without a full stop. */
  summary: string;
  description: string;
  deprecated?: true;
  path?: Fields;
  query?: Fields;
  /** The request headers, except those of authentication. */
  headers?: Fields;
  body?: Body;
  /** The responses below 400, by status. */
  responses: Readonly<Record<number, ResponseDescription>>;
  /** The reasons for each failure, by status. They replace the usual description. */
  failures?: Readonly<Record<number, string>>;
}

export function json<T extends TSchema>(schema: T, description: string, ...headers: readonly HeaderName[]) {
  return { description, headers, content: { 'application/json': schema } } as const satisfies ResponseDescription;
}

export function response<C extends Content>(content: C, description: string, ...headers: readonly HeaderName[]) {
  return { description, headers, content } as const satisfies ResponseDescription;
}

export const NOT_MODIFIED = {
  description: 'Not modified: `If-None-Match` has the current tag.',
  headers: ['ETag'],
} as const satisfies ResponseDescription;

/** For responses that may be cached. */
export const KEPT_NOT_MODIFIED = {
  ...NOT_MODIFIED,
  name: 'NotModified',
  headers: ['ETag', 'Cache-Control'],
} as const satisfies ResponseDescription;

export function jsonBody<T extends TSchema>(schema: T) {
  return { content: { 'application/json': schema } } as const satisfies Body;
}

/** The type of a successful response in this media type; `never` if there is none. */
export type ResponseOf<D extends OperationDescription, Media extends string> = {
  [S in keyof D['responses']]: D['responses'][S] extends { content: infer C } ? SchemaType<C, Media> : never;
}[keyof D['responses']];

type SchemaType<C, Media extends string> =
  C extends Readonly<Record<Media, infer T extends TSchema>> ? Static<T> : never;
