import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPhotosInMemory, StagingInMemory } from '../../src/storage/memory/photo-store.ts';
import { describePhotoStore, describeUploadStaging } from './photo-store-suite.ts';

describePhotoStore('memory', async () => createPhotosInMemory());

describeUploadStaging('memory', async () => ({
  staging: new StagingInMemory(),
  list: async () => [],
  read: async ({ source }) => (typeof source === 'string' ? Buffer.from(source) : source),
}));

void test('photos in memory: are copies of what was put and read', async () => {
  const [digest, other] = ['ab'.repeat(32), 'cd'.repeat(32)];
  const photos = createPhotosInMemory();
  await photos.put(digest, Buffer.from('bytes'));
  const copy = photos.copy();
  await photos.trash(digest);
  await copy.put(other, Buffer.from('other'));
  await copy.putSize(digest, 'small', Buffer.from('small'));
  assert.equal(await photos.read(digest), undefined);
  assert.equal(await photos.read(other), undefined);
  assert.equal((await copy.read(digest))?.toString(), 'bytes');
  assert.equal(
    await copy
      .copy()
      .open(digest, 'small')
      .then((content) => content?.byteLength),
    5,
  );
});
