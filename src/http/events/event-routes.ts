import type { FastifyRequest } from 'fastify';
import { readListParameter } from '../../api/queries/query-values.ts';
import { readEventFilter, readLastEventId } from '../../api/queries/event-queries.ts';
import type { Actor } from '../../domain/access.ts';
import { networkOf } from '../../domain/accounts/attempt-throttle.ts';
import type { Authentication, Digests } from '../../domain/accounts/authentication.ts';
import type { ChangeStream } from '../../domain/events/change-stream.ts';
import { Failure } from '../../domain/failure.ts';
import { actorOf, type ReadCredentials } from '../pipeline/identify-actor.ts';
import { EVENTS_TYPE } from '../pipeline/negotiation.ts';
import { emptyBody } from '../pipeline/response.ts';
import { addressOf } from '../pipeline/connections.ts';
import type { AddRoute, Handler } from '../pipeline/routes.ts';
import type { EventStreams, EventStreamSettings } from './event-streams.ts';

interface EventRoutesDeps {
  settings: Pick<EventStreamSettings, 'access'>;
  changes: ChangeStream;
  streams: Pick<EventStreams, 'requireRoom' | 'start'>;
  authentication: Authentication;
  digestsOf: ReadCredentials;
  baseOf: (request: FastifyRequest) => string;
}

/** Streams changes as server-sent events. */
export class EventRoutes {
  readonly #deps: EventRoutesDeps;

  constructor(deps: EventRoutesDeps) {
    this.#deps = deps;
  }

  addTo(add: AddRoute): void {
    add('streamEvents', this.#streamEvents);
  }

  readonly #streamEvents: Handler = async (request, reply) => {
    const { changes, streams, digestsOf, baseOf } = this.#deps;
    const { kinds, petId, lastEventId } = {
      ...(request.query as Record<string, unknown>),
      kinds: readListParameter(request.query, 'kinds'),
    } as Record<string, unknown> & { kinds: readonly string[] | undefined };
    const after = readLastEventId(request.headers['last-event-id'], lastEventId);
    const [actor, presented, network] = [actorOf(request), digestsOf(request), networkOf(addressOf(request))];
    await this.#requireValid(actor, presented);
    const subscription = await changes.subscribe(actor, readEventFilter(kinds, petId), after);
    streams.requireRoom(network);
    reply.headers({ 'content-type': EVENTS_TYPE, 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
    if (request.method === 'HEAD') return reply.send(emptyBody());
    // A stream may be silent for longer than the idle timeout of connections.
    request.raw.socket.setTimeout(0);
    return reply.send(streams.start({ subscription, origin: baseOf(request), actor, presented, network }));
  };

  /**
   * Refuses credentials that are no longer valid. A client whose session has ended would otherwise follow events
   * anonymously, and silently miss those that only its account may receive. In other access modes, invalid credentials
   * are ignored as in any request.
   */
  async #requireValid(actor: Actor, presented: Digests): Promise<void> {
    const { settings, authentication } = this.#deps;
    if (settings.access !== 'secured' || presented.length === 0) return;
    // The first credentials determine the actor.
    if (actor.kind !== 'anonymous' && (await authentication.isStill(actor, presented.slice(0, 1)))) return;
    throw new Failure('unauthenticated', 'The session or API key is no longer valid. Log in again.');
  }
}
