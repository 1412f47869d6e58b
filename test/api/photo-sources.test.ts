import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coverSources, photoSources } from '../../src/api/web/photo-sources.ts';
import { PHOTO_SIZES, pixelsIn, type PhotoSize } from '../../src/domain/photos/photo.ts';

function photoOf(width: number, height: number) {
  const sizeOf = (name: PhotoSize) => ({ url: `/p/${name}`, ...pixelsIn({ width, height }, name) });
  const [small, card, medium, large] = (Object.keys(PHOTO_SIZES) as PhotoSize[]).map(sizeOf);
  assert.ok(small && card && medium && large);
  return { sizes: { small, card, medium, large } };
}

void test('photo sources: a card offers the sizes that it can use, with their widths', () => {
  const { src, srcset } = coverSources(photoOf(3000, 2000));
  assert.equal(src, '/p/medium');
  assert.equal(srcset, '/p/small 320w, /p/card 540w, /p/medium 800w');
});

void test('photo sources: a portrait photo has its true width', () => {
  assert.equal(photoSources(photoOf(1000, 2000)).srcset, '/p/small 160w, /p/card 270w, /p/medium 400w, /p/large 800w');
});

void test('photo sources: a small photo is offered once, in the smallest size that holds all of it', () => {
  assert.equal(photoSources(photoOf(300, 200)).srcset, '/p/small 300w');
  assert.equal(photoSources(photoOf(700, 200)).srcset, '/p/small 320w, /p/card 540w, /p/medium 700w');
});

void test('photo sources: are on the host of the page, whatever origin the service has', () => {
  const photo = photoOf(3000, 2000);
  const named = Object.fromEntries(
    Object.entries(photo.sizes).map(([name, size]) => [
      name,
      { ...size, url: `http://inside.example:8080${size.url}` },
    ]),
  ) as typeof photo.sizes;
  for (const { src, srcset } of [coverSources({ sizes: named }), photoSources({ sizes: named })])
    assert.doesNotMatch(src + srcset, /inside\.example/);
});
