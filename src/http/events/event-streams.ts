import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { streamedEventText } from '../../api/records/change-event.ts';
import type { AccessMode } from '../../domain/access.ts';
import type { Authentication } from '../../domain/accounts/authentication.ts';
import type { ChangeBatch, ChangeHub } from '../../domain/events/change-hub.ts';
import { readableEvents } from '../../domain/events/change-event.ts';
import { isSubscribed } from '../../domain/events/change-stream.ts';
import { Failure, isUnavailable } from '../../domain/failure.ts';
import type { HttpActivity } from '../pipeline/http-activity.ts';
import type { NetworkTurns } from '../pipeline/network-turns.ts';
import { EventStream, type EventText, type Follower } from './event-stream.ts';

export interface EventStreamSettings {
  access: AccessMode;
  eventHeartbeatMs: number;
  maxEventStreams: number;
  maxEventStreamsPerAddress: number;
}

interface EventStreamsDeps {
  settings: EventStreamSettings;
  hub: ChangeHub;
  turns: NetworkTurns;
  authentication: Authentication;
  activity: HttpActivity;
  log: Logger;
}

/** Interval of heartbeats and of the check for sessions that have ended. */
const TICK_MS = 1000;

/** Maximum number of cached texts of the same batch. */
const MAX_CACHED_TEXTS = 8;

/** All event streams of a service in this process. */
export class EventStreams {
  readonly #deps: EventStreamsDeps;
  readonly #open = new Set<EventStream>();
  readonly #countOf = new Map<string, number>();
  readonly #textFor = cacheTexts();
  readonly #onTrouble: (error: unknown) => void;
  #ticking: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(deps: EventStreamsDeps) {
    this.#deps = deps;
    this.#onTrouble = (error) => deps.log.error({ err: error }, 'failed to send events');
  }

  /**
   * @throws Failure `unavailable` if there are too many streams or the service is stopping; `too-many-requests` for too
   *   many from this network
   */
  requireRoom(network: string): void {
    const { access, maxEventStreams, maxEventStreamsPerAddress } = this.#deps.settings;
    // In open access, all clients are on this machine.
    const maxOfNetwork = access === 'open' ? Infinity : maxEventStreamsPerAddress;
    if (this.#isStopping) throw unavailable('The service is stopping. Try again later.', 2);
    if (this.#open.size >= maxEventStreams) throw unavailable('Too many event streams. Try again later.', 10);
    if ((this.#countOf.get(network) ?? 0) >= maxOfNetwork) throw tooManyAtAddress(maxOfNetwork);
  }

  start(follower: Follower): Readable {
    const { hub, turns, settings, activity } = this.#deps;
    const onTrouble = this.#onTrouble;
    const heartbeatMs = settings.eventHeartbeatMs;
    const stream = new EventStream({ hub, turns, textFor: this.#textFor, activity, heartbeatMs, onTrouble }, follower);
    this.#add(stream);
    stream.readable.once('close', () => this.#delete(stream));
    return stream.readable;
  }

  /** Ends all streams, which would otherwise keep the server from closing, and refuses new ones. */
  stop(): void {
    this.#isStopping = true;
    this.endAll();
  }

  /** Ends all streams. Clients may open new ones. */
  endAll(): void {
    for (const stream of this.#open) stream.end();
  }

  #add(stream: EventStream): void {
    const { network } = stream.follower;
    this.#open.add(stream);
    this.#deps.activity.openStreams++;
    this.#countOf.set(network, (this.#countOf.get(network) ?? 0) + 1);
    this.#ticking ??= setInterval(() => void this.#tick(), TICK_MS).unref();
  }

  #delete(stream: EventStream): void {
    const { network } = stream.follower;
    this.#open.delete(stream);
    this.#deps.activity.openStreams--;
    const left = (this.#countOf.get(network) ?? 1) - 1;
    if (left > 0) this.#countOf.set(network, left);
    else this.#countOf.delete(network);
    if (this.#open.size > 0) return;
    clearInterval(this.#ticking);
    this.#ticking = undefined;
  }

  async #tick(): Promise<void> {
    const nowMs = Date.now();
    for (const stream of this.#open) stream.tick(nowMs);
    const checks = [...this.#open].map((stream) => this.#endUnlessValid(stream));
    await Promise.all(checks).catch(this.#onTrouble);
  }

  /**
   * Ends the stream of an ended session, a revoked API key, or an account whose role was changed. While the store is
   * unavailable, the stream continues.
   */
  async #endUnlessValid(stream: EventStream): Promise<void> {
    const { actor, presented } = stream.follower;
    try {
      if (!(await this.#deps.authentication.isStill(actor, presented))) stream.end();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
    }
  }
}

/** Most followers are at the same position and receive the same events, so their text is cached. */
function cacheTexts(): (batch: ChangeBatch, follower: Follower) => EventText {
  const textsOf = new WeakMap<ChangeBatch, Map<string, EventText>>();
  return (batch, { subscription, origin }) => {
    const { kinds, petId, isStaff } = subscription;
    const key = `${kinds.join()} ${petId} ${isStaff} ${origin}`;
    const texts = textsOf.get(batch) ?? new Map<string, EventText>();
    const cached = texts.get(key);
    if (cached !== undefined) return cached;
    const wanted = readableEvents(batch, isStaff).filter((event) => isSubscribed(event, subscription));
    const text = wanted.map((event) => streamedEventText(event, origin)).join('');
    const result = { bytes: Buffer.from(text), count: wanted.length, last: wanted.at(-1)?.version };
    if (texts.size < MAX_CACHED_TEXTS) textsOf.set(batch, texts.set(key, result));
    return result;
  };
}

function unavailable(message: string, retryAfterSeconds: number): Failure {
  return new Failure('unavailable', message, { retryAfterSeconds });
}

function tooManyAtAddress(quota: number): Failure {
  const message = 'Too many event streams from your address. Try again later.';
  const limit = { name: 'event-streams', quota, isConcurrent: true } as const;
  return new Failure('too-many-requests', message, { retryAfterSeconds: 10, limit });
}
