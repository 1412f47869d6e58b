/*
 * Limits that decoders do not have. They are checked before a decoder gets the file.
 */

const PNG_SIGNATURE = Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const PNG_CHUNK_OVERHEAD = 12;
const PNG_TEXTS: ReadonlySet<string> = new Set(['tEXt', 'zTXt', 'iTXt']);
const MAX_PNG_CHUNKS = 1000;

/**
 * Returns a PNG without its texts, and any other file unchanged: libpng would decompress up to a hundred texts of 50 MB each. Undefined if the first
 * thousand chunks contain no pixels.
 */
export function withoutPngTexts(file: Buffer): Buffer | undefined {
  if (!file.subarray(0, PNG_SIGNATURE.byteLength).equals(PNG_SIGNATURE)) return file;
  const kept: Buffer[] = [PNG_SIGNATURE];
  let at = PNG_SIGNATURE.byteLength;
  for (let count = 0; count < MAX_PNG_CHUNKS && at + PNG_CHUNK_OVERHEAD <= file.byteLength; count++) {
    const type = file.toString('latin1', at + 4, at + 8);
    if (type === 'IDAT') return Buffer.concat([...kept, file.subarray(at)]);
    const end = at + PNG_CHUNK_OVERHEAD + file.readUInt32BE(at);
    if (!PNG_TEXTS.has(type)) kept.push(file.subarray(at, end));
    at = end;
  }
  return undefined;
}

const JPEG_SCAN = 0xda;
const JPEG_END = 0xd9;

/** Number of scans in a JPEG. In a progressive one, each scan processes all pixels, and may have only ten bytes. */
export function countJpegScans(file: Buffer): number {
  let scans = 0;
  for (let at = 2; at + 3 < file.byteLength; at++) {
    if (file[at] !== 0xff) continue;
    const marker = file.readUInt8(at + 1);
    if (marker === JPEG_END) break;
    if (marker === JPEG_SCAN) scans += 1;
    if (hasSegment(marker)) at += 1 + file.readUInt16BE(at + 2);
  }
  return scans;
}

/** False for an escaped byte in the pixels, a fill byte, TEM, RST0 to RST7 and SOI. */
function hasSegment(marker: number): boolean {
  return marker > 0x01 && marker < 0xff && (marker < 0xd0 || marker > 0xd8);
}
