import type { ClientBase } from 'pg';
import { commitNotConfirmed } from '../../../domain/failure.ts';
import type { Ask } from './statements.ts';
import { isNeverBegun, isRefusedForSure, isStillThere, isToBeDoneAgain } from './troubles.ts';

/*
 * One transaction on one connection, pipelined: statements are sent without waiting for the previous result, and the
 * commit right after them. Measured, it stores 1.3 to 1.5 times as many durable new pets as awaiting each statement,
 * because all other changes wait for the lock while a transaction makes its round trips.
 */

/**
 * Registers a sent statement that is not awaited before the commit is sent. If it is refused, the server does not
 * commit.
 */
export type Later = (asked: Promise<unknown>) => void;

/**
 * A transaction of a node that has stopped responding blocks all others: the server ends it after this time. It is
 * shorter than the timeout of a statement, so the transactions that wait for it continue instead of failing.
 */
const SILENT_NODE_SECONDS = 3;

/**
 * A statement with a longer timeout must end when its client is gone: otherwise it would continue, and keep its locks.
 * Other statements end by their timeout.
 */
const LONG_STATEMENT_MS = 60_000;

/** PostgreSQL 14 and later; it refuses the setting on some systems other than Linux. */
const WATCH_CLIENT = `select set_config(name, '2s', true) from pg_settings where name = 'client_connection_check_interval' and version() like '%linux%'`;

const ignore = () => {};

export type Isolation = 'read committed' | 'serializable';

/** Set for each transaction, not once for a connection: a proxy may share connections. */
export function beginning(isolation: Isolation | undefined, timeoutMs: number): string {
  const watch = timeoutMs > LONG_STATEMENT_MS ? `; ${WATCH_CLIENT}` : '';
  return `begin isolation level ${isolation ?? 'read committed'}; set local statement_timeout = ${timeoutMs}; set local idle_in_transaction_session_timeout = '${SILENT_NODE_SECONDS}s'${watch}`;
}

/** Runs the work in a transaction and commits it. @throws the first error */
export async function doInSteps<T>(
  client: ClientBase,
  askAny: Ask,
  begin: string,
  work: (ask: Ask, later: Later) => Promise<T>,
): Promise<T> {
  // Sent together with the first statement of the work.
  const steps = stepsOf(askAny, client.query(begin));
  const underWay: Promise<unknown>[] = [];
  const later: Later = (asked) => {
    // The commit reports the error.
    asked.catch(ignore);
    underWay.push(asked);
  };
  let result: T;
  try {
    result = await work(steps.ask, later);
    await steps.finish();
  } catch (error) {
    // The last statements may still be in progress, but the server executes in order. An unreachable server rolls back
    // by itself.
    const first = steps.breakOff(error);
    if (isStillThere(first)) await client.query('rollback').catch(ignore);
    throw first;
  }
  await commit(client, underWay);
  return result;
}

/**
 * The statements of one transaction. After one has failed, all others fail with the same error, and no more are sent:
 * they would be outside of the transaction and be committed on their own.
 */
function stepsOf(askAny: Ask, begun: Promise<unknown>) {
  let trouble: { error: unknown } | undefined;
  let isOver = false;
  const breakOff = (error: unknown) => (trouble ??= { error }).error;
  const ask: Ask = async (statement, ...parameters) => {
    if (isOver) throw new Error('The transaction is over.');
    if (trouble !== undefined) throw trouble.error;
    // A result is invalid if the transaction could not begin.
    const whetherBegun = begun.then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    try {
      const rows = await askAny<never>(statement, ...parameters);
      await begun;
      return rows;
    } catch (error) {
      const earlier = await whetherBegun;
      throw breakOff(earlier === undefined ? error : earlier.error);
    }
  };
  // The statements report the error.
  begun.catch(ignore);
  return {
    ask,
    breakOff,
    /** No statement may follow. @throws the error of a statement, even if the work ignored it */
    async finish(): Promise<void> {
      await begun;
      if (trouble !== undefined) throw trouble.error;
      isOver = true;
    },
  };
}

/**
 * Without the result of a commit it is unknown whether it was made, so it must not be repeated. If the server refuses
 * it, or it was never sent, it was not made; the error of a server that shuts down meanwhile proves nothing.
 */
async function commit(client: ClientBase, underWay: readonly Promise<unknown>[]): Promise<void> {
  const committed = client.query('commit');
  committed.catch(ignore);
  const before = await Promise.all(underWay).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  // After a refused statement, the server turns the commit into a rollback. After a lost connection the result is
  // unknown: PgBouncer reports it for the first statement without a result, regardless of the others.
  if (before !== undefined && isRefusedForSure(before.error)) {
    await committed.catch(ignore);
    throw before.error;
  }
  try {
    const { command } = await committed;
    if (command !== 'COMMIT') throw new Error('The server rolled back what was to be committed.');
  } catch (error) {
    if (isToBeDoneAgain(error) || isNeverBegun(error)) throw error;
    throw commitNotConfirmed(error);
  }
  // A statement was never sent, and the others were committed without it.
  if (before !== undefined) throw commitNotConfirmed(before.error);
}
