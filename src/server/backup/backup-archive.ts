import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import {
  archiveTable,
  type Archive,
  type ArchiveCounters,
  type ArchiveRow,
  type ArchiveTable,
  type ArchiveTableName,
  type ArchiveValue,
} from '../../domain/archive.ts';
import type { StoredOriginal } from '../../domain/photos/ports.ts';
import { readBatches } from '../moving/rows.ts';
import type { BackupFiles } from './backup-files.ts';
import { damagedBackup, type BackupChunk, type BackupManifest } from './manifest.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

const PHOTO_COLUMNS = Object.keys(archiveTable('photo').columns);
const DOOMED_AT = PHOTO_COLUMNS.indexOf('doomed');
const BYTE_LENGTH_AT = PHOTO_COLUMNS.indexOf('byte_length');

/** Maximum size of the rows in a file, which are in memory as a whole. Batches are about 4 MB; a row may have a few. */
const MAX_ROWS_BYTES = 256 * 1024 * 1024;

/** Integers are texts, because JSON.parse rounds large numbers. */
export function encodeRows(rows: readonly ArchiveRow[]): Promise<Buffer> {
  const lines = rows.map((row) => `${JSON.stringify(row.map(toJson))}\n`);
  return compress(Buffer.from(lines.join('')));
}

function toJson(value: ArchiveValue): string | null {
  return typeof value === 'bigint' ? value.toString() : value;
}

export function keyText(table: ArchiveTableName, row: ArchiveRow): string[] {
  return row.slice(0, archiveTable(table).keyLength).map(String);
}

/**
 * @param columns of the rows in the file; by default those of this version
 * @throws Failure `invalid-input` for a damaged file
 */
export async function readChunk(
  files: Pick<BackupFiles, 'read'>,
  table: ArchiveTableName,
  chunk: Pick<BackupChunk, 'file' | 'digest'>,
  columns: readonly string[] = Object.keys(archiveTable(table).columns),
): Promise<readonly ArchiveRow[]> {
  const complete = completing(archiveTable(table), columns);
  const bytes = await readChunkFile(files, chunk);
  try {
    return (await readLines(bytes)).map(complete);
  } catch {
    // Its digest is right, so the backup was made with this content.
    throw damagedBackup(chunk.file);
  }
}

/** @throws Failure `invalid-input` for a damaged file */
export async function readChunkFile(
  files: Pick<BackupFiles, 'read'>,
  { file, digest }: Pick<BackupChunk, 'file' | 'digest'>,
): Promise<Uint8Array> {
  const bytes = await files.read(file);
  if (bytes === undefined || hash('sha256', bytes) !== digest) throw damagedBackup(file);
  return bytes;
}

/** The digests of the photos in these rows of their table, without those that were being deleted. */
export function livingPhotos(rows: readonly ArchiveRow[]): readonly string[] {
  return livingOriginals(rows).map(({ digest }) => digest);
}

/** As `livingPhotos`, with the sizes of their originals. */
export function livingOriginals(rows: readonly ArchiveRow[]): readonly StoredOriginal[] {
  return rows
    .filter((row) => row[DOOMED_AT] === 0n)
    .map((row) => ({ digest: String(row[0]), byteLength: Number(row[BYTE_LENGTH_AT]) }));
}

/** All digests in a file with rows of photos, of any version: they are the keys, which come first. */
export async function photosIn(bytes: Uint8Array): Promise<readonly string[]> {
  return (await readLines(bytes)).map(([digest]) => String(digest));
}

type Line = readonly (string | null)[];

async function readLines(bytes: Uint8Array): Promise<readonly Line[]> {
  const text = await decompress(bytes, { maxOutputLength: MAX_ROWS_BYTES });
  const lines = text.toString().split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Line);
}

