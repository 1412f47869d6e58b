import { setImmediate as nextIteration } from 'node:timers/promises';

/** Maximum number and bytes of items in progress: enough for several batches of a store, with little memory. */
const MAX_IN_PROGRESS = 2048;
const MAX_BYTES_IN_PROGRESS = 4 * 1024 * 1024;

/**
 * Maximum items started in one iteration of the event loop, and the time after which no further one is: an invalid line
 * can take milliseconds.
 */
const STARTED_PER_ITERATION = 128;
const MAX_ITERATION_MS = 4;

const CHUNK_BYTES = 32 * 1024;

/**
 * Maximum bytes of responses buffered for a client. Most HTTP libraries send everything before they read, so this
 * suffices for a hundred thousand lines with several wrong fields each. The total for all clients is limited too;
 * beyond it, each client has a chunk or two.
 */
const MAX_BYTES_HELD = 64 * 1024 * 1024;
const MAX_BYTES_HELD_TOGETHER = 256 * 1024 * 1024;

/** Wakes all functions that wait for it. */
class Bell {
  #ringing = Promise.withResolvers<void>();

  heard(): Promise<void> {
    return this.#ringing.promise;
  }

  ring(): void {
    this.#ringing.resolve();
    this.#ringing = Promise.withResolvers();
  }
}

/** The buffered responses of all clients. */
export class HeldResponses {
  readonly bell = new Bell();
  bytes = 0;
}

/** Joins response lines to chunks, in order. */
class Chunks {
  readonly #closed: Buffer[] = [];
  #texts: string[] = [];
  #openBytes = 0;

  /** @returns the number of bytes of the text */
  add(text: string): number {
    const byteLength = Buffer.byteLength(text);
    this.#texts.push(text);
    this.#openBytes += byteLength;
    // Encoded, so that the responses use no more memory than is counted.
    if (this.#openBytes >= CHUNK_BYTES) this.#close();
    return byteLength;
  }

  take(): Buffer | undefined {
    if (this.#closed.length === 0 && this.#texts.length > 0) this.#close();
    return this.#closed.shift();
  }

  #close(): void {
    this.#closed.push(Buffer.from(this.#texts.join('')));
    [this.#texts, this.#openBytes] = [[], 0];
  }
}

interface Item {
  byteLength: number;
}

interface Started extends Item {
  text: string | undefined;
}

interface OrderedResponsesDeps<T extends Item> {
  arriving: AsyncIterable<T>;
  /** Must not reject. */
  respond: (item: T) => Promise<string>;
  /** Shared by all clients. */
  held: HeldResponses;
}

/**
 * Processes items as they arrive, many concurrently, and yields the responses in the order of the items. Responses are
 * buffered for a client that does not read them; beyond the limit, no more items are read.
 */
export class OrderedResponses<T extends Item> {
  readonly #deps: OrderedResponsesDeps<T>;
  readonly #inProgress: Started[] = [];
  readonly #chunks = new Chunks();
  readonly #responded = new Bell();
  #bytesInProgress = 0;
  #bytesHeld = 0;
  #hasAllItems = false;
  #hasEnded = false;

  constructor(deps: OrderedResponsesDeps<T>) {
    this.#deps = deps;
  }

  /** May be called once. */
  async *chunks(): AsyncGenerator<Buffer, void, void> {
    const { bell } = this.#deps.held;
    const reading = this.#readItems()
      // The client has disconnected. Items in progress are completed without a response.
      .catch(() => {})
      .finally(() => {
        this.#hasAllItems = true;
        this.#responded.ring();
      });
    try {
      for (;;) {
        const chunk = this.#chunks.take();
        if (chunk !== undefined) {
          yield chunk;
          this.#hold(-chunk.length);
          bell.ring();
        } else if (this.#hasAllItems && this.#inProgress.length === 0) break;
        else await this.#responded.heard();
      }
      await reading;
    } finally {
      this.#hasEnded = true;
      this.#hold(-this.#bytesHeld);
      bell.ring();
    }
  }

  async #readItems(): Promise<void> {
    const { arriving, held } = this.#deps;
    let count = 0;
    let startedMs = performance.now();
    for await (const item of arriving) {
      while (this.#isFull()) await held.bell.heard();
      if (this.#hasEnded) return;
      this.#start(item);
      if (++count < STARTED_PER_ITERATION && performance.now() - startedMs < MAX_ITERATION_MS) continue;
      await nextIteration();
      [count, startedMs] = [0, performance.now()];
    }
  }

  #isFull(): boolean {
    if (this.#hasEnded) return false;
    if (this.#inProgress.length >= MAX_IN_PROGRESS || this.#bytesInProgress >= MAX_BYTES_IN_PROGRESS) return true;
    const isTooMuchTogether = this.#deps.held.bytes >= MAX_BYTES_HELD_TOGETHER;
    return this.#bytesHeld >= MAX_BYTES_HELD || (this.#bytesHeld >= CHUNK_BYTES && isTooMuchTogether);
  }

  #start(item: T): void {
    const started: Started = { byteLength: item.byteLength, text: undefined };
    void this.#deps.respond(item).then((text) => {
      started.text = text;
      if (this.#inProgress[0] === started) this.#takeResponses();
    });
    this.#inProgress.push(started);
    this.#bytesInProgress += item.byteLength;
  }

  /** Moves the responses before the first unfinished item to the chunks. */
  #takeResponses(): void {
    if (this.#hasEnded) return;
    let count = 0;
    for (const { text, byteLength } of this.#inProgress) {
      if (text === undefined) break;
      this.#hold(this.#chunks.add(text));
      this.#bytesInProgress -= byteLength;
      count++;
    }
    this.#inProgress.splice(0, count);
    this.#responded.ring();
    this.#deps.held.bell.ring();
  }

  #hold(bytes: number): void {
    this.#bytesHeld += bytes;
    this.#deps.held.bytes += bytes;
  }
}
