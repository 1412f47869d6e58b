import { Readable } from 'node:stream';
import { positionText, resetText } from '../../api/records/change-event.ts';
import type { Actor } from '../../domain/access.ts';
import type { Digests } from '../../domain/accounts/authentication.ts';
import type { ChangeBatch, ChangeHub } from '../../domain/events/change-hub.ts';
import type { Subscription } from '../../domain/events/change-stream.ts';
import type { LostChanges } from '../../domain/events/seen-changes.ts';
import { isUnavailable } from '../../domain/failure.ts';
import type { HttpActivity } from '../pipeline/http-activity.ts';
import type { NetworkTurns, TurnClient } from '../pipeline/network-turns.ts';

export interface Follower {
  subscription: Subscription;
  /** The origin at which it reaches the service. */
  origin: string;
  actor: Actor;
  presented: Digests;
  /** The network of its address, for limits. */
  network: string;
}

/** The events of a batch as a follower receives them. */
export interface EventText {
  bytes: Buffer;
  count: number;
  /** The version of the last change in it; undefined if the follower receives none of the batch. */
  last: bigint | undefined;
}

interface EventStreamDeps {
  hub: Pick<ChangeHub, 'follow' | 'read'>;
  turns: NetworkTurns;
  textFor: (batch: ChangeBatch, follower: Follower) => EventText;
  activity: Pick<HttpActivity, 'sentEvents'>;
  heartbeatMs: number;
  onTrouble: (error: unknown) => void;
}

/** The time after which clients reconnect. */
const RETRY_MS = 2000;

/** A client that reads nothing for this time is disconnected. It can reconnect, and continue at its position. */
const MAX_STALL_MS = 60_000;

const BUFFERED_BYTES = 32_768;

/**
 * Sends events to one follower at its own pace: changes are read only when it can receive them, and when it is its
 * turn.
 */
export class EventStream {
  readonly follower: Follower;
  readonly readable: Readable;
  readonly #deps: EventStreamDeps;
  #position: bigint;
  #sentPosition: bigint;
  #isReading = true;
  #isSending = false;
  #hasChanges = false;
  #hasEnded = false;
  /** Counts resets: what was read before one is not sent after it. */
  #resets = 0;
  #lastSentMs = Date.now();

  constructor(deps: EventStreamDeps, follower: Follower) {
    this.#deps = deps;
    this.follower = follower;
    this.#position = follower.subscription.after;
    this.#sentPosition = this.#position;
    this.readable = new Readable({
      highWaterMark: BUFFERED_BYTES,
      read: () => {
        this.#isReading = true;
        this.#send();
      },
    });
    const unfollow = deps.hub.follow({ onChanges: () => this.#send(), onLost: (lost) => this.#reset(lost) });
    this.readable.once('close', unfollow);
    this.#push(`retry: ${RETRY_MS}\n${positionText(this.#position)}`);
    const { lost } = follower.subscription;
    if (lost !== undefined) this.#reset(lost);
    this.#send();
  }

  /** Sends a heartbeat when one is due, and disconnects a client that does not read. Called regularly. */
  tick(nowMs: number): void {
    if (this.#hasEnded) return;
    const silentMs = nowMs - this.#lastSentMs;
    if (!this.#isReading) {
      if (silentMs > MAX_STALL_MS) this.readable.destroy();
    } else if (silentMs >= this.#deps.heartbeatMs) {
      // With the position, a client that reconnects skips changes that it does not receive.
      this.#push(this.#sentPosition === this.#position ? ':\n\n' : positionText(this.#position));
      this.#sentPosition = this.#position;
    }
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    // Unread data would keep the stream from ending.
    if (this.#isReading) this.readable.push(null);
    else this.readable.destroy();
  }

  /** Tells the client that it may have received changes that are lost, and continues after the last one before them. */
  #reset(lost: LostChanges): void {
    this.#resets++;
    if (!this.#hasEnded && !this.readable.destroyed && this.#position > lost.kept) {
      this.#position = lost.kept;
      this.#sentPosition = lost.kept;
      this.#push(resetText(lost));
    }
    this.#send();
  }

  #push(bytes: Buffer | string): void {
    this.#lastSentMs = Date.now();
    this.#isReading = this.readable.push(bytes);
  }

  /** Starts sending, or makes pending sending check for changes once more. */
  #send(): void {
    this.#hasChanges = true;
    if (this.#isSending) return;
    this.#isSending = true;
    const stop = () => {
      this.#isSending = false;
    };
    this.#sendAll().then(stop, (error: unknown) => {
      if (!isUnavailable(error)) this.#deps.onTrouble(error);
      this.readable.destroy();
    });
  }

  async #sendAll(): Promise<void> {
    const isGone = () => this.readable.destroyed || this.#hasEnded;
    const client: TurnClient = { network: () => this.follower.network, isGone };
    while (this.#hasChanges && this.#isReading && !isGone()) {
      this.#hasChanges = false;
      await this.#deps.turns
        .take(
          client,
          () => this.#sendNext(),
          (characters) => characters,
        )
        .catch((error: unknown) => {
          // The client may disconnect while it waits.
          if (!isGone()) throw error;
        });
    }
  }

  /** @returns the length of what was sent */
  async #sendNext(): Promise<number> {
    const resets = this.#resets;
    const batch = await this.#deps.hub.read(this.#position);
    const last = batch.at(-1)?.version;
    if (last === undefined || resets !== this.#resets || this.readable.destroyed || this.#hasEnded) return 0;
    this.#hasChanges = true;
    this.#position = last;
    const text = this.#deps.textFor(batch, this.follower);
    if (text.last === undefined) return 0;
    this.#sentPosition = text.last;
    this.#push(text.bytes);
    this.#deps.activity.sentEvents += text.count;
    return text.bytes.length;
  }
}
