import { statement, type Parameter, type Statement } from './statements.ts';
import type { Reads } from './steps.ts';

/** Reads the rows of a table in the order of their ids, in ranges. */
export interface Windows {
  /** Returns the last id of the range that begins after `$1` and has `$2` rows. */
  end: Statement;
  /** Returns rows that match the filter, the first parameters; the others are the range, and the maximum number. */
  matching: Statement;
}

export function endOfWindow(table: string, direction: 'ascending' | 'descending'): Statement {
  const [last, beyond, order] = direction === 'ascending' ? ['max', '>', 'id'] : ['min', '<', 'id desc'];
  return statement(
    `select ${last}(id) from (select id from ${table} where id ${beyond} $1 order by ${order} limit $2) as rows_of_window`,
  );
}

/**
 * A filter that matches few rows may have to examine the whole table, so other requests are served between the ranges.
 *
 * @param startId exclusive
 */
export async function readWindows<Row extends readonly unknown[]>(
  reads: Reads,
  { end, matching }: Windows,
  filter: readonly Parameter[],
  { startId, limit }: { startId: bigint; limit: number },
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let position = startId;
  while (rows.length < limit) {
    const [window] = await reads.ask<[endId: bigint | null]>(end, position, reads.windowRows);
    const endId = window?.[0] ?? null;
    if (endId === null) break;
    rows.push(...(await reads.ask<Row>(matching, ...filter, position, endId, limit - rows.length)));
    position = endId;
    if (rows.length < limit) await new Promise((resolve) => void setImmediate(resolve));
  }
  return rows;
}
