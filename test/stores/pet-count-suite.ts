import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import type { DatabaseStores } from '../../src/domain/stores.ts';
import { daysBetween } from '../../src/domain/search/counts.ts';
import { PET_STATUSES, readPetText } from '../../src/domain/pets/pet.ts';
import type { PetChange } from '../../src/domain/pets/pet-change.ts';
import { digestOfOwnPhoto, ownPhoto, type Photo } from '../../src/domain/photos/photo.ts';
import {
  STAMP,
  applyAll,
  applyEach,
  editPet,
  findAll,
  photo,
  putPet,
  removePet,
  restorePet,
} from '../support/changes.ts';
import type { OpenStores } from './store-suite.ts';

const DAY_MS = 86_400_000;

const PHOTOS: readonly Photo[] = ['a', 'b', 'c', 'd'].map((letter, index) => ({
  ...photo(letter),
  byteLength: 10 ** index,
}));
const [A, B, C, D] = PHOTOS as [Photo, Photo, Photo, Photo];

const at = (change: PetChange, day: number): PetChange => ({
  ...change,
  stamp: { ...STAMP, atMs: day * DAY_MS + 5000 },
});

async function adoptions({ statistics }: DatabaseStores): Promise<readonly number[]> {
  const counts = await statistics.listDays('1970-01-01', '1970-01-10');
  return daysBetween(0, 9 * DAY_MS, counts).map(({ adopted }) => adopted);
}

/** Computed from every version of every pet. */
async function adoptionsByHistory({ pets }: DatabaseStores, ids: readonly bigint[]): Promise<readonly number[]> {
  const times = Array.from({ length: 10 }, () => 0);
  for (const id of ids) {
    let [wasSold, wasGone] = [false, true];
    for (const { text, atMs, action } of (await pets.listVersions(id, undefined, 1000)).toReversed()) {
      const isSold = text !== null && readPetText(text).status === 'sold';
      const day = Math.floor(atMs / DAY_MS);
      const isRestoreOfDeleted = action === 'restored' && wasGone;
      if (isSold && !wasSold && !isRestoreOfDeleted) times[day] = (times[day] ?? 0) + 1;
      [wasSold, wasGone] = [isSold, text === null];
    }
  }
  return times;
}

/** Computed from every pet and every photo in the index. */
async function photosByPets(stores: DatabaseStores, ids: readonly bigint[]) {
  const pets = (await findAll(stores.pets, ids)).filter((pet) => pet !== undefined);
  const urls = pets.flatMap(({ text }) => readPetText(text).photoUrls);
  const digests = new Set(urls.map(digestOfOwnPhoto).filter((digest) => digest !== undefined));
  const known = (await findAll(stores.photos, [...digests])).filter((one) => one !== undefined);
  return { count: known.length, bytes: known.reduce((sum, { byteLength }) => sum + byteLength, 0) };
}

const id = fc.bigInt({ min: 1n, max: 4n });
const status = fc.option(fc.constantFrom(...PET_STATUSES), { nil: undefined });
const own = fc.constantFrom(...PHOTOS);
const change: fc.Arbitrary<PetChange> = fc
  .tuple(
    fc.oneof(
      fc
        .tuple(id, status, fc.uniqueArray(own, { maxLength: 2 }))
        .map(([petId, status, photos]) =>
          putPet(
            { name: 'Rex', photoUrls: photos.map(({ digest }) => ownPhoto(digest)), ...(status && { status }) },
            petId,
          ),
        ),
      fc.tuple(id, fc.constantFrom(...PET_STATUSES)).map(([petId, status]) => editPet(petId, { status })),
      fc.tuple(id, own).map(([petId, photo]) => editPet(petId, { photo })),
      fc.tuple(id, own).map(([petId, { digest }]) => editPet(petId, { photos: { kind: 'remove', digest } })),
      id.map((petId) => removePet(petId)),
      id.map((petId) => restorePet(petId)),
    ),
    fc.integer({ min: 0, max: 9 }),
  )
  .map(([made, day]) => at(made, day));

