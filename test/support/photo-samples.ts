import sharp from 'sharp';
import { cicpProfile, gammaProfile, greyProfile } from '../../src/services/imaging/icc-profile.ts';
import { avifOf, avifWithColours } from './avif-files.ts';
import { cmykProfile } from './cmyk-profile.ts';
import { iccSegments, pngChunk } from './hostile-photos.ts';
import { iccChunk, jpegStrip, numbersChunk, pngStrip, type JpegKind } from './patches.ts';

/*
 * Photos in all combinations of formats, depths and descriptions of colours, to compare with the pixels in a browser.
 */

function profile(bytes: Buffer | undefined): Buffer {
  if (bytes === undefined) throw new Error('no profile');
  return bytes;
}

const ADOBE_PRIMARIES = [0.64, 0.33, 0.21, 0.71, 0.15, 0.06, 0.3127, 0.329] as const;
const SRGB = profile(cicpProfile(1, 13));
const DISPLAY_P3 = profile(cicpProfile(12, 13));
const ADOBE_RGB = profile(gammaProfile(256 / 563, ADOBE_PRIMARIES));
const LINEAR = profile(cicpProfile(1, 8));
const GREY = profile(greyProfile(profile(gammaProfile(1 / 1.8, ADOBE_PRIMARIES))));
const BROKEN = Buffer.from('not a profile');

/** The white and the colours of Display P3. */
const P3_CHROMATICITIES = [0.3127, 0.329, 0.68, 0.32, 0.265, 0.69, 0.15, 0.06];
const LINEAR_GAMMA = numbersChunk('gAMA', [1]);

const PNG_COLOURS: Readonly<Record<string, readonly Buffer[]>> = {
  'no profile': [],
  sRGB: [iccChunk(SRGB)],
  'Display P3': [iccChunk(DISPLAY_P3)],
  'Adobe RGB': [iccChunk(ADOBE_RGB)],
  'a linear profile': [iccChunk(LINEAR)],
  'a grey profile': [iccChunk(GREY)],
  'a broken profile and a gamma': [iccChunk(BROKEN), LINEAR_GAMMA],
  'an sRGB chunk and a gamma': [pngChunk('sRGB', Buffer.of(0)), LINEAR_GAMMA],
  'a gamma of 1': [LINEAR_GAMMA],
  'a gamma of 1/2.2': [numbersChunk('gAMA', [0.45455])],
  'a gamma and primaries': [numbersChunk('gAMA', [0.45455]), numbersChunk('cHRM', P3_CHROMATICITIES)],
  primaries: [numbersChunk('cHRM', P3_CHROMATICITIES)],
  'Display P3 by numbers': [pngChunk('cICP', Buffer.of(12, 13, 0, 1)), iccChunk(ADOBE_RGB)],
  'television by numbers': [pngChunk('cICP', Buffer.of(9, 1, 0, 1))],
  'numbers for a narrow range': [pngChunk('cICP', Buffer.of(12, 13, 0, 0))],
  PQ: [pngChunk('cICP', Buffer.of(9, 16, 0, 1))],
  HLG: [pngChunk('cICP', Buffer.of(9, 18, 0, 1))],
};

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
  'Adobe RGB': iccSegments(ADOBE_RGB),
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
  [9, 16],
  [9, 18],
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
    Object.entries(PNG_COLOURS).map(([colours, chunks]) => ({
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
    ...Object.entries({ 'Display P3': DISPLAY_P3, 'Adobe RGB': ADOBE_RGB }).map(([colours, icc]) => ({
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
