import type { Ask } from './statements.ts';
import { statement } from './statements.ts';

/** Maximum number of rows that one statement examines. */
const WINDOW_ROWS = 10_000;

/** Reads a table by id, in ranges of rows. */
type ReadInWindows = <Row>(
  /** Exclusive. */
  startId: bigint,
  limit: number,
  /** Returns at most `max` matching rows after `startId` up to and including `endId`, in order. */
  read: (startId: bigint, endId: bigint, max: number) => Promise<readonly Row[]>,
) => Promise<Row[]>;

const accountsUp = statement(
  `select max(id) from (select id from account where id > $1 order by id limit ${WINDOW_ROWS}) as rows_of_window`,
);
const auditDown = statement(
  `select min(id) from (select id from audit where id < $1 order by id desc limit ${WINDOW_ROWS}) as rows_of_window`,
);

/**
 * Accounts in ascending order, the audit log in descending order. A filter that matches few rows may have to examine
 * the whole table.
 */
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
