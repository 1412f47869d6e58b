import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { SharpImaging } from '../../src/services/imaging/imaging.ts';
import { readSamplePhotos, SAMPLE_PHOTOS_FOLDER } from '../../src/server/stores/sample-catalogue.ts';

void test('sample photos: photos.json has what an upload would determine', async () => {
  const imaging = new SharpImaging({ maxPixels: 40_000_000, concurrency: 2, maxWaiting: 64 });
  const photos = await readSamplePhotos();
  const files = (await readdir(SAMPLE_PHOTOS_FOLDER)).filter((name) => name.endsWith('.jpg'));
  assert.deepEqual(
    files.toSorted(),
    Object.keys(photos)
      .map((name) => `${name}.jpg`)
      .toSorted(),
  );
  for (const [name, { digest, byteLength, ...known }] of Object.entries(photos)) {
    const file = await readFile(join(SAMPLE_PHOTOS_FOLDER, `${name}.jpg`));
    assert.equal(digest, createHash('sha256').update(file).digest('hex'), name);
    assert.equal(byteLength, file.byteLength, name);
    const { bytes: _bytes, digest: _digest, byteLength: _byteLength, ...prepared } = await imaging.prepare(file);
    // If photos have new fields: npm run sample-photos -- --describe
    assert.deepEqual(known, prepared, name);
  }
});
