import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../../src/domain/failure.ts';
import { SIZE_NAMES } from '../../src/domain/photos/photo.ts';
import type { PhotoContent, PhotoStore, StagedUpload, UploadStaging } from '../../src/domain/photos/ports.ts';

export type OpenPhotoStore = (t: Pick<TestContext, 'after'>) => Promise<PhotoStore>;
export type OpenStaging = (t: Pick<TestContext, 'after'>) => Promise<{
  staging: UploadStaging;
  /** The photos in the store. */
  list: () => Promise<readonly string[]>;
  read: (upload: StagedUpload) => Promise<Uint8Array>;
}>;

const bytesOf = (text: string) => new TextEncoder().encode(text);
const digestOf = (bytes: Uint8Array) => hash('sha256', bytes, 'hex');

async function textOf(content: PhotoContent | undefined): Promise<string | undefined> {
  if (content === undefined) return undefined;
  const chunks = await Array.fromAsync(content.chunks());
  const bytes = Buffer.concat(chunks);
  assert.equal(bytes.byteLength, content.byteLength);
  return bytes.toString();
}

/**
 * The contract of PhotoStore in src/domain/pets/ports.ts, for every implementation.
 *
 * @param clockStepMs resolution of the clock of the storage: the maximum delay of a reported time
 */
export function describePhotoStore(
  place: string,
  openPhotoStore: OpenPhotoStore,
  { clockStepMs = 20 }: { clockStepMs?: number } = {},
): void {
  const bytes = bytesOf('a picture');
  const digest = digestOf(bytes);
  const other = bytesOf('another picture');
  const otherDigest = digestOf(other);

  void describe(`photos in ${place}`, () => {
    void it('are read as they were put, the original and each size separately', async (t) => {
      const store = await openPhotoStore(t);
      await store.put(digest, bytes);
      await store.putSize(digest, 'small', bytesOf('small one'));
      await store.putSize(digest, 'large', bytesOf('large one'));
      assert.deepEqual(new Uint8Array((await store.read(digest)) ?? []), bytes);
      assert.equal(await textOf(await store.open(digest)), 'a picture');
      assert.equal(await textOf(await store.open(digest, 'small')), 'small one');
      assert.equal(await textOf(await store.open(digest, 'large')), 'large one');
      assert.equal(await store.open(digest, 'medium'), undefined);
    });

    void it('have each size in each format once, and lose all when deleted', async (t) => {
      const store = await openPhotoStore(t);
      await store.put(digest, bytes);
      for (const name of SIZE_NAMES) await store.putSize(digest, name, bytesOf(`this is ${name}`));
      for (const name of SIZE_NAMES) assert.equal(await textOf(await store.open(digest, name)), `this is ${name}`);
      assert.equal(SIZE_NAMES.length, 12);
      assert.deepEqual(await store.findDamagedSizes(digest), []);
      await store.putSize(digest, 'small', bytesOf('again'));
      assert.deepEqual(await store.findDamagedSizes(digest), []);
      await store.deleteSizes(digest, ['unknown']);
      for (const name of SIZE_NAMES) assert.notEqual(await store.open(digest, name), undefined, name);
      await store.trash(digest);
      for (const name of SIZE_NAMES) assert.equal(await store.open(digest, name), undefined, name);
    });

    void it('are undefined if unknown', async (t) => {
      const store = await openPhotoStore(t);
      await store.put(digest, bytes);
      assert.equal(await store.open(otherDigest), undefined);
      assert.equal(await store.open(otherDigest, 'small'), undefined);
      assert.equal(await store.read(otherDigest), undefined);
    });

    void it('are stored once, even by concurrent puts', async (t) => {
      const store = await openPhotoStore(t);
      await Promise.all(Array.from({ length: 20 }, () => store.put(digest, bytes)));
      await store.put(digest, bytes);
      assert.equal(await textOf(await store.open(digest)), 'a picture');
      assert.deepEqual(await Array.fromAsync(store.listStoredBefore(Date.now() + 60_000)), [digest]);
      const { byteLength } = bytes;
      assert.deepEqual(await Array.fromAsync(store.listWithSizes()), [{ digest, byteLength }]);
    });

    void it('of several megabytes are read back byte for byte', async (t) => {
      const store = await openPhotoStore(t);
      const large = Buffer.alloc(5_000_000, 'abcdefg');
      await store.put(digestOf(large), large);
      const content = await store.open(digestOf(large));
      assert.equal(content?.byteLength, large.byteLength);
      assert.equal(digestOf(Buffer.concat(await Array.fromAsync(content?.chunks() ?? []))), digestOf(large));
    });

    void it('are deleted with their sizes; others stay, and deleting nothing succeeds', async (t) => {
      const store = await openPhotoStore(t);
      await store.put(digest, bytes);
      await store.putSize(digest, 'small', bytes);
      await store.put(otherDigest, other);
      await store.trash(digest);
      await store.trash(digest);
      await store.trash('0'.repeat(64));
      assert.equal(await store.read(digest), undefined);
      assert.equal(await store.open(digest, 'small'), undefined);
      assert.equal(await textOf(await store.open(otherDigest)), 'another picture');
      await store.put(digest, bytes);
      assert.equal(await store.open(digest, 'small'), undefined);
    });

    void it('in the trash are neither served nor listed; after another put they are', async (t) => {
      const store = await openPhotoStore(t);
      await store.put(digest, bytes);
      await store.putSize(digest, 'small', bytes);
      await store.trash(digest);
      assert.equal(await store.open(digest), undefined);
      assert.equal(await store.open(digest, 'small'), undefined);
      assert.deepEqual(await Array.fromAsync(store.listStoredBefore(Date.now() + 60_000)), []);
      await store.put(digest, bytes);
      // The trash already contains one.
      await store.trash(digest);
      await store.put(digest, bytes);
      await store.emptyTrash(Date.now() + 60_000);
      assert.equal(await textOf(await store.open(digest)), 'a picture');
    });

    void it('know their installation', async (t) => {
      const store = await openPhotoStore(t);
      assert.equal(await store.findInstallationId(), undefined);
      for (const id of ['one', 'another']) {
        await store.setInstallationId(id);
        assert.equal(await store.findInstallationId(), id);
      }
      assert.deepEqual(await Array.fromAsync(store.listStoredBefore(Date.now() + 60_000)), []);
    });

    void it('are listed by the time of the last put of the original', async (t) => {
      const store = await openPhotoStore(t);
      await store.put(digest, bytes);
      await store.put(otherDigest, other);
      await delay(clockStepMs);
      const between = Date.now();
      await delay(20);
      await store.put(digest, bytes);
      await store.putSize(otherDigest, 'small', bytes);
      assert.deepEqual(await Array.fromAsync(store.listStoredBefore(between)), [otherDigest]);
      assert.deepEqual(await Array.fromAsync(store.listStoredBefore(0)), []);
      const all = await Array.fromAsync(store.listStoredBefore(Date.now() + 60_000));
      assert.deepEqual(all.toSorted(), [digest, otherDigest].toSorted());
    });

    void it('may be deleted while they are listed', async (t) => {
      const store = await openPhotoStore(t);
      const photos = Array.from({ length: 20 }, (_, index) => bytesOf(`picture ${index}`));
      for (const photo of photos) await store.put(digestOf(photo), photo);
      const seen: string[] = [];
      for await (const found of store.listStoredBefore(Date.now() + 60_000)) {
        seen.push(found);
        await store.trash(found);
      }
      assert.deepEqual(seen.toSorted(), photos.map(digestOf).toSorted());
    });
  });
}

