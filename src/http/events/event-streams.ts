import type { Readable } from 'node:stream';
import { streamedEventText } from '../../api/events/event-views.ts';
import type { AccessMode } from '../../domain/access.ts';
import type { Authentication } from '../../domain/accounts/authentication.ts';
import type { ChangeBatch, ChangeHub } from '../../domain/events/change-hub.ts';
import { isWanted } from '../../domain/events/change-stream.ts';
import { Failure, isUnavailable } from '../../domain/failure.ts';
import { openEventStream, type EventStream, type Follower, type Telling } from './event-stream.ts';

export interface EventStreamSettings {
  access: AccessMode;
  eventHeartbeatMs: number;
  maxEventStreams: number;
  maxEventStreamsPerAddress: number;
}

export interface EventStreamsDeps {
  settings: EventStreamSettings;
  hub: ChangeHub;
  authentication: Authentication;
  onTrouble: (error: unknown) => void;
}

/** How often it is looked whether those who follow may still do so, and take what they are sent. */
const TICK_MS = 1000;

/** So many ways of telling the same changes are kept: any other is written anew for each who follows. */
const MAX_KEPT_TELLINGS = 8;

/** All who follow events at this process. */
export function createEventStreams({ settings, hub, authentication, onTrouble }: EventStreamsDeps) {
  const { eventHeartbeatMs: heartbeatMs, maxEventStreams } = settings;
  // In open access all come from this machine.
  const maxAtPlace = settings.access === 'open' ? Infinity : settings.maxEventStreamsPerAddress;
  const open = new Set<EventStream>();
  const countAt = new Map<string, number>();
  const tellingOf = rememberTellings();
  let ticking: NodeJS.Timeout | undefined;
  let isStopping = false;

  async function tickAll(): Promise<void> {
    const nowMs = Date.now();
    for (const { tick } of open) tick(nowMs);
    await Promise.all([...open].map(endUnlessEntitled)).catch(onTrouble);
  }

  /** A session may have ended, a key been revoked, a role been taken away. Who cannot be asked about stays until then. */
  async function endUnlessEntitled({ follower, end }: EventStream): Promise<void> {
    try {
      if (!(await authentication.isStill(follower.actor, follower.presented))) end();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
    }
  }

  function add(stream: EventStream): void {
    const { place } = stream.follower;
    open.add(stream);
    countAt.set(place, (countAt.get(place) ?? 0) + 1);
    ticking ??= setInterval(() => void tickAll(), TICK_MS).unref();
  }

  function close(stream: EventStream): void {
    const { place } = stream.follower;
    open.delete(stream);
    const left = (countAt.get(place) ?? 1) - 1;
    if (left > 0) countAt.set(place, left);
    else countAt.delete(place);
    if (open.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  }

  return {
    /** @throws Failure `unavailable` at the maximum number of streams, or while the service stops; `too-many-requests` at the maximum for this place */
    requireRoom(place: string): void {
      if (isStopping) throw refusal('The service is stopping. Try again later.', 2);
      if (open.size >= maxEventStreams)
        throw refusal('Too many clients follow events at the moment. Try again later.', 10);
      if ((countAt.get(place) ?? 0) >= maxAtPlace) throw tooManyFromThere();
    },

    start(follower: Follower): Readable {
      const stream = openEventStream({ hub, tellingOf, heartbeatMs, onTrouble }, follower);
      add(stream);
      stream.readable.once('close', () => close(stream));
      return stream.readable;
    },

    /** Ends all streams at once, and lets nobody begin another. */
    stop(): void {
      isStopping = true;
      for (const { end } of open) end();
    },
  };
}

/** Most who follow are at the same place and see the same: for them it is written once. */
function rememberTellings(): (batch: ChangeBatch, follower: Follower) => Telling {
  const tellingsOf = new WeakMap<ChangeBatch, Map<string, Telling>>();
  return (batch, { subscription, origin }) => {
    const { kinds, petId, tellsWho } = subscription;
    const key = `${kinds.join()} ${petId} ${tellsWho} ${origin}`;
    const kept = tellingsOf.get(batch) ?? new Map<string, Telling>();
    const known = kept.get(key);
    if (known !== undefined) return known;
    const wanted = batch.filter((event) => isWanted(event, subscription));
    const text = wanted.map((event) => streamedEventText(event, { origin, tellsWho })).join('');
    const telling = { bytes: Buffer.from(text), last: wanted.at(-1)?.version };
    if (kept.size < MAX_KEPT_TELLINGS) tellingsOf.set(batch, kept.set(key, telling));
    return telling;
  };
}

function refusal(message: string, retryAfterSeconds: number): Failure {
  return new Failure('unavailable', message, { retryAfterSeconds });
}

function tooManyFromThere(): Failure {
  const message = 'Too many clients at your address follow events at the moment. Try again later.';
  return new Failure('too-many-requests', message, { retryAfterSeconds: 10 });
}
