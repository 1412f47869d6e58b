import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { readListParameter } from '../../api/query-values.ts';
import { readEventFilter, readLastEventId } from '../../api/events/event-queries.ts';
import type { Actor } from '../../domain/access.ts';
import { networkOf } from '../../domain/accounts/attempt-throttle.ts';
import type { Digests, Authentication } from '../../domain/accounts/authentication.ts';
import type { ChangeStream } from '../../domain/events/change-stream.ts';
import { Failure } from '../../domain/failure.ts';
import { actorOf, type ReadCredentials } from '../accounts/identify-actor.ts';
import { nothing } from '../answer.ts';
import { addressOf } from '../client-address.ts';
import { EVENTS_TYPE } from '../negotiation.ts';
import type { AddRoute } from '../routes.ts';
import { createEventStreams, type EventStreamSettings } from './event-streams.ts';

export interface EventRoutesNeeds {
  settings: EventStreamSettings;
  changes: ChangeStream;
  authentication: Authentication;
  digestsOf: ReadCredentials;
  /** Where the client of a request reaches the service. */
  baseOf: (request: FastifyRequest) => string;
  log: Logger;
}

/** What changes, told to those who follow it. */
export function addEventRoutes(app: FastifyInstance, add: AddRoute, needs: EventRoutesNeeds): void {
  const { settings, changes, authentication, digestsOf, baseOf, log } = needs;
  const streams = createEventStreams({
    settings,
    changes,
    authentication,
    onTrouble: (error) => log.error({ err: error }, 'events could not be sent'),
  });
  // A stream has no end of its own: nobody is to wait for it.
  app.addHook('preClose', async () => streams.stop());

  /**
   * Whoever comes back with a session that has ended would go on as nobody in particular, and never learn what they were not told. Where everybody may
   * do everything, stray credentials still harm nobody.
   */
  async function demandLivingCredentials(actor: Actor, presented: Digests): Promise<void> {
    if (settings.access !== 'secured' || presented.length === 0) return;
    // The first of them is who they take themselves for.
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
    await demandLivingCredentials(actor, presented);
    const subscription = await changes.begin(actor, readEventFilter(kinds, petId), after);
    streams.demandRoom(place);
    reply.headers({ 'content-type': EVENTS_TYPE, 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
    if (request.method === 'HEAD') return reply.send(nothing());
    // It may be silent for longer than the server has patience with other connections.
    request.raw.socket.setTimeout(0);
    return reply.send(streams.start({ subscription, origin: baseOf(request), actor, presented, place }));
  });
}
