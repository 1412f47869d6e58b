import assert from 'node:assert/strict';
import { mkdir, readFile, readdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openPhotoStore } from '../../src/local-files/photo-store.ts';
import { openUploadStaging } from '../../src/local-files/upload-staging.ts';
import { temporaryFolder } from '../support/service.ts';
import { describePhotoStore, describeUploadStaging } from './photo-store-suite.ts';

const DAY_MS = 24 * 3_600_000;

describePhotoStore('a local folder', async (t) => openPhotoStore(await temporaryFolder(t)));

describeUploadStaging('a local folder', async (t) => {
  const folder = await temporaryFolder(t);
  return {
    staging: await openUploadStaging(folder),
    list: () => readdir(folder),
    read: ({ source }) => (typeof source === 'string' ? readFile(source) : Promise.resolve(source)),
  };
});

void describe('a local folder of pictures', () => {
  const digest = 'ab'.repeat(32);

  void it('has them after it was opened again, without what a killed server left half written', async (t) => {
    const folder = await temporaryFolder(t);
    const store = await openPhotoStore(folder);
    await store.put(digest, Buffer.from('bytes'));
    await writeFile(join(folder, 'incoming', 'half'), 'by');
    const again = await openPhotoStore(folder);
    assert.equal((await again.read(digest))?.toString(), 'bytes');
    assert.deepEqual(await readdir(join(folder, 'incoming')), []);
  });

  void it('holds nothing but whole pictures after they were put', async (t) => {
    const folder = await temporaryFolder(t);
    const store = await openPhotoStore(folder);
    await Promise.all([store.put(digest, Buffer.from('bytes')), store.putSize(digest, 'small', Buffer.from('small'))]);
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    assert.deepEqual(files.map(({ name }) => name).toSorted(), ['original', 'small']);
  });

  void it('passes over what else lies there', async (t) => {
    const folder = await temporaryFolder(t);
    const store = await openPhotoStore(folder);
    await store.put(digest, Buffer.from('bytes'));
    await mkdir(join(folder, 'cd', 'no-digest'), { recursive: true });
    await mkdir(join(folder, 'cd', 'cd'.repeat(32)));
    await writeFile(join(folder, '.DS_Store'), '');
    await writeFile(join(folder, 'ab', '.DS_Store'), '');
    assert.deepEqual(await Array.fromAsync(store.listStoredBefore(Date.now() + 60_000)), [digest]);
  });
});

async function* someBytes(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('bytes');
}

void describe('a local folder of uploads', () => {
  void it('is cleared, when it is opened, of those that no server can still be working on', async (t) => {
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, '7f1f52c2-6d0c-4f3a-9f5e-0f8f6e1d2c3b'), 'old');
    await writeFile(join(folder, '9b0c5b9e-1c1a-4f0e-8a55-1f0f6e1d2c3c'), 'new');
    const old = new Date(Date.now() - 2 * DAY_MS);
    await utimes(join(folder, '7f1f52c2-6d0c-4f3a-9f5e-0f8f6e1d2c3b'), old, old);
    await openUploadStaging(folder);
    assert.deepEqual(await readdir(folder), ['9b0c5b9e-1c1a-4f0e-8a55-1f0f6e1d2c3c']);
  });

  void it('is opened while another process is through with one', async (t) => {
    const folder = await temporaryFolder(t);
    // Found in the folder, and not there when it is looked at: as a file is that goes away in between.
    await symlink('nowhere', join(folder, '7f1f52c2-6d0c-4f3a-9f5e-0f8f6e1d2c3b'));
    const busy = await openUploadStaging(folder);
    for (let round = 0; round < 20; round++) {
      const uploads = Promise.all(Array.from({ length: 4 }, () => busy.stage(someBytes(), 10)));
      await openUploadStaging(folder);
      for (const staged of await uploads) void staged.discard();
      await openUploadStaging(folder);
    }
  });
});
