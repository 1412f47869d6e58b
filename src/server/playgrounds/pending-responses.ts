import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../../domain/failure.ts';

/** Requests that are pending for longer are ended by a reset. */
const DRAIN_MS = 2000;

/** Includes those that wait, and event streams. Each takes memory until its response is sent. */
const MAX_PENDING = 256;

const RETRY_AFTER_SECONDS = 2;

interface Entry {
  response: ServerResponse;
  index: number;
}

/**
 * The responses of pending requests.
 *
 * An array instead of a `Set`: V8 replaces the table of a set after some deletions, and the old table keeps its entries
 * and a reference to the new one. As soon as one table was in the old generation, it kept every later request alive
 * until the next major GC. GC then took a fifth of the time (measured).
 */
export class PendingResponses {
  readonly #entries: Entry[] = [];
  #waiting = 0;
  #onDrained = () => {};

  get count(): number {
    return this.#entries.length;
  }

  /** Adds a response until it is closed. */
  add(response: ServerResponse): void {
    const entry = { response, index: this.#entries.length };
    this.#entries.push(entry);
    response.once('close', () => this.#remove(entry));
  }

  destroy(isMeant: (response: ServerResponse) => boolean = () => true): void {
    for (const { response } of this.#entries.slice()) if (isMeant(response)) response.destroy();
  }

  /** Waits before a request is handled. It counts as pending only in the limit. */
  async wait(ready: Promise<unknown>): Promise<void> {
    this.#waiting++;
    try {
      await ready;
    } finally {
      this.#waiting--;
    }
  }

  /** The failure of one more request, if there are too many. */
  refusal(): Failure | undefined {
    if (this.#entries.length + this.#waiting < MAX_PENDING) return undefined;
    const message = `This playground handles at most ${MAX_PENDING} requests at the same time.`;
    const limit = { name: 'playground-concurrency', quota: MAX_PENDING, isConcurrent: true } as const;
    return new Failure('too-many-requests', message, { retryAfterSeconds: RETRY_AFTER_SECONDS, limit });
  }

  /** Waits until none is left, and ends those that take too long. */
  async drain(): Promise<void> {
    if (this.count === 0) return;
    const drained = new Promise<void>((resolve) => (this.#onDrained = resolve));
    const waiting = new AbortController();
    const late = delay(DRAIN_MS, undefined, { signal: waiting.signal, ref: false }).catch(() => {});
    await Promise.race([drained, late]);
    waiting.abort();
    this.destroy();
    await drained;
  }

  #remove({ index }: Entry): void {
    const last = this.#entries.pop();
    if (last !== undefined && last.index !== index) {
      last.index = index;
      this.#entries[index] = last;
    }
    if (this.count === 0) this.#onDrained();
  }
}
