import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { prepareRows } from './database.ts';

/** So many rows are looked at in one go: a few milliseconds of the event loop. */
const WINDOW_ROWS = 1000;

/** How to walk a table in the order of its ids, upwards or downwards, a window at a time. */
export type ReadInWindows = <Row>(
  /** The walk begins beyond this id. */
  startId: bigint,
  limit: number,
  /** The rows beyond `startId` as far as `endId`, that one included, in the order of the walk, so many at most. */
  read: (startId: bigint, endId: bigint, most: number) => readonly Row[],
) => Promise<Row[]>;

/** A filter that hardly anything passes may have to look at every row of a table: other requests get their turn in between. */
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
      if (rows.length < limit) await nextTurn();
    }
    return rows;
  };
}
