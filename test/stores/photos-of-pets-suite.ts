import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { DatabaseStores } from '../../src/storage/rows/stores/stores.ts';
import type { FailureCode } from '../../src/domain/failure.ts';
import { readPetText, type StoredPet } from '../../src/domain/pets/pet.ts';
import type { PetEdit } from '../../src/domain/pets/pet-change.ts';
import { PetPhotos } from '../../src/domain/pets/pet-photos.ts';
import { ownPhoto } from '../../src/domain/photos/photo.ts';
import {
  applyAll,
  applyEach,
  applyFailing,
  applyOne,
  editPet,
  findAll,
  findStates,
  findAlts,
  photo,
  putPet,
  removePet,
} from '../support/changes.ts';
import { testsOn, type OpenStores } from './open-stores.ts';

const [A, B, C] = [photo('a'), photo('b'), photo('c')];
const FOREIGN = 'https://example.org/rex.jpg';

/** Pet 1 with two photos of the service and an external one between them. */
async function addPhotos({ pets }: DatabaseStores): Promise<void> {
  await applyEach(pets, [
    putPet({ photoUrls: [ownPhoto(A.digest), FOREIGN] }, 1n),
    editPet(1n, { photo: A }),
    editPet(1n, { photo: B }),
  ]);
}

function photosOf(pet: StoredPet | undefined): readonly string[] {
  return readPetText(pet?.text ?? '').photoUrls;
}

async function altOf({ photos }: DatabaseStores, digest: string, petId = 1n): Promise<string | null> {
  const [alt] = await findAlts(photos, [{ petId, digest }]);
  return alt ?? null;
}

const say = (digest: string, text: string | null): PetEdit => ({ alt: { digest, text } });

const nothing = () => assert.fail('unexpected read of a photo');

/** The covers of pets. Reading or resizing a photo fails the test. */
function coversOn(stores: DatabaseStores) {
  const petPhotos = new PetPhotos({
    access: nothing,
    photoStore: {
      put: nothing,
      putSize: nothing,
      open: nothing,
      read: nothing,
      findDamagedSizes: nothing,
      deleteSizes: nothing,
      trash: nothing,
      setAside: nothing,
      emptyTrash: nothing,
      findInstallationId: nothing,
      setInstallationId: nothing,
      listStoredBefore: nothing,
      listWithSizes: nothing,
    },
    imaging: { accepts: nothing, prepare: nothing, resize: nothing, placeholder: nothing },
    clock: Date.now,
    ...stores,
  });
  return (pets: readonly StoredPet[]) => petPhotos.covers(pets);
}

