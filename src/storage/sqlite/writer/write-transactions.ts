import type { DatabaseSync } from 'node:sqlite';
import type { NewAuditEntry } from '../../../domain/audit.ts';
import { becauseOf, Failure, commitNotConfirmed, databaseTooNew } from '../../../domain/failure.ts';
import { AUDIT_COLUMNS, auditColumns } from '../../rows/audit/audit-rows.ts';
import { applyRequestChange } from '../../rows/idempotency/idempotency-store.ts';
import { writesOfStores } from '../../rows/stores/stores.ts';
import { FailureAfterWrite, type CommonTransaction, type Steps } from '../../rows/steps.ts';
import { ClaimWrites, onlyOnce, type Apply } from '../engine/claimed-changes.ts';
import { prepare, prepareRow, prepareChange, readPragma } from '../engine/database.ts';
import type { FilePlaces } from '../engine/files/file-places.ts';
import { isDiskError, isEngineTrouble, isFull, reasonOf } from '../engine/files/troubles.ts';
import { askOn, runSteps } from '../engine/steps.ts';
import { createVersions, type Versions } from '../engine/versions.ts';
import {
  Writer,
  type PlainOutcome,
  type TransactionWrites,
  type WriteResponse,
  type WriteJob,
  type WriteKind,
  type Writes,
} from '../engine/writer.ts';
import { countMigrations } from '../migrations/migrations.ts';
import { PetWrites } from '../pets/pet-writes.ts';
import { PhotoWrites } from '../pets/photo-index.ts';

/** The space that a database in memory may take. */
export interface DatabaseSpace {
  /** The maximum size of the database after the next transaction. Changes for which it does not suffice fail. */
  readonly maxBytes: number;
  /** The size of the database, which is set at the beginning and after each transaction. */
  set bytes(bytes: number);
  /** The failure of a change for which the space does not suffice. */
  refusal(): Failure;
}

/** Writes jobs on a separate connection, all jobs of a message in one transaction. */
export class WriteTransactions {
  readonly #db: DatabaseSync;
  readonly #places: FilePlaces | undefined;
  readonly #onFull: (() => Failure) | undefined;
  readonly #versions: Versions;
  readonly #stores: readonly TransactionWrites<unknown, unknown>[];
  readonly #apply: Apply;
  readonly #knownSchema = BigInt(countMigrations());
  readonly #schemaVersion;
  readonly #begin;
  readonly #commit;
  #misplaced: string | undefined;

  /** @param deps.places the files of the database; undefined for a database in memory, which may have `onFull` */
  constructor({ db, places, onFull }: { db: DatabaseSync; places?: FilePlaces; onFull?: () => Failure }) {
    this.#db = db;
    this.#places = places;
    this.#onFull = onFull;
    this.#versions = createVersions(db);
    const writes = writesOf(db, this.#versions);
    this.#stores = Object.values(writes);
    this.#apply = onlyOnce(db, (kind, change) => writes[kind].apply(change));
    this.#schemaVersion = prepareRow(db, 'pragma user_version');
    this.#begin = prepare(db, 'begin immediate');
    this.#commit = prepare(db, 'commit');
  }

  /** @returns when the successful changes are on the disk */
  write(jobs: readonly WriteJob[]): readonly WriteResponse[] {
    return this.#commitTogether(jobs) ?? jobs.map((job) => this.#commitEachAlone(job));
  }

  /** All jobs in one transaction; undefined after an unexpected error or a late Failure: nothing was changed. */
  #commitTogether(jobs: readonly WriteJob[]): WriteResponse[] | undefined {
    try {
      return this.#transaction(() =>
        jobs.map(({ kind, changes }) => changes.map((change) => this.#applyOne(kind, change))),
      );
    } catch (error) {
      const trouble = this.#troubleOf(error);
      if (trouble === undefined) return undefined;
      return jobs.map(({ changes }) => changes.map(() => ({ failure: trouble.toPlain() })));
    }
  }

  /** One transaction for each change, so that only the change that causes the error fails. */
  #commitEachAlone({ kind, changes }: WriteJob): WriteResponse {
    return changes.map((change) => {
      try {
        return this.#transaction(() => this.#applyOne(kind, change));
      } catch (error) {
        const failure = error instanceof FailureAfterWrite ? error.failure : this.#troubleOf(error);
        if (failure !== undefined) return { failure: failure.toPlain() };
        return { bug: error instanceof Error ? (error.stack ?? error.message) : String(error) };
      }
    });
  }

