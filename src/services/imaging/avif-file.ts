import { cicpProfile } from './icc-profile.ts';

/* Reads the boxes of AVIF files (ISO/IEC 14496-12 and 23008-12) that libvips does not report. */

interface Box {
  type: string;
  content: Buffer;
}

/** Files of this family begin with the length and the type of this box (ISO/IEC 14496-12, section 4.3). */
const FIRST_BOX = { at: 4, is: 'ftyp' };
export const FIRST_BOX_LENGTH = 8;
const BRANDS_AT = 8;
const MAX_BRANDS_LENGTH = 256;

/** Whether a file is an AVIF, or another of the same family. */
export function isAvif(file: Uint8Array): boolean {
  return Buffer.from(file.subarray(FIRST_BOX.at, FIRST_BOX_LENGTH)).toString('latin1') === FIRST_BOX.is;
}

/**
 * Returns an AVIF with its own brand at the beginning, from which libvips recognizes it. Files have it at any position,
 * and animations begin with another one. Other files are unchanged.
 */
export function withAvifBrand(file: Buffer): Buffer {
  if (!isAvif(file)) return file;
  const names = brandsOf(file);
  if (names[0] === 'avif' || !(names.includes('avif') || names.includes('avis'))) return file;
  const renamed = Buffer.from(file);
  renamed.write('avif', BRANDS_AT, 'latin1');
  return renamed;
}

/** Whether a file is a photo as iPhones take it, whose patents keep it out of most decoders. */
export function isHeic(file: Buffer): boolean {
  return isAvif(file) && brandsOf(file).some((brand) => /^(?:hei[cxms]|hev[cxms])$/.test(brand));
}

function brandsOf(file: Buffer): readonly string[] {
  const brands = file.subarray(BRANDS_AT, Math.min(file.readUInt32BE(0), MAX_BRANDS_LENGTH)).toString('latin1');
  return brands.match(/.{4}/gs) ?? [];
}

const UNSPECIFIED = 2;
const SRGB = { primaries: 1, transfer: 13 };
/** The transfers of television: browsers show photos as if they were that of sRGB. */
const TELEVISION: ReadonlySet<number> = new Set([1, 6, 14, 15]);

/** The profile of an AVIF whose colours are described by numbers of ITU-T H.273, unless they are those of sRGB. */
export function findNumberedProfile(file: Buffer): Buffer | undefined {
  try {
    return profileOf(colourProperties(file));
  } catch (error) {
    // A box is shorter than its content. libheif decides whether that matters.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** A profile in the file takes precedence over the numbers. */
function profileOf(properties: readonly Buffer[]): Buffer | undefined {
  const [numbers, other] = properties;
  if (numbers === undefined || other !== undefined || numbers.toString('latin1', 0, 4) !== 'nclx') return undefined;
  const primaries = numbers.readUInt16BE(4) === UNSPECIFIED ? SRGB.primaries : numbers.readUInt16BE(4);
  const stated = numbers.readUInt16BE(6);
  const transfer = stated === UNSPECIFIED || TELEVISION.has(stated) ? SRGB.transfer : stated;
  const isSrgb = primaries === SRGB.primaries && transfer === SRGB.transfer;
  return isSrgb ? undefined : cicpProfile(primaries, transfer);
}

/** The colour properties of the primary item. */
function colourProperties(file: Buffer): readonly Buffer[] {
  const meta = boxesIn(contentOf(boxesIn(file), 'meta').subarray(4));
  const primaryItem = contentOf(meta, 'pitm');
  const item = primaryItem.readUIntBE(4, primaryItem.readUInt8(0) === 0 ? 2 : 4);
  const properties = boxesIn(contentOf(meta, 'iprp'));
  const all = boxesIn(contentOf(properties, 'ipco'));
  const own = indexesOf(item, contentOf(properties, 'ipma')).map((index) => all[index - 1]);
  return own.filter((box) => box !== undefined).flatMap(({ type, content }) => (type === 'colr' ? [content] : []));
}

/** The properties of an item, counted from 1 (ISO/IEC 23008-12, section 9.3). */
function indexesOf(item: number, associations: Buffer): readonly number[] {
  const itemLength = associations.readUInt8(0) === 0 ? 2 : 4;
  const isLong = (associations.readUInt8(3) & 1) === 1;
  let at = 8;
  for (let left = associations.readUInt32BE(4); left > 0; left--) {
    const isOwn = associations.readUIntBE(at, itemLength) === item;
    const count = associations.readUInt8(at + itemLength);
    const start = at + itemLength + 1;
    const read = (index: number) =>
      isLong ? associations.readUInt16BE(start + index * 2) & 0x7fff : associations.readUInt8(start + index) & 0x7f;
    if (isOwn) return Array.from({ length: count }, (_, index) => read(index));
    at = start + count * (isLong ? 2 : 1);
  }
  return [];
}

function boxesIn(data: Buffer): readonly Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at + 8 <= data.byteLength;) {
    const size = data.readUInt32BE(at);
    const header = size === 1 ? 16 : 8;
    const length = size === 1 ? Number(data.readBigUInt64BE(at + 8)) : size || data.byteLength - at;
    if (length < header) break;
    boxes.push({ type: data.toString('latin1', at + 4, at + 8), content: data.subarray(at + header, at + length) });
    at += length;
  }
  return boxes;
}

function contentOf(boxes: readonly Box[], type: string): Buffer {
  return boxes.find((box) => box.type === type)?.content ?? Buffer.alloc(0);
}
