import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { gatherStores } from '../../src/batching/gathered-stores.ts';
import { createAccess, type Anonymous } from '../../src/domain/access.ts';
import { Failure } from '../../src/domain/failure.ts';
import { createPetCatalogue } from '../../src/domain/pets/pet-catalogue.ts';
import { createPhotoGallery } from '../../src/domain/pets/photo-gallery.ts';
import type { Imaging, PhotoStore, StagedUpload } from '../../src/domain/pets/ports.ts';
import { openPhotoStore } from '../../src/local-files/photo-store.ts';
import { putPet } from '../support/changes.ts';
import { temporaryFolder } from '../support/service.ts';
import { openSqliteStores } from '../support/sqlite-stores.ts';

const bytes = new TextEncoder().encode('as good as a picture');
const digest = hash('sha256', bytes, 'hex');
const upload: StagedUpload = { path: '', byteLength: bytes.byteLength, discard: () => Promise.resolve() };

/** What a picture is made of is nothing to this test. */
const imaging: Imaging = {
  prepare: () =>
    Promise.resolve({ digest, bytes, mediaType: 'image/png', byteLength: bytes.byteLength, width: 1, height: 1 }),
  resize: (original) => Promise.resolve(original),
};

const anybody: Anonymous = { kind: 'anonymous', address: '192.0.2.1' };

const nothing = () => {};

/** So far ahead that whatever is unused has been so for the grace time. */
const inAnHour = () => Date.now() + 3_600_000;

/** The catalogue and the gallery on real stores. What `afterPut` gives is waited for when a picture's file is in its place. */
async function openGallery(t: TestContext, afterPut: () => Promise<unknown> = () => Promise.resolve()) {
  const stores = gatherStores(await openSqliteStores(t));
  const files = await openPhotoStore(join(await temporaryFolder(t), 'photos'));
  const photoStore: PhotoStore = {
    ...files,
    async put(key, content) {
      await files.put(key, content);
      await afterPut();
    },
  };
  return {
    ...stores,
    files,
    catalogue: createPetCatalogue({
      access: createAccess({ mode: 'open', signUp: true }),
      imaging,
      clock: Date.now,
      ...stores,
      photoStore,
    }),
    gallery: createPhotoGallery({ imaging, clock: inAnHour, graceMs: 60_000, ...stores, photoStore }),
  };
}

void describe('clearing unused pictures away', () => {
  void it('removes those that no pet refers to, with their files, and no others', async (t) => {
    const { catalogue, gallery, pets, files } = await openGallery(t);
    await pets.apply(putPet({}, 1n));
    await catalogue.addPhoto(anybody, 1n, upload);
    assert.equal(await gallery.clearUnused(), 0);
    await gallery.getPicture(digest, 'small');
    await catalogue.removePet(anybody, 1n);
    assert.equal(await gallery.clearUnused(), 1);
    await assert.rejects(gallery.getPicture(digest), (error) => error instanceof Failure && error.code === 'not-found');
    assert.equal(await files.read(digest), undefined);
    assert.equal(await files.open(digest, 'small'), undefined);
    assert.equal(await gallery.clearUnused(), 0);
  });

  void it('removes files that an upload left behind', async (t) => {
    const { gallery, files } = await openGallery(t);
    await files.put(digest, bytes);
    assert.equal(await gallery.clearUnused(), 1);
    assert.equal(await files.read(digest), undefined);
  });

  for (const state of ['left behind by an upload', 'unused since long ago']) {
    void it(`leaves no acknowledged upload without its file, when the same picture was ${state}`, async (t) => {
      let clearing: Promise<unknown> = Promise.resolve();
      let clear: () => void = nothing;
      const { catalogue, gallery, pets, files } = await openGallery(t, () => {
        clear();
        return clearing;
      });
      await pets.apply(putPet({}, 1n));
      if (state === 'left behind by an upload') {
        await files.put(digest, bytes);
      } else {
        await catalogue.addPhoto(anybody, 1n, upload);
        await pets.apply(putPet({}, 1n));
      }
      // The clearing goes on from its first step to its last between the file of the new upload and its row.
      clear = () => {
        clearing = gallery.clearUnused();
      };
      const outcome = await catalogue.addPhoto(anybody, 1n, upload).catch((error: unknown) => error);
      if (outcome instanceof Failure) {
        assert.equal(outcome.code, 'unavailable');
        return;
      }
      const original = await files.read(digest);
      assert.ok(original !== undefined, 'the upload was acknowledged, and its file is gone');
    });
  }
});
