import type { DatabaseSync } from 'node:sqlite';
import { lastVersion } from '../../rows/events/change-feed.ts';
import { prepareRow } from './database.ts';

/** The version of the last change of a pet or an account. */
export const LAST_VERSION = lastVersion.sqlite;

/** Assigns versions to the changes of one transaction. Pets and accounts share one sequence. */
export interface Versions {
  /** To be called before the first use in a transaction. */
  begin(): void;
  take(): bigint;
  last(): bigint;
}

export function createVersions(db: DatabaseSync): Versions {
  const readLast = prepareRow(db, LAST_VERSION);
  let last: bigint | undefined;
  return {
    begin() {
      last = undefined;
    },
    take() {
      last = this.last() + 1n;
      return last;
    },
    last: () => (last ??= readLast()?.[0] as bigint),
  };
}
