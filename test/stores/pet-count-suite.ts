import assert from 'node:assert/strict';
import { describe } from 'node:test';
import * as fc from 'fast-check';
import type { DatabaseStores } from '../../src/storage/rows/stores/stores.ts';
import { publicEvent } from '../../src/domain/events/change-event.ts';
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

async function daysFor({ statistics }: DatabaseStores, withDrafts: boolean) {
  const counts = await statistics.listDays('1970-01-01', '1970-01-10');
  return daysBetween(0, 9 * DAY_MS, counts, withDrafts);
}

/** Computed from every event that staff or everyone receives. */
async function daysByEvents({ changeFeed }: DatabaseStores, withDrafts: boolean) {
  const days = daysBetween(0, 9 * DAY_MS, [], true).map((day) => ({ ...day }));
  const before = new Map<bigint, boolean | undefined>();
  for (let version = 0n; ;) {
    const events = await changeFeed.list(version, 1000);
    if (events.length === 0) return days;
    for (const event of events) {
      version = event.version;
      const visible = withDrafts ? event : publicEvent(event);
      const counts = days[Math.floor(event.atMs / DAY_MS)];
      if (visible?.kind !== 'pet' || counts === undefined) continue;
      const { petId, action, text } = visible;
      counts[action === 'added' || action === 'deleted' ? action : 'changed']++;
      const isSold = text === null ? undefined : readPetText(text).status === 'sold';
      const wasSold = before.get(petId);
      if (isSold === true && wasSold !== true && !(action === 'restored' && wasSold === undefined)) counts.adopted++;
      before.set(petId, isSold);
    }
  }
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
      fc
        .tuple(id, fc.boolean())
        .map(([petId, isDraft]) => editPet(petId, { profile: { edit: { isPublished: isDraft ? false : null } } })),
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
        for (const withDrafts of [true, false])
          assert.deepEqual(await daysFor(stores, withDrafts), await daysByEvents(stores, withDrafts));
        assert.deepEqual(await stores.statistics.countPhotos(), await photosByPets(stores, ids));
      });
      await fc.assert(property, { numRuns: 100 });
    });
  });
}
