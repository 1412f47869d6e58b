import type { NewAuditEntry } from '../../domain/audit.ts';
import { Failure } from '../../domain/failure.ts';
import type { Awaitable } from '../../domain/ports.ts';
import type { Parameter, Statement } from './statements.ts';

/*
 * A store that is written once consists of statements, and of steps that yield them. SQLite runs the steps
 * synchronously in its writer thread, PostgreSQL asynchronously in a transaction that it shares with other changes.
 *
 * Steps throw a Failure before their first write where they can: then the transaction continues without them. After
 * a write it is rolled back as a whole, and each of its changes is made again alone: nothing of the failed one stays.
 */

type Row = readonly unknown[];

interface Step {
  statement: Statement;
  parameters: readonly Parameter[];
  /** Whether the steps need the rows. */
  isAwaited: boolean;
}

export type Steps<Result> = Generator<Step, Result, readonly Row[]>;

/** Executes a statement and returns its rows, each an array of the columns. Integers are bigints. */
export function* ask<R extends Row>(statement: Statement, ...parameters: readonly Parameter[]): Steps<readonly R[]> {
  return (yield { statement, parameters, isAwaited: true }) as readonly R[];
}

/** Executes a statement without reading its rows: PostgreSQL goes on to the next one before it has the result. */
export function* send(statement: Statement, ...parameters: readonly Parameter[]): Steps<void> {
  yield { statement, parameters, isAwaited: false };
}

/** Steps have thrown a Failure after a write. Not a Failure, so that the transaction ends. */
export class FailureAfterWrite extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Notices the writes of the steps of one change. */
export class WriteWatch {
  #hasWritten = false;

  /** @param rows those that the statement has returned; empty if they are not awaited */
  notice({ statement, isAwaited }: Step, rows: readonly Row[]): void {
    // A statement with a `returning` clause may have changed nothing.
    this.#hasWritten ||= !isAwaited || (rows.length > 0 && !statement.isRead);
  }

  /** The error with which the runner of the steps must end. */
  errorOf(thrown: unknown): unknown {
    return this.#hasWritten && thrown instanceof Failure ? new FailureAfterWrite(thrown) : thrown;
  }
}

/** The functions of a transaction that steps need besides their statements. */
export interface CommonTransaction {
  /** Adds an entry to the audit log. */
  audit: (entry: NewAuditEntry) => void;
  /** The version of the last change, also of this transaction. To be called after the first rows were read. */
  lastVersion: () => bigint;
  /** A new version, for a change of an account. To be called after the first rows as well. */
  takeVersion: () => bigint;
  /** The first account id to try. To be called after the first rows as well. */
  nextAccountId: () => bigint;
  /** Sets the account id that later changes try first. */
  continueAccountIds: (next: bigint) => void;
}

/** The reads of stores. SQLite reads synchronously, on a connection of the event loop. */
export interface Reads {
  ask<R extends Row>(statement: Statement, ...parameters: readonly Parameter[]): Awaitable<readonly R[]>;
  /** Like `ask`, up to the first row that is the last: SQLite reads no further, PostgreSQL has its own condition. */
  askUntil<R extends Row>(
    isLast: (row: R) => boolean,
    statement: Statement,
    ...parameters: readonly Parameter[]
  ): Awaitable<readonly R[]>;
  /** Maximum number of rows that one statement examines. */
  windowRows: number;
  /**
   * Returns a function that finds a record by its key. PostgreSQL reads the keys of one iteration of the event loop
   * together.
   *
   * @param find a statement with the condition `sql.isKey`
   * @param keyIndex the position of the key in a row, 0 by default
   */
  finder<V>(find: Statement, toValue: (row: never) => V, keyIndex?: number): (key: string) => Awaitable<V | undefined>;
}

export interface StoreDeps<Change, Result> {
  reads: Reads;
  /** Makes a change. It is durable when the promise resolves. @throws Failure of this change alone */
  apply: (change: Change) => Promise<Result>;
}
