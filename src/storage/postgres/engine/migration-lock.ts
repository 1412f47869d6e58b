import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import { Failure } from '../../../domain/failure.ts';
import type { Connections } from './connections.ts';
import { statement, type Ask } from './statements.ts';

const LOCK_RETRY_MS = 500;

/** A transaction that is idle for longer is ended, which also ends the lock. */
const LOCK_RENEWAL_MS = 60_000;

/** undefined_function, feature_not_supported: databases that only speak the protocol of PostgreSQL. */
const WITHOUT_LOCKS = new Set(['42883', '0A000']);

// Any number that other programs are unlikely to use. Of the transaction, because a proxy may share sessions.
const tryLock = statement('select pg_try_advisory_xact_lock(7263550194028)');
const renew = statement('select 1');

/** Runs work on one of several nodes at a time. The others wait. */
export async function whileLocked(connections: Connections, work: () => Promise<void>): Promise<void> {
  for (let isDone = false; !isDone;) {
    isDone = await connections.inSnapshot(async (ask) => {
      if (!(await isLocked(ask))) return false;
      // If this lock is lost, the work continues: migrations take another lock.
      const renewal = setInterval(() => void ask(renew).catch(() => {}), LOCK_RENEWAL_MS);
      try {
        await work();
        return true;
      } finally {
        clearInterval(renewal);
      }
    });
    if (!isDone) await delay(LOCK_RETRY_MS);
  }
}

async function isLocked(ask: Ask): Promise<boolean> {
  try {
    return (await ask<[isLocked: boolean]>(tryLock))[0]?.[0] === true;
  } catch (error) {
    const cause = error instanceof Failure ? error.cause : error;
    if (cause instanceof DatabaseError && WITHOUT_LOCKS.has(cause.code ?? '')) return true;
    throw error;
  }
}
