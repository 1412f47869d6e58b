import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { cicpProfile, isProfile } from './icc-profile.ts';

/* Rewrites the beginning of PNG files (W3C: Portable Network Graphics, third edition) before libpng gets them. */

const SIGNATURE = Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
/** Length, type and checksum. */
const CHUNK_OVERHEAD = 12;
const MAX_CHUNKS = 1000;

/** Ancillary chunks that are kept. Of texts, libpng would decompress up to a hundred of 50 MB each. */
const KEPT: ReadonlySet<string> = new Set(['tRNS', 'eXIf']);
const COLOURS: ReadonlySet<string> = new Set(['cICP', 'iCCP']);

interface PngChunk {
  type: string;
  /** Its position in the file. */
  at: number;
  /** The whole chunk, with its length, type and checksum. */
  chunk: Buffer;
  data: Buffer;
}

/** The data of chunks by type. */
type Chunks = ReadonlyMap<string, Buffer>;

export function isPng(file: Buffer): boolean {
  return file.subarray(0, SIGNATURE.byteLength).equals(SIGNATURE);
}

/**
 * Returns a PNG whose colours are described by a profile or not at all, and without the other chunks before its pixels
 * that a decoder does not need. Undefined if the first thousand chunks contain no pixels, or one of them is damaged.
 */
export function simplifyPng(file: Buffer): Buffer | undefined {
  const kept: Buffer[] = [];
  const colours = new Map<string, Buffer>();
  for (const { type, at, chunk, data } of chunksOf(file)) {
    if (type === 'IDAT') return Buffer.concat([SIGNATURE, ...withProfile(kept, colours), file.subarray(at)]);
    const isSound = crc32(chunk.subarray(4, -4)) === chunk.readUInt32BE(chunk.byteLength - 4);
    if (!isSound && !isAncillary(type)) return undefined;
    if (isSound && COLOURS.has(type)) colours.set(type, data);
    if (isSound && (KEPT.has(type) || !isAncillary(type))) kept.push(chunk);
  }
  return undefined;
}

/** A chunk that is longer than the file is cut off, with its data. */
function* chunksOf(file: Buffer): Generator<PngChunk, void> {
  let at = SIGNATURE.byteLength;
  for (let count = 0; count < MAX_CHUNKS && at + 8 <= file.byteLength; count++) {
    const length = file.readUInt32BE(at);
    const chunk = file.subarray(at, at + CHUNK_OVERHEAD + length);
    yield { type: chunk.toString('latin1', 4, 8), at, chunk, data: chunk.subarray(8, 8 + length) };
    at += CHUNK_OVERHEAD + length;
  }
}

/** The PNG with this ICC profile, and without other descriptions of its colours. */
export function withPngProfile(png: Buffer, profile: Buffer): Buffer {
  const pixels = png.indexOf('IDAT', 0, 'latin1') - 4;
  const header = png.subarray(SIGNATURE.byteLength, SIGNATURE.byteLength + CHUNK_OVERHEAD + HEADER_LENGTH);
  return Buffer.concat([SIGNATURE, header, profileChunk(profile), png.subarray(pixels)]);
}

const HEADER_LENGTH = 13;
function isAncillary(type: string): boolean {
  return type >= 'a';
}

/** Inserts the profile after the first chunk, the header. */
function withProfile([header, ...chunks]: readonly Buffer[], colours: Chunks): readonly Buffer[] {
  // libpng refuses the file.
  if (header?.byteLength !== CHUNK_OVERHEAD + HEADER_LENGTH) return [];
  const profile = numberedProfile(colours.get('cICP')) ?? embeddedProfile(colours.get('iCCP'));
  return profile === undefined ? [header, ...chunks] : [header, profileChunk(profile), ...chunks];
}

const EMPTY = Buffer.alloc(0);

/** Browsers ignore numbers for YCbCr or a narrow range. */
function numberedProfile([primaries = 0, transfer = 0, matrix, isFullRange]: Buffer = EMPTY): Buffer | undefined {
  return matrix === 0 && isFullRange === 1 ? cicpProfile(primaries, transfer) : undefined;
}

/** More than the longest profiles have. */
const MAX_PROFILE_BYTES = 4 * 1024 ** 2;

/** The name of the profile ends with a zero; after it, another states the compression. */
function embeddedProfile(chunk: Buffer = EMPTY): Buffer | undefined {
  try {
    const profile = inflateSync(chunk.subarray(chunk.indexOf(0) + 2), { maxOutputLength: MAX_PROFILE_BYTES });
    return isProfile(profile) ? profile : undefined;
  } catch {
    return undefined;
  }
}

function profileChunk(profile: Buffer): Buffer {
  return writeChunk('iCCP', Buffer.from('profile\0\0', 'latin1'), deflateSync(profile, { level: 0 }));
}

function writeChunk(type: string, ...data: readonly Buffer[]): Buffer {
  const chunk = Buffer.concat([Buffer.alloc(8), ...data, Buffer.alloc(4)]);
  chunk.writeUInt32BE(chunk.byteLength - CHUNK_OVERHEAD);
  chunk.write(type, 4, 'latin1');
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.byteLength - 4);
  return chunk;
}
