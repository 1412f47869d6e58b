import assert from 'node:assert/strict';

/** What a record is known to be: its text, or null where there is none. */
export type State = string | null;

interface Entry {
  /** As the last acknowledged change left it. */
  certain: State;
  /** What a change made of it that was never answered: it may have come about, or not. */
  possible: State | undefined;
}

/**
 * What a service has acknowledged, record by record. A change is noted before it is sent and settled when it is answered; after a crash each
 * record has to be as acknowledged, or as the one unanswered change would have made it, and nothing in between.
 */
export class Ledger {
  readonly #entries = new Map<string, Entry>();
  #touched = new Set<string>();
  acknowledged = 0;

  get size(): number {
    return this.#entries.size;
  }

  keys(): readonly string[] {
    return [...this.#entries.keys()];
  }

  certainOf(key: string): State {
    return this.#entries.get(key)?.certain ?? null;
  }

  /** Does a change, and notes what is known of it before and after. */
  async change<T>(key: string, next: State, send: () => Promise<T>): Promise<T> {
    const entry = this.#entries.get(key) ?? { certain: null, possible: undefined };
    entry.possible = next;
    this.#entries.set(key, entry);
    this.#touched.add(key);
    const answer = await send();
    this.#entries.set(key, { certain: next, possible: undefined });
    this.acknowledged += 1;
    return answer;
  }

  /** Notes a record whose key the service chose. */
  add(key: string, state: State): void {
    assert.ok(!this.#entries.has(key), `${key} was given twice`);
    this.#entries.set(key, { certain: state, possible: undefined });
    this.#touched.add(key);
    this.acknowledged += 1;
  }

  /** The keys that were changed since this was asked last. */
  takeTouched(): readonly string[] {
    const touched = [...this.#touched];
    this.#touched = new Set();
    return touched;
  }

  /** Holds a record against what is known of it; from now on, what was found is certain. */
  check(key: string, found: State): void {
    const entry = this.#entries.get(key);
    assert.ok(entry !== undefined);
    if (entry.possible === undefined || found !== entry.possible) assert.equal(found, entry.certain, key);
    this.#entries.set(key, { certain: found, possible: undefined });
  }
}
