import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { requireReadable } from '../../server/system-errors.ts';
import {
  decode,
  FILE_FORMATS,
  formatOf,
  readRows,
  type FileFormat,
  type Header,
  type SourceRow,
  type Table,
} from '../../transfer/rows.ts';
import { UsageError } from '../output.ts';

/** A file to import, which is read several times. */
export interface SourceFile {
  format: FileFormat;
  /** @throws UnusableFile */
  rows: (table: Table, onHeader?: (header: Header) => void) => AsyncGenerator<SourceRow, void, void>;
  close: () => Promise<void>;
}

/**
 * @param file a path, or `-` for standard input, which is copied to a temporary file
 * @param format by default that of the file name, and NDJSON for standard input
 * @throws UsageError if the format is unknown; Failure `not-found`, `invalid-input` for a file that cannot be read
 */
export async function openSource(file: string, format: string | undefined): Promise<SourceFile> {
  const known = readFormat(format) ?? (file === '-' ? 'ndjson' : formatOf(file));
  if (known === undefined)
    throw new UsageError(`The format of ${file} is unknown. Add --format csv or --format ndjson.`);
  if (file !== '-') {
    await requireReadable(file);
    return sourceOf(file, known, async () => {});
  }
  const folder = await mkdtemp(join(tmpdir(), 'menagerie-import-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const copy = join(folder, 'input');
  try {
    await pipeline(process.stdin, createWriteStream(copy));
    return sourceOf(copy, known, remove);
  } catch (error) {
    await remove();
    throw error;
  }
}

/** @throws UsageError */
export function readFormat(format: string | undefined): FileFormat | undefined {
  const known = FILE_FORMATS.find((candidate) => candidate === format);
  if (format !== undefined && known === undefined)
    throw new UsageError(`--format must be one of ${FILE_FORMATS.join(', ')}.`);
  return known;
}

function sourceOf(path: string, format: FileFormat, close: () => Promise<void>): SourceFile {
  const rows: SourceFile['rows'] = (table, onHeader) =>
    readRows(decode(createReadStream(path)), { format, table, ...(onHeader && { onHeader }) });
  return { format, rows, close };
}
