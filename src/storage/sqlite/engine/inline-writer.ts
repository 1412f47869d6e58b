import type { DatabaseSync } from 'node:sqlite';
import { createWriteTransactions } from './write-transactions.ts';
import { createWriter, type WriteAnswer, type Writer } from './writer.ts';

/**
 * Writes on the very connection that is read: a database in memory is there for one connection only, and no commit of it waits for a disk. A
 * transaction has a turn of the event loop to itself, so it never begins inside a snapshot of the reads.
 */
export function createInlineWriter(db: DatabaseSync): Writer {
  const write = createWriteTransactions(db);
  let take: ((answers: readonly WriteAnswer[]) => void) | undefined;
  let end: (() => void) | undefined;
  return createWriter({
    send: (jobs) => void setImmediate(() => take?.(write(jobs))),
    onAnswers: (taker) => (take = taker),
    onEnd: (ending) => (end = ending),
    close: () => end?.(),
  });
}
