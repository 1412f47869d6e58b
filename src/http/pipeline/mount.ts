import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Failure } from '../../domain/failure.ts';
import type { PassOn } from './admission.ts';
import type { Connections } from './connections.ts';

/** An application below a prefix of the path, instead of at the root. */
export interface Mount {
  /** The prefix of the current request, such as `/s/d0CZLmVvKx`. */
  path: () => string;
  /** Those of the application at the root, which has the sockets. */
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

/** Adds the routes of another application below `/{segment}/{token}`. */
export function addDoor(app: FastifyInstance, door: Door): void {
  const { segment } = door;
  const prefix = new RegExp(`^/${segment}/[^/?#]*`);
  const passOn: PassOn = (request, reply) => {
    const { raw } = request;
    const { token } = request.params as { token: string };
    const rest = (raw.url ?? '').replace(prefix, '');
    const failure = door.pass(token, {
      request: Object.assign(raw, { url: rest.startsWith('/') ? rest : `/${rest}` }),
      response: reply.raw,
    });
    if (failure === undefined) reply.hijack();
    return failure;
  };
  for (const url of [`/${segment}/:token`, `/${segment}/:token/*`])
    app.route({ method: app.supportedMethods, url, config: { passOn }, handler: UNROUTED });
}
