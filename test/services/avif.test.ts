import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../src/domain/failure.ts';
import { convertAvif } from '../../src/services/imaging/avif.ts';
import { avifWithMoreFrames } from '../support/hostile-photos.ts';
import { makePhoto } from '../support/photos.ts';

const isTooLarge = (error: unknown) => error instanceof Failure && error.code === 'too-large';

void test('AVIF with many large frames: its decoder is killed', async () => {
  const avif = await makePhoto({ format: 'avif', width: 800, height: 800 });
  assert.equal((await convertAvif(avifWithMoreFrames(avif, 1), 40_000_000)).format, 'webp');
  await assert.rejects(convertAvif(avifWithMoreFrames(avif, 1000), 40_000_000, 1), isTooLarge);
});
