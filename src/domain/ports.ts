/*
 * The interfaces of the outside world that the domain depends on. These rules hold for every store:
 *
 * - `apply` makes one change, or throws a Failure and changes nothing. The change is durable when it returns. Calls that arrive together share a
 *   transaction, and each succeeds or fails alone.
 * - Every call may fail with Failure `unavailable` when the engine is unreachable. Then nothing was changed, or it is unknown whether it was.
 * - Every change carries a stamp. It fails with `unauthenticated` if the session or key of the stamp has ended, or its account was closed or has
 *   another role by the time of the transaction. The store writes the entry of the audit trail in the same transaction: both exist, or neither.
 */

/** What a store may return synchronously: the embedded database does, a database server does not. */
export type Awaitable<T> = T | Promise<T>;

/** Milliseconds since 1970. */
export type Clock = () => number;

/**
 * Starts work together with all other work that arrived in the same turn of the event loop, on one state of the database: synchronous reads in it are exact,
 * and cost less. The work must not throw.
 */
export type Turns = (begin: () => void) => void;

/** Accepts a copy of the data that includes the change of a pet with this version. Undefined requires the latest state. */
export type NoOlderThan = bigint | undefined;

/** A page of a list sorted by id: from the first id after `afterId`, `limit` at most. */
export interface ListPart {
  afterId: bigint;
  limit: number;
  /** For pets only. */
  noOlderThan?: NoOlderThan;
}

/** The id of the installation: of its database, also after it was moved or restored, and of its photo store. */
export interface InstallationStore {
  find(): Promise<string | undefined>;
  /** Stores the id, unless the database has one. @returns the id of the database, the same for all that claim one at the same time */
  claim(id: string): Promise<string>;
}
