import type { DatabaseSync } from 'node:sqlite';
import { prepareRow } from './database.ts';

/** The version of the last change of a pet or an account. */
export const LAST_VERSION =
  'select max(ifnull((select max(version) from pet_version), 0), ifnull((select max(version) from account_change), 0))';

/** Assigns versions to the changes of one transaction. Pets and accounts share one sequence. */
export interface Versions {
  /** To be called before the first use in a transaction. */
  begin(): void;
  take(): bigint;
}

export function createVersions(db: DatabaseSync): Versions {
  const lastVersion = prepareRow(db, LAST_VERSION);
  let last: bigint | undefined;
  return {
    begin() {
      last = undefined;
    },
    take() {
      last = (last ?? (lastVersion()?.[0] as bigint)) + 1n;
      return last;
    },
  };
}
