import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { readListParameter } from '../../api/query-values.ts';
import { readEventFilter, readLastEventId } from '../../api/events/event-queries.ts';
import type { Actor } from '../../domain/access.ts';
import { networkOf } from '../../domain/accounts/attempt-throttle.ts';
import type { Authentication, Digests } from '../../domain/accounts/authentication.ts';
import type { ChangeHub } from '../../domain/events/change-hub.ts';
import type { ChangeStream } from '../../domain/events/change-stream.ts';
import { Failure } from '../../domain/failure.ts';
import { actorOf, type ReadCredentials } from '../accounts/identify-actor.ts';
import { nothing } from '../answer.ts';
import { addressOf } from '../client-address.ts';
import { EVENTS_TYPE } from '../negotiation.ts';
import type { AddRoute } from '../routes.ts';
import { createEventStreams, type EventStreamSettings } from './event-streams.ts';

export interface EventRoutesDeps {
  settings: EventStreamSettings;
  changes: ChangeStream;
  hub: ChangeHub;
  authentication: Authentication;
  digestsOf: ReadCredentials;
  /** The origin under which the client of a request reaches the service. */
  baseOf: (request: FastifyRequest) => string;
  log: Logger;
}

export function addEventRoutes(app: FastifyInstance, add: AddRoute, deps: EventRoutesDeps): void {
  const { settings, changes, hub, authentication, digestsOf, baseOf, log } = deps;
  const streams = createEventStreams({
    settings,
    hub,
    authentication,
    onTrouble: (error) => log.error({ err: error }, 'events could not be sent'),
  });
  // Streams do not end by themselves; a stop must not wait for them.
  app.addHook('preClose', async () => streams.stop());

  /**
   * A client that reconnects with an ended session would continue as an anonymous one, and silently receive fewer events. In the other access modes,
   * anonymous clients receive the same.
   */
  async function requireActiveCredentials(actor: Actor, presented: Digests): Promise<void> {
    if (settings.access !== 'secured' || presented.length === 0) return;
    // The first one counts: it identifies the actor that the client expects to be.
    if (actor.kind !== 'anonymous' && (await authentication.isStill(actor, presented.slice(0, 1)))) return;
    throw new Failure('unauthenticated', 'This session or API key is no good any more. Log in again.');
  }

  add('streamEvents', async (request, reply) => {
    const { kinds, petId, lastEventId } = {
      ...(request.query as Record<string, unknown>),
      kinds: readListParameter(request.query, 'kinds'),
    } as Record<string, unknown> & { kinds: readonly string[] | undefined };
    const after = readLastEventId(request.headers['last-event-id'], lastEventId);
    const [actor, presented, place] = [actorOf(request), digestsOf(request), networkOf(addressOf(request))];
    await requireActiveCredentials(actor, presented);
    const subscription = await changes.subscribe(actor, readEventFilter(kinds, petId), after);
    streams.requireRoom(place);
    reply.headers({ 'content-type': EVENTS_TYPE, 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
    if (request.method === 'HEAD') return reply.send(nothing());
    // The idle timeout of other connections does not apply: a stream may be silent for longer.
    request.raw.socket.setTimeout(0);
    return reply.send(streams.start({ subscription, origin: baseOf(request), actor, presented, place }));
  });
}
