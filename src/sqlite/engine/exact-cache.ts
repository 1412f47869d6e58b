import type { DatabaseSync } from 'node:sqlite';
import { prepareRows } from './database.ts';

/**
 * What was read a moment ago, as long as nothing in the database has changed since: by this process, by another, by anybody.
 *
 * SQLite's `data_version` changes with every commit of another connection, and the writer is one (https://sqlite.org/pragma.html). It is asked
 * once for each turn of the event loop: a request that arrives after a commit was acknowledged is read in a later turn.
 */
export interface ExactCache<V> {
  get(key: string): V | undefined;
  /** Before reading what is then remembered: a commit between the two must not make what was read look newer than it is. */
  refresh(): void;
  set(key: string, value: V): void;
}

export function createExactCache<V>(reader: DatabaseSync, maxEntries: number): ExactCache<V> {
  const dataVersion = prepareRows<[version: bigint]>(reader, 'pragma data_version');
  const entries = new Map<string, V>();
  let seen: bigint | undefined;
  let isChecked = false;

  function refresh(): void {
    if (isChecked) return;
    isChecked = true;
    setImmediate(() => {
      isChecked = false;
    });
    const version = dataVersion()[0]?.[0];
    if (version !== seen) entries.clear();
    seen = version;
  }

  return {
    get(key) {
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
