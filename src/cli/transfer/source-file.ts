import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { requireReadable } from '../../server/system/system-errors.ts';
import { FILE_FORMATS, formatOf, readRows, surveyRows, type FileFormat, type RowOptions } from '../../transfer/rows.ts';
import type { SourceRow } from '../../transfer/source-row.ts';
import { decode } from '../../transfer/source-text.ts';
import { UsageError } from '../terminal/output.ts';

/** A file to import, which is read several times. */
export interface SourceFile {
  /** @throws UnusableFile */
  rows: (options: RowOptions) => AsyncGenerator<SourceRow, void, void>;
  /** @throws UnusableFile */
  survey: (options: Parameters<typeof surveyRows>[1]) => ReturnType<typeof surveyRows>;
  close: () => Promise<void>;
}

/**
 * @param file a path, or `-` for standard input, which is copied to a temporary file
 * @param format by default that of the content
 * @throws UsageError if the format is unknown; Failure `not-found`, `invalid-input` for a file that cannot be read
 */
export async function openSource(file: string, format: string | undefined): Promise<SourceFile> {
  const known = readFormat(format) ?? (formatOf(file) === 'ndjson' ? 'ndjson' : undefined);
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

function sourceOf(path: string, format: FileFormat | undefined, close: () => Promise<void>): SourceFile {
  return {
    rows: (options) => readRows(decode(createReadStream(path)), { format, ...options }),
    survey: (options) => surveyRows(decode(createReadStream(path)), { format, ...options }),
    close,
  };
}
