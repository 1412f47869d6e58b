import type { DatabaseSync } from 'node:sqlite';
import { prepare } from './database.ts';

/**
 * What was read a moment ago, as long as nothing in the database has changed since: by this process, by another, by anybody.
 *
 * SQLite's `data_version` changes with every commit of another connection, and the writer is one (https://sqlite.org/pragma.html). It is asked
 * at every look: asked once a turn of the event loop, a request may be read in the same turn that arrived after the commit was acknowledged.
 */
export interface ExactCache<V> {
  get(key: string): V | undefined;
  /** Before reading what is then remembered: a commit between the two must not make what was read look newer than it is. */
  refresh(): void;
  set(key: string, value: V): void;
}

export function createExactCache<V>(reader: DatabaseSync, maxEntries: number): ExactCache<V> {
  const dataVersion = prepare(reader, 'pragma data_version');
  dataVersion.setReturnArrays(true);
  const entries = new Map<string, V>();
  let seen: unknown;

  function refresh(): void {
    const version = (dataVersion.get() as unknown as readonly unknown[])[0];
    if (version !== seen) entries.clear();
    seen = version;
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
