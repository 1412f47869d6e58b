import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { jpegSegment, PNG_SIGNATURE, pngChunk } from './hostile-photos.ts';

/*
 * Photos of eight colours in a row, written by hand: with colour types, depths, profiles and chunks that no library
 * writes.
 */

export type Rgb = readonly [red: number, green: number, blue: number];

export const COLOURS: readonly Rgb[] = [
  [200, 110, 40],
  [255, 0, 0],
  [40, 220, 60],
  [20, 40, 200],
  [128, 128, 128],
  [60, 50, 40],
  [250, 240, 230],
  [90, 200, 180],
];

/** Pixels of the side of a patch. */
export const PATCH = 16;
export const STRIP = { width: PATCH * COLOURS.length, height: PATCH };

/** The pixel in the centre of each patch. */
export function centres(pixels: Buffer, channels: number): number[][] {
  return COLOURS.map((_, index) => {
    const at = ((STRIP.height / 2) * STRIP.width + index * PATCH + PATCH / 2) * channels;
    return [...pixels.subarray(at, at + channels)];
  });
}

/** The centres of the patches of a stored photo. */
export async function storedColours(photo: Uint8Array): Promise<number[][]> {
  const pixels = sharp(photo).resize({ ...STRIP, kernel: 'nearest', fit: 'fill' });
  return centres(await pixels.toColourspace('srgb').removeAlpha().raw().toBuffer(), 3);
}

export type PngKind = 'grey' | 'grey-alpha' | 'rgb' | 'rgba' | 'palette';

const COLOUR_TYPES: Readonly<Record<PngKind, number>> = { grey: 0, rgb: 2, palette: 3, 'grey-alpha': 4, rgba: 6 };

/** Grey as in the luma of a JPEG. */
export function greyOf([red, green, blue]: Rgb): number {
  return Math.round(0.299 * red + 0.587 * green + 0.114 * blue);
}

/** A strip as a PNG with this depth, and these chunks after its header. Alpha is half of the range. */
export function pngStrip(kind: PngKind, depth: 1 | 4 | 8 | 16, chunks: readonly Buffer[] = []): Buffer {
  const max = 2 ** depth - 1;
  const scale = (value: number) => Math.round((value / 255) * max);
  const samplesOf: Readonly<Record<PngKind, (colour: Rgb, index: number) => readonly number[]>> = {
    grey: (colour) => [scale(greyOf(colour))],
    rgb: (colour) => colour.map(scale),
    palette: (_, index) => [index],
    'grey-alpha': (colour) => [scale(greyOf(colour)), scale(128)],
    rgba: (colour) => [...colour.map(scale), scale(128)],
  };
  const row: number[] = [];
  for (let x = 0; x < STRIP.width; x++) {
    const index = Math.floor(x / PATCH);
    row.push(...samplesOf[kind](COLOURS[index] ?? [0, 0, 0], index));
  }
  const palette = kind === 'palette' ? [pngChunk('PLTE', Buffer.from(COLOURS.flat()))] : [];
  return pngFile(STRIP, depth, COLOUR_TYPES[kind], packed(row, depth), [...chunks, ...palette]);
}

function packed(samples: readonly number[], depth: number): Buffer {
  const bytes = Buffer.alloc((samples.length * depth) / 8);
  for (const [index, sample] of samples.entries()) {
    const at = (index * depth) / 8;
    if (depth === 16) bytes.writeUInt16BE(sample, at);
    else bytes[Math.floor(at)]! |= sample << (8 - depth - ((index * depth) % 8));
  }
  return bytes;
}

