import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createAccess, permissionOf, type Anonymous } from '../../src/domain/access.ts';
import { Failure } from '../../src/domain/failure.ts';
import { PetCatalogue } from '../../src/domain/pets/pet-catalogue.ts';
import { PetPhotos } from '../../src/domain/pets/pet-photos.ts';
import { PhotoFiles } from '../../src/domain/photos/photo-files.ts';
import { ownPhoto } from '../../src/domain/photos/photo.ts';
import type { Imaging, PhotoStore, StagedUpload } from '../../src/domain/photos/ports.ts';
import { openPhotoStore } from '../../src/storage/files/photo-store.ts';
import { photo, putPet, removePet, STAMP } from '../support/changes.ts';
import { temporaryFolder } from '../support/service.ts';
import { openSqliteStores } from '../support/sqlite-stores.ts';
import { overriding } from '../support/overriding.ts';

const bytes = new TextEncoder().encode('bytes of a photo');
const digest = hash('sha256', bytes, 'hex');
const upload: StagedUpload = { source: '', byteLength: bytes.byteLength, discard: () => Promise.resolve() };

/** Photos are not decoded here. */
const imaging: Imaging = {
  accepts: () => Promise.resolve(true),
  prepare: () =>
    Promise.resolve({
      digest,
      bytes,
      mediaType: 'image/png',
      byteLength: bytes.byteLength,
      width: 1,
      height: 1,
      placeholder: null,
    }),
  resize: (original) => Promise.resolve(original),
  placeholder: () => Promise.resolve(''),
};

const anonymous: Anonymous = { kind: 'anonymous', address: '192.0.2.1' };

const nothing = () => {};

const MINUTE_MS = 60_000;
const GRACE_MS = 60 * MINUTE_MS;

const installation = { find: () => Promise.resolve('ours') };

/**
 * The catalogue and the photo files on real stores. `afterPut` is awaited between storing the file of a photo and its
 * row.
 */
async function openPhotoFiles(t: TestContext, afterPut: () => Promise<unknown> = () => Promise.resolve()) {
  const stores = await openSqliteStores(t);
  const access = createAccess({ mode: 'open', signUp: true });
  const files = await openPhotoStore(join(await temporaryFolder(t), 'photos'));
  await files.setInstallationId('ours');
  const time = { aheadMs: 3_600_000 + GRACE_MS };
  const clock = () => Date.now() + time.aheadMs;
  const photoStore = overriding(files, {
    async put(key, content) {
      await files.put(key, content);
      await afterPut();
    },
  });
  return {
    ...stores,
    files,
    catalogue: new PetCatalogue({
      ...stores,
      access,
      may: permissionOf(access),
      profiles: { requireValid: async () => {} },
      clock: Date.now,
    }),
    petPhotos: new PetPhotos({ ...stores, access, imaging, clock: Date.now, photoStore }),
    time,
    photoFiles: new PhotoFiles({
      ...stores,
      may: () => false,
      imaging,
      clock,
      graceMs: GRACE_MS,
      installation,
      photoStore,
    }),
  };
}

void describe('deletion of unused photos', () => {
  void it('deletes unreferenced photos with their files, and no others', async (t) => {
    const { catalogue, petPhotos, photoFiles, pets, files } = await openPhotoFiles(t);
    await pets.apply(putPet({}, 1n));
    await petPhotos.addPhoto(anonymous, 1n, { file: upload });
    assert.equal(await photoFiles.clearUnused(), 0);
    await photoFiles.getPhoto(anonymous, digest, { size: 'small', format: 'webp' });
    await catalogue.deletePet(anonymous, 1n);
    assert.equal(await photoFiles.clearUnused(), 1);
    await assert.rejects(
      photoFiles.getPhoto(anonymous, digest),
      (error) => error instanceof Failure && error.code === 'not-found',
    );
    assert.equal(await files.read(digest), undefined);
    assert.equal(await files.open(digest, 'small'), undefined);
    assert.equal(await photoFiles.clearUnused(), 0);
  });

  void it('deletes files without an entry after the grace time since they were first seen', async (t) => {
    const { photoFiles, files, time } = await openPhotoFiles(t);
    await files.put(digest, bytes);
    // The age of the file does not count: this database may be the wrong one.
    time.aheadMs = 1000 * GRACE_MS;
    assert.equal(await photoFiles.clearUnused(), 0);
    time.aheadMs += GRACE_MS - MINUTE_MS;
    assert.equal(await photoFiles.clearUnused(), 0);
    assert.notEqual(await files.read(digest), undefined);
    time.aheadMs += 2 * MINUTE_MS;
    assert.equal(await photoFiles.clearUnused(), 1);
    assert.equal(await files.read(digest), undefined);
    await files.put(digest, bytes);
    assert.equal(await photoFiles.clearUnused(), 0, 'the grace time of a new file starts over');
  });

  for (const state of ['left behind by an upload', 'unused for a long time']) {
    void it(`never deletes the file of an acknowledged upload, when the same photo was ${state}`, async (t) => {
      let clearing: Promise<unknown> = Promise.resolve();
      let clear: () => void = nothing;
      const { petPhotos, photoFiles, pets, files, time } = await openPhotoFiles(t, () => {
        clear();
        return clearing;
      });
      await pets.apply(putPet({}, 1n));
      if (state === 'left behind by an upload') {
        await files.put(digest, bytes);
        assert.equal(await photoFiles.clearUnused(), 0);
        time.aheadMs += 2 * GRACE_MS;
      } else {
        await petPhotos.addPhoto(anonymous, 1n, { file: upload });
        await pets.apply(putPet({}, 1n));
      }
      // The whole run takes place between storing the file of the new upload and its row.
      clear = () => {
        clearing = photoFiles.clearUnused();
      };
      const outcome = await petPhotos.addPhoto(anonymous, 1n, { file: upload }).catch((error: unknown) => error);
      if (outcome instanceof Failure) {
        assert.equal(outcome.code, 'unavailable');
        return;
      }
      const original = await files.read(digest);
      assert.ok(original !== undefined, 'the upload was acknowledged, and its file is gone');
    });
  }
});

