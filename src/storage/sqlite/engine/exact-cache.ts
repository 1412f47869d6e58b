import type { Snapshots } from './snapshots.ts';

/** Caches what was read as long as nothing in the database has changed since, by this process or another. */
export class ExactCache<V> {
  readonly #snapshots: Snapshots;
  readonly #maxEntries: number;
  readonly #entries = new Map<string, V>();
  #seen: number | undefined;

  constructor(snapshots: Snapshots, maxEntries: number) {
    this.#snapshots = snapshots;
    this.#maxEntries = maxEntries;
  }

  get(key: string): V | undefined {
    // Only a hit needs the check for changes.
    if (!this.#entries.has(key)) return undefined;
    this.refresh();
    return this.#entries.get(key);
  }

  /** To be called before reading the value to `set`: a commit between the two must not make the value look newer than it is. */
  refresh(): void {
    const state = this.#snapshots.stateNumber();
    if (state !== this.#seen) this.#entries.clear();
    this.#seen = state;
  }

  set(key: string, value: V): void {
    if (this.#entries.size >= this.#maxEntries) this.#entries.clear();
    this.#entries.set(key, value);
  }
}
