import assert from 'node:assert/strict';

/** The known state of a record: its text, or null if it does not exist. */
export type State = string | null;

interface Entry {
  /** After the last acknowledged change. */
  certain: State;
  /** The result of a change that never got a response, and may or may not have been made. */
  possible: State | undefined;
}

/**
 * The acknowledged changes of a service, record by record. A change is recorded before it is sent and settled when it
 * gets its response. After a crash, each record must be as acknowledged or as the one pending change would have made
 * it, and nothing in between.
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

  /** Makes a change, and records the state before and after it. */
  async change<T>(key: string, next: State, send: () => Promise<T>): Promise<T> {
    const entry = this.#entries.get(key) ?? { certain: null, possible: undefined };
    entry.possible = next;
    this.#entries.set(key, entry);
    this.#touched.add(key);
    const response = await send();
    this.#entries.set(key, { certain: next, possible: undefined });
    this.acknowledged += 1;
    return response;
  }

  /** Records a record whose key the service chose. */
  add(key: string, state: State): void {
    assert.ok(!this.#entries.has(key), `${key} was assigned twice`);
    this.#entries.set(key, { certain: state, possible: undefined });
    this.#touched.add(key);
    this.acknowledged += 1;
  }

  /** The keys changed since the last call. */
  takeTouched(): readonly string[] {
    const touched = [...this.#touched];
    this.#touched = new Set();
    return touched;
  }

  /** Compares a record with its known states, and keeps the one that it finds. */
  check(key: string, found: State): void {
    const entry = this.#entries.get(key);
    assert.ok(entry !== undefined);
    if (entry.possible === undefined || found !== entry.possible) assert.equal(found, entry.certain, key);
    this.#entries.set(key, { certain: found, possible: undefined });
  }
}
