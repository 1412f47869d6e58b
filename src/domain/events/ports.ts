import type { ChangeEvent } from './change-event.ts';

/* The interfaces for events. `domain/ports.ts` has the rules for every store, and the errors of every call. */

/**
 * The changes of pets and accounts, written in their own transactions. After a reader has read up to a version, no
 * change with a lower version appears. Old changes of accounts are deleted.
 */
export interface ChangeFeed {
  /** The version of the last change, or 0. Cheap enough to be called many times a second. */
  lastVersion(): Promise<bigint>;
  /**
   * At most `limit` changes after this version, in order. Returns fewer if their texts are long, but at least one.
   * Empty if there are no more yet.
   */
  list(afterVersion: bigint, limit: number): Promise<readonly ChangeEvent[]>;
}

/**
 * Deletes at most `limit` changes of accounts older than `beforeMs`, but not the newest, whose version must not be
 * reused. Returns their number.
 */
export interface FeedChange {
  kind: 'forget';
  beforeMs: number;
  limit: number;
}

export interface ChangeFeedStore extends ChangeFeed {
  apply(change: FeedChange): Promise<number>;
}
