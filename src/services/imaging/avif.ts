import { execFile } from 'node:child_process';
import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Failure, type PlainFailure } from '../../domain/failure.ts';
import type { FileSource } from '../../domain/photos/ports.ts';
import { FIRST_BOX_LENGTH, isAvif } from './avif-file.ts';
import { tooMuchWork } from './decoding.ts';
import type { StoredPhoto } from './storing.ts';

const ENTRY = new URL('avif-entry.js', import.meta.url);

/** Exit code if the output of the program is a Failure. */
export const REFUSED = 3;

/** Processor time, so that a busy machine does not reject photos. */
const MAX_CPU_SECONDS = 30;
const MAX_OUTPUT_BYTES = 512 * 1024 ** 2;

/** Whether the source is an AVIF, or another file of the same family. */
export async function isAvifSource(source: FileSource): Promise<boolean> {
  if (typeof source !== 'string') return isAvif(source);
  await using file = await open(source);
  return isAvif((await file.read(Buffer.alloc(FIRST_BOX_LENGTH))).buffer);
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
  const args = [fileURLToPath(ENTRY), String(maxPixels), String(maxCpuSeconds)];
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
