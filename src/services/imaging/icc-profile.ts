import { HLG, hdrCurveTag, hdrTag, PQ } from './hdr-colours.ts';
import { D50, toXyz, type Matrix, type Primaries, type Vector } from './matrices.ts';

/*
 * Writes ICC profiles (ICC.1:2022) for files that describe their colours in other ways, so that all colours are
 * converted by profiles.
 */

const D65 = [0.3127, 0.329] as const;
const C = [0.31, 0.316] as const;
const NTSC: Primaries = [0.63, 0.34, 0.31, 0.595, 0.155, 0.07, ...D65];
const BT_2020: Primaries = [0.708, 0.292, 0.17, 0.797, 0.131, 0.046, ...D65];
export const SRGB: Primaries = [0.64, 0.33, 0.3, 0.6, 0.15, 0.06, ...D65];

/** ITU-T H.273, table 2. */
const PRIMARIES: Readonly<Record<number, Primaries>> = {
  1: SRGB,
  4: [0.67, 0.33, 0.21, 0.71, 0.14, 0.08, ...C],
  5: [0.64, 0.33, 0.29, 0.6, 0.15, 0.06, ...D65],
  6: NTSC,
  7: NTSC,
  8: [0.681, 0.319, 0.243, 0.692, 0.145, 0.049, ...C],
  9: BT_2020,
  10: [1, 0, 0, 1, 0, 0, 1 / 3, 1 / 3],
  11: [0.68, 0.32, 0.265, 0.69, 0.15, 0.06, 0.314, 0.351],
  12: [0.68, 0.32, 0.265, 0.69, 0.15, 0.06, ...D65],
  22: [0.63, 0.34, 0.295, 0.605, 0.155, 0.077, ...D65],
};

/** A curve of type 3 (section 10.18): (a x + b) ** g from d, and c x below. */
type Curve = readonly [g: number, a: number, b: number, c: number, d: number];

/** As browsers show television: the curve of screens (ITU-R BT.1886), not the inverse of that of cameras. */
const TELEVISION = power(2.4);

/** ITU-T H.273, table 3, without those that browsers do not show. */
const CURVES: Readonly<Record<number, Curve>> = {
  1: TELEVISION,
  4: power(2.2),
  5: power(2.8),
  6: TELEVISION,
  7: [1 / 0.45, 1 / 1.1115, 0.1115 / 1.1115, 1 / 4, 0.0912],
  8: power(1),
  11: TELEVISION,
  13: [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045],
  14: TELEVISION,
  15: TELEVISION,
  17: [2.6, (52.37 / 48) ** (1 / 2.6), 0, 0, 0],
};

function power(exponent: number): Curve {
  return [exponent, 1, 0, 0, 0];
}

const hdrProfiles = new Map<string, Buffer>();

/** The profile of a pair of numbers of ITU-T H.273. Undefined for numbers that browsers ignore. */
export function cicpProfile(primaries: number, transfer: number): Buffer | undefined {
  const chromaticities = PRIMARIES[primaries];
  if (chromaticities === undefined) return undefined;
  if (transfer === PQ || transfer === HLG) return hdrProfile(`${primaries}/${transfer}`, chromaticities, transfer);
  const curve = CURVES[transfer];
  return curve && matrixProfile(toXyz(chromaticities), curve);
}

/** Kept, because it takes 50 ms. The curve is for grey pixels. */
function hdrProfile(key: string, primaries: Primaries, transfer: number): Buffer {
  const kept = hdrProfiles.get(key);
  if (kept !== undefined) return kept;
  const colours = hdrTag(transfer, toXyz(primaries), toXyz(BT_2020));
  const profile = writeProfile('RGB ', [
    ['A2B0', colours],
    ['gTRC', hdrCurveTag(transfer)],
  ]);
  hdrProfiles.set(key, profile);
  return profile;
}

/** The profile of a gamma and primaries. Undefined if they make no sense. */
export function gammaProfile(gamma: number, primaries: Primaries): Buffer | undefined {
  return matrixProfile(toXyz(primaries), power(1 / gamma));
}

