import type { DatabaseSync } from 'node:sqlite';
import { WriteTransactions } from './write-transactions.ts';
import { Writer, type WriteAnswer } from './writer.ts';

/**
 * Writes on the same connection that is read: a database in memory has only one connection, and its commits do not wait for a disk. Each transaction has a turn
 * of the event loop to itself, so it never begins inside a snapshot of the reads.
 */
export function createInlineWriter(db: DatabaseSync): Writer {
  const transactions = new WriteTransactions({ db });
  let take: ((answers: readonly WriteAnswer[]) => void) | undefined;
  let end: (() => void) | undefined;
  return new Writer({
    link: {
      send: (jobs) => void setImmediate(() => take?.(transactions.write(jobs))),
      onAnswers: (taker) => (take = taker),
      onEnd: (ending) => (end = ending),
      close: () => end?.(),
    },
  });
}
