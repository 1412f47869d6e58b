import { D50, toXyz, type Matrix, type Primaries, type Vector } from './matrices.ts';

/*
 * Writes ICC profiles (ICC.1:2022) for files that describe their colours in other ways, so that all colours are
 * converted by profiles.
 */

const D65 = [0.3127, 0.329] as const;
const BT_2020: Primaries = [0.708, 0.292, 0.17, 0.797, 0.131, 0.046, ...D65];
export const SRGB: Primaries = [0.64, 0.33, 0.3, 0.6, 0.15, 0.06, ...D65];

/** ITU-T H.273, table 2: those that encoders of photos write. */
const PRIMARIES: Readonly<Record<number, Primaries>> = {
  1: SRGB,
  9: BT_2020,
  12: [0.68, 0.32, 0.265, 0.69, 0.15, 0.06, ...D65],
};

/** A curve of type 3 (section 10.18): (a x + b) ** g from d, and c x below. */
type Curve = readonly [g: number, a: number, b: number, c: number, d: number];

/**
 * ITU-T H.273, table 3. For television, browsers use the curve of screens (ITU-R BT.1886), not the inverse of that of
 * cameras.
 */
const CURVES: Readonly<Record<number, Curve>> = {
  1: power(2.4),
  4: power(2.2),
  8: power(1),
  13: [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045],
};

function power(exponent: number): Curve {
  return [exponent, 1, 0, 0, 0];
}

/** The profile of a pair of numbers of ITU-T H.273. Undefined for other numbers: the photo is taken for one in sRGB. */
export function cicpProfile(primaries: number, transfer: number): Buffer | undefined {
  const chromaticities = PRIMARIES[primaries];
  const curve = CURVES[transfer];
  return chromaticities && curve && matrixProfile(toXyz(chromaticities), curve);
}

function matrixProfile([x, y, z]: Matrix, curve: Curve): Buffer {
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

const COLOUR_SPACE_AT = 16;
const SIGNATURE = { at: 36, is: 'acsp' };
const HEADER_LENGTH = 128;
const TAG_LENGTH = 12;

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

/** Numbers with 16 bits before and after the point. */
function fixed(numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 4);
  for (const [index, number] of numbers.entries()) bytes.writeInt32BE(Math.round(number * 0x10000), index * 4);
  return bytes;
}