function matrixProfile([x, y, z]: Matrix, curve: Curve): Buffer | undefined {
  if (![...x, ...y, ...z, ...curve].every((number) => Math.abs(number) < MAX_FIXED)) return undefined;
  const curveTag = Buffer.concat([Buffer.from('para\0\0\0\0\0\x03\0\0', 'latin1'), fixed(curve)]);
  return writeProfile('RGB ', [
    ['rXYZ', xyzTag([x[0], y[0], z[0]])],
    ['gXYZ', xyzTag([x[1], y[1], z[1]])],
    ['bXYZ', xyzTag([x[2], y[2], z[2]])],
    ['rTRC', curveTag],
    ['gTRC', curveTag],
    ['bTRC', curveTag],
  ]);
}

/**
 * The profile for grey pixels that have an RGB profile, which the libraries would ignore. Undefined for any other
 * profile, and for one without a curve for green.
 */
export function greyProfile(profile: Buffer): Buffer | undefined {
  const curve = colourSpaceOf(profile) === 'RGB ' ? findTag(profile, 'gTRC') : undefined;
  return curve && writeProfile('GRAY', [['kTRC', curve]]);
}

const COLOUR_SPACE_AT = 16;
const SIGNATURE = { at: 36, is: 'acsp' };
const HEADER_LENGTH = 128;
const TAG_LENGTH = 12;
const MAX_TAGS = 100;

export function isProfile(data: Buffer): boolean {
  return (
    data.byteLength > HEADER_LENGTH + 4 &&
    data.toString('latin1', SIGNATURE.at, SIGNATURE.at + SIGNATURE.is.length) === SIGNATURE.is
  );
}

/** The colour space of the pixels that a profile describes, such as `RGB ` and `CMYK`. */
export function colourSpaceOf(profile: Buffer): string {
  return profile.toString('latin1', COLOUR_SPACE_AT, COLOUR_SPACE_AT + 4);
}

function findTag(profile: Buffer, name: string): Buffer | undefined {
  const count = Math.min(profile.readUInt32BE(HEADER_LENGTH), MAX_TAGS);
  const tags = profile.subarray(HEADER_LENGTH + 4, HEADER_LENGTH + 4 + count * TAG_LENGTH);
  for (let at = 0; at + TAG_LENGTH <= tags.byteLength; at += TAG_LENGTH) {
    if (tags.toString('latin1', at, at + 4) !== name) continue;
    const start = tags.readUInt32BE(at + 4);
    return profile.subarray(start, start + tags.readUInt32BE(at + 8));
  }
  return undefined;
}

function writeProfile(colourSpace: string, tags: readonly [name: string, data: Buffer][]): Buffer {
  const text = Buffer.from('text\0\0\0\0-\0\0\0', 'latin1');
  const all = [['desc', text], ['cprt', text], ['wtpt', xyzTag(D50)], ...tags] as const;
  const header = Buffer.alloc(HEADER_LENGTH + 4 + all.length * TAG_LENGTH);
  header.writeUInt32BE(0x04_40_00_00, 8);
  header.write(`mntr${colourSpace}XYZ `, 12, 'latin1');
  header.write(SIGNATURE.is, SIGNATURE.at, 'latin1');
  fixed(D50).copy(header, 68);
  header.writeUInt32BE(all.length, HEADER_LENGTH);
  let length = header.byteLength;
  const parts = [header];
  for (const [index, [name, data]] of all.entries()) {
    const at = HEADER_LENGTH + 4 + index * TAG_LENGTH;
    header.write(name, at, 'latin1');
    header.writeUInt32BE(length, at + 4);
    header.writeUInt32BE(data.byteLength, at + 8);
    const padded = Buffer.concat([data], Math.ceil(data.byteLength / 4) * 4);
    parts.push(padded);
    length += padded.byteLength;
  }
  header.writeUInt32BE(length, 0);
  return Buffer.concat(parts);
}

function xyzTag(xyz: Vector): Buffer {
  return Buffer.concat([Buffer.from('XYZ \0\0\0\0', 'latin1'), fixed(xyz)]);
}

const MAX_FIXED = 32_767;

/** Numbers with 16 bits before and after the point. */
function fixed(numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 4);
  for (const [index, number] of numbers.entries()) bytes.writeInt32BE(Math.round(number * 0x10000), index * 4);
  return bytes;
}
