import assert from 'node:assert/strict';
import { describe } from 'node:test';
import * as fc from 'fast-check';
import type { DatabaseStores } from '../../src/domain/stores/stores.ts';
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
import { testsOn, type OpenStores } from './open-stores.ts';

const DAY_MS = 86_400_000;

const PHOTOS: readonly Photo[] = ['a', 'b', 'c', 'd'].map((letter, index) => ({
  ...photo(letter),
  byteLength: 10 ** index,
}));

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
  const test = testsOn(openStores);
  void describe('counts', () => {
    test('equal a full recount after any changes', async (stores) => {
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
