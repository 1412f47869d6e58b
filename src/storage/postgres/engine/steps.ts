import { gather } from '../../rows/gather.ts';
import type { Statement } from '../../rows/statements.ts';
import { WriteWatch, type CommonTransaction, type Reads, type Steps } from '../../rows/steps.ts';
import { askCommon, type Ask } from './statements.ts';
import { eachInTurn, type StoreWrites, type Transaction } from './transactions.ts';

/** Writes the changes of a store that is written once, one after the other. */
export function writeInSteps<Change, Result>(
  apply: (change: Change, transaction: CommonTransaction) => Steps<Result>,
): StoreWrites<Change, Result> {
  return eachInTurn((change, transaction) => runSteps(apply(change, transaction), transaction));
}

/** @throws FailureAfterWrite */
export async function runSteps<T>(steps: Steps<T>, { ask, later, counters }: Transaction): Promise<T> {
  const askStatement = askCommon(ask);
  const watch = new WriteWatch();
  try {
    let next = steps.next([]);
    while (next.done !== true) {
      const { statement, parameters, isAwaited } = next.value;
      const asked = askStatement(statement, ...parameters);
      if (!isAwaited) later(asked);
      const rows = isAwaited ? await asked : [];
      // Known by now: the server executes in order, and the lock was requested first.
      if (isAwaited) await counters;
      watch.notice(next.value, rows);
      next = steps.next(rows);
    }
    return next.value;
  } catch (error) {
    throw watch.errorOf(error);
  }
}

export function openReads(ask: Ask): Reads {
  const askStatement = askCommon(ask);
  return {
    ask: askStatement,
    askUntil: (_isLast, ...asked) => askStatement(...asked),
    windowRows: 10_000,
    finder<V>(find: Statement, toValue: (row: never) => V, keyIndex = 0) {
      return gather(async (keys: readonly string[]): Promise<readonly (V | undefined)[]> => {
        const rows = await askStatement(find, keys);
        const found = new Map(rows.map((row) => [row[keyIndex], toValue(row as never)]));
        return keys.map((key) => found.get(key));
      });
    },
  };
}
