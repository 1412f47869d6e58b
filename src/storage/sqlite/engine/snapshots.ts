import type { DatabaseSync } from 'node:sqlite';
import { prepare, prepareRow } from './database.ts';

export interface Snapshots {
  /** Runs synchronous work on one state of the database, which is not older than the work. */
  inSnapshot: <T>(work: () => T) => T;
  /**
   * A number that changes with every commit of any process (https://sqlite.org/pragma.html#pragma_data_version). Read
   * once per snapshot; outside of a snapshot, at each call.
   */
  stateNumber: () => number;
}

/** Maximum size of the memory map. */
const MAPPED_BYTES = 2 ** 30;

/** The file is mapped after this time without a change. */
const QUIET_MS = 250;

/**
 * Locking and unlocking the write-ahead log takes two thirds of the time of a single read, measured; a snapshot does it
 * once for all reads of an iteration of the event loop. The plain alternative is to read without a transaction: on
 * 2026-11-26, reads by ID over HTTP then took 1.24 times the processor time.
 *
 * While nothing changes, the file is read through a memory map: without it, a read by ID over HTTP among a million pets
 * took 1.18 times the processor time on 2026-11-26 (1.04 times among 118,000). SQLite drops the whole map at every
 * change, so the map is off while changes arrive.
 *
 * @param isEverMapped false for lists: the pages of a map that is read from end to end would count as memory of the
 *   process
 */
export function createSnapshots(reader: DatabaseSync, isEverMapped = true): Snapshots {
  if (reader.location() === null) return snapshotsInMemory(reader);
  const begin = prepare(reader, 'begin');
  const commit = prepare(reader, 'commit');
  const dataVersion = prepareRow(reader, 'pragma data_version');
  let state = 0;
  let changedAtMs = Date.now();
  let isMapped = false;

  function readState(): number {
    const now = Number(dataVersion()?.[0]);
    if (now !== state) changedAtMs = Date.now();
    state = now;
    return state;
  }

  /** Must be called before a snapshot: it has no effect while a page is in use. */
  function mapWhileQuiet(): void {
    const isQuiet = isEverMapped && Date.now() - changedAtMs > QUIET_MS;
    if (isQuiet === isMapped) return;
    isMapped = isQuiet;
    reader.exec(`pragma mmap_size = ${isMapped ? MAPPED_BYTES : 0}`);
  }

  return {
    inSnapshot(work) {
      if (reader.isTransaction) return work();
      mapWhileQuiet();
      begin.run();
      try {
        readState();
        return work();
      } finally {
        // An error of the engine may have ended the transaction.
        if (reader.isTransaction) commit.run();
      }
    },
    stateNumber: () => (reader.isTransaction ? state : readState()),
  };
}

/** A database in memory has one connection, so nothing changes during synchronous work. */
function snapshotsInMemory(connection: DatabaseSync): Snapshots {
  // data_version ignores the commits of its own connection.
  const changes = prepareRow(connection, 'select total_changes()');
  return { inSnapshot: (work) => work(), stateNumber: () => Number(changes()?.[0]) };
}
