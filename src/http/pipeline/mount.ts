import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Failure } from '../../domain/failure.ts';
import type { PassOn } from './admission.ts';
import type { RequestId } from './common-headers.ts';
import type { Connections } from './connections.ts';

/** An application below a prefix of the path, instead of at the root. */
export interface Mount {
  /** The prefix of the current request, such as `/s/d0CZLmVvKx`. */
  path: () => string;
  /** The connections of the application at the root, which has the sockets. */
  connections: Connections;
}

/** A request as Node passes it to a server. */
export interface RawExchange {
  request: IncomingMessage;
  response: ServerResponse;
}

/** Passes requests whose path has the prefix to another application. */
export interface Door {
  /** The first segment of the path, which the token follows. */
  segment: string;
  /** @returns the failure to respond with, if the request is not passed on */
  pass(token: string, exchange: RawExchange): Failure | undefined;
}

const UNROUTED = () => {
  throw new Error('The request was not passed on.');
};

/**
 * The metadata of OAuth. Clients insert the path of an issuer or a resource behind these names (RFC 8414, section 3.1,
 * and RFC 9728, section 3.1).
 */
const METADATA = ['oauth-authorization-server', 'oauth-protected-resource'];

/** Adds the routes of another application below `/{segment}/{token}`. */
export function addDoor(app: FastifyInstance, door: Door): void {
  passBeforeRouting(app, door);
  const prefix = `/${door.segment}/:token`;
  for (const beginning of ['', ...METADATA.map((name) => `/.well-known/${name}`)]) {
    const config = { passOn: passOnTo(door, beginning) };
    for (const url of [beginning + prefix, `${beginning}${prefix}/*`])
      app.route({ method: app.supportedMethods, url, config, handler: UNROUTED });
  }
}

/**
 * Passes a request on before this application handles it, which took a quarter of the time of a read (measured). The
 * routes are for all others: those that are refused, have another form of the path, or arrive while the server closes.
 */
function passBeforeRouting(app: FastifyInstance, door: Door): void {
  const { server } = app;
  const start = `/${door.segment}/`;
  // That of the application.
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const { url = '' } = request;
    const end = url.startsWith(start) && server.listening ? url.indexOf('/', start.length) : -1;
    if (end !== -1) {
      app.requestIdOf(request);
      request.url = url.slice(end);
      if (door.pass(url.slice(start.length, end), { request, response }) === undefined) return;
      request.url = url;
    }
    app.routing(request, response);
  });
}

/** @param beginning of the path, before the prefix */
function passOnTo(door: Door, beginning: string): PassOn {
  const { segment } = door;
  const prefix = new RegExp(`^${beginning.replaceAll('.', String.raw`\.`)}/${segment}/[^/?#]*`);
  return (request, reply) => {
    const { raw } = request;
    const { token } = request.params as { token: string };
    const rest = (raw.url ?? '').replace(prefix, beginning);
    const failure = door.pass(token, {
      request: Object.assign(raw, { url: rest.startsWith('/') ? rest : `/${rest}` }),
      response: reply.raw,
    });
    if (failure === undefined) reply.hijack();
    return failure;
  };
}

declare module 'fastify' {
  interface FastifyInstance {
    /** To be called for a request that something else gets before this application. */
    requestIdOf: RequestId;
  }
}
