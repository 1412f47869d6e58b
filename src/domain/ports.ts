/*
 * The interfaces that the domain depends on and outer layers implement. These rules hold for every store:
 *
 * - `apply` makes one change, or throws a Failure and changes nothing. The change is durable when the call resolves.
 *   Concurrent calls share a transaction, and each succeeds or fails on its own.
 * - Every call may throw Failure `unavailable` if the engine is unreachable. Then nothing was changed, or the message
 *   says that the outcome is unknown.
 * - A change with a stamp throws `unauthenticated` if, at the time of the transaction, the session or key of the stamp
 *   has ended, or its account was closed or has another role. The store writes the audit entry in the same transaction
 *   as the change.
 */

/** The result of a read that the embedded database returns synchronously, and a database server asynchronously. */
export type Awaitable<T> = T | Promise<T>;

/** Milliseconds since 1970. */
export type Clock = () => number;

export interface Signer {
  /** @returns 43 characters of base64url */
  sign(key: string, text: string): string;
  isSigned(key: string, text: string, signature: string): boolean;
}

/** Markdown as safe HTML: headings begin with h3. */
export type MarkdownToHtml = (markdown: string) => Promise<string>;

/**
 * Starts work together with all other work that arrived in the same iteration of the event loop, on one snapshot of the
 * database: synchronous reads are exact and cheaper. The work must not throw.
 */
export type Iterations = (begin: () => void) => void;

/** Allows a read from a standby that has the pet change with this version. Undefined requires the latest state. */
export type NoOlderThan = bigint | undefined;

/** A page of a list sorted by id: at most `limit` records with an id above `afterId`. */
export interface ListPage {
  afterId: bigint;
  limit: number;
  /** For pets only. */
  noOlderThan?: NoOlderThan;
  /** For pets only: whether the page includes drafts. */
  withDrafts?: boolean;
}

/** The id of the installation, shared by its database (even after a restore) and its photo store. */
export interface InstallationStore {
  find(): Promise<string | undefined>;
  /**
   * Stores the id unless the database already has one.
   * @returns the id of the database, the same for concurrent calls
   */
  claim(id: string): Promise<string>;
}
