import type { ServerResponse } from 'node:http';

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
  #onDrained = () => {};

  get count(): number {
    return this.#entries.length;
  }

  /** Until it is closed. */
  add(response: ServerResponse): void {
    const entry = { response, index: this.#entries.length };
    this.#entries.push(entry);
    response.once('close', () => this.#remove(entry));
  }

  destroy(isMeant: (response: ServerResponse) => boolean = () => true): void {
    for (const { response } of this.#entries.slice()) if (isMeant(response)) response.destroy();
  }

  /** Resolves when none is left. */
  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#onDrained = resolve;
      if (this.count === 0) resolve();
    });
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
