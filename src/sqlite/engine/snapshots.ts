import type { DatabaseSync } from 'node:sqlite';
import { prepare } from './database.ts';

/** Does synchronous work on one state of the data, which is no older than the work. */
export type InSnapshot = <T>(work: () => T) => T;

/**
 * Of a single read, taking and giving back the lock of the log takes two thirds of the time, measured; in a snapshot they are taken once. It begins
 * with the first statement that reads, and one that reads nothing takes no lock.
 */
export function createSnapshots(reader: DatabaseSync): InSnapshot {
  const begin = prepare(reader, 'begin');
  const commit = prepare(reader, 'commit');
  return (work) => {
    if (reader.isTransaction) return work();
    begin.run();
    try {
      return work();
    } finally {
      // An error of the engine may have ended it.
      if (reader.isTransaction) commit.run();
    }
  };
}
