import { createHash } from 'node:crypto';
import {
  archiveRowText,
  archiveTable,
  type Archive,
  type ArchiveRow,
  type ArchiveTableName,
} from '../../domain/archive.ts';

/** A part that is being carried has about so many characters at most, whatever its rows hold. */
const PART_CHARACTERS = 4_000_000;

/** A table is tried with so few rows, for nobody knows how long they are. */
const FIRST_PART_ROWS = 100;

/** The rows of a table in the order of their keys, part by part. While one is worked on, the next is read. */
export async function* readParts(
  archive: Archive,
  table: ArchiveTableName,
  after?: ArchiveRow,
): AsyncGenerator<readonly ArchiveRow[]> {
  const { keyLength, partRows } = archiveTable(table);
  let limit = FIRST_PART_ROWS;
  let rows = await archive.readPart(table, after, limit);
  for (let last = rows.at(-1); last !== undefined; last = rows.at(-1)) {
    limit = Math.min(partRows, Math.max(1, Math.floor((rows.length * PART_CHARACTERS) / charactersOf(rows))));
    const next = archive.readPart(table, last.slice(0, keyLength), limit);
    // Whoever stops listening does not want to know of its failure either.
    next.catch(() => {});
    yield rows;
    rows = await next;
  }
}

/** The SHA-256 of all rows of a table, as they are stored; told after each part how many there were. */
export async function digestOf(
  archive: Archive,
  table: ArchiveTableName,
  onPart: (rows: number) => Promise<void> | void,
): Promise<{ rows: number; digest: string }> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const rows of readParts(archive, table)) {
    hash.update(rows.map(archiveRowText).join(''));
    count += rows.length;
    await onPart(rows.length);
  }
  return { rows: count, digest: hash.digest('hex') };
}

function charactersOf(rows: readonly ArchiveRow[]): number {
  let characters = 0;
  for (const row of rows) for (const value of row) characters += typeof value === 'string' ? value.length : 8;
  return characters;
}
