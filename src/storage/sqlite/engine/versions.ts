import type { DatabaseSync } from 'node:sqlite';
import { prepareRow } from './database.ts';

/** The number of the last change there is, whichever table it is in. */
export const LAST_VERSION =
  'select max(ifnull((select max(version) from pet_version), 0), ifnull((select max(version) from account_change), 0))';

/** Numbers for the changes of one transaction, of pets and of accounts: one order over all. */
export interface Versions {
  /** Before the first use in a transaction. */
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
