import { randomUUID } from 'node:crypto';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import type { SavedIndex } from '../../domain/search/index-follower.ts';
import { ifExists, placeDurably } from '../../storage/files/durable-file.ts';

/*
 * The search index between two runs of the service. It is derived data: without the file, or with one that cannot be
 * used, the index is built from the database. The file has the arrays of the index, each at a multiple of 8 bytes, so
 * that the loaded file is their memory; then everything else, as V8 serializes it; then the length of that part and the
 * CRC-32 of all before, 4 bytes each.
 */

/** Changes with the data of the index, and with the rules for words and orders. */
const FORMAT = 5;

/** The name of the file in the data folder. */
export const INDEX_FILE = 'search-index';

const ARRAYS = { BigInt64Array, Float64Array, Uint8Array, Uint16Array, Uint32Array } as const;

type ArrayType = keyof typeof ARRAYS;

/** Takes the place of an array in the serialized part. */
interface ArrayPlace {
  arrayType: ArrayType;
  start: number;
  length: number;
}

const ALIGNMENT = 8;
const TRAILER_BYTES = 8;

/** A temporary file of this age is not being written any more. */
const ABANDONED_MS = 3_600_000;

/** Whether the file is as it was written, in any format. The service replaces that of an earlier version at its end. */
export async function isIndexFileSound(path: string): Promise<boolean> {
  try {
    return isSound(await readFile(path));
  } catch {
    return false;
  }
}

/** Returns undefined if the file is missing, damaged or of another format. */
export async function readIndexFile(path: string): Promise<SavedIndex | undefined> {
  try {
    const file = await readFile(path);
    if (!isSound(file)) return undefined;
    const end = file.length - TRAILER_BYTES;
    const { format, ...rest } = deserialize(file.subarray(end - file.readUInt32LE(end), end)) as { format: number };
    return format === FORMAT ? (withArrays(rest, file) as SavedIndex) : undefined;
  } catch {
    return undefined;
  }
}

function isSound(file: Buffer): boolean {
  const end = file.length - TRAILER_BYTES;
  return crc32(file.subarray(0, end)) === file.readUInt32LE(end + 4);
}

/** Replaces the file. @throws an error of the file system */
export async function writeIndexFile(path: string, index: SavedIndex): Promise<void> {
  await deleteAbandoned(path);
  const temporaryPath = `${path}.${randomUUID()}`;
  // Synchronous, because a search in between could change the arrays.
  const file = openSync(temporaryPath, 'w');
  try {
    let length = 0;
    let checksum = 0;
    const chunks: Uint8Array[] = [];
    const add = (bytes: Uint8Array) => {
      chunks.push(bytes);
      checksum = crc32(bytes, checksum);
      length += bytes.length;
    };
    const rest = withoutArrays({ format: FORMAT, ...index }, (bytes) => {
      add(new Uint8Array((ALIGNMENT - (length % ALIGNMENT)) % ALIGNMENT));
      const start = length;
      add(bytes);
      return start;
    });
    const serialized = serialize(rest);
    add(serialized);
    const trailer = Buffer.alloc(TRAILER_BYTES);
    trailer.writeUInt32LE(serialized.length);
    trailer.writeUInt32LE(checksum, 4);
    for (const chunk of [...chunks, trailer]) writeFileSync(file, chunk);
  } finally {
    closeSync(file);
  }
  await placeDurably(temporaryPath, path, dirname(path));
}

/** Deletes the temporary files of processes that were killed. Other nodes may be writing theirs. */
async function deleteAbandoned(path: string): Promise<void> {
  const names = await readdir(dirname(path));
  for (const name of names.filter((each) => each.startsWith(`${basename(path)}.`))) {
    const temporaryPath = join(dirname(path), name);
    const file = await ifExists(stat(temporaryPath));
    if (file !== undefined && file.mtimeMs < Date.now() - ABANDONED_MS) await rm(temporaryPath, { force: true });
  }
}

/** @param store stores the bytes of an array, and returns where they begin */
function withoutArrays(value: unknown, store: (bytes: Uint8Array) => number): unknown {
  if (ArrayBuffer.isView(value)) {
    const array = value as InstanceType<(typeof ARRAYS)[ArrayType]>;
    const start = store(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
    return { arrayType: array.constructor.name as ArrayType, start, length: array.length } satisfies ArrayPlace;
  }
  if (Array.isArray(value)) return value.map((element) => withoutArrays(element, store));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withoutArrays(part, store)]));
}

function withArrays(value: unknown, file: Buffer): unknown {
  if (Array.isArray(value)) return value.map((element) => withArrays(element, file));
  if (typeof value !== 'object' || value === null) return value;
  if ('arrayType' in value) {
    const { arrayType, start, length } = value as ArrayPlace;
    return new ARRAYS[arrayType](file.buffer as ArrayBuffer, file.byteOffset + start, length);
  }
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withArrays(part, file)]));
}
