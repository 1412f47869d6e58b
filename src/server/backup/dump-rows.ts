import { createHash } from 'node:crypto';
import { dumpRowText, dumpTable, type Dump, type DumpTableName } from '../../storage/rows/dump/dump-tables.ts';
import type { DumpRow } from '../../storage/rows/dump/dump-table.ts';

const BATCH_CHARACTERS = 4_000_000;

/** Small, because the size of the rows is not yet known. */
const FIRST_BATCH_ROWS = 100;

/**
 * Reads the rows of a table in the order of their keys, in batches. The next batch is read while the current one is
 * processed.
 */
export async function* readBatches(
  dump: Dump,
  table: DumpTableName,
  after?: DumpRow,
): AsyncGenerator<readonly DumpRow[]> {
  const { keyLength, batchRows } = dumpTable(table);
  let limit = FIRST_BATCH_ROWS;
  let rows = await dump.readBatch(table, after, limit);
  for (let last = rows.at(-1); last !== undefined; last = rows.at(-1)) {
    limit = Math.min(batchRows, Math.max(1, Math.floor((rows.length * BATCH_CHARACTERS) / charactersOf(rows))));
    const next = dump.readBatch(table, last.slice(0, keyLength), limit);
    // If the consumer stops here, its failure must not be an unhandled rejection.
    next.catch(() => {});
    yield rows;
    rows = await next;
  }
}

/** SHA-256 of all rows of a table. Calls `onBatch` with the number of rows of each batch. */
export async function digestOf(
  dump: Dump,
  table: DumpTableName,
  onBatch: (rows: number) => Promise<void> | void,
): Promise<{ rows: number; digest: string }> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const rows of readBatches(dump, table)) {
    hash.update(rows.map(dumpRowText).join(''));
    count += rows.length;
    await onBatch(rows.length);
  }
  return { rows: count, digest: hash.digest('hex') };
}

function charactersOf(rows: readonly DumpRow[]): number {
  let characters = 0;
  for (const row of rows) for (const value of row) characters += typeof value === 'string' ? value.length : 8;
  return characters;
}
