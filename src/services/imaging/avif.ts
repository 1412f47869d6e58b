import { execFile } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure, type PlainFailure } from '../../domain/failure.ts';
import type { FileSource } from '../../domain/pets/ports.ts';
import { tooMuchWork, type StoredPhoto } from './decoding.ts';

/** Exit code if the output of the program is a Failure. */
export const REFUSED = 3;

/** Processor time, so that a busy machine does not reject photos. */
const MAX_CPU_SECONDS = 30;
const MAX_OUTPUT_BYTES = 512 * 1024 ** 2;

/** AVIF and its relatives begin with the size and the type of their first box (ISO/IEC 14496-12, section 4.3). */
const BOX_TYPE = { at: 4, is: 'ftyp' };

/** Whether a file is an AVIF, or another of the same family. */
export async function isAvif(source: FileSource): Promise<boolean> {
  const end = BOX_TYPE.at + BOX_TYPE.is.length;
  const beginning = typeof source === 'string' ? await readBeginning(source, end) : source;
  return Buffer.from(beginning.subarray(BOX_TYPE.at, end)).toString('latin1') === BOX_TYPE.is;
}

async function readBeginning(path: string, byteLength: number): Promise<Uint8Array> {
  await using file = await open(path);
  return (await file.read(Buffer.alloc(byteLength))).buffer;
}

/**
 * Encodes an AVIF in a separate process.
 *
 * @throws Failure `unsupported-media-type`, `too-large`
 */
export function convertAvif(
  file: Uint8Array,
  maxPixels: number,
  maxCpuSeconds = MAX_CPU_SECONDS,
): Promise<StoredPhoto> {
  const { promise, resolve, reject } = Promise.withResolvers<StoredPhoto>();
  const args = [join(import.meta.dirname, 'avif-entry.js'), String(maxPixels), String(maxCpuSeconds)];
  // The decoder gets neither NODE_OPTIONS nor secrets.
  const options = { encoding: 'buffer', maxBuffer: MAX_OUTPUT_BYTES, env: {} } as const;
  const child = execFile(process.execPath, args, options, (error, output) => {
    if (error === null) resolve({ format: 'webp', bytes: output });
    else if (error.code === REFUSED) reject(Failure.fromPlain(JSON.parse(output.toString()) as PlainFailure));
    else reject(typeof error.signal === 'string' ? tooMuchWork() : error);
  });
  // If the program stops reading, its exit code has the reason.
  child.stdin?.on('error', () => {});
  child.stdin?.end(file);
  return promise;
}
