import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createImaging } from '../src/imaging/imaging.ts';
import { SAMPLE_PICTURES_FOLDER, type SamplePhotos } from '../src/main/sample-catalogue.ts';

/*
 * Writes what is known of each sample picture beside them, as the service would find it out of an upload: a new database is then filled without
 * any work on pictures. They are stored as they are drawn, so digest and size are those of the files.
 */

const imaging = createImaging({ maxPixels: 40_000_000, concurrency: 2, maxWaiting: 64 });
const names = (await readdir(SAMPLE_PICTURES_FOLDER)).filter((name) => name.endsWith('.jpg')).toSorted();
const photos: Record<string, SamplePhotos[string]> = {};
for (const name of names) {
  const file = await readFile(join(SAMPLE_PICTURES_FOLDER, name));
  const { bytes: _encodedAnew, ...photo } = await imaging.prepare(file);
  const digest = createHash('sha256').update(file).digest('hex');
  photos[name.replace('.jpg', '')] = { ...photo, digest, byteLength: file.byteLength };
}
await writeFile(join(SAMPLE_PICTURES_FOLDER, 'photos.json'), `${JSON.stringify(photos, undefined, 2)}\n`);