/** Photo files whose store can be made to fail, on a settable clock. */
async function openTroubled(t: TestContext) {
  const stores = await openSqliteStores(t);
  const files = new Set<string>();
  const world = {
    nowMs: Date.now(),
    remove: (): Promise<void> => Promise.resolve(),
    installationId: 'ours' as string | undefined,
  };
  const dooms: number[] = [];
  const photoStore: PhotoStore = {
    put: async (key) => void files.add(key),
    putSize: () => Promise.resolve(),
    open: (key) => Promise.resolve(files.has(key) ? { byteLength: 1, chunks: noBytes } : undefined),
    read: () => Promise.resolve(undefined),
    findDamagedSizes: () => Promise.resolve([]),
    deleteSizes: () => Promise.resolve(),
    async trash(key) {
      await world.remove();
      files.delete(key);
    },
    setAside: () => Promise.resolve(),
    emptyTrash: () => Promise.resolve(),
    findInstallationId: () => Promise.resolve(world.installationId),
    setInstallationId: () => Promise.resolve(),
    async *listStoredBefore() {
      yield* files;
    },
    async *listWithSizes() {},
  };
  const photos = overriding(stores.photos, {
    async apply(change) {
      const digests = await stores.photos.apply(change);
      if (change.kind === 'doom') dooms.push(Math.max(digests.length, change.strayDigests.length));
      return digests;
    },
  });
  const clock = () => world.nowMs;
  return {
    ...stores,
    world,
    files,
    dooms,
    photoFiles: new PhotoFiles({
      may: () => false,
      photos,
      photoStore,
      installation,
      imaging,
      clock,
      graceMs: GRACE_MS,
    }),
    /** Photos unreferenced for the grace time. */
    leaveUnused: async (letters: string): Promise<void> => {
      for (const [index, letter] of letters.split('').entries()) {
        const id = BigInt(index + 1);
        const { digest: key } = photo(letter);
        files.add(key);
        await stores.pets.apply(putPet({ photoUrls: [ownPhoto(key)] }, id, { photo: photo(letter) }));
        await stores.pets.apply(removePet(id));
      }
      world.nowMs = Date.now() + GRACE_MS + 1000;
    },
    /** The result of uploading each. */
    upload: async (letters: string): Promise<readonly string[]> => {
      const outcomes: string[] = [];
      for (const letter of letters.split('')) {
        const change = putPet({ photoUrls: [ownPhoto(photo(letter).digest)] }, 99n, {
          photo: photo(letter),
          stamp: { ...STAMP, atMs: world.nowMs },
        });
        const failure = await stores.pets.apply(change).catch((error: unknown) => error);
        outcomes.push(failure instanceof Failure ? failure.code : 'ok');
      }
      return outcomes;
    },
  };
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}

/** Lets the deletions before this one through, and fails at it. */
function failAt(number: number): () => Promise<void> {
  let removals = 0;
  return () => (++removals === number ? Promise.reject(new Error('The storage is out of reach.')) : Promise.resolve());
}

