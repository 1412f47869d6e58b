import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { findFileTrouble, sizeOf } from '../../src/web/pictures/picture-file.ts';

const canvas = sharp({ create: { width: 8, height: 8, channels: 3, background: '#1c6b4a' } });

void test('every format that the service takes is known by its content', async () => {
  for (const format of ['jpeg', 'png', 'webp', 'gif', 'avif'] as const) {
    const bytes = await canvas.clone().toFormat(format).toBuffer();
    assert.equal(await findFileTrouble(new Blob([new Uint8Array(bytes)]), 1_000_000), undefined, format);
  }
});

void test('what the service would refuse is told before it is sent', async () => {
  const jpeg = new Blob([new Uint8Array(await canvas.clone().jpeg().toBuffer())]);
  assert.equal(await findFileTrouble(jpeg, jpeg.size), undefined);
  assert.equal(await findFileTrouble(jpeg, jpeg.size - 1), 'too-large');
  assert.equal(await findFileTrouble(new Blob(['GIF is how this letter begins']), 100), 'no-picture');
  assert.equal(await findFileTrouble(new Blob(['<svg xmlns="http://www.w3.org/2000/svg"/>']), 100), 'no-picture');
  assert.equal(await findFileTrouble(new Blob([]), 100), 'empty');
});

void test('a picture of a telephone that keeps HEIC is told what to do', async () => {
  const heic = new Blob(['\0\0\0\u0018ftypheic\0\0\0\0mif1heic']);
  assert.equal(await findFileTrouble(heic, 100), 'heic');
  const avif = new Blob(['\0\0\0\u0018ftypmif1\0\0\0\0mif1avif']);
  assert.equal(await findFileTrouble(avif, 100), undefined);
});

void test('the limit of bytes: in the unit in which an operator would write it', () => {
  assert.deepEqual(sizeOf(10 * 2 ** 20), { amount: 10, unit: 'MiB' });
  assert.deepEqual(sizeOf(10_000_000), { amount: 10, unit: 'MB' });
  assert.deepEqual(sizeOf(2 ** 30), { amount: 1, unit: 'GiB' });
  assert.deepEqual(sizeOf(4096), { amount: 4, unit: 'KiB' });
  assert.deepEqual(sizeOf(2 ** 20 + 1), { amount: (2 ** 20 + 1) / 2 ** 20, unit: 'MiB' });
});
