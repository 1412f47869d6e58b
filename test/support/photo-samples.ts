import sharp from 'sharp';
import { cicpProfile } from '../../src/services/imaging/icc-profile.ts';
import { avifOf, avifWithColours } from './avif-files.ts';
import { cmykProfile, greyProfile } from './cmyk-profile.ts';
import { iccSegments, pngChunk } from './hostile-photos.ts';
import { iccChunk, jpegStrip, pngStrip, type JpegKind } from './patches.ts';

/*
 * Photos in all combinations of formats, depths and descriptions of colours, to compare with the pixels in a browser.
 */

function profile(bytes: Buffer | undefined): Buffer {
  if (bytes === undefined) throw new Error('no profile');
  return bytes;
}

const SRGB = profile(cicpProfile(1, 13));
const DISPLAY_P3 = profile(cicpProfile(12, 13));
/** The colours of Display P3 with a gamma of 2.2. */
const WIDE = profile(cicpProfile(12, 4));
const LINEAR = profile(cicpProfile(1, 8));
const GREY = greyProfile();
const BROKEN = Buffer.from('not a profile');

const PNG_COLOURS: Readonly<Record<string, readonly Buffer[]>> = {
  'no profile': [],
  sRGB: [iccChunk(SRGB)],
  'Display P3': [iccChunk(DISPLAY_P3)],
  'a wide profile': [iccChunk(WIDE)],
  'a linear profile': [iccChunk(LINEAR)],
  'a grey profile': [iccChunk(GREY)],
  'a broken profile': [iccChunk(BROKEN)],
  'Display P3 by numbers': [pngChunk('cICP', Buffer.of(12, 13, 0, 1)), iccChunk(WIDE)],
  'television by numbers': [pngChunk('cICP', Buffer.of(9, 1, 0, 1))],
  'numbers for a narrow range': [pngChunk('cICP', Buffer.of(12, 13, 0, 0))],
};

/** libpng ignores the other profiles of grey pixels. */
const COLOURS_OF_GREY = Object.fromEntries(
  ['no profile', 'sRGB', 'Display P3', 'a grey profile', 'a broken profile'].map((name) => [
    name,
    PNG_COLOURS[name] ?? [],
  ]),
);

const PNG_KINDS = [
  ['grey', 1],
  ['grey', 8],
  ['grey', 16],
  ['grey-alpha', 8],
  ['grey-alpha', 16],
  ['rgb', 8],
  ['rgb', 16],
  ['rgba', 8],
  ['rgba', 16],
  ['palette', 4],
  ['palette', 8],
] as const;

const JPEG_KINDS: readonly JpegKind[] = ['grey', 'ycc', 'rgb', 'cmyk', 'ycck'];
const JPEG_COLOURS: Readonly<Record<string, readonly Buffer[]>> = {
  'no profile': [],
  'Display P3': iccSegments(DISPLAY_P3),
  'a wide profile': iccSegments(WIDE),
  'a grey profile': iccSegments(GREY),
  'a CMYK profile': iccSegments(cmykProfile()),
  'a broken profile': iccSegments(BROKEN),
};

/** Primaries and transfer (ITU-T H.273). */
const AVIF_NUMBERS = [
  [1, 13],
  [1, 1],
  [2, 2],
  [12, 13],
  [12, 1],
  [9, 13],
  [1, 4],
] as const;

export interface Sample {
  name: string;
  make: () => Promise<Buffer>;
}

/** Each contains the colours of `COLOURS` in a row. */
export function colourSamples(): readonly Sample[] {
  return [...pngSamples(), ...jpegSamples(), ...avifSamples(), ...otherSamples()];
}

function pngSamples(): readonly Sample[] {
  return PNG_KINDS.flatMap(([kind, depth]) =>
    Object.entries(kind.startsWith('grey') ? COLOURS_OF_GREY : PNG_COLOURS).map(([colours, chunks]) => ({
      name: `PNG, ${kind}, ${depth} bits, ${colours}`,
      make: async () => pngStrip(kind, depth, chunks),
    })),
  );
}

function jpegSamples(): readonly Sample[] {
  return JPEG_KINDS.flatMap((kind) =>
    Object.entries(JPEG_COLOURS).map(([colours, segments]) => ({
      name: `JPEG, ${kind}, ${colours}`,
      make: async () => jpegStrip(kind, segments),
    })),
  );
}

function avifSamples(): readonly Sample[] {
  return ([8, 10] as const).flatMap((bits) => [
    ...AVIF_NUMBERS.map(([primaries, transfer]) => ({
      name: `AVIF, ${bits} bits, ${primaries}/${transfer}`,
      make: async () => avifWithColours(await avifOf(pngStrip('rgb', 8), bits), primaries, transfer),
    })),
    ...Object.entries({ 'Display P3': DISPLAY_P3, 'a wide profile': WIDE }).map(([colours, icc]) => ({
      name: `AVIF, ${bits} bits, ${colours}`,
      make: () => avifOf(pngStrip('rgb', 8, [iccChunk(icc)]), bits),
    })),
  ]);
}

function webpOf(chunks: readonly Buffer[], lossless: boolean): Promise<Buffer> {
  return sharp(pngStrip('rgb', 8, chunks))
    .keepIccProfile()
    .webp({ lossless, quality: 100 })
    .toBuffer();
}

function otherSamples(): readonly Sample[] {
  const displayP3 = [iccChunk(DISPLAY_P3)];
  return [
    { name: 'WebP, lossy, no profile', make: () => webpOf([], false) },
    { name: 'WebP, lossy, Display P3', make: () => webpOf(displayP3, false) },
    { name: 'WebP, lossless, Display P3', make: () => webpOf(displayP3, true) },
    { name: 'GIF', make: () => sharp(pngStrip('rgb', 8)).gif().toBuffer() },
  ];
}
