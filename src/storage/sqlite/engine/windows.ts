import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { prepareRows } from './database.ts';

/** Maximum number of rows examined per step: a few milliseconds of the event loop. */
const WINDOW_ROWS = 1000;

/** Reads a table by id, in ranges of rows. */
type ReadInWindows = <Row>(
  /** Exclusive. */
  startId: bigint,
  limit: number,
  /** Returns at most `max` matching rows after `startId` up to and including `endId`, in order. */
  read: (startId: bigint, endId: bigint, max: number) => readonly Row[],
) => Promise<Row[]>;

/**
 * A filter that matches few rows may have to examine the whole table, so other requests are served between the ranges.
 */
export function prepareWindows(db: DatabaseSync, table: 'account' | 'audit', order: 'up' | 'down'): ReadInWindows {
  const [beyond, last, sort] = order === 'up' ? ['>', 'max', 'asc'] : ['<', 'min', 'desc'];
  const endOfWindow = prepareRows<[endId: bigint | null]>(
    db,
    `select ${last}(id) from (select id from ${table} where id ${beyond} ? order by id ${sort} limit ${WINDOW_ROWS})`,
  );
  return async (startId, limit, read) => {
    const rows: ReturnType<typeof read>[number][] = [];
    let position = startId;
    while (rows.length < limit) {
      const endId = endOfWindow(position)[0]?.[0] ?? null;
      if (endId === null) break;
      rows.push(...read(position, endId, limit - rows.length));
      position = endId;
      if (rows.length < limit) await nextIteration();
    }
    return rows;
  };
}
