import type { FastifyRequest } from 'fastify';
import type { AccessMode } from '../../domain/access.ts';
import { Failure } from '../../domain/failure.ts';
import { isNavigation } from './negotiation.ts';
import type { Guard } from './admission.ts';

/**
 * The access of pages of another origin. For `without credentials`, the service ignores the session cookie of a change,
 * and browsers withhold responses to requests with a cookie.
 */
type CorsGrant = 'with credentials' | 'without credentials' | 'none';

const LOOPBACK_ORIGIN = /^https?:\/\/(?:localhost|(?:[\w-]+\.)+localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/** Time for which browsers cache a preflight response. */
const MAX_AGE_SECONDS = 600;

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';

const EXPOSED_HEADERS = [
  'ETag',
  'Link',
  'Accept-Patch',
  'Menagerie-Missing-Photos',
  'Menagerie-Provider-Logout',
  'Deprecation',
  'X-Second-Factor',
  'X-Proof-Required',
  'X-Expires-After',
  'X-Rate-Limit',
  'Retry-After',
  'RateLimit-Policy',
  'RateLimit',
  'Idempotency-Replayed',
  'X-Request-Id',
  'Menagerie-Access',
  'WWW-Authenticate',
  'Menagerie-Fault',
].join(', ');

/**
 * In sandbox access, pages of all origins may read all responses, also those of invalid requests. Caches need not know
 * the origin.
 */
export const SANDBOX_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED_HEADERS,
};

/** Whether responses depend on the Origin header, which caches must know (Fetch Standard, section 3.3.5). */
export function variesByOrigin(access: AccessMode, corsOrigins: readonly string[]): boolean {
  return access === 'open' || corsOrigins.length > 0;
}

interface CrossOriginDeps {
  access: AccessMode;
  /** Origins that may send credentials, in every access mode. */
  corsOrigins: readonly string[];
  baseOf: (request: FastifyRequest) => string;
}

/**
 * Decides which pages of other origins may call the service: cross-origin resource sharing (Fetch Standard, section
 * 3.3, https://fetch.spec.whatwg.org/#http-cors-protocol), and protection against cross-site request forgery.
 */
export class CrossOrigin {
  readonly #access: AccessMode;
  readonly #configured: ReadonlySet<string>;
  readonly #baseOf: (request: FastifyRequest) => string;

  constructor({ access, corsOrigins, baseOf }: CrossOriginDeps) {
    this.#access = access;
    this.#configured = new Set(corsOrigins);
    this.#baseOf = baseOf;
  }

  /** Adds the CORS headers to the response. Runs first, so that refusals of other guards have them too. */
  readonly addHeaders: Guard = (request, reply, { isForAllOrigins }) => {
    if (isForAllOrigins === true) reply.headers(forAllOrigins(request));
    else if (request.headers.origin !== undefined || this.#access === 'sandbox')
      reply.headers(this.headersFor(request));
    return undefined;
  };

  /**
   * The headers that allow the requesting page to read the response, beside those that all responses have. The routes
   * respond to OPTIONS, including preflights.
   */
  headersFor({ method, headers }: FastifyRequest): Record<string, string | number> {
    const { origin = '', 'access-control-request-headers': requestHeaders } = headers;
    const grant = this.#grantFor(origin);
    if (grant === 'none') return {};
    if (grant === 'without credentials') return method === 'OPTIONS' ? preflightHeaders(requestHeaders ?? '*') : {};
    const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
    return {
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': EXPOSED_HEADERS,
      ...(isPreflight && preflightHeaders(requestHeaders)),
    };
  }

  /**
   * Refuses changes by web pages of other sites. Browsers send the origin of a request (Fetch Metadata, or Origin in
   * older browsers). Other clients do not, and are allowed.
   */
  readonly refuseChanges: Guard = (request, _reply, { changes, isForAllOrigins }) => {
    if (changes !== true || isForAllOrigins === true) return undefined;
    const { origin, 'sec-fetch-site': site } = request.headers;
    const grant = origin === undefined ? 'none' : this.#grantFor(origin);
    if (grant === 'with credentials') return undefined;
    // 'same-site' is not enough, because all ports of a host are the same site.
    const isOwn =
      site === undefined
        ? origin === undefined || origin === this.#ownOrigin(request)
        : site === 'same-origin' || site === 'none';
    if (isOwn) return undefined;
    if (grant === 'without credentials') {
      delete request.headers.cookie;
      return undefined;
    }
    const alternative = this.#access === 'open' ? ', or start the service with --access sandbox' : '';
    return new Failure(
      'forbidden',
      `Pages of other sites cannot change anything. Allow their origin with --cors-origins${alternative}.`,
    );
  };

  /**
   * Refuses a GET that logs in or out if it comes from a link, a form or the address bar of a browser. Browsers send
   * Fetch Metadata only to https and loopback hosts, and no Origin with a GET. For other hosts, Accept or Referer
   * reveals such a request.
   */
  readonly refuseNavigatedChanges: Guard = (request, _reply, { changes }) => {
    if (changes !== true || request.method !== 'GET') return undefined;
    const { origin, referer, 'sec-fetch-site': site, 'sec-fetch-mode': mode } = request.headers;
    // A GET with an Origin is a CORS request that `refuseChanges` has allowed.
    const source = origin !== undefined || referer === undefined ? undefined : originIn(referer);
    const isForeign =
      source !== undefined && source !== this.#ownOrigin(request) && this.#grantFor(source) !== 'with credentials';
    const isRefused =
      site === undefined ? isForeign || isNavigation(request.headers) : site === 'none' && mode === 'navigate';
    if (!isRefused) return undefined;
    return new Failure(
      'forbidden',
      'Links, forms and typed URLs cannot log in or out. Use the web application or an API client.',
    );
  };

  /** @param origin as browsers write it in the Origin header */
  #grantFor(origin: string): CorsGrant {
    if (this.#configured.has(origin) || (this.#access === 'open' && LOOPBACK_ORIGIN.test(origin)))
      return 'with credentials';
    return this.#access === 'sandbox' ? 'without credentials' : 'none';
  }

  /** The origin that a request was sent to. */
  #ownOrigin(request: FastifyRequest): string {
    return new URL(this.#baseOf(request)).origin;
  }
}

/** The headers for operations that pages of all origins may call, without credentials of the browser. */
function forAllOrigins({ method, headers }: FastifyRequest): Record<string, string | number> {
  const requestHeaders = headers['access-control-request-headers'];
  return { ...SANDBOX_HEADERS, ...(method === 'OPTIONS' && preflightHeaders(requestHeaders ?? '*')) };
}

function preflightHeaders(allowedHeaders: string | undefined): Record<string, string | number> {
  return {
    'access-control-allow-methods': METHODS,
    'access-control-max-age': MAX_AGE_SECONDS,
    ...(allowedHeaders !== undefined && { 'access-control-allow-headers': allowedHeaders }),
  };
}

/** The origin of a URL; `null`, as browsers write it, if it has none. */
function originIn(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'null';
}
