import { randomBytes } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { AccessMode } from '../../domain/access.ts';
import { SANDBOX_HEADERS, variesByOrigin } from './cross-origin.ts';

const http = process.getBuiltinModule('node:http');

/** The headers of every response, unless it sets them itself. */
export type CommonHeaders = Readonly<Record<string, string>>;

interface HeaderSettings {
  access: AccessMode;
  publicUrl: string | undefined;
  corsOrigins: readonly string[];
}

export function commonHeaders({ access, publicUrl, corsOrigins }: HeaderSettings): CommonHeaders {
  return {
    // No MIME sniffing, no frames, no subresources, and no Referer to other sites.
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    // Accept selects the format of responses and errors, which caches must know (RFC 9110, section 12.5.5).
    vary: variesByOrigin(access, corsOrigins) ? 'Accept, Origin' : 'Accept',
    ...(publicUrl?.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
    ...(access === 'sandbox' && { 'menagerie-access': 'sandbox', ...SANDBOX_HEADERS }),
  };
}

/** Common headers, formatted once: setting four headers on each response took a sixth of the time of a read. */
interface FormattedHeaders {
  headers: CommonHeaders;
  names: readonly string[];
  lines: string;
  hasOrigin: boolean;
}

interface HeaderedResponse {
  common: FormattedHeaders;
  /** Lines for the rate limit of the client, unless the response reports that of its operation. */
  rateLimitLines: string;
}

export function formatHeaders(headers: CommonHeaders): FormattedHeaders {
  const hasOrigin = headers['vary']?.includes('Origin') ?? false;
  return { headers, names: Object.keys(headers), lines: headerLines(headers), hasOrigin };
}

export function replaceCommonHeaders(response: ServerResponse, common: FormattedHeaders): void {
  (response as ServerResponse & HeaderedResponse).common = common;
}

/** Setting the headers instead took a tenth of the time of a read: Node then checks and sets all others one by one. */
export function addRateLimitLines(response: ServerResponse, lines: string): void {
  (response as ServerResponse & HeaderedResponse).rateLimitLines = lines;
}

export function headerLines(headers: CommonHeaders): string {
  return Object.entries(headers)
    .map(([name, value]) => `${canonicalName(name)}: ${value}\r\n`)
    .join('');
}

/** Returns the request ID, the same in every call for a request. */
export type RequestId = (request: IncomingMessage & { menagerieId?: string }) => string;

const GIVEN_ID = /^[\w.:-]{1,64}$/;

/**
 * Numbers requests, with a prefix per process, so that the request IDs of several servers differ. Keeps a request ID
 * that a proxy sent.
 */
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

/** Cache of canonical names, with those in which not every word just begins with a capital. */
const canonicalNames = new Map([
  ['etag', 'ETag'],
  ['www-authenticate', 'WWW-Authenticate'],
  ['ratelimit', 'RateLimit'],
  ['ratelimit-policy', 'RateLimit-Policy'],
]);

/**
 * A header name in canonical case. Case does not matter (RFC 9110, section 5.1), but clients in PHP and Ruby look up
 * names in this case. It is called only for headers that the service sets, so the cache stays small.
 */
function canonicalName(name: string): string {
  const cached = canonicalNames.get(name);
  if (cached !== undefined) return cached;
  const canonical = name.replaceAll(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());
  canonicalNames.set(name, canonical);
  return canonical;
}

type StoreHeader = (this: ServerResponse, firstLine: string, headers: OutgoingHttpHeaders | undefined) => void;

/**
 * The class of all responses of the server, which adds the common headers and the request ID.
 *
 * It overrides `_storeHeader`, an undocumented method of Node that joins the header lines. The service does not start
 * if the method is missing, and test/http/security-headers.test.ts checks the result.
 */
export function responsesWith(headers: CommonHeaders, idOf: RequestId): typeof http.ServerResponse {
  const { _storeHeader: storeHeader } = http.ServerResponse.prototype as unknown as { _storeHeader?: StoreHeader };
  if (storeHeader === undefined)
    throw new Error('This version of Node.js is not supported: ServerResponse has no method _storeHeader.');

  class CommonResponse<Request extends IncomingMessage>
    extends http.ServerResponse<Request>
    implements HeaderedResponse
  {
    declare common: FormattedHeaders;
    declare rateLimitLines: string;

    override setHeader(name: string, value: number | string | readonly string[]): this {
      return super.setHeader(canonicalName(name), withOrigin(this.common, name, value));
    }

    _storeHeader(firstLine: string, own: OutgoingHttpHeaders | undefined): void {
      const { headers: all, names, lines } = this.common;
      const isOverridden = own !== undefined && names.some((name) => own[name] !== undefined);
      const common = isOverridden ? headerLines(without(all, own)) : lines;
      // Headers set one by one already have canonical names from `setHeader`, and are not a plain object.
      const prepared =
        own === undefined || this.getHeaderNames().length > 0 ? own : withCanonicalNames(own, this.common);
      const rateLimit = own?.['ratelimit'] === undefined && !this.hasHeader('ratelimit') ? this.rateLimitLines : '';
      storeHeader?.call(this, `${firstLine}${common}${rateLimit}X-Request-Id: ${idOf(this.req)}\r\n`, prepared);
    }
  }
  CommonResponse.prototype.common = formatHeaders(headers);
  CommonResponse.prototype.rateLimitLines = '';
  return CommonResponse;
}

/** Routes set Vary without Origin, because whether responses depend on it is a setting. */
function withOrigin<T>({ hasOrigin }: FormattedHeaders, name: string, value: T): T | string {
  return hasOrigin && name === 'vary' ? `${String(value)}, Origin` : value;
}

/** The common headers that the response does not set itself. */
function without(headers: CommonHeaders, own: OutgoingHttpHeaders): CommonHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => own[name] === undefined));
}

function withCanonicalNames(own: OutgoingHttpHeaders, common: FormattedHeaders): OutgoingHttpHeaders {
  const all: OutgoingHttpHeaders = {};
  for (const name in own) {
    const value = own[name];
    if (value !== undefined) all[canonicalName(name)] = withOrigin(common, name, value);
  }
  return all;
}
