import type { Stamp } from '../../../domain/audit.ts';
import type { SavedSearch } from './saved-search.ts';

/* The store of saved searches. `domain/ports.ts` has the rules for every store, and the errors of every call. */

/** Returns the searches that the change concerns. */
export type SavedSearchChange =
  /**
   * Adds a search, which the person has to confirm. Returns nothing if the address or the service has as many as it may
   * have, or if the address has the same one with another ID. One with the same ID is returned as it is.
   */
  | { kind: 'add'; search: Pick<SavedSearch, 'id' | 'email' | 'language' | 'search'>; nowMs: number }
  /** Stores the digest of a link that is about to be sent. Returns nothing if the message is not wanted any more. */
  | { kind: 'offer'; id: string; purpose: 'confirm' | 'manage'; digest: string; nowMs: number }
  /** Confirms the search, or keeps it for longer. Returns nothing for an unknown link. */
  | { kind: 'confirm'; digest: string; stamp: Stamp }
  /** Deletes the search. Returns nothing for an unknown link. */
  | { kind: 'stop'; digest: string; stamp: Stamp }
  /** Claims searches that are due: until `untilMs`, no other process looks at them. */
  | { kind: 'claim'; nowMs: number; untilMs: number; version: bigint; limit: number }
  /** Keeps the claim until `untilMs` of these searches for longer. Returns those that were still claimed. */
  | { kind: 'renew'; ids: readonly string[]; untilMs: number; nextMs: number }
  /**
   * Reports new matches, and the version up to which nothing is left to compare. Queues a message about those that were
   * not sent before; without any, the search is due again at `nextAtMs`. Has no effect after the claim until `untilMs`
   * was reported or followed by another one, so that a slow process does not send a message twice.
   */
  | {
      kind: 'looked';
      id: string;
      untilMs: number;
      version: bigint;
      petIds: readonly bigint[];
      nowMs: number;
      nextAtMs: number;
    }
  /** Deletes all searches of an address, and the messages to it that are about them. */
  | { kind: 'erase'; email: string; stamp: Stamp }
  /** Deletes at most `limit` searches that were not confirmed in time, or have ended. */
  | { kind: 'forget'; nowMs: number; limit: number };

export interface SavedSearchCounts {
  confirmed: number;
  unconfirmed: number;
}

export interface SavedSearchStore {
  /** Whether a search is due: a claim is a write, for which other writes would wait. */
  hasDue(nowMs: number, version: bigint): Promise<boolean>;
  count(): Promise<SavedSearchCounts>;
  find(id: string): Promise<SavedSearch | undefined>;
  /** The searches of an address, the oldest first. */
  listOf(email: string): Promise<readonly SavedSearch[]>;
  apply(change: SavedSearchChange): Promise<readonly SavedSearch[]>;
}
