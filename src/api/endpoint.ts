import type { Action } from '../domain/access.ts';
import type { XmlRoot } from './xml/write-xml.ts';

/** The kind of the request body. */
export type BodyKind = 'none' | 'json' | 'merge-patch' | 'ndjson' | 'form' | 'multipart';

export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With parameters in braces, as in OpenAPI. */
  path: string;
  body: BodyKind;
  /** Whether it changes something: then web pages of other sites cannot call it. Logging in and out are changes. */
  changes: boolean;
  /**
   * The kind of a successful response: a `string` is JSON or plain text, `records` are JSON or NDJSON, a `file` has a
   * format of its own or that of its parameter, whatever `Accept` says. Errors are JSON.
   */
  response: 'json' | 'string' | 'records' | 'photo' | 'file' | 'events';
  /**
   * Whether a successful response is a stream: of many `records`, whose chunks take turns with those of other clients;
   * of `bytes` that are stored already; or of `responses` to a stream of the client.
   */
  streams: 'records' | 'bytes' | 'responses' | undefined;
  /** The root element of a successful response in XML, if the operation supports XML. Errors are then XML as well. */
  xml: XmlRoot | undefined;
  /** Whether the body may be XML as well as JSON. */
  takesXml: boolean;
  /**
   * Whether the actor is identified. Not for logging in and out, which work even if the session has exceeded its rate
   * limit.
   */
  identifiesActor: boolean;
  /** The required permission, checked before the body is read. The account in question is `username` in the path. */
  permission: Action | undefined;
  /** Whether the response contains account data: then it must not be cached. */
  isPrivate: boolean;
  /** Whether the request or its response has texts of visitors: recordings leave them out. */
  isPersonal: boolean;
}

export function endpoint(
  method: Endpoint['method'],
  path: string,
  body: BodyKind = 'none',
  other: Partial<Endpoint> = {},
): Endpoint {
  const isPrivate = /^(?:user|account|admin|oauth|password-reset|sign-in)\b/.test(path);
  const usual = {
    changes: method !== 'GET',
    response: 'json',
    streams: undefined,
    identifiesActor: true,
    permission: undefined,
    isPrivate,
    isPersonal: false,
  } as const;
  return { method, path: `/v2/${path}`, body, xml: undefined, takesXml: false, ...usual, ...other };
}

export const WRITES_PETS = { permission: 'write pets' } as const;
export const OF_HISTORY = { permission: 'write pets', isPrivate: true } as const;
export const CREATES_USERS = { permission: 'create users' } as const;
export const OF_ACCOUNT = { permission: 'use account' } as const;
export const OF_FACTORS = { permission: 'set up factors' } as const;
export const OF_OWNER = { permission: 'use own account' } as const;
export const CREATES_PLAYGROUND = { permission: 'create playgrounds', isPrivate: true } as const;
export const OF_ADMIN = { permission: 'administer' } as const;

/** Needs no credentials: a link confirms the address of the visitor. */
export const OF_VISITORS = { identifiesActor: false, isPrivate: true } as const;

export const STREAMS = { streams: 'records' } as const;
export const PHOTO = { response: 'photo', streams: 'bytes' } as const;

/** Only the sixteen operations of Petstore support XML. */
export const STORES_PET = { ...WRITES_PETS, xml: 'Pet', takesXml: true } as const;
export const API_RESPONSE = { xml: 'ApiResponse' } as const;
