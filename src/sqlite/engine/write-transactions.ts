import type { DatabaseSync } from 'node:sqlite';
import { Failure, notConfirmed, ofNewerVersion } from '../../domain/failure.ts';
import { createAuditWrites } from '../audit-store.ts';
import { createKeyWrites } from '../accounts/key-store.ts';
import { createSessionWrites } from '../accounts/session-store.ts';
import { createUserWrites } from '../accounts/user-writes.ts';
import { createFeedWrites } from '../change-feed.ts';
import { createClaimWrites, createRequestWrites } from '../idempotency-store.ts';
import { createLimitWrites } from '../limit-store.ts';
import { createPetWrites } from '../pets/pet-writes.ts';
import { createPhotoWrites } from '../pets/photo-index.ts';
import { onlyOnce } from '../claimed-changes.ts';
import { createWebhookWrites } from '../webhook-store.ts';
import { isSqliteError, prepare, prepareRow } from './database.ts';
import { countMigrations } from './migrations.ts';
import { createVersions } from './versions.ts';
import type { PlainOutcome, TransactionWrites, WriteAnswer, WriteJob, WriteKind } from './writer.ts';

/** SQLite's codes for what is not a bug of ours: BUSY, READONLY, IOERR, FULL, CANTOPEN. */
const ENGINE_TROUBLE = [5, 8, 10, 13, 14] as const;

/** SQLite's code for an error of the disk. */
const SQLITE_IOERR = 10;

/** Writes jobs that have gathered, on a connection of their own: all in one transaction, answered when it is on the disk. */
export function createWriteTransactions(db: DatabaseSync): (jobs: readonly WriteJob[]) => readonly WriteAnswer[] {
  const versions = createVersions(db);
  const writes = {
    pet: createPetWrites(db, versions),
    user: createUserWrites(db, versions),
    session: createSessionWrites(db),
    photo: createPhotoWrites(db),
    key: createKeyWrites(db),
    limit: createLimitWrites(db),
    audit: createAuditWrites(db),
    claim: createClaimWrites(db),
    request: createRequestWrites(db),
    webhook: createWebhookWrites(db),
    feed: createFeedWrites(db),
  } as Record<WriteKind, TransactionWrites<unknown, unknown>>;
  const apply = onlyOnce(db, (kind, change) => writes[kind].apply(change));
  const knownSchema = BigInt(countMigrations());
  const schemaVersion = prepareRow(db, 'pragma user_version');
  const begin = prepare(db, 'begin immediate');
  const commit = prepare(db, 'commit');

  /** All jobs in one transaction; undefined when something unexpected happened, and nothing was changed. */
  function commitTogether(jobs: readonly WriteJob[]): WriteAnswer[] | undefined {
    try {
      return transaction(() => jobs.map(({ kind, changes }) => changes.map((change) => applyOne(kind, change))));
    } catch (error) {
      const trouble = troubleOf(error);
      if (trouble === undefined) return undefined;
      return jobs.map(({ changes }) => changes.map(() => ({ failure: trouble.toPlain() })));
    }
  }

  /** One transaction for each change, so that the one that brings the unexpected down fails alone. */
  function commitEachAlone({ kind, changes }: WriteJob): WriteAnswer {
    return changes.map((change) => {
      try {
        return transaction(() => applyOne(kind, change));
      } catch (error) {
        const trouble = troubleOf(error);
        if (trouble !== undefined) return { failure: trouble.toPlain() };
        return { bug: error instanceof Error ? (error.stack ?? error.message) : String(error) };
      }
    });
  }

  /** The result is on the disk when this returns; when it throws, nothing was changed, unless the failure says that it may have been. */
  function transaction<T>(work: () => T): T {
    let isCommitting = false;
    try {
      begin.run();
      if (schemaVersion()?.[0] !== knownSchema) throw ofNewerVersion();
      versions.begin();
      for (const store of Object.values(writes)) store.begin?.();
      const result = work();
      for (const store of Object.values(writes)) store.save?.();
      isCommitting = true;
      commit.run();
      return result;
    } catch (error) {
      if (db.isTransaction) db.exec('rollback');
      // The change may be in the write-ahead log all the same, and be read from there at the next start.
      throw isCommitting && isSqliteError(error, SQLITE_IOERR) ? notConfirmed(error) : error;
    }
  }

  function applyOne(kind: WriteKind, change: unknown): PlainOutcome {
    try {
      return { result: apply(kind, change) };
    } catch (error) {
      if (error instanceof Failure) return { failure: error.toPlain() };
      throw error;
    }
  }

  return (jobs) => commitTogether(jobs) ?? jobs.map(commitEachAlone);
}

/** What keeps a whole transaction from being written, where that is no bug. */
function troubleOf(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error;
  return isSqliteError(error, ...ENGINE_TROUBLE) ? engineTrouble() : undefined;
}

function engineTrouble(): Failure {
  return new Failure('unavailable', 'The database cannot take the change at the moment. Try again in a few seconds.', {
    retryAfterSeconds: 5,
  });
}
