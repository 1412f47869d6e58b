import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import {
  cp,
  mkdir,
  open,
  readFile,
  readdir,
  readlink,
  symlink,
  utimes,
  writeFile,
  type FileHandle,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { makeFolder } from '../../src/storage/files/durable-file.ts';
import { openPhotoStore } from '../../src/storage/files/photo-store.ts';
import { openUploadStaging } from '../../src/storage/files/upload-staging.ts';
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

void describe('new folder', () => {
  void it('is created with those above it, which are returned', async (t) => {
    const folder = await temporaryFolder(t);
    const [above, below] = [join(folder, 'a'), join(folder, 'a', 'b')];
    const all = await Promise.all([makeFolder(below), makeFolder(below), makeFolder(below)]);
    assert.deepEqual(new Set(all.flat()), new Set([above, below]), 'each folder is created by one of them');
    assert.deepEqual(await makeFolder(below), []);
    await writeFile(join(folder, 'file'), 'mine');
    await assert.rejects(makeFolder(join(folder, 'file')), { code: 'EEXIST' });
    await assert.rejects(makeFolder(join(folder, 'file', 'below')), { code: 'ENOTDIR' });
  });

  void it(
    'where nothing can be created: fails, unlike with the option recursive, which never ends',
    { skip: process.platform !== 'linux' && 'only Linux has /proc' },
    async () => {
      for (const path of ['/proc/xyz', '/proc/xyz/below', '/proc/self/xyz'])
        await assert.rejects(makeFolder(path), { code: 'ENOENT', syscall: 'mkdir' });
    },
  );
});

void describe('photos in a local folder', () => {
  const digest = 'ab'.repeat(32);

  void it('survive reopening, without partial files of a killed server', async (t) => {
    const folder = await temporaryFolder(t);
    const store = await openPhotoStore(folder);
    await store.put(digest, Buffer.from('bytes'));
    await writeFile(join(folder, 'incoming', 'half'), 'by');
    const again = await openPhotoStore(folder);
    assert.equal((await again.read(digest))?.toString(), 'bytes');
    assert.deepEqual(await readdir(join(folder, 'incoming')), []);
  });

  void it('are written whole: no other files remain after a put', async (t) => {
    const folder = await temporaryFolder(t);
    const store = await openPhotoStore(folder);
    await Promise.all([store.put(digest, Buffer.from('bytes')), store.putSize(digest, 'small', Buffer.from('small'))]);
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    const ofSmall = `small-5-${hash('sha256', 'small')}`;
    assert.deepEqual(files.map(({ name }) => name).toSorted(), ['original', ofSmall]);
  });

  void it('sizes of another length or without one are missing, and reported', async (t) => {
    const folder = await temporaryFolder(t);
    const reported: string[] = [];
    const store = await openPhotoStore(folder, true, (...damaged) => void reported.push(...damaged));
    const ofPhoto = join(folder, 'ab', digest);
    await store.putSize(digest, 'small', Buffer.from('small'));
    const name = `small-5-${hash('sha256', 'small')}`;
    for (const damaged of ['', 'sma', 'longer']) {
      await writeFile(join(ofPhoto, name), damaged);
      assert.equal(await store.open(digest, 'small'), undefined, damaged);
      assert.deepEqual(reported.splice(0), [digest, name]);
      assert.deepEqual(await store.findDamagedSizes(digest), [name]);
    }
    // Another version of the encoder may create other bytes.
    await store.putSize(digest, 'small', Buffer.from('other bytes'));
    assert.equal((await store.open(digest, 'small'))?.byteLength, 11);
    // As an earlier version stores it.
    await writeFile(join(ofPhoto, 'card'), 'card');
    assert.equal(await store.open(digest, 'card'), undefined);
    await store.putSize(digest, 'card', Buffer.from('card'));
    assert.ok(!(await readdir(ofPhoto)).includes('card'));
  });

  void it('sizes with other bytes of the same length are found, and deleted', async (t) => {
    const folder = await temporaryFolder(t);
    const store = await openPhotoStore(folder);
    for (const size of ['small', 'card.avif'] as const) await store.putSize(digest, size, Buffer.from('small'));
    const name = `small-5-${hash('sha256', 'small')}`;
    await writeFile(join(folder, 'ab', digest, name), 'smALL');
    assert.deepEqual(await store.findDamagedSizes(digest), [name]);
    await store.deleteSizes(digest, [name, name]);
    assert.equal(await store.open(digest, 'small'), undefined);
    assert.notEqual(await store.open(digest, 'card.avif'), undefined);
    assert.deepEqual(await store.findDamagedSizes('cd'.repeat(32)), []);
  });

  const skip = process.platform !== 'linux' && 'needs the /proc of Linux to find the path of an open file';

  void it('are flushed to the disk with their folders before a put resolves', { skip }, async (t) => {
    const folder = await temporaryFolder(t);
    const flushed = await watchFlushes(t);
    const store = await openPhotoStore(join(folder, 'photos'));
    assert.deepEqual(flushed.splice(0), [folder]);
    const expected = [join('photos', 'ab', digest), join('photos', 'ab'), 'photos'].map((name) => join(folder, name));
    // The second put finds folders that another may have created a moment before.
    for (const size of ['small', 'medium'] as const) {
      await store.putSize(digest, size, Buffer.from('bytes'));
      assert.match(flushed[0] ?? '', /photos\/incoming\//);
      assert.deepEqual(flushed.splice(0).slice(1), expected);
    }
  });

  void it('stay in the trash as originals, by the time of deletion, ready to be restored from a copy', async (t) => {
    const folder = await temporaryFolder(t);
    const store = await openPhotoStore(folder);
    await store.put(digest, Buffer.from('bytes'));
    await store.putSize(digest, 'small', Buffer.from('small'));
    const longAgo = new Date(Date.now() - 400 * DAY_MS);
    await utimes(join(folder, 'ab', digest, 'original'), longAgo, longAgo);
    await store.trash(digest);
    await store.emptyTrash(Date.now() - DAY_MS);
    assert.deepEqual(await readdir(join(folder, 'trash', 'ab', digest)), ['original']);
    await cp(join(folder, 'trash'), folder, { recursive: true });
    assert.equal((await store.read(digest))?.toString(), 'bytes');
    await store.emptyTrash(Date.now() + DAY_MS);
    assert.deepEqual(await readdir(join(folder, 'trash', 'ab')), []);
    assert.equal((await store.read(digest))?.toString(), 'bytes');
  });

  void it('are listed without unrelated files', async (t) => {
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

/** The paths flushed to the disk from now on, in order. */
async function watchFlushes(t: TestContext): Promise<string[]> {
  const flushed: string[] = [];
  const file = await open(import.meta.filename);
  const prototype = Object.getPrototypeOf(file) as FileHandle;
  await file.close();
  const sync = Object.getOwnPropertyDescriptor(prototype, 'sync')?.value as () => Promise<void>;
  t.mock.method(prototype, 'sync', async function (this: FileHandle) {
    flushed.push(await readlink(`/proc/self/fd/${this.fd}`));
    return sync.call(this);
  });
  return flushed;
}

async function* someBytes(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('bytes');
}

void describe('uploads in a local folder', () => {
  void it('left over by ended servers are deleted when it is opened', async (t) => {
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, '7f1f52c2-6d0c-4f3a-9f5e-0f8f6e1d2c3b'), 'old');
    await writeFile(join(folder, '9b0c5b9e-1c1a-4f0e-8a55-1f0f6e1d2c3c'), 'new');
    const old = new Date(Date.now() - 2 * DAY_MS);
    await utimes(join(folder, '7f1f52c2-6d0c-4f3a-9f5e-0f8f6e1d2c3b'), old, old);
    await openUploadStaging(folder);
    assert.deepEqual(await readdir(folder), ['9b0c5b9e-1c1a-4f0e-8a55-1f0f6e1d2c3c']);
  });

  void it('may disappear while the folder is opened', async (t) => {
    const folder = await temporaryFolder(t);
    // A file that is deleted between listing and inspecting the folder.
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
