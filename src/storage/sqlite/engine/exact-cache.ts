import type { Snapshots } from './snapshots.ts';

/** What was read a moment ago, as long as nothing in the database has changed since: by this process, by another, by anybody. */
export interface ExactCache<V> {
  get(key: string): V | undefined;
  /** Before reading what is then remembered: a commit between the two must not make what was read look newer than it is. */
  refresh(): void;
  set(key: string, value: V): void;
}

export function createExactCache<V>({ stateNumber }: Snapshots, maxEntries: number): ExactCache<V> {
  const entries = new Map<string, V>();
  let seen: number | undefined;

  function refresh(): void {
    const state = stateNumber();
    if (state !== seen) entries.clear();
    seen = state;
  }

  return {
    get(key) {
      // What is not there need not be asked about.
      if (!entries.has(key)) return undefined;
      refresh();
      return entries.get(key);
    },
    refresh,
    set(key, value) {
      if (entries.size >= maxEntries) entries.clear();
      entries.set(key, value);
    },
  };
}
