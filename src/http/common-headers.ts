import { randomBytes } from 'node:crypto';
import { ServerResponse, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import type { AccessMode } from '../domain/access.ts';
import { variesByOrigin } from './cross-origin.ts';

/** The headers of every response, unless it sets them itself. */
export type CommonHeaders = Readonly<Record<string, string>>;

interface HeaderSettings {
  access: AccessMode;
  publicUrl: string | undefined;
  corsOrigins: readonly string[];
}

export function commonHeaders({ access, publicUrl, corsOrigins }: HeaderSettings): CommonHeaders {
  return {
    // A response has the type that its Content-Type says, is not shown in a frame, loads nothing, and sends its address to no other site.
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    // Accept selects JSON or XML, and the form of errors. A cache must know (RFC 9110, section 12.5.5).
    vary: variesByOrigin(access, corsOrigins) ? 'Accept, Origin' : 'Accept',
    ...(publicUrl?.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
    ...(access === 'sandbox' && { 'menagerie-access': 'sandbox' }),
  };
}

/** Headers as lines of HTTP. */
export function headerLines(headers: CommonHeaders): string {
  return Object.entries(headers)
    .map(([name, value]) => `${canonicalName(name)}: ${value}\r\n`)
    .join('');
}

/** Returns the id of a request: the same one in every call. */
export type RequestId = (request: IncomingMessage & { menagerieId?: string }) => string;

const GIVEN_ID = /^[\w.:-]{1,64}$/;

/** Numbers requests, with a prefix for the process, so that the ids of several servers differ. An id that a proxy sent is kept. */
export function requestIds(): RequestId {
  const prefix = randomBytes(4).toString('hex');
  let count = 0;
  return (request) => {
    if (request.menagerieId !== undefined) return request.menagerieId;
    const given = request.headers['x-request-id'];
    const isGiven = typeof given === 'string' && GIVEN_ID.test(given);
    request.menagerieId = isGiven ? given : `${prefix}-${(++count).toString(36)}`;
    return request.menagerieId;
  };
}

/** Names that are not just words with a capital letter each. */
const canonicalNames = new Map([
  ['etag', 'ETag'],
  ['www-authenticate', 'WWW-Authenticate'],
]);

/**
 * A header name in canonical case. Case does not matter (RFC 9110, section 5.1), but clients in PHP and Ruby look names up in this one. Only names that
 * the service itself sets get here, so the map stays small.
 */
export function canonicalName(name: string): string {
  const known = canonicalNames.get(name);
  if (known !== undefined) return known;
  const canonical = name.replaceAll(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());
  canonicalNames.set(name, canonical);
  return canonical;
}

type StoreHeader = (this: ServerResponse, firstLine: string, headers: OutgoingHttpHeaders | undefined) => void;

/**
 * A class for all responses of the server, which adds the common headers and the request id. Node creates every response with it. The lines of the common
 * headers are made once: set, checked and joined for each response, four headers took a sixth of the time of a read (measured).
 *
 * `_storeHeader`, the method of Node that joins the lines, is not documented. Without it the service does not start, and
 * test/http/security-headers.test.ts checks that the lines arrive.
 */
export function responsesWith(headers: CommonHeaders, idOf: RequestId): typeof ServerResponse {
  const names = Object.keys(headers);
  const lines = headerLines(headers);
  const hasOrigin = headers['vary']?.includes('Origin') ?? false;
  const { _storeHeader: storeHeader } = ServerResponse.prototype as unknown as { _storeHeader?: StoreHeader };
  if (storeHeader === undefined)
    throw new Error('This version of Node writes headers in a way that is not known here.');

  /** The Vary header of a response does not name Origin: whether that matters is a setting. */
  function withOrigin<T>(name: string, value: T): T | string {
    return hasOrigin && name === 'vary' ? `${String(value)}, Origin` : value;
  }

  return class<Request extends IncomingMessage> extends ServerResponse<Request> {
    override setHeader(name: string, value: number | string | readonly string[]): this {
      return super.setHeader(canonicalName(name), withOrigin(name, value));
    }

    _storeHeader(firstLine: string, own: OutgoingHttpHeaders | undefined): void {
      const isOverridden = own !== undefined && names.some((name) => own[name] !== undefined);
      const common = isOverridden ? headerLines(without(headers, own)) : lines;
      // Headers that were set one by one are not a plain object, and have their names from `setHeader`.
      const prepared =
        own === undefined || this.getHeaderNames().length > 0 ? own : withCanonicalNames(own, withOrigin);
      storeHeader?.call(this, `${firstLine}${common}X-Request-Id: ${idOf(this.req)}\r\n`, prepared);
    }
  };
}

/** The common headers that the response does not set itself. */
function without(headers: CommonHeaders, own: OutgoingHttpHeaders): CommonHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => own[name] === undefined));
}

function withCanonicalNames(
  own: OutgoingHttpHeaders,
  valueOf: <T>(name: string, value: T) => T | string,
): OutgoingHttpHeaders {
  const all: OutgoingHttpHeaders = {};
  for (const name in own) {
    const value = own[name];
    if (value !== undefined) all[canonicalName(name)] = valueOf(name, value);
  }
  return all;
}
