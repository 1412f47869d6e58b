import type { Ask } from './statements.ts';
import { statement } from './statements.ts';

/** So many rows are looked at by one statement, so that none takes long. */
const WINDOW_ROWS = 10_000;

/** How to walk a table in the order of its ids, a window at a time. */
export type ReadInWindows = <Row>(
  /** The walk begins beyond this id. */
  startId: bigint,
  limit: number,
  /** The rows beyond `startId` as far as `endId`, that one included, in the order of the walk, so many at most. */
  read: (startId: bigint, endId: bigint, most: number) => Promise<readonly Row[]>,
) => Promise<Row[]>;

const accountsUp = statement(
  `select max(id) from (select id from account where id > $1 order by id limit ${WINDOW_ROWS}) as rows_of_window`,
);
const auditDown = statement(
  `select min(id) from (select id from audit where id < $1 order by id desc limit ${WINDOW_ROWS}) as rows_of_window`,
);

/** Accounts upwards, the audit trail downwards. A filter that hardly anything passes may have to look at every row of a table. */
export function windowsOf(ask: Ask, table: 'account' | 'audit'): ReadInWindows {
  const endOfWindow = table === 'account' ? accountsUp : auditDown;
  return async (startId, limit, read) => {
    const rows: Awaited<ReturnType<typeof read>>[number][] = [];
    let position = startId;
    while (rows.length < limit) {
      const [end] = await ask<[endId: bigint | null]>(endOfWindow, position);
      const endId = end?.[0] ?? null;
      if (endId === null) break;
      rows.push(...(await read(position, endId, limit - rows.length)));
      position = endId;
    }
    return rows;
  };
}
