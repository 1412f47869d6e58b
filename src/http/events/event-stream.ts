import { Readable } from 'node:stream';
import { positionText } from '../../api/events/event-views.ts';
import type { Actor } from '../../domain/access.ts';
import type { Digests } from '../../domain/accounts/authentication.ts';
import type { ChangeBatch, ChangeHub } from '../../domain/events/change-hub.ts';
import type { Subscription } from '../../domain/events/change-stream.ts';
import { isUnavailable } from '../../domain/failure.ts';

/** Who follows what, and where they reach the service. */
export interface Follower {
  subscription: Subscription;
  origin: string;
  actor: Actor;
  presented: Digests;
  /** Where they are: an address, or what counts as one. */
  place: string;
}

/** A batch as it is told to somebody. */
export interface Telling {
  bytes: Buffer;
  /** The last change in it; none where nothing of it concerns them. */
  last: bigint | undefined;
}

export interface EventStreamDeps {
  hub: Pick<ChangeHub, 'follow' | 'read'>;
  tellingOf: (batch: ChangeBatch, follower: Follower) => Telling;
  heartbeatMs: number;
  onTrouble: (error: unknown) => void;
}

export interface EventStream {
  follower: Follower;
  readable: Readable;
  /** Once in a while: says that we are there, and cuts off who takes nothing. */
  tick: (nowMs: number) => void;
  end: () => void;
}

/** A client comes back after this time when it was cut off. */
const RETRY_MS = 2000;

/** Whoever takes nothing for so long is cut off, and may go on where they were. */
const MAX_STALL_MS = 60_000;

const BUFFERED_BYTES = 32_768;

/** Events on their way to somebody who follows them, at their own pace: what they do not take yet is not read for them either. */
export function openEventStream(deps: EventStreamDeps, follower: Follower): EventStream {
  const { hub, tellingOf, heartbeatMs, onTrouble } = deps;
  let position = follower.subscription.after;
  /** How far the client knows that it has come. */
  let told = position;
  let isTaking = true;
  let isSending = false;
  let isNew = false;
  let hasEnded = false;
  let lastSentMs = Date.now();

  const readable = new Readable({
    highWaterMark: BUFFERED_BYTES,
    read() {
      isTaking = true;
      send();
    },
  });

  function push(bytes: Buffer | string): void {
    lastSentMs = Date.now();
    isTaking = readable.push(bytes);
  }

  /** What there is and the client takes. Whoever calls while it is at work makes it look once more. */
  function send(): void {
    isNew = true;
    if (isSending) return;
    isSending = true;
    const over = () => {
      isSending = false;
    };
    sendAll().then(over, (error: unknown) => {
      if (!isUnavailable(error)) onTrouble(error);
      readable.destroy();
    });
  }

  async function sendAll(): Promise<void> {
    while (isNew && isTaking && !readable.destroyed) {
      isNew = false;
      const batch = await hub.read(position);
      const last = batch.at(-1)?.version;
      if (last === undefined || readable.destroyed || hasEnded) continue;
      isNew = true;
      position = last;
      const telling = tellingOf(batch, follower);
      if (telling.last === undefined) continue;
      told = telling.last;
      push(telling.bytes);
    }
  }

  function tick(nowMs: number): void {
    if (hasEnded) return;
    if (!isTaking) {
      if (nowMs - lastSentMs > MAX_STALL_MS) readable.destroy();
    } else if (nowMs - lastSentMs >= heartbeatMs) {
      // Of what does not concern it, a client only learns that it was there: where it comes back, that need not be read again.
      push(told === position ? ':\n\n' : positionText(position));
      told = position;
    }
  }

  function end(): void {
    if (hasEnded) return;
    hasEnded = true;
    // What a client does not take would keep the stream from ending.
    if (isTaking) readable.push(null);
    else readable.destroy();
  }

  readable.once('close', hub.follow({ onNews: send, onPutBack: end }));
  push(`retry: ${RETRY_MS}\n${positionText(position)}`);
  send();
  return { follower, readable, tick, end };
}
