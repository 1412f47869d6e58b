import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { dumpTable, type Dump, type DumpCounters, type DumpTableName } from '../../storage/rows/dump/dump-tables.ts';
import type { DumpRow, DumpTable, DumpValue } from '../../storage/rows/dump/dump-table.ts';
import type { StoredOriginal } from '../../domain/photos/ports.ts';
import type { BackupFiles } from './backup-files.ts';
import { damagedBackup, type BackupChunk, type BackupManifest } from './manifest.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

const PHOTO_COLUMNS = Object.keys(dumpTable('photo').columns);
const DOOMED_AT = PHOTO_COLUMNS.indexOf('doomed');
const BYTE_LENGTH_AT = PHOTO_COLUMNS.indexOf('byte_length');

/** Maximum size of the rows in a file, which are in memory as a whole. Batches are about 4 MB; a row may have a few. */
const MAX_ROWS_BYTES = 256 * 1024 * 1024;

/** Integers are texts, because JSON.parse rounds large numbers. */
export function encodeRows(rows: readonly DumpRow[]): Promise<Buffer> {
  const lines = rows.map((row) => `${JSON.stringify(row.map(toJson))}\n`);
  return compress(Buffer.from(lines.join('')));
}

function toJson(value: DumpValue): string | null {
  return typeof value === 'bigint' ? value.toString() : value;
}

export function keyText(table: DumpTableName, row: DumpRow): string[] {
  return row.slice(0, dumpTable(table).keyLength).map(String);
}

/**
 * @param columns of the rows in the file; by default those of this version
 * @throws Failure `invalid-input` for a damaged file
 */
export async function readChunk(
  files: Pick<BackupFiles, 'read'>,
  table: DumpTableName,
  chunk: Pick<BackupChunk, 'file' | 'digest'>,
  columns: readonly string[] = Object.keys(dumpTable(table).columns),
): Promise<readonly DumpRow[]> {
  const complete = completing(dumpTable(table), columns);
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
export function livingPhotos(rows: readonly DumpRow[]): readonly string[] {
  return livingOriginals(rows).map(({ digest }) => digest);
}

/** Like `livingPhotos`, with the sizes of their originals. */
export function livingOriginals(rows: readonly DumpRow[]): readonly StoredOriginal[] {
  return rows
    .filter((row) => row[DOOMED_AT] === 0n)
    .map((row) => ({ digest: String(row[0]), byteLength: Number(row[BYTE_LENGTH_AT]) }));
}

/** All digests in a file with rows of photos, of any version: they are the keys, which come first. */
export async function photosIn(bytes: Uint8Array): Promise<readonly string[]> {
  return (await readLines(bytes)).map(([digest]) => String(digest));
}

/** A photo of an encrypted backup. */
export interface ListedPhoto {
  digest: string;
  /** The digest of the encrypted file; undefined if the photo was missing. */
  sealed: string | undefined;
}

const DIGEST = /^[0-9a-f]{64}$/;

/** @throws Error for a damaged list */
export async function readPhotoList(bytes: Uint8Array): Promise<readonly ListedPhoto[]> {
  return (await readLines(bytes)).map(([digest = '', sealed]) => {
    if (!DIGEST.test(String(digest))) throw new Error('Not a list of photos');
    return { digest: String(digest), sealed: sealed ?? undefined };
  });
}

type Line = readonly (string | null)[];

async function readLines(bytes: Uint8Array): Promise<readonly Line[]> {
  const text = await decompress(bytes, { maxOutputLength: MAX_ROWS_BYTES });
  const lines = text.toString().split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Line);
}

/** Returns rows with the columns of this version, whatever columns a backup has. */
function completing({ columns, defaults = {} }: DumpTable, stored: readonly string[]): (line: Line) => DumpRow {
  const places = Object.entries(columns).map(([name, type]) => ({ at: stored.indexOf(name), name, type }));
  return (line) =>
    places.map(({ at, name, type }) => (at < 0 ? (defaults[name] ?? null) : valueOf(type, line[at] ?? null)));
}

function valueOf(type: 'int' | 'text' | undefined, text: string | null): DumpValue {
  return type === 'int' && text !== null ? BigInt(text) : text;
}

function decodeKey(table: DumpTableName, key: Line): DumpRow {
  const types = Object.values(dumpTable(table).columns);
  return key.map((text, column) => valueOf(types[column], text));
}

/** A finished backup, read like a database. */
export class BackupDump implements Dump {
  readonly #files: Pick<BackupFiles, 'read'>;
  readonly #manifest: BackupManifest;
  /** The chunk that was read last: batches are smaller than chunks. */
  #chunk: { file: string; rows: Promise<readonly DumpRow[]> } | undefined;

  constructor(files: Pick<BackupFiles, 'read'>, manifest: BackupManifest) {
    this.#files = files;
    this.#manifest = manifest;
  }

  async count(table: DumpTableName): Promise<number> {
    return this.#manifest.tables[table]?.rows ?? 0;
  }

  async readBatch(table: DumpTableName, after: DumpRow | undefined, limit: number): Promise<readonly DumpRow[]> {
    const isAfter = (row: DumpRow) => after === undefined || compareKeys(row, after, table) > 0;
    const { chunks } = this.#manifest.tables[table] ?? { chunks: [] };
    const chunk = chunks.find(({ lastKey }) => isAfter(decodeKey(table, lastKey)));
    if (chunk === undefined) return [];
    const rows = await this.#read(table, chunk);
    const start = rows.findIndex(isAfter);
    return start < 0 ? [] : rows.slice(start, start + limit);
  }

  async readCounters(): Promise<DumpCounters> {
    const { nextPetId, nextAccountId, lastVersion, lastAuditId } = this.#manifest.counters;
    return {
      nextPetId: BigInt(nextPetId),
      nextAccountId: BigInt(nextAccountId),
      lastVersion: BigInt(lastVersion),
      lastAuditId: BigInt(lastAuditId),
    };
  }

  async findInstallationId(): Promise<string | undefined> {
    return this.#manifest.installationId ?? undefined;
  }

  #read(table: DumpTableName, chunk: BackupChunk): Promise<readonly DumpRow[]> {
    if (this.#chunk?.file !== chunk.file) {
      const rows = readChunk(this.#files, table, chunk, this.#manifest.tables[table]?.columns);
      this.#chunk = { file: chunk.file, rows };
    }
    return this.#chunk.rows;
  }
}

/** Compares the keys of two rows: integers by value, texts by their UTF-8 bytes. */
function compareKeys(a: DumpRow, b: DumpRow, table: DumpTableName): number {
  for (let column = 0; column < dumpTable(table).keyLength; column++) {
    const [one = null, other = null] = [a[column], b[column]];
    if (one === other) continue;
    if (typeof one === 'bigint' && typeof other === 'bigint') return one < other ? -1 : 1;
    return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));
  }
  return 0;
}