async function* chunksOf(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield bytesOf(text);
}

async function* broken(): AsyncGenerator<Uint8Array> {
  yield bytesOf('abc');
  throw new Error('gone');
}

/** The contract of UploadStaging, for every implementation. */
export function describeUploadStaging(place: string, openStaging: OpenStaging): void {
  void describe(`uploads in ${place}`, () => {
    void it('have all bytes until they are discarded', async (t) => {
      const { staging, list, read } = await openStaging(t);
      const upload = await staging.stage(chunksOf('ab', '', 'cde'), 100);
      assert.equal(upload.byteLength, 5);
      assert.deepEqual(new Uint8Array(await read(upload)), bytesOf('abcde'));
      await upload.discard();
      await upload.discard();
      assert.deepEqual(await list(), []);
    });

    void it('may be empty, or exactly as large as allowed', async (t) => {
      const { staging } = await openStaging(t);
      assert.equal((await staging.stage(chunksOf(), 5)).byteLength, 0);
      assert.equal((await staging.stage(chunksOf('abc', 'de'), 5)).byteLength, 5);
    });

    void it('are refused at the first byte too many, and leave nothing behind', async (t) => {
      const { staging, list } = await openStaging(t);
      let asked = 0;
      async function* endless(): AsyncGenerator<Uint8Array> {
        for (;;) {
          asked += 1;
          yield bytesOf('abc');
        }
      }
      await assert.rejects(
        staging.stage(endless(), 5),
        (error) => error instanceof Failure && error.code === 'too-large',
      );
      assert.equal(asked, 2);
      assert.deepEqual(await list(), []);
    });

    void it('leave nothing behind when the client disconnects', async (t) => {
      const { staging, list } = await openStaging(t);
      await assert.rejects(staging.stage(broken(), 100), /gone/);
      assert.deepEqual(await list(), []);
    });

    void it('do not mix', async (t) => {
      const { staging, read } = await openStaging(t);
      const uploads = await Promise.all(
        Array.from({ length: 20 }, (_, index) => staging.stage(chunksOf(`${index}`, '-', `${index}`), 100)),
      );
      for (const [index, upload] of uploads.entries()) {
        assert.equal(new TextDecoder().decode(await read(upload)), `${index}-${index}`);
      }
    });
  });
}