/** Repeats the row. */
function pngFile(
  { width, height }: { width: number; height: number },
  depth: number,
  colourType: number,
  row: Buffer,
  chunks: readonly Buffer[],
): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, depth, colourType, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const rows = Buffer.concat(Array.from({ length: height }, () => Buffer.concat([Buffer.of(0), row])));
  return Buffer.concat([
    PNG_SIGNATURE,
    pngChunk('IHDR', header),
    ...chunks,
    pngChunk('IDAT', deflateSync(rows)),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

export function iccChunk(profile: Buffer): Buffer {
  return pngChunk('iCCP', Buffer.concat([Buffer.from('profile\0\0', 'latin1'), deflateSync(profile)]));
}

export type JpegKind = 'grey' | 'ycc' | 'rgb' | 'cmyk' | 'ycck';

function clamp(value: number): number {
  return Math.max(0, Math.min(255, Math.round(value)));
}

function ycc([red, green, blue]: Rgb): Rgb {
  return [
    greyOf([red, green, blue]),
    clamp(128 - 0.168736 * red - 0.331264 * green + 0.5 * blue),
    clamp(128 + 0.5 * red - 0.418688 * green - 0.081312 * blue),
  ];
}

/** The light that each ink leaves, as Adobe writes it. */
function lights([red, green, blue]: Rgb): readonly [Rgb, number] {
  const black = Math.max(red, green, blue, 1);
  const left = (value: number) => Math.round((value * 255) / black);
  return [[left(red), left(green), left(blue)], black];
}

const COMPONENTS: Readonly<Record<JpegKind, (colour: Rgb) => readonly number[]>> = {
  grey: (colour) => [greyOf(colour)],
  ycc,
  rgb: (colour) => colour,
  cmyk: (colour) => lights(colour).flat(),
  ycck(colour) {
    const [[red, green, blue], black] = lights(colour);
    return [...ycc([255 - red, 255 - green, 255 - blue]), black];
  },
};

/** The transform in Adobe's segment; the other kinds need none. */
const TRANSFORMS: Readonly<Partial<Record<JpegKind, number>>> = { rgb: 0, cmyk: 0, ycck: 2 };

/** A strip as a baseline JPEG without loss, with these segments after its start. */
export function jpegStrip(kind: JpegKind, segments: readonly Buffer[] = []): Buffer {
  const count = COMPONENTS[kind]([0, 0, 0]).length;
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const transform = TRANSFORMS[kind];
  const { width, height } = STRIP;
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    ...segments,
    ...(transform === undefined ? [] : [jpegSegment(0xee, [...Buffer.from('Adobe'), 0, 100, 0, 0, 0, 0, transform])]),
    // One step is the mean of a block.
    jpegSegment(0xdb, [0, ...Array.from({ length: 64 }, () => 8)]),
    jpegSegment(0xc0, [8, 0, height, 0, width, count, ...numbers.flatMap((number) => [number, 0x11, 0])]),
    // Twelve codes of four bits for the length of a difference, and one of one bit for the end of a block.
    jpegSegment(0xc4, [
      0x00,
      0,
      0,
      0,
      12,
      ...Array.from({ length: 12 }, () => 0),
      0,
      1,
      2,
      3,
      4,
      5,
      6,
      7,
      8,
      9,
      10,
      11,
    ]),
    jpegSegment(0xc4, [0x10, 1, ...Array.from({ length: 15 }, () => 0), 0]),
    jpegSegment(0xda, [count, ...numbers.flatMap((number) => [number, 0]), 0, 63, 0]),
    jpegScan(COMPONENTS[kind], count),
    Buffer.from([0xff, 0xd9]),
  ]);
}

function jpegScan(componentsOf: (colour: Rgb) => readonly number[], count: number): Buffer {
  let bits = '';
  const before = Array.from({ length: count }, () => 0);
  for (let y = 0; y < STRIP.height; y += 8)
    for (let x = 0; x < STRIP.width; x += 8)
      for (const [component, value] of componentsOf(COLOURS[Math.floor(x / PATCH)] ?? [0, 0, 0]).entries()) {
        const difference = value - 128 - (before[component] ?? 0);
        before[component] = value - 128;
        const length = difference === 0 ? 0 : Math.abs(difference).toString(2).length;
        const coded = difference < 0 ? difference + 2 ** length - 1 : difference;
        bits +=
          length.toString(2).padStart(4, '0') + (length === 0 ? '' : coded.toString(2).padStart(length, '0')) + '0';
      }
  const bytes = bits.match(/.{1,8}/g)?.map((byte) => Number.parseInt(byte.padEnd(8, '1'), 2)) ?? [];
  return Buffer.from(bytes.flatMap((byte) => (byte === 0xff ? [byte, 0] : [byte])));
}
