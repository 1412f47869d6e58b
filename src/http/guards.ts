import type { FastifyRequest } from 'fastify';
import { Failure } from '../domain/failure.ts';
import type { Guard } from './admission.ts';
import type { CorsRule } from './cors.ts';
import { acceptsEvents, acceptsOf, isNavigation } from './negotiation.ts';

/*
 * What every request has to pass before anything looks at it.
 */

const LOOPBACK_HOST = /^(?:localhost|(?:[\w-]+\.)+localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/** The same few hosts are named again and again; beyond this many, they are not remembered. */
const MAX_REMEMBERED = 1000;
const knownHosts = new Set<string>();

/** What a URL may have for a host, and a text in JSON for an address: a quote mark would end it. */
function isHost(host: string): boolean {
  if (knownHosts.has(host)) return true;
  const isOne = /^[^/?#@\\\s"]+$/.test(host) && URL.canParse(`http://${host}`);
  if (isOne && knownHosts.size < MAX_REMEMBERED) knownHosts.add(host);
  return isOne;
}

/** A request names the host that it means, once (RFC 9112, section 3.2). Of two, nobody knows which one was checked. */
export const demandOneHost: Guard = ({ raw }) => {
  const { rawHeaders, httpVersionMajor, httpVersionMinor } = raw;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  if (
    (hosts === 1 && isHost(raw.headers.host ?? '')) ||
    (hosts === 0 && httpVersionMajor === 1 && httpVersionMinor === 0)
  )
    return undefined;
  return new Failure('invalid-input', 'A request must have exactly one Host header, with a host in it.');
};

/** Is this machine named in the Host header? */
export function isLoopbackHost({ headers }: FastifyRequest): boolean {
  return LOOPBACK_HOST.test(headers.host ?? '');
}

/**
 * In open mode, only who means this machine is let in. A web page elsewhere can make its own name point to 127.0.0.1 (DNS rebinding), but its
 * browser then sends that name.
 */
export const refuseForeignHosts: Guard = (request) => {
  if (isLoopbackHost(request)) return undefined;
  return new Failure(
    'forbidden',
    'In open access the service answers only to localhost, 127.0.0.1 and [::1]. Use one of these names, or start it with --access secured.',
  );
};

/**
 * No web page of another site may change anything: browsers say where a request comes from (Fetch Metadata, and Origin for older ones). Other
 * clients say nothing, and are let through.
 *
 * @param ruleOf which pages may
 * @param ownOrigin the origin that a request was sent to
 */
export function refuseCrossSiteChanges(ruleOf: CorsRule, ownOrigin: (request: FastifyRequest) => string): Guard {
  return (request, _reply, { changes }) => {
    if (changes !== true) return undefined;
    const { origin, 'sec-fetch-site': site } = request.headers;
    const grant = origin === undefined ? 'none' : ruleOf(origin);
    if (grant === 'with credentials') return undefined;
    // 'same-site' is not enough: for a browser, all ports of this machine are one site.
    const isOwn =
      site === undefined
        ? origin === undefined || origin === ownOrigin(request)
        : site === 'same-origin' || site === 'none';
    if (isOwn) return undefined;
    if (grant === 'without credentials') {
      delete request.headers.cookie;
      return undefined;
    }
    return new Failure(
      'forbidden',
      'A web page of another site may not change anything here. Its origin would have to be allowed with --cors-origins.',
    );
  };
}

/**
 * Refuses a GET that logs in or out when a link, a form or a typed address sent the browser here. Browsers send Fetch Metadata to https and
 * loopback hosts only, and no Origin with a GET: elsewhere, Accept or Referer shows such a request.
 *
 * @param ruleOf which pages may log in and out
 * @param ownOrigin the origin that a request was sent to
 */
export function refuseNavigatedChanges(ruleOf: CorsRule, ownOrigin: (request: FastifyRequest) => string): Guard {
  return (request, _reply, { changes }) => {
    if (changes !== true || request.method !== 'GET') return undefined;
    const { origin, referer, 'sec-fetch-site': site, 'sec-fetch-mode': mode } = request.headers;
    // A GET with an Origin is a CORS request, and `refuseCrossSiteChanges` has allowed it.
    const source = origin !== undefined || referer === undefined ? undefined : originOf(referer);
    const isForeign = source !== undefined && source !== ownOrigin(request) && ruleOf(source) !== 'with credentials';
    const isRefused =
      site === undefined ? isForeign || isNavigation(request.headers) : site === 'none' && mode === 'navigate';
    if (!isRefused) return undefined;
    return new Failure(
      'forbidden',
      'A link, a form or a typed address may not log anyone in or out. Use the web application or an API client.',
    );
  };
}

/** The origin of a URL; `null`, as a browser would write it, where it has none. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'null';
}

/** Who takes nothing of what the operation answers is told so before anything happens; who prefers XML, where there is XML, will get it. */
export const refuseUnacceptable: Guard = (request, _reply, { answer, xml: root }) => {
  if (answer === undefined || answer === 'picture') return undefined;
  if (answer === 'events') {
    if (acceptsEvents(request.headers)) return undefined;
    return new Failure(
      'not-acceptable',
      'The answer is text/event-stream, which the Accept header of your request leaves out.',
    );
  }
  const accepts = acceptsOf(request.headers);
  if (accepts.xml !== undefined && root !== undefined) {
    request.xml = { root, mediaType: accepts.xml };
    return undefined;
  }
  if (accepts.json || (answer === 'string' && accepts.plainText) || (answer === 'records' && accepts.ndjson))
    return undefined;
  const forms = root === undefined ? 'JSON' : 'JSON or XML';
  return new Failure('not-acceptable', `The answer is ${forms}, which the Accept header of your request leaves out.`);
};

/** What tells of accounts is kept by nothing on the way (RFC 9111, section 5.2.2.5). */
export const keepPrivate: Guard = (_request, reply, { isPrivate }) => {
  if (isPrivate === true) reply.header('cache-control', 'no-store');
  return undefined;
};
