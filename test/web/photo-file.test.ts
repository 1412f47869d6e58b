import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { findFileError, sizeOf } from '../../src/web/photos/photo-file.ts';

const canvas = sharp({ create: { width: 8, height: 8, channels: 3, background: '#1c6b4a' } });

void test('photo file: every supported format is recognized by its content', async () => {
  for (const format of ['jpeg', 'png', 'webp', 'gif', 'avif'] as const) {
    const bytes = await canvas.clone().toFormat(format).toBuffer();
    assert.equal(await findFileError(new Blob([new Uint8Array(bytes)])), undefined, format);
  }
});

void test('photo file: an unsupported or empty one is refused before the upload', async () => {
  assert.equal(await findFileError(new Blob(['GIF is how this letter begins'])), 'unsupported');
  assert.equal(await findFileError(new Blob(['<svg xmlns="http://www.w3.org/2000/svg"/>'])), 'unsupported');
  assert.equal(await findFileError(new Blob([])), 'empty');
});

void test('photo file: HEIC is recognized', async () => {
  const heic = new Blob(['\0\0\0\u0018ftypheic\0\0\0\0mif1heic']);
  assert.equal(await findFileError(heic), 'heic');
  const avif = new Blob(['\0\0\0\u0018ftypmif1\0\0\0\0mif1avif']);
  assert.equal(await findFileError(avif), undefined);
});

void test('photo size limit: shown in the unit that an operator would use', () => {
  assert.deepEqual(sizeOf(10 * 2 ** 20), { amount: 10, unit: 'MiB' });
  assert.deepEqual(sizeOf(10_000_000), { amount: 10, unit: 'MB' });
  assert.deepEqual(sizeOf(2 ** 30), { amount: 1, unit: 'GiB' });
  assert.deepEqual(sizeOf(4096), { amount: 4, unit: 'KiB' });
  assert.deepEqual(sizeOf(2 ** 20 + 1), { amount: (2 ** 20 + 1) / 2 ** 20, unit: 'MiB' });
});
