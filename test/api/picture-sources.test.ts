import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coverSources, photoSources } from '../../src/api/web/picture-sources.ts';
import { PHOTO_SIZES, pixelsIn, type PhotoSize } from '../../src/domain/photos/photo.ts';

function photoOf(width: number, height: number) {
  const sizeOf = (name: PhotoSize) => ({ url: `/p/${name}`, ...pixelsIn({ width, height }, name) });
  const [small, card, medium, large] = (Object.keys(PHOTO_SIZES) as PhotoSize[]).map(sizeOf);
  assert.ok(small && card && medium && large);
  return { sizes: { small, card, medium, large } };
}

void test('a card offers the sizes that a card can use, with the widths that they have', () => {
  const { src, srcset } = coverSources(photoOf(3000, 2000));
  assert.equal(src, '/p/medium');
  assert.equal(srcset, '/p/small 320w, /p/card 540w, /p/medium 800w');
});

void test('an upright picture says how narrow it is', () => {
  assert.equal(photoSources(photoOf(1000, 2000)).srcset, '/p/small 160w, /p/card 270w, /p/medium 400w, /p/large 800w');
});

void test('a small picture is offered once, in the smallest size that has all of it', () => {
  assert.equal(photoSources(photoOf(300, 200)).srcset, '/p/small 300w');
  assert.equal(photoSources(photoOf(700, 200)).srcset, '/p/small 320w, /p/card 540w, /p/medium 700w');
});

void test('a picture is asked for on the host of the page, whatever the service calls itself', () => {
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
