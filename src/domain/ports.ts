/*
 * What the domain needs of the world. Stores speak in batches; `storage/batching/` makes single calls of them (`Pets`, `Users`, ...), which is what
 * the use cases are given. Every change of a batch succeeds or fails alone, and is durable before its answer comes. Any call may also fail
 * with Failure `unavailable`, when the engine behind it is out of reach; then nothing was changed, or it is not known whether it was.
 *
 * Every change carries a stamp. `unauthenticated` where the session or the key of the stamp has ended, or its account was closed or has another role
 * by the time of the transaction. The store writes an entry into the audit trail with the same transaction: both are there, or neither is.
 */

/** Milliseconds since 1970. */
export type Clock = () => number;

/**
 * Begins work together with all else that arrived at the same moment, on one state of the data: what the work reads at once (`peek`) is exact, and
 * costs less. The work must not throw.
 */
export type Turns = (begin: () => void) => void;

/**
 * How new that has to be what is read: a copy will do that has the change of a pet with this version. Left out, only what stands at this very moment
 * will do.
 */
export type NoOlderThan = bigint | undefined;

/** A part of a list that is sorted by id: from the first id after `afterId`, `limit` at most. */
export interface ListPart {
  afterId: bigint;
  limit: number;
  /** Of pets only. */
  noOlderThan?: NoOlderThan;
}

/** The id of the installation: of its database, also after it was moved or restored, and of its photo store. */
export interface InstallationStore {
  find(): Promise<string | undefined>;
  /** Stores the id, unless the database has one. @returns the id of the database, the same for all that claim one at the same time */
  claim(id: string): Promise<string>;
}