/** Returns rows with the columns of this version, whatever columns a backup has. */
function completing({ columns, defaults = {} }: ArchiveTable, stored: readonly string[]): (line: Line) => ArchiveRow {
  const places = Object.entries(columns).map(([name, type]) => ({ at: stored.indexOf(name), name, type }));
  return (line) =>
    places.map(({ at, name, type }) => (at < 0 ? (defaults[name] ?? null) : valueOf(type, line[at] ?? null)));
}

function valueOf(type: 'int' | 'text' | undefined, text: string | null): ArchiveValue {
  return type === 'int' && text !== null ? BigInt(text) : text;
}

function decodeKey(table: ArchiveTableName, key: Line): ArchiveRow {
  const types = Object.values(archiveTable(table).columns);
  return key.map((text, column) => valueOf(types[column], text));
}

/** A finished backup, read like a database. */
export class BackupArchive implements Archive {
  readonly #files: BackupFiles;
  readonly #manifest: BackupManifest;
  #photos: Promise<ReadonlyMap<string, boolean>> | undefined;
  /** The chunk that was read last: batches are smaller than chunks. */
  #chunk: { file: string; rows: Promise<readonly ArchiveRow[]> } | undefined;

  constructor(files: BackupFiles, manifest: BackupManifest) {
    this.#files = files;
    this.#manifest = manifest;
  }

  async count(table: ArchiveTableName): Promise<number> {
    return this.#manifest.tables[table]?.rows ?? 0;
  }

  async readBatch(
    table: ArchiveTableName,
    after: ArchiveRow | undefined,
    limit: number,
  ): Promise<readonly ArchiveRow[]> {
    const isAfter = (row: ArchiveRow) => after === undefined || compareKeys(row, after, table) > 0;
    const { chunks } = this.#manifest.tables[table] ?? { chunks: [] };
    const chunk = chunks.find(({ lastKey }) => isAfter(decodeKey(table, lastKey)));
    if (chunk === undefined) return [];
    const rows = await this.#read(table, chunk);
    const start = rows.findIndex(isAfter);
    return start < 0 ? [] : rows.slice(start, start + limit);
  }

  async readCounters(): Promise<ArchiveCounters> {
    const { nextPetId, nextAccountId, lastVersion, lastAuditId } = this.#manifest.counters;
    return {
      nextPetId: BigInt(nextPetId),
      nextAccountId: BigInt(nextAccountId),
      lastVersion: BigInt(lastVersion),
      lastAuditId: BigInt(lastAuditId),
    };
  }

  async findPhotos(digests: readonly string[]): Promise<ReadonlyMap<string, boolean>> {
    const all = await (this.#photos ??= this.#readPhotos());
    return new Map(digests.flatMap((digest) => (all.has(digest) ? [[digest, all.get(digest) === true]] : [])));
  }

  async findMark(): Promise<undefined> {
    return undefined;
  }

  async findInstallationId(): Promise<string | undefined> {
    return this.#manifest.installationId ?? undefined;
  }

  #read(table: ArchiveTableName, chunk: BackupChunk): Promise<readonly ArchiveRow[]> {
    if (this.#chunk?.file !== chunk.file) {
      const rows = readChunk(this.#files, table, chunk, this.#manifest.tables[table]?.columns);
      this.#chunk = { file: chunk.file, rows };
    }
    return this.#chunk.rows;
  }

  async #readPhotos(): Promise<ReadonlyMap<string, boolean>> {
    const photos = new Map<string, boolean>();
    for await (const rows of readBatches(this, 'photo'))
      for (const row of rows) photos.set(String(row[0]), row[DOOMED_AT] !== 0n);
    return photos;
  }
}

/** Compares the keys of two rows: integers by value, texts by their UTF-8 bytes. */
function compareKeys(a: ArchiveRow, b: ArchiveRow, table: ArchiveTableName): number {
  for (let column = 0; column < archiveTable(table).keyLength; column++) {
    const [one = null, other = null] = [a[column], b[column]];
    if (one === other) continue;
    if (typeof one === 'bigint' && typeof other === 'bigint') return one < other ? -1 : 1;
    return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));
  }
  return 0;
}
