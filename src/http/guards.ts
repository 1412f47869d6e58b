import type { FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../domain/failure.ts';
import { acceptsOf } from './negotiation.ts';

/*
 * What every request has to pass before anything looks at it. Callbacks, not promises: they are on the path of every read.
 */

export type Guard = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;

const LOOPBACK_HOST = /^(?:localhost|(?:[\w-]+\.)+localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/** A request names the host that it means, once (RFC 9112, section 3.2). Of two, nobody knows which one was checked. */
export const demandOneHost: Guard = ({ raw }, _reply, done) => {
  const { rawHeaders, httpVersionMajor, httpVersionMinor } = raw;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  if (hosts === 1 || (hosts === 0 && httpVersionMajor === 1 && httpVersionMinor === 0)) return done();
  done(new Failure('invalid-input', 'A request must have exactly one Host header.'));
};

/**
 * In open mode, only who means this machine is let in. A web page elsewhere can make its own name point to 127.0.0.1 (DNS rebinding), but its
 * browser then sends that name.
 */
export const refuseForeignHosts: Guard = ({ headers }, _reply, done) => {
  if (LOOPBACK_HOST.test(headers.host ?? '')) return done();
  done(
    new Failure(
      'forbidden',
      'In open access the service answers only to localhost, 127.0.0.1 and [::1]. Use one of these names, or start it with --access secured.',
    ),
  );
};

/**
 * No web page of another site may change anything: browsers say where a request comes from (Fetch Metadata, and Origin for older ones). Other
 * clients say nothing, and are let through.
 *
 * @param allowedOrigins pages that may, by configuration
 * @param ownOrigin the origin that a request was sent to
 */
export function refuseCrossSiteChanges(
  allowedOrigins: ReadonlySet<string>,
  ownOrigin: (request: FastifyRequest) => string,
): Guard {
  return (request, _reply, done) => {
    if (request.routeOptions.config.changes !== true) return done();
    const { origin, 'sec-fetch-site': site } = request.headers;
    if (origin !== undefined && allowedOrigins.has(origin)) return done();
    // 'same-site' is not enough: for a browser, all ports of this machine are one site.
    const isOwn =
      site === undefined
        ? origin === undefined || origin === ownOrigin(request)
        : site === 'same-origin' || site === 'none';
    if (isOwn) return done();
    done(
      new Failure(
        'forbidden',
        'A web page of another site may not change anything here. Its origin would have to be allowed with --cors-origins.',
      ),
    );
  };
}

/** Who takes nothing of what the operation answers is told so before anything happens. */
export const refuseUnacceptable: Guard = ({ headers, routeOptions }, _reply, done) => {
  const { answer } = routeOptions.config;
  if (answer === undefined || answer === 'picture') return done();
  const accepts = acceptsOf(headers);
  if (accepts.json || (answer === 'string' && accepts.plainText)) return done();
  done(new Failure('not-acceptable', 'The answer is JSON, which the Accept header of your request leaves out.'));
};