  /**
   * The result of `work` is on the disk when this returns.
   *
   * @throws when nothing was changed, or Failure when it may have been
   */
  #transaction<T>(work: () => T): T {
    let isCommitting = false;
    if (this.#misplaced !== undefined) this.#requireFilesInPlace();
    try {
      this.#begin.run();
      if (this.#schemaVersion()?.[0] !== this.#knownSchema) throw databaseTooNew();
      this.#versions.begin();
      for (const store of this.#stores) store.begin?.();
      const result = work();
      for (const store of this.#stores) store.save?.();
      isCommitting = true;
      this.#commit.run();
      // A commit into a deleted file must not be acknowledged. The check takes 8 µs of a transaction that waits for the
      // disk.
      this.#misplaced = this.#places?.findProblem();
      if (this.#misplaced !== undefined) throw commitNotConfirmed(this.#misplaced);
      return result;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('rollback');
      // The change may still be in the write-ahead log, and be read from it at the next start.
      throw isCommitting && isDiskError(error) ? commitNotConfirmed(reasonOf(error)) : error;
    }
  }

  #requireFilesInPlace(): void {
    this.#misplaced = this.#places?.findProblem();
    if (this.#misplaced !== undefined) throw engineTrouble(this.#misplaced);
  }

  /** The failure of a whole transaction; undefined for a bug. */
  #troubleOf(error: unknown): Failure | undefined {
    if (this.#onFull !== undefined && isFull(error)) return this.#onFull();
    // The database belongs to a newer version, or its files were deleted.
    if (error instanceof Failure) return becauseOf(error.cause ?? error.message, error);
    return isEngineTrouble(error) ? engineTrouble(reasonOf(error)) : undefined;
  }

  #applyOne(kind: WriteKind, change: unknown): PlainOutcome {
    try {
      return { result: this.#apply(kind, change) };
    } catch (error) {
      if (error instanceof Failure) return { failure: error.toPlain() };
      throw error;
    }
  }
}

function writesOf(db: DatabaseSync, versions: Versions): Record<WriteKind, TransactionWrites<unknown, unknown>> {
  const ask = askOn(db);
  const audit = prepareAuditWriter(db);
  const nextId = prepareRow(db, "select id from next_id where kind = 'account'");
  const setNextId = prepareChange(db, "update next_id set id = ? where kind = 'account'");
  const transaction: CommonTransaction = {
    audit,
    lastVersion: () => versions.last(),
    takeVersion: () => versions.take(),
    nextAccountId: () => nextId()?.[0] as bigint,
    continueAccountIds: setNextId,
  };
  const inSteps = <C, R>(apply: (change: C, transaction: CommonTransaction) => Steps<R>): TransactionWrites<C, R> => ({
    apply: (change) => runSteps(apply(change, transaction), ask),
  });
  return {
    ...writesOfStores(inSteps),
    pets: new PetWrites({ db, versions, audit, ask }),
    photos: new PhotoWrites(db),
    claims: new ClaimWrites(db),
    requests: inSteps(applyRequestChange),
    probe: new ProbeWrites(db),
  };
}

/** Returns a function that writes an entry, inside the transaction of the change that it describes. */
function prepareAuditWriter(db: DatabaseSync): (entry: NewAuditEntry) => void {
  const insert = prepareChange(db, `insert into audit (${AUDIT_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  return (entry) => insert(...auditColumns(entry));
}

function engineTrouble(reason: string): Failure {
  const message = 'The database cannot store the change at the moment. Try again in a few seconds.';
  return becauseOf(reason, new Failure('unavailable', message, { retryAfterSeconds: 5 }));
}

/** The size of a large change: a full disk often accepts small ones. */
const PROBE_BYTES = 1024 * 1024;

/**
 * Makes a change and undoes it in the same transaction. It fails if other changes fail: SQLite writes the freed pages
 * to the log as well.
 */
class ProbeWrites implements TransactionWrites<Writes['probe']['change'], number> {
  readonly #insert;
  readonly #delete;

  constructor(db: DatabaseSync) {
    this.#insert = prepareChange(
      db,
      `insert into idempotent_request (digest, fingerprint, claim, claimed_until_ms, expires_at_ms, answer)
       values ('probe', '', '', 0, 0, hex(zeroblob(?)))`,
    );
    this.#delete = prepareChange(db, `delete from idempotent_request where digest = 'probe'`);
  }

  apply(): number {
    this.#insert(PROBE_BYTES / 2);
    this.#delete();
    return 0;
  }
}

/**
 * Writes on the same connection that is read: a database in memory has only one connection, and its commits do not wait
 * for a disk. Each transaction has an iteration of the event loop to itself, so it never begins inside a snapshot of
 * the reads.
 */
export function createInlineWriter(db: DatabaseSync, space?: DatabaseSpace): Writer {
  const transactions = new WriteTransactions({ db, ...(space && { onFull: () => space.refusal() }) });
  const write = space === undefined ? transactions.write.bind(transactions) : within(space, db, transactions);
  let take: ((responses: readonly WriteResponse[]) => void) | undefined;
  let end: (() => void) | undefined;
  return new Writer({
    link: {
      send: (jobs) => void setImmediate(() => take?.(write(jobs))),
      onResponses: (taker) => (take = taker),
      onEnd: (ending) => (end = ending),
      close: () => end?.(),
    },
  });
}

/** Writes with as many pages as there is space for: SQLite itself refuses what does not fit. */
function within(space: DatabaseSpace, db: DatabaseSync, transactions: WriteTransactions): WriteTransactions['write'] {
  const pageBytes = Number(readPragma(db, 'page_size'));
  const pages = prepareRow(db, 'pragma page_count');
  const measure = () => (space.bytes = Number(pages()?.[0]) * pageBytes);
  measure();
  return (jobs) => {
    db.exec(`pragma max_page_count = ${Math.max(1, Math.floor(space.maxBytes / pageBytes))}`);
    const responses = transactions.write(jobs);
    measure();
    return responses;
  };
}
