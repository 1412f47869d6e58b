import { parentPort, workerData } from 'node:worker_threads';
import { Failure } from '../domain/failure.ts';
import { isSqliteError, openDatabase, prepare } from './database.ts';
import { createPetWrites } from './pet-store.ts';
import { createPhotoWrites } from './photo-index.ts';
import { createSessionWrites } from './session-store.ts';
import { createUserWrites } from './user-store.ts';
import type { PlainOutcome, WriteJob } from './writer.ts';

/*
 * The one thread that writes. While a commit waits for the disk, jobs gather in its queue; the next transaction takes them all.
 */

/** SQLite's codes for what is not a bug of ours: BUSY, READONLY, IOERR, FULL, CANTOPEN. */
const ENGINE_TROUBLE = [5, 8, 10, 13, 14] as const;

const port = parentPort ?? neverAlone();
const db = openDatabase((workerData as { databasePath: string }).databasePath);
const writes = {
  pet: createPetWrites(db),
  user: createUserWrites(db),
  session: createSessionWrites(db),
  photo: createPhotoWrites(db),
} as Record<WriteJob['kind'], (change: unknown) => unknown>;

const begin = prepare(db, 'begin immediate');
const commit = prepare(db, 'commit');
let queue: WriteJob[] = [];

port.on('message', (message: WriteJob | 'close') => {
  if (message === 'close') {
    commitQueue();
    db.close();
    port.close();
    return;
  }
  if (queue.length === 0) setImmediate(commitQueue);
  queue.push(message);
});

function commitQueue(): void {
  const jobs = queue;
  queue = [];
  if (jobs.length === 0) return;
  const answers = commitTogether(jobs) ?? jobs.map(commitEachAlone);
  jobs.forEach(({ number }, index) => port.postMessage({ number, outcomes: answers[index] }));
}

/** All jobs in one transaction; undefined when something unexpected happened, and nothing was changed. */
function commitTogether(jobs: readonly WriteJob[]): PlainOutcome[][] | undefined {
  try {
    begin.run();
    const answers = jobs.map(({ kind, changes }) => changes.map((change) => applyOne(kind, change)));
    commit.run();
    return answers;
  } catch (error) {
    rollback();
    if (!isSqliteError(error, ...ENGINE_TROUBLE)) return undefined;
    return jobs.map(({ changes }) => changes.map(() => ({ failure: engineTrouble().toPlain() })));
  }
}

/** One transaction for each change, so that the one that brings the unexpected down fails alone. */
function commitEachAlone({ kind, changes }: WriteJob): PlainOutcome[] {
  return changes.map((change) => {
    try {
      begin.run();
      const outcome = applyOne(kind, change);
      commit.run();
      return outcome;
    } catch (error) {
      rollback();
      if (isSqliteError(error, ...ENGINE_TROUBLE)) return { failure: engineTrouble().toPlain() };
      return { bug: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
  });
}

/** The writes of a store throw a Failure before they write anything: the transaction goes on without that change. */
function applyOne(kind: WriteJob['kind'], change: unknown): PlainOutcome {
  try {
    return { result: writes[kind](change) };
  } catch (error) {
    if (error instanceof Failure) return { failure: error.toPlain() };
    throw error;
  }
}

function rollback(): void {
  if (db.isTransaction) db.exec('rollback');
}

function engineTrouble(): Failure {
  return new Failure('unavailable', 'The database cannot take the change at the moment. Try again in a few seconds.', {
    retryAfterSeconds: 5,
  });
}

function neverAlone(): never {
  throw new Error('This file is the body of a worker thread.');
}
