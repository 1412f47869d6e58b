import type { CommonTransaction, StoreDeps, Steps } from '../steps.ts';

/** A store that is written once for both engines. Its name is the kind of its changes. */
export interface StoreEntry<Change, Result, Store> {
  open(deps: StoreDeps<Change, Result>): Store;
  write(change: Change, transaction: CommonTransaction): Steps<Result>;
}

export function store<Change, Result, Store>(
  open: StoreEntry<Change, Result, Store>['open'],
  write: StoreEntry<Change, Result, Store>['write'],
): StoreEntry<Change, Result, Store> {
  return { open, write };
}
