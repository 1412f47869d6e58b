import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createDeflate, createInflateRaw } from 'node:zlib';
import { chunksOf, SIGNATURE, writeChunk } from './png-file.ts';

/* PNG files that contain all their pixels, but wrong checksums, wrong lengths, or no end. */

/** Encoders write this number for 80 MB. */
const MAX_CHUNKS = 10_000;

/** Large steps, because the event loop takes part in each. */
const STEP_BYTES = 1024 ** 2;

/** A stream in the zlib format (RFC 1950) begins with two bytes, and ends with a checksum. */
const ZLIB_HEADER_LENGTH = 2;

/** Compresses the pixels again. Undefined if some are missing. */
export async function mendPng(file: Buffer): Promise<Buffer | undefined> {
  const chunks = [...chunksOf(file, MAX_CHUNKS)];
  const start = chunks.findIndex(({ type }) => type === 'IDAT');
  const header = chunks.slice(0, Math.max(start, 0));
  const ownHeader = header[0];
  if (ownHeader?.type !== 'IHDR') return undefined;
  const rest = chunks.slice(start);
  const end = rest.findIndex(({ type }) => type !== 'IDAT');
  const zlib = Buffer.concat(rest.slice(0, end === -1 ? rest.length : end).map(({ data }) => data));
  if (zlib.byteLength < ZLIB_HEADER_LENGTH || zlib.readUInt16BE(0) % 31 !== 0) return undefined;
  const pixels = await recompress(zlib.subarray(ZLIB_HEADER_LENGTH), pixelBytes(ownHeader.data));
  if (pixels === undefined) return undefined;
  return Buffer.concat([
    SIGNATURE,
    ...header.map(({ chunk }) => chunk),
    writeChunk('IDAT', ...pixels),
    writeChunk('IEND'),
  ]);
}

/** Undefined if there are fewer than this many bytes, or none after an error. */
async function recompress(compressed: Buffer, byteLength: number): Promise<readonly Buffer[] | undefined> {
  const result: Buffer[] = [];
  let count = 0;
  try {
    await pipeline(
      Readable.from([compressed]),
      createInflateRaw({ finishFlush: constants.Z_SYNC_FLUSH, chunkSize: STEP_BYTES }),
      async function* (bytes: AsyncIterable<Buffer>) {
        for await (const part of bytes) {
          yield part.subarray(0, byteLength - count);
          count += part.byteLength;
          if (count >= byteLength) return;
        }
      },
      createDeflate({ level: 1, chunkSize: STEP_BYTES }),
      async (parts: AsyncIterable<Buffer>) => {
        for await (const part of parts) result.push(part);
      },
    );
  } catch {
    return undefined;
  }
  return count >= byteLength ? result : undefined;
}

/** The samples of a pixel by colour type. */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Columns and rows of the passes of an interlaced PNG: the first, and the distance of the others (section 8.1). */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** The length of the pixels before compression, with the byte before each row. */
function pixelBytes(header: Buffer): number {
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const pixelBits = header.readUInt8(8) * (SAMPLES[header.readUInt8(9)] ?? 0);
  const passes = header.readUInt8(12) === 0 ? [[0, 0, 1, 1] as const] : PASSES;
  let sum = 0;
  for (const [left, top, columns, rows] of passes) {
    const passWidth = Math.ceil((width - left) / columns);
    const passHeight = Math.ceil((height - top) / rows);
    if (passWidth > 0 && passHeight > 0) sum += passHeight * (1 + Math.ceil((passWidth * pixelBits) / 8));
  }
  return sum;
}