export function describePetCounts(openStores: OpenStores): void {
  void describe('counts', () => {
    void it('sales: each change to the status sold, by day, without restores of deleted pets', async (t) => {
      const stores = await openStores(t);
      await applyEach(stores.pets, [
        at(putPet({ status: 'sold' }, 1n), 0),
        at(putPet({ status: 'available' }, 2n), 0),
        at(putPet({}, 3n), 1),
        at(putPet({ status: 'sold', name: 'of the same id' }, 1n), 1),
        at(editPet(2n, { status: 'sold' }), 1),
        at(editPet(3n, { status: 'sold' }), 1),
        at(editPet(3n, { name: 'Sold, and renamed' }), 1),
        at(editPet(3n, { status: 'pending' }), 2),
      ]);
      await applyEach(stores.pets, [
        at(editPet(3n, { status: 'sold' }), 3),
        at(removePet(2n), 4),
        at(restorePet(2n), 5),
        at(putPet({ name: ',"status":"sold"}', tags: [{ name: ',"status":"sold"}' }] }, 4n), 6),
      ]);
      assert.deepEqual(await adoptions(stores), [1, 2, 0, 1, 0, 0, 0, 0, 0, 0]);
    });

    void it('photos: each photo of some pet once, with the bytes of its original', async (t) => {
      const stores = await openStores(t);
      assert.deepEqual(await stores.statistics.countPhotos(), { count: 0, bytes: 0 });
      await applyEach(stores.pets, [
        putPet({}, 1n),
        putPet({ photoUrls: [ownPhoto(D.digest), 'https://example.org/rex.jpg'] }, 2n),
        editPet(1n, { photo: A }),
        editPet(1n, { photo: B }),
        editPet(2n, { photo: B }),
      ]);
      assert.deepEqual(await stores.statistics.countPhotos(), { count: 2, bytes: 11 });
      // Uploaded after a pet named it.
      await applyEach(stores.pets, [editPet(1n, { photo: D })]);
      assert.deepEqual(await stores.statistics.countPhotos(), { count: 3, bytes: 1011 });
      await applyEach(stores.pets, [editPet(1n, { photos: { kind: 'arrange', names: [D.digest] } })]);
      assert.deepEqual(await stores.statistics.countPhotos(), { count: 2, bytes: 1010 });
      await applyEach(stores.pets, [removePet(2n)]);
      assert.deepEqual(await stores.statistics.countPhotos(), { count: 1, bytes: 1000 });
      await applyEach(stores.pets, [restorePet(2n), editPet(2n, { photo: C }), removePet(1n), removePet(2n)]);
      assert.deepEqual(await stores.statistics.countPhotos(), { count: 0, bytes: 0 });
    });

    void it('photos: without those being deleted, with those uploaded again meanwhile', async (t) => {
      const stores = await openStores(t);
      const beforeMs = Date.now() + 60_000;
      const doom = { kind: 'doom', beforeMs, strayDigests: [C.digest], nowMs: 1, claimMs: 1, most: 9 } as const;
      await applyEach(stores.pets, [putPet({}, 1n), editPet(1n, { photo: A }), editPet(1n, { photo: B })]);
      await applyEach(stores.pets, [editPet(1n, { photos: { kind: 'remove', digest: A.digest } })]);
      assert.deepEqual(await applyEach(stores.photos, [doom]), [[C.digest, A.digest]]);
      assert.deepEqual(await stores.statistics.countPhotos(), { count: 1, bytes: 10 });
      await applyEach(stores.pets, [
        at(editPet(1n, { photo: A }), 1),
        at(editPet(1n, { photo: { ...C, byteLength: 7 } }), 1),
      ]);
      assert.deepEqual(await stores.statistics.countPhotos(), { count: 3, bytes: 18 });
    });

    void it('equal a full recount after any changes', async (t) => {
      const stores = await openStores(t);
      const ids = [1n, 2n, 3n, 4n];
      const property = fc.asyncProperty(fc.array(change, { maxLength: 8 }), fc.boolean(), async (changes, clears) => {
        await applyAll(stores.pets, changes);
        if (clears) {
          const beforeMs = Date.now() + 60_000;
          await applyEach(stores.photos, [
            { kind: 'doom', beforeMs, strayDigests: [], nowMs: 1, claimMs: 1, most: 9 },
            { kind: 'release', digests: PHOTOS.map(({ digest }) => digest), claimedUntilMs: 2 },
          ]);
        }
        assert.deepEqual(await adoptions(stores), await adoptionsByHistory(stores, ids));
        assert.deepEqual(await stores.statistics.countPhotos(), await photosByPets(stores, ids));
      });
      await fc.assert(property, { numRuns: 100 });
    });
  });
}