export function describePhotosOfPets(openStores: OpenStores): void {
  const test = testsOn(openStores);
  const testPrepared = testsOn(openStores, addPhotos);
  void describe('photos of pets', () => {
    testPrepared('are rearranged by digest and by URL', async ({ pets }) => {
      const names = [B.digest, FOREIGN, `http://localhost:1/v2/photo/${A.digest}`];
      const arranged = await applyOne(pets, editPet(1n, { photos: { kind: 'arrange', names } }));
      assert.deepEqual(photosOf(arranged), [ownPhoto(B.digest), FOREIGN, ownPhoto(A.digest)]);
      const same = await applyOne(pets, editPet(1n, { photos: { kind: 'arrange', names } }));
      assert.deepEqual(same, arranged, 'the same order creates no version');
    });

    testPrepared('are released when they are omitted or taken off', async ({ pets, photos }) => {
      const fewer = await applyOne(pets, editPet(1n, { photos: { kind: 'arrange', names: [A.digest, B.digest] } }));
      assert.deepEqual(photosOf(fewer), [ownPhoto(A.digest), ownPhoto(B.digest)]);
      const one = await applyOne(pets, editPet(1n, { photos: { kind: 'remove', digest: A.digest } }));
      assert.deepEqual(photosOf(one), [ownPhoto(B.digest)]);
      const doom = {
        kind: 'doom',
        beforeMs: Date.now() + 60_000,
        strayDigests: [],
        nowMs: 1,
        claimMs: 1,
        most: 9,
      } as const;
      assert.deepEqual(await applyOne(photos, doom), [A.digest]);
    });

    testPrepared('can be moved to the front', async ({ pets }) => {
      const first = await applyOne(pets, editPet(1n, { photos: { kind: 'put-first', digest: B.digest } }));
      assert.deepEqual(photosOf(first), [ownPhoto(B.digest), ownPhoto(A.digest), FOREIGN]);
    });

    testPrepared('must belong to the pet, or nothing changes', async (stores) => {
      const { pets } = stores;
      const [before] = await findAll(pets, [1n]);
      const { digest } = C;
      const refused: [edit: PetEdit, code: FailureCode][] = [
        [{ photos: { kind: 'arrange', names: [A.digest, digest] } }, 'invalid-input'],
        [{ photos: { kind: 'arrange', names: [A.digest, A.digest] } }, 'invalid-input'],
        [{ photos: { kind: 'arrange', names: [FOREIGN, FOREIGN] } }, 'invalid-input'],
        [{ photos: { kind: 'arrange', names: [`${FOREIGN}?`] } }, 'invalid-input'],
        [{ photos: { kind: 'remove', digest } }, 'not-found'],
        [{ photos: { kind: 'put-first', digest } }, 'not-found'],
        [{ photos: { kind: 'keep', digest } }, 'not-found'],
        [say(digest, 'Unknown'), 'not-found'],
        [{ photos: { kind: 'remove', digest: A.digest }, ...say(A.digest, 'Gone') }, 'not-found'],
      ];
      for (const [edit, code] of refused) await applyFailing(pets, editPet(1n, edit), code);
      assert.deepEqual(await findAll(pets, [1n]), [before]);
      assert.equal(await altOf(stores, A.digest), null);
    });

    testPrepared(
      'get an alternative text: a new version with the same pet, or none if it is unchanged',
      async (stores) => {
        const { pets } = stores;
        const [before] = await findAll(pets, [1n]);
        const said = await applyOne(pets, editPet(1n, say(A.digest, 'Rex 🐕 asleep')));
        assert.equal(said.text, before?.text);
        assert.ok(said.version > (before?.version ?? 0n));
        assert.deepEqual(await findStates(pets, [1n]), [said]);
        assert.equal(await altOf(stores, A.digest), 'Rex 🐕 asleep');
        assert.equal(await altOf(stores, B.digest), null);
        assert.deepEqual(await applyOne(pets, editPet(1n, say(A.digest, 'Rex 🐕 asleep'))), said);
        const silent = await applyOne(pets, editPet(1n, say(A.digest, null)));
        assert.ok(silent.version > said.version);
        assert.equal(await altOf(stores, A.digest), null);
        assert.deepEqual(await applyOne(pets, editPet(1n, say(A.digest, null))), silent);
      },
    );

    testPrepared('get their text with the upload, and separately for each pet', async (stores) => {
      const { pets, photos } = stores;
      await applyEach(pets, [
        putPet({}, 2n),
        editPet(2n, { photo: A, ...say(A.digest, 'of two') }),
        editPet(1n, { photo: C, ...say(C.digest, 'of one') }),
      ]);
      const asked = [
        { petId: 2n, digest: A.digest },
        { petId: 1n, digest: A.digest },
        { petId: 1n, digest: C.digest },
        { petId: 2n, digest: C.digest },
      ];
      assert.deepEqual(await findAlts(photos, asked), ['of two', null, 'of one', null]);
      assert.deepEqual(await findAlts(photos, []), []);
    });

    testPrepared(
      'keep their text while the pet has them, and lose it with them, also within a batch',
      async (stores) => {
        const { pets } = stores;
        const both = [ownPhoto(B.digest), ownPhoto(A.digest)];
        const removal = editPet(1n, { photos: { kind: 'remove', digest: A.digest } });
        await applyEach(pets, [editPet(1n, say(A.digest, 'one')), putPet({ photoUrls: both }, 1n)]);
        assert.equal(await altOf(stores, A.digest), 'one');
        await applyEach(pets, [removal, editPet(1n, { photo: A })]);
        assert.equal(await altOf(stores, A.digest), null);
        await applyAll(pets, [editPet(1n, say(A.digest, 'two')), removal, editPet(1n, { photo: A })]);
        assert.equal(await altOf(stores, A.digest), null);
        await applyAll(pets, [removal, editPet(1n, { photo: A }), editPet(1n, say(A.digest, 'three'))]);
        assert.equal(await altOf(stores, A.digest), 'three');
        await applyAll(pets, [removePet(1n), putPet({ photoUrls: both }, 1n)]);
        assert.equal(await altOf(stores, A.digest), null);
        const [changed, back] = await applyAll(pets, [
          editPet(1n, say(A.digest, 'four')),
          editPet(1n, say(A.digest, null)),
        ]);
        assert.ok(
          changed !== undefined && !(changed instanceof Error) && back !== undefined && !(back instanceof Error),
        );
        assert.ok(back.version > changed.version);
        assert.equal(await altOf(stores, A.digest), null);
      },
    );

    testPrepared('change only if the client knows the current version', async (stores) => {
      const old = { ifMatch: [{ weak: false, value: '1' }] };
      await applyFailing(stores.pets, editPet(1n, say(A.digest, 'late'), old), 'precondition-failed');
      assert.equal(await altOf(stores, A.digest), null);
    });
  });

  void describe('covers of pets', () => {
    testPrepared('are the first photos if they belong to the service, in the order of the pets', async (stores) => {
      const covers = coversOn(stores);
      const known = { ...C, placeholder: 'BAgKDA==' };
      await applyEach(stores.pets, [
        putPet({ photoUrls: [FOREIGN] }, 2n),
        putPet({}, 3n),
        editPet(2n, { photo: A }),
        editPet(3n, { photo: known, ...say(C.digest, 'Three 🐈') }),
        putPet({ photoUrls: [ownPhoto(B.digest), ownPhoto(A.digest)] }, 4n),
        putPet({ photoUrls: [ownPhoto('d'.repeat(64))] }, 5n),
      ]);
      const pets = (await findAll(stores.pets, [4n, 3n, 2n, 1n, 5n])).filter((pet) => pet !== undefined);
      assert.deepEqual(await covers(pets), [
        { petId: 4n, photo: B, alt: null },
        { petId: 3n, photo: known, alt: 'Three 🐈' },
        { petId: 1n, photo: A, alt: null },
      ]);
      assert.deepEqual(await covers([]), []);
    });

    test('are found for 600 pets', async (stores) => {
      const covers = coversOn(stores);
      const ids = Array.from({ length: 600 }, (_, index) => BigInt(index + 1));
      await applyEach(
        stores.pets,
        ids.flatMap((id) => [
          putPet({}, id),
          editPet(id, {
            photo: { ...A, digest: id.toString(16).padStart(64, '0') },
            alt: { digest: id.toString(16).padStart(64, '0'), text: `of ${id}` },
          }),
        ]),
      );
      const pets = (await findAll(stores.pets, ids)).filter((pet) => pet !== undefined);
      const found = await covers(pets);
      assert.deepEqual(
        found.map(({ petId, alt }) => [petId, alt]),
        ids.map((id) => [id, `of ${id}`]),
      );
    });
  });

  void describe('photo placeholder', () => {
    testPrepared('is stored with the photo, or later, once', async ({ pets, photos }) => {
      const known = { ...C, placeholder: 'BAgKDA==' };
      await applyOne(pets, editPet(1n, { photo: known }));
      const later = (placeholder: string) => ({ kind: 'set-placeholder', digest: A.digest, placeholder }) as const;
      await applyOne(photos, later('first'));
      await applyOne(photos, later('second'));
      await applyOne(photos, { ...later('of nothing'), digest: 'd'.repeat(64) });
      assert.deepEqual(await findAll(photos, [A.digest, B.digest, C.digest]), [
        { ...A, placeholder: 'first' },
        B,
        known,
      ]);
    });
  });
}
