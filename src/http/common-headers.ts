import { ServerResponse, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import type { AccessMode } from '../domain/access.ts';
import { variesByOrigin } from './cors.ts';
import type { RequestId } from './request-log.ts';

/** The headers that every answer carries, whatever it is, but for those that it sets itself. */
export type CommonHeaders = Readonly<Record<string, string>>;

interface HeaderSettings {
  access: AccessMode;
  publicUrl: string | undefined;
  corsOrigins: readonly string[];
}

export function commonHeaders({ access, publicUrl, corsOrigins }: HeaderSettings): CommonHeaders {
  return {
    // An answer is what its Content-Type says, is shown in no frame, loads nothing, and tells no other site where it was.
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    // Every answer is chosen by it: JSON or XML, an error as a problem document or not, 406. A cache must know (RFC 9110, section 12.5.5).
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
 * Answers that carry the common headers, and the id under which the log knows the request: all that this server ever writes, for Node makes them by
 * this class. The lines are made once. Set one by one, checked and put together anew for every answer, four headers took a sixth of the time of a
 * read, measured; `_storeHeader`, where Node has always put the lines together, is not documented, so its absence is an error at the start, and
 * test/http/security-headers.test.ts sees whether the lines arrive.
 */
export function answersWith(headers: CommonHeaders, idOf: RequestId): typeof ServerResponse {
  const names = Object.keys(headers);
  const lines = headerLines(headers);
  const hasOrigin = headers['vary']?.includes('Origin') ?? false;
  const { _storeHeader: storeHeader } = ServerResponse.prototype as unknown as { _storeHeader?: StoreHeader };
  if (storeHeader === undefined)
    throw new Error('This version of Node writes headers in a way that is not known here.');

  /** Without those that the answer sets itself. */
  function linesBeside(own: OutgoingHttpHeaders): string {
    const others = names.filter((name) => own[name] === undefined);
    return others.length === names.length
      ? lines
      : headerLines(Object.fromEntries(others.map((name) => [name, headers[name] ?? ''])));
  }

  /** The Vary header of a response does not name Origin: whether that matters is a setting. */
  function withOrigin<T>(name: string, value: T): T | string {
    return hasOrigin && name === 'vary' ? `${String(value)}, Origin` : value;
  }

  function prepared(own: OutgoingHttpHeaders): OutgoingHttpHeaders {
    const all: OutgoingHttpHeaders = {};
    for (const name in own) {
      const value = own[name];
      if (value !== undefined) all[canonicalName(name)] = withOrigin(name, value);
    }
    return all;
  }

  return class<Request extends IncomingMessage> extends ServerResponse<Request> {
    override setHeader(name: string, value: number | string | readonly string[]): this {
      return super.setHeader(canonicalName(name), withOrigin(name, value));
    }

    _storeHeader(firstLine: string, own: OutgoingHttpHeaders | undefined): void {
      const common = own === undefined ? lines : linesBeside(own);
      // Headers that were set one by one are not a plain object, and have their names from `setHeader`.
      const headers = own === undefined || this.getHeaderNames().length > 0 ? own : prepared(own);
      storeHeader?.call(this, `${firstLine}${common}X-Request-Id: ${idOf(this.req)}\r\n`, headers);
    }
  };
}
