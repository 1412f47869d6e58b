import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AccessMode } from '../domain/access.ts';

/*
 * Cross-origin resource sharing: which pages of other origins may call the service (Fetch Standard, section 3.3, https://fetch.spec.whatwg.org/#http-cors-protocol).
 */

/** Access for pages of another origin. Without credentials, the service ignores a session cookie with a change, and browsers withhold responses to requests with one. */
export type CorsGrant = 'with credentials' | 'without credentials' | 'none';

/** The grant for an origin, as browsers write it in the Origin header. */
export type CorsRule = (origin: string) => CorsGrant;

const LOOPBACK_ORIGIN = /^https?:\/\/(?:localhost|(?:[\w-]+\.)+localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/** How long browsers cache a preflight response. */
const MAX_AGE_SECONDS = 600;

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';

const EXPOSED_HEADERS = [
  'ETag',
  'Link',
  'Accept-Patch',
  'Menagerie-Missing-Pictures',
  'Deprecation',
  'X-Expires-After',
  'X-Rate-Limit',
  'Retry-After',
  'Idempotency-Replayed',
  'X-Request-Id',
  'Menagerie-Access',
].join(', ');

/** @param configured origins that may call with credentials in every access mode */
export function corsRule(access: AccessMode, configured: readonly string[]): CorsRule {
  const origins = new Set(configured);
  return (origin) => {
    if (origins.has(origin) || (access === 'open' && LOOPBACK_ORIGIN.test(origin))) return 'with credentials';
    return access === 'sandbox' ? 'without credentials' : 'none';
  };
}

/** Whether responses depend on the Origin header, so that caches must know (section 3.3.5). */
export function variesByOrigin(access: AccessMode, configured: readonly string[]): boolean {
  return access !== 'secured' || configured.length > 0;
}

export function allowCrossOrigin(app: FastifyInstance, ruleOf: CorsRule): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.headers.origin !== undefined) reply.headers(corsHeaders(request, ruleOf));
    done();
  });
}

/** The headers that let the page of a request read the response. The routes answer OPTIONS, also as a preflight. */
export function corsHeaders({ method, headers }: FastifyRequest, ruleOf: CorsRule): Record<string, string | number> {
  const { origin = '', 'access-control-request-headers': requestHeaders } = headers;
  const grant = ruleOf(origin);
  if (grant === 'none') return {};
  const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
  return {
    'access-control-allow-origin': grant === 'with credentials' ? origin : '*',
    ...(grant === 'with credentials' && { 'access-control-allow-credentials': 'true' }),
    'access-control-expose-headers': EXPOSED_HEADERS,
    ...(isPreflight && {
      'access-control-allow-methods': METHODS,
      'access-control-max-age': MAX_AGE_SECONDS,
      ...(requestHeaders !== undefined && { 'access-control-allow-headers': requestHeaders }),
    }),
  };
}
