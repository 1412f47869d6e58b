import type { DatabaseSync } from 'node:sqlite';
import { becauseOf, Failure, notConfirmed, ofNewerVersion } from '../../../domain/failure.ts';
import { createAuditWrites } from '../audit-store.ts';
import { createKeyWrites } from '../accounts/key-store.ts';
import { createSessionWrites } from '../accounts/session-store.ts';
import { createUserWrites } from '../accounts/user-writes.ts';
import { createFeedWrites } from '../change-feed.ts';
import { createClaimWrites, createRequestWrites } from '../idempotency-store.ts';
import { createLimitWrites } from '../limit-store.ts';
import { createPetWrites } from '../pets/pet-writes.ts';
import { createPhotoWrites } from '../pets/photo-index.ts';
import { createProbeWrites } from '../probe.ts';
import { onlyOnce } from '../claimed-changes.ts';
import { createWebhookWrites } from '../webhook-store.ts';
import { prepare, prepareRow } from './database.ts';
import type { FilePlaces } from './files/file-places.ts';
import { countMigrations } from './migrations.ts';
import { isDiskError, isEngineTrouble, reasonOf } from './files/troubles.ts';
import { createVersions } from './versions.ts';
import type { PlainOutcome, TransactionWrites, WriteAnswer, WriteJob, WriteKind } from './writer.ts';

/**
 * Writes jobs that have gathered, on a connection of their own: all in one transaction, answered when it is on the disk.
 *
 * @param places of the files; none of a database in memory
 */
export function createWriteTransactions(
  db: DatabaseSync,
  places?: FilePlaces,
): (jobs: readonly WriteJob[]) => readonly WriteAnswer[] {
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
    probe: createProbeWrites(db),
  } as Record<WriteKind, TransactionWrites<unknown, unknown>>;
  const apply = onlyOnce(db, (kind, change) => writes[kind].apply(change));
  const knownSchema = BigInt(countMigrations());
  const schemaVersion = prepareRow(db, 'pragma user_version');
  const begin = prepare(db, 'begin immediate');
  const commit = prepare(db, 'commit');
  let misplaced: string | undefined;

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
    if (misplaced !== undefined) refuseMisplaced();
    try {
      begin.run();
      if (schemaVersion()?.[0] !== knownSchema) throw ofNewerVersion();
      versions.begin();
      for (const store of Object.values(writes)) store.begin?.();
      const result = work();
      for (const store of Object.values(writes)) store.save?.();
      isCommitting = true;
      commit.run();
      // Not acknowledged is what went into a removed file. To look takes 8 µs of a transaction, which waits for the disk.
      misplaced = places?.findProblem();
      if (misplaced !== undefined) throw notConfirmed(misplaced);
      return result;
    } catch (error) {
      if (db.isTransaction) db.exec('rollback');
      // The change may be in the write-ahead log all the same, and be read from there at the next start.
      throw isCommitting && isDiskError(error) ? notConfirmed(reasonOf(error)) : error;
    }
  }

  function refuseMisplaced(): void {
    misplaced = places?.findProblem();
    if (misplaced !== undefined) throw engineTrouble(misplaced);
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
  // Of a whole transaction: the database belongs to a newer version, or its files were removed.
  if (error instanceof Failure) return becauseOf(error.cause ?? error.message, error);
  return isEngineTrouble(error) ? engineTrouble(reasonOf(error)) : undefined;
}

function engineTrouble(reason: string): Failure {
  const message = 'The database cannot take the change at the moment. Try again in a few seconds.';
  return becauseOf(reason, new Failure('unavailable', message, { retryAfterSeconds: 5 }));
}
