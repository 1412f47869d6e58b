import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import sharp from 'sharp';
import { SharpImaging } from '../src/services/imaging/imaging.ts';
import { SAMPLE_PHOTOS_FOLDER, type SamplePhotos } from '../src/server/stores/sample-catalogue.ts';

/*
 * Renders the sample photos from their SVG sources, and describes each in photos.json, so that a new database gets them
 * without decoding.
 * Usage: npm run sample-photos [-- --describe], where --describe keeps the photos and only writes photos.json.
 */

const SOURCES = join(import.meta.dirname, 'sample-photos');

/** Limit of one photo: twenty of them load at the same time, and all are in the repository. */
const MAX_BYTES = 60_000;

const BEST_QUALITY = 82;
const LOWEST_QUALITY = 66;

async function render(name: string): Promise<void> {
  const svg = await readFile(join(SOURCES, `${name}.svg`));
  // A slight blur softens the vector edges and makes the file smaller.
  const pixels = await sharp(svg).flatten().blur(0.5).png({ compressionLevel: 1 }).toBuffer();
  for (let quality = BEST_QUALITY; quality >= LOWEST_QUALITY; quality -= 2) {
    const jpeg = await sharp(pixels).jpeg({ quality, mozjpeg: true }).toBuffer();
    if (jpeg.length < MAX_BYTES) return writeFile(join(SAMPLE_PHOTOS_FOLDER, `${name}.jpg`), jpeg);
  }
  throw new Error(`${name} is larger than ${MAX_BYTES} bytes even at quality ${LOWEST_QUALITY}.`);
}

// The service decodes no SVG.
sharp.unblock({ operation: ['VipsForeignLoadSvg', 'VipsForeignLoadPng'] });
const names = (await readdir(SOURCES)).map((file) => parse(file).name).toSorted();
const imaging = new SharpImaging({ maxPixels: 40_000_000, concurrency: 2, maxWaiting: 64 });
const photos: Record<string, SamplePhotos[string]> = {};
for (const name of names) {
  if (!process.argv.includes('--describe')) await render(name);
  const file = await readFile(join(SAMPLE_PHOTOS_FOLDER, `${name}.jpg`));
  const { bytes: _encodedAgain, ...photo } = await imaging.prepare(file);
  const digest = createHash('sha256').update(file).digest('hex');
  photos[name] = { ...photo, digest, byteLength: file.byteLength };
}
await writeFile(join(SAMPLE_PHOTOS_FOLDER, 'photos.json'), `${JSON.stringify(photos, undefined, 2)}\n`);
