import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { cicpProfile, gammaProfile, greyProfile, isProfile, SRGB } from './icc-profile.ts';

/* Rewrites the beginning of PNG files (W3C: Portable Network Graphics, third edition) before libpng gets them. */

export const SIGNATURE = Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
/** Length, type and checksum. */
const CHUNK_OVERHEAD = 12;
const MAX_CHUNKS = 1000;

/** Ancillary chunks that are kept. Of texts, libpng would decompress up to a hundred of 50 MB each. */
const KEPT: ReadonlySet<string> = new Set(['tRNS', 'eXIf']);
const COLOURS: ReadonlySet<string> = new Set(['cICP', 'iCCP', 'sRGB', 'gAMA', 'cHRM']);

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

/** The frames of an animation that fill its whole area, as PNG files. */
export function framesOfPng(file: Buffer): readonly Buffer[] {
  const header: Buffer[] = [];
  const frames: { isWhole: boolean; data: Buffer[] }[] = [];
  for (const { type, chunk, data } of chunksOf(file)) {
    if (type === 'fcTL') frames.push({ isWhole: isWholeFrame(data, header[0]), data: [] });
    // Pixels before the first frame are only for programs without animations.
    else if (type === 'IDAT') frames.at(-1)?.data.push(data);
    else if (type === 'fdAT') frames.at(-1)?.data.push(data.subarray(4));
    else if (frames.length === 0) header.push(chunk);
  }
  return frames
    .filter(({ isWhole }) => isWhole)
    .map(({ data }) => Buffer.concat([SIGNATURE, ...header, writeChunk('IDAT', ...data), writeChunk('IEND')]));
}

/** Whether a frame has the size of the image, and thus no offset. */
function isWholeFrame(control: Buffer, header: Buffer | undefined): boolean {
  const SIZE_LENGTH = 8;
  return header?.subarray(8, 8 + SIZE_LENGTH).equals(control.subarray(4, 4 + SIZE_LENGTH)) === true;
}

/** A chunk that is longer than the file is cut off, with its data. */
export function* chunksOf(file: Buffer, maxCount = MAX_CHUNKS): Generator<PngChunk, void> {
  let at = SIGNATURE.byteLength;
  for (let count = 0; count < maxCount && at + 8 <= file.byteLength; count++) {
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
const COLOUR_TYPE_AT = 9;
/** The bit of the colour type that grey pixels do not have. */
const COLOURED = 2;

function isAncillary(type: string): boolean {
  return type >= 'a';
}

/** Inserts the profile after the first chunk, the header. */
function withProfile([header, ...chunks]: readonly Buffer[], colours: Chunks): readonly Buffer[] {
  // libpng refuses the file.
  if (header?.byteLength !== CHUNK_OVERHEAD + HEADER_LENGTH) return [];
  const isGrey = (header.readUInt8(8 + COLOUR_TYPE_AT) & COLOURED) === 0;
  const profile = findProfile(colours);
  const used = profile && isGrey ? (greyProfile(profile) ?? profile) : profile;
  return used === undefined ? [header, ...chunks] : [header, profileChunk(used), ...chunks];
}

/** In the order of section 4.3. Browsers ignore primaries without a gamma. */
function findProfile(chunks: Chunks): Buffer | undefined {
  const profile = numberedProfile(chunks.get('cICP')) ?? embeddedProfile(chunks.get('iCCP'));
  if (profile !== undefined || chunks.has('sRGB')) return profile;
  const [gamma = 0] = fixedPoints(chunks.get('gAMA'), 1);
  const [wx = 0, wy, rx = 0, ry = 0, gx = 0, gy = 0, bx = 0, by = 0] = fixedPoints(chunks.get('cHRM'), 8);
  if (gamma === 0 || (wy === undefined && isUsual(gamma))) return undefined;
  return gammaProfile(gamma, wy === undefined ? SRGB : [rx, ry, gx, gy, bx, by, wx, wy]);
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

export function writeChunk(type: string, ...data: readonly Buffer[]): Buffer {
  const chunk = Buffer.concat([Buffer.alloc(8), ...data, Buffer.alloc(4)]);
  chunk.writeUInt32BE(chunk.byteLength - CHUNK_OVERHEAD);
  chunk.write(type, 4, 'latin1');
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.byteLength - 4);
  return chunk;
}

/** Browsers take a gamma of about 1/2.2 for that of sRGB. */
function isUsual(gamma: number): boolean {
  return Math.abs(gamma * 2.2 - 1) < 0.05;
}

/** None if the chunk has another length. */
function fixedPoints(chunk: Buffer = EMPTY, count: number): readonly number[] {
  if (chunk.byteLength !== count * 4) return [];
  return Array.from({ length: count }, (_, index) => chunk.readUInt32BE(index * 4) / 100_000);
}
