import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';

const GIVEN_ID = /^[\w.:-]{1,64}$/;

/** The id of a request: the same at every call. */
export type RequestId = (request: IncomingMessage & { menagerieId?: string }) => string;

/** Numbers requests, the process in front, so that ids of several servers differ. One that a proxy gave is kept. */
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

/**
 * One line for each request, at level debug: by the template of the route, never the address, for a query can hold a password. Without
 * that level not even the hook is there.
 */
export function logRequests(app: FastifyInstance, log: Logger): void {
  if (!log.isLevelEnabled('debug')) return;
  app.addHook('onResponse', (request, reply, done) => {
    log.debug(
      {
        requestId: request.id,
        method: request.method,
        route: request.routeOptions.url,
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 1000) / 1000,
      },
      'request',
    );
    done();
  });
}
