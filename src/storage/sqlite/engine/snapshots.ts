import type { DatabaseSync } from 'node:sqlite';
import { prepare, prepareRow } from './database.ts';

export interface Snapshots {
  /** Does synchronous work on one state of the data, which is no older than the work. */
  inSnapshot: <T>(work: () => T) => T;
  /**
   * A number for the state of the data: another one after every commit, of whomever (https://sqlite.org/pragma.html#pragma_data_version). Asked once
   * a snapshot; outside of one, anew every time.
   */
  stateNumber: () => number;
}

/** So much of the file may be read where the system has it in memory. */
const MAPPED_BYTES = 2 ** 30;

/** The file is mapped when nothing has changed for so long. */
const QUIET_MS = 250;

/**
 * Of a single read, taking and giving back the lock of the log takes two thirds of the time, measured; in a snapshot they are taken once.
 *
 * While nothing changes, the file is read by way of a memory map: among a million pets, that nearly halves the time of a read. At every change, though,
 * SQLite gives the whole map up; while changes come in, pages are therefore read one by one.
 *
 * @param isEverMapped not for lists: a map that is leafed through from end to end would count as our memory
 */
export function createSnapshots(reader: DatabaseSync, isEverMapped = true): Snapshots {
  const begin = prepare(reader, 'begin');
  const commit = prepare(reader, 'commit');
  // What the connection itself commits does not count there; to a database in memory, it is the only one that does.
  const isInMemory = reader.location() === null;
  const dataVersion = prepareRow(reader, isInMemory ? 'select total_changes()' : 'pragma data_version');
  let state = 0;
  let changedAtMs = Date.now();
  let isMapped = false;

  function askState(): number {
    const now = Number(dataVersion()?.[0]);
    if (now !== state) changedAtMs = Date.now();
    state = now;
    return state;
  }

  /** Takes effect only while no page is held: before a snapshot. */
  function mapWhileQuiet(): void {
    const isQuiet = isEverMapped && !isInMemory && Date.now() - changedAtMs > QUIET_MS;
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
        askState();
        return work();
      } finally {
        // An error of the engine may have ended it.
        if (reader.isTransaction) commit.run();
      }
    },
    stateNumber: () => (reader.isTransaction ? state : askState()),
  };
}
