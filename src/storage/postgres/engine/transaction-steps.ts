import type { ClientBase } from 'pg';
import { notConfirmed } from '../../../domain/failure.ts';
import type { Ask } from './statements.ts';
import { isNeverBegun, isRefusedForSure, isStillThere, isToBeDoneAgain } from './troubles.ts';

/*
 * One transaction on one connection: statements go out without waiting for each other, and the commit behind them.
 */

/** Takes what a transaction has asked and need not wait for: the commit goes out behind it, and is none if any of it was refused. */
export type Later = (asked: Promise<unknown>) => void;

/**
 * A transaction whose node has gone silent holds up all others: the server ends it after this long. Shorter than a statement may take, so that those
 * who wait for it meanwhile go on, instead of being told that it took too long.
 */
const SILENT_NODE_SECONDS = 3;

/**
 * A statement that may take longer than this must end when its client is gone: else it runs on, and keeps its locks from whoever comes next. Others
 * are ended by their time-out.
 */
const LONG_STATEMENT_MS = 60_000;

/** PostgreSQL 14 and later; it refuses the setting on some systems other than Linux. */
const WATCH_CLIENT = `select set_config(name, '2s', true) from pg_settings where name = 'client_connection_check_interval' and version() like '%linux%'`;

const ignore = () => {};

export type Isolation = 'read committed' | 'serializable';

/** Said with each transaction, not once with a connection: who stands between may hand connections around. */
export function beginning(isolation: Isolation | undefined, timeoutMs: number): string {
  const watch = timeoutMs > LONG_STATEMENT_MS ? `; ${WATCH_CLIENT}` : '';
  return `begin isolation level ${isolation ?? 'read committed'}; set local statement_timeout = ${timeoutMs}; set local idle_in_transaction_session_timeout = '${SILENT_NODE_SECONDS}s'${watch}`;
}

/** Does the work in a transaction, which ends with a commit where the work comes to its end. @throws what went wrong first */
export async function doInSteps<T>(
  client: ClientBase,
  askAny: Ask,
  begin: string,
  work: (ask: Ask, later: Later) => Promise<T>,
): Promise<T> {
  // Goes out together with what the work asks first.
  const steps = stepsOf(askAny, client.query(begin));
  const underWay: Promise<unknown>[] = [];
  const later: Later = (asked) => {
    // Whoever waits for all of them is told.
    asked.catch(ignore);
    underWay.push(asked);
  };
  let result: T;
  try {
    result = await work(steps.ask, later);
    await steps.finish();
  } catch (error) {
    // What the work asked last may still be under way; the server answers in order. One that is out of reach rolls back by itself.
    const first = steps.breakOff(error);
    if (isStillThere(first)) await client.query('rollback').catch(ignore);
    throw first;
  }
  await commit(client, underWay);
  return result;
}

/**
 * The statements of one transaction. Once one has failed, all others fail with the same error, which says why; and none is sent any more, for it
 * would stand in no transaction, and be committed by itself.
 */
function stepsOf(askAny: Ask, begun: Promise<unknown>) {
  let trouble: { error: unknown } | undefined;
  let isOver = false;
  const breakOff = (error: unknown) => (trouble ??= { error }).error;
  const ask: Ask = async (statement, ...parameters) => {
    if (isOver) throw new Error('The transaction is over.');
    if (trouble !== undefined) throw trouble.error;
    // What was answered although the transaction had not begun does not count.
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
  // Whoever asks is told.
  begun.catch(ignore);
  return {
    ask,
    breakOff,
    /** From here on nothing more is asked. @throws what went wrong, even if the work did not mind */
    async finish(): Promise<void> {
      await begun;
      if (trouble !== undefined) throw trouble.error;
      isOver = true;
    },
  };
}

/**
 * Whoever is not told of the end of a commit does not know whether it was: it must not be done again. Where the server refuses, or it was not even
 * sent, it was not; but the answer of one that ends in the middle of it says nothing.
 */
async function commit(client: ClientBase, underWay: readonly Promise<unknown>[]): Promise<void> {
  const committed = client.query('commit');
  committed.catch(ignore);
  const before = await Promise.all(underWay).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  // Where the server has refused a statement, it makes a rollback of the commit. Where it or what stands between says that the way is gone, nobody
  // knows: pgbouncer says so of the first statement without an answer, whatever became of the others.
  if (before !== undefined && isRefusedForSure(before.error)) {
    await committed.catch(ignore);
    throw before.error;
  }
  try {
    const { command } = await committed;
    if (command !== 'COMMIT') throw new Error('The server rolled back what was to be committed.');
  } catch (error) {
    if (isToBeDoneAgain(error) || isNeverBegun(error)) throw error;
    throw notConfirmed(error);
  }
  // It was not even sent, and the others were committed without it.
  if (before !== undefined) throw notConfirmed(before.error);
}