void describe('interrupted photo deletion', () => {
  void it('after a failure: forgets the deleted files and releases all that are not being deleted', async (t) => {
    const { world, files, photoFiles, leaveUnused, upload } = await openTroubled(t);
    await leaveUnused('abcd');
    world.remove = failAt(3);
    await assert.rejects(photoFiles.clearUnused(), /out of reach/);
    assert.equal(files.size, 2);
    const left = 'abcd'.split('').filter((letter) => files.has(photo(letter).digest));
    const gone = 'abcd'.split('').filter((letter) => !left.includes(letter));
    assert.deepEqual(await upload(gone.join('')), ['ok', 'ok'], 'a deleted photo can be uploaded again');
    // One deletion was requested and may still happen, so an upload of that photo waits until the claim ends. The other
    // one is free immediately.
    assert.deepEqual((await upload(left.join(''))).toSorted(), ['ok', 'unavailable']);
    world.nowMs += 9 * MINUTE_MS;
    assert.ok((await upload(left.join(''))).includes('unavailable'));
    world.nowMs += 2 * MINUTE_MS;
    assert.deepEqual(await upload(left.join('')), ['ok', 'ok']);
  });

  void it('is continued by the next run', async (t) => {
    const { world, files, photoFiles, leaveUnused } = await openTroubled(t);
    await leaveUnused('abcd');
    world.remove = failAt(3);
    await assert.rejects(photoFiles.clearUnused());
    assert.equal(await photoFiles.clearUnused(), 1);
    world.nowMs += 11 * MINUTE_MS;
    assert.equal(await photoFiles.clearUnused(), 1);
    assert.equal(files.size, 0);
  });

  void it('on shutdown: releases everything', async (t) => {
    const { world, files, photoFiles, leaveUnused, upload } = await openTroubled(t);
    await leaveUnused('abcd');
    let removals = 0;
    world.remove = async () => void removals++;
    assert.equal(await photoFiles.clearUnused(() => removals === 2), 2);
    assert.equal(files.size, 2);
    assert.deepEqual(await upload('abcd'), ['ok', 'ok', 'ok', 'ok']);
    assert.equal(await photoFiles.clearUnused(() => true), 0);
  });

  for (const { how, stepMs } of [
    { how: 'when the claim expires', stepMs: 6 * MINUTE_MS },
    { how: 'when the clock is set back', stepMs: -MINUTE_MS },
  ]) {
    void it(`${how}: continues with another claim`, async (t) => {
      const { world, files, dooms, photoFiles, leaveUnused } = await openTroubled(t);
      await leaveUnused('abc');
      world.remove = async () => {
        world.nowMs += stepMs;
      };
      assert.equal(await photoFiles.clearUnused(), 3);
      assert.deepEqual(dooms, [3, 2, 1]);
      assert.equal(files.size, 0);
    });
  }

  void it('after a crash: delays an upload until the claim expires, and no longer', async (t) => {
    const { world, photoFiles, leaveUnused, upload } = await openTroubled(t);
    await leaveUnused('ab');
    const begun = Promise.withResolvers<undefined>();
    world.remove = () => {
      begun.resolve(undefined);
      return new Promise(() => {});
    };
    void photoFiles.clearUnused();
    await begun.promise;
    assert.deepEqual(await upload('ab'), ['unavailable', 'unavailable']);
    world.nowMs += 11 * MINUTE_MS;
    assert.deepEqual(await upload('ab'), ['ok', 'ok']);
  });
});

for (const [title, found] of [
  ['belong to another database', 'theirs'],
  ['have vanished', undefined],
] as const) {
  void describe(`photo deletion, when the stored photos ${title}`, () => {
    void it('deletes nothing until the right ones are back', async (t) => {
      const { world, files, photoFiles, leaveUnused } = await openTroubled(t);
      await leaveUnused('abc');
      world.installationId = found;
      await assert.rejects(
        photoFiles.clearUnused(),
        (error) => error instanceof Failure && error.code === 'unavailable',
      );
      assert.equal(files.size, 3);
      world.installationId = 'ours';
      assert.equal(await photoFiles.clearUnused(), 3);
    });
  });
}

void describe('deletion of many photos', () => {
  void it('takes some hundreds at a time, of unused ones and of files without an entry', async (t) => {
    const { pets, world, files, dooms, photoFiles } = await openTroubled(t);
    const many = Array.from({ length: 1203 }, (_, index) => index.toString(16).padStart(64, '0'));
    for (const key of many) files.add(key);
    for (let start = 0; start < 700; start += 100) {
      const entered = many.slice(start, start + 100).map((key) => ({ ...photo('a'), digest: key }));
      await Promise.all(
        entered.map((stored, index) => pets.apply(putPet({}, BigInt(start + index + 1), { photo: stored }))),
      );
    }
    world.nowMs = Date.now() + GRACE_MS + 1000;
    assert.equal(await photoFiles.clearUnused(), 700);
    world.nowMs += GRACE_MS + 1000;
    assert.equal(await photoFiles.clearUnused(), 503);
    assert.equal(files.size, 0);
    assert.ok(dooms.length >= 3 && Math.max(...dooms) <= 500, dooms.join());
  });
});
