import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { PetChange } from '../../src/domain/pets/pet-change.ts';
import { readableEvents } from '../../src/domain/events/change-event.ts';
import { MAX_INT64 } from '../../src/domain/int64.ts';
import { readProfileText, type Profile, type ProfileChange, type ProfileEdit } from '../../src/domain/pets/profile.ts';
import {
  applyAll,
  applyEach,
  applyFailing,
  applyOne,
  editPet,
  findStates,
  putPet,
  removePet,
  restorePet,
} from '../support/changes.ts';
import { testsOn, type OpenStores } from './open-stores.ts';

const change = (id: bigint, profile: ProfileChange): PetChange => editPet(id, { profile });
const replace = (id: bigint, profile: Profile) => change(id, { replacedBy: profile });
const merge = (id: bigint, edit: ProfileEdit) => change(id, { edit });

const since = (value: string) => ({ ifMatch: [{ weak: false, value }] });
const named = (externalId: string) => ({ externalId });

const WHOLE: Profile = {
  species: 'dog',
  breedPrimary: 'Boxer "X" 🐕',
  colours: ['red', 'white'],
  bondedWith: [{ id: MAX_INT64 }],
  weightKg: 19.99,
  goodWithCats: false,
  own: { size: 'L', chipped: true },
};

export function describeProfiles(openStores: OpenStores): void {
  const test = testsOn(openStores);
  void describe('profiles', () => {
    test('are stored exactly, and versioned with their pets', async ({ pets }) => {
      const [added, stored] = await applyEach(pets, [putPet({ name: 'Rex' }), replace(1n, WHOLE)]);
      assert.deepEqual(added?.profile, { version: 0n, text: null });
      assert.equal(stored?.version, 2n);
      assert.equal(stored.profile.version, 2n);
      assert.deepEqual(readProfileText(stored.profile.text), WHOLE);
      assert.equal(stored.text, added.text);
      const renamed = await applyOne(pets, editPet(1n, { name: 'Max' }));
      assert.deepEqual([renamed.version, renamed.profile], [3n, stored.profile]);
      assert.deepEqual(await findStates(pets, [1n, 2n]), [renamed, undefined]);
      assert.deepEqual([...(await pets.findProfiles([2n, 1n]))], [[1n, stored.profile]]);
      const versions = await pets.listVersions(1n, undefined, 9);
      assert.deepEqual(
        versions.map(({ profile }) => profile),
        [stored.profile.text, stored.profile.text, null],
      );
    });

    test('are merged field by field, and unchanged by a change without effect', async ({ pets }) => {
      await applyEach(pets, [putPet({ name: 'Rex' }), replace(1n, WHOLE)]);
      const edit = { species: null, size: 'M', own: { size: null, age: 7 } } as const;
      const [merged, again, replaced] = await applyEach(pets, [
        merge(1n, edit),
        merge(1n, edit),
        putPet({ name: 'Rex' }, 1n),
      ]);
      const { species: _, ...others } = WHOLE;
      assert.deepEqual(readProfileText(merged?.profile.text ?? null), {
        ...others,
        size: 'M',
        own: { chipped: true, age: 7 },
      });
      assert.equal(again?.version, merged?.version);
      assert.deepEqual(replaced?.profile, merged?.profile);
      const emptied = await applyOne(pets, replace(1n, {}));
      assert.deepEqual(emptied.profile, { version: emptied.version, text: null });
    });

    test('are changed only in the version of the precondition', async ({ pets }) => {
      await applyEach(pets, [putPet(), replace(1n, { size: 'S' }), editPet(1n, { name: 'Max' })]);
      const stale = { ...replace(1n, {}), profilePrecondition: since('1') };
      await applyFailing(pets, stale, 'precondition-failed');
      const current = { ...replace(1n, { size: 'L' }), profilePrecondition: since('2') };
      assert.equal((await applyOne(pets, current)).profile.version, 4n);
    });

    test('are restored with their pets, and end with them', async ({ pets }) => {
      await applyEach(pets, [putPet(), replace(1n, WHOLE), replace(1n, {}), restorePet(1n, 2n)]);
      const [restored] = await findStates(pets, [1n]);
      assert.deepEqual(readProfileText(restored?.profile.text ?? null), WHOLE);
      await applyEach(pets, [removePet(1n), restorePet(1n)]);
      const [back] = await findStates(pets, [1n]);
      assert.deepEqual(readProfileText(back?.profile.text ?? null), WHOLE);
      await applyEach(pets, [removePet(1n), putPet({ name: 'Another' }, 1n)]);
      assert.deepEqual((await findStates(pets, [1n]))[0]?.profile, { version: 0n, text: null });
    });

    test('have an external id that no other pet has, in a batch too', async ({ pets }) => {
      await applyEach(pets, [putPet(), putPet(), replace(1n, named('a'))]);
      const outcomes = await applyAll(pets, [
        replace(2n, named('a')),
        replace(1n, named('b')),
        replace(2n, named('a')),
        replace(1n, named('a')),
        { ...putPet(), profile: { replacedBy: named('b') } },
        { ...putPet(), profile: { replacedBy: named('c') } },
        merge(2n, named('c')),
        removePet(2n),
        replace(1n, named('a')),
      ]);
      assert.deepEqual(
        outcomes.map((outcome) => outcome instanceof Error),
        [true, false, false, true, true, false, true, false, false],
      );
      // The owner before the deletion has its id no longer.
      await applyFailing(pets, restorePet(2n), 'conflict');
      await applyOne(pets, replace(1n, {}));
      assert.match((await applyOne(pets, restorePet(2n))).profile.text ?? '', /"a"/);
      const failure = await applyFailing(pets, merge(1n, named('c')), 'conflict');
      assert.match(failure.message, /^Pet \d+ already has the externalId "c"\.$/);
    });

    test('make drafts, which lists leave out unless they are wanted', async ({ pets }) => {
      await applyEach(pets, [
        putPet({ status: 'sold', tags: [{ name: 'a' }] }),
        putPet({ status: 'sold', tags: [{ name: 'a' }, { name: 'b' }] }),
        merge(1n, { isPublished: false }),
      ]);
      const first = { afterId: 0n, limit: 9 };
      const many = Array.from({ length: 40 }, (_, index) => `${index}`);
      for (const [withDrafts, ids] of [
        [false, [2n]],
        [true, [1n, 2n]],
      ] as const) {
        const lists = await Promise.all([
          pets.listByStatus(['sold'], { ...first, withDrafts }),
          pets.listByTags(['b', 'a'], { ...first, withDrafts }),
          pets.listByTags([...many, 'a'], { ...first, withDrafts }),
        ]);
        for (const list of lists)
          assert.deepEqual(
            list.map(({ id }) => id),
            ids,
          );
      }
      assert.deepEqual(
        (await pets.findMany([1n, 2n])).map(({ isDraft }) => isDraft),
        [true, false],
      );
      await applyOne(pets, merge(1n, { isPublished: true }));
      assert.equal((await pets.find(1n))?.isDraft, false);
    });

    test('decide which events are public', async ({ pets, changeFeed }) => {
      const draft = { replacedBy: { isPublished: false, unit: 'K1' } };
      await applyEach(pets, [
        { ...putPet(), profile: draft },
        editPet(1n, { name: 'Secret' }),
        merge(1n, { isPublished: null, size: 'M', own: { a: 'b' } }),
        merge(1n, { isPublished: false }),
        removePet(1n),
        restorePet(1n),
        removePet(1n),
        restorePet(1n, 1n),
        // A batch of PostgreSQL writes both versions.
        restorePet(1n, 3n),
        restorePet(1n, 2n),
        removePet(1n),
        restorePet(1n, 3n),
      ]);
      const events = await changeFeed.list(0n, 20);
      const seen = readableEvents(events, false).filter((event) => event.kind === 'pet');
      assert.deepEqual(
        seen.map(({ version, action, text }) => [version, action, text !== null]),
        [
          [3n, 'added', true],
          [4n, 'deleted', false],
          [9n, 'added', true],
          [10n, 'deleted', false],
          [12n, 'restored', true],
        ],
      );
      for (const { profile, actorId } of seen) assert.deepEqual([profile, actorId], [null, undefined]);
      assert.deepEqual(readableEvents(events, true), events);
    });
  });
}
