import assert from 'node:assert/strict';
import { describe } from 'node:test';
import * as fc from 'fast-check';
import type { DatabaseStores } from '../../src/storage/rows/stores/stores.ts';
import { Failure } from '../../src/domain/failure.ts';
import { MAX_INT64 } from '../../src/domain/int64.ts';
import { petText, recordOf } from '../../src/domain/pets/pet.ts';
import type { PetAction, PetChange } from '../../src/domain/pets/pet-change.ts';
import { ownPhoto } from '../../src/domain/photos/photo.ts';
import type { PetVersion } from '../../src/domain/pets/pet-version.ts';
import type { PetStore } from '../../src/domain/pets/ports.ts';
import { MAX_CHARACTERS_READ } from '../../src/domain/batches.ts';
import {
  STAMP,
  applyAll,
  applyEach,
  applyFailing,
  applyOne,
  codesOf,
  createUsers,
  editPet,
  findAll,
  newAccount,
  photo,
  putPet,
  removePet,
  removeUser,
  replaceUser,
  restorePet,
} from '../support/changes.ts';
import { testsOn, type OpenStores } from './open-stores.ts';

const by = (actorId: bigint | null, atMs: number) => ({ stamp: { ...STAMP, actorId, atMs } });
const only = (version: bigint) => ({ ifMatch: [{ weak: false, value: version.toString() }] });
const urls = (...letters: string[]) => letters.map((letter) => ownPhoto(letter.repeat(64)));
const all = (pets: PetStore, id: bigint) => pets.listVersions(id, undefined, 1000);

async function actionsOf(pets: PetStore, id: bigint): Promise<readonly PetAction[]> {
  return (await all(pets, id)).map(({ action }) => action);
}

async function findText(pets: PetStore, id: bigint): Promise<string | undefined> {
  return (await findAll(pets, [id]))[0]?.text;
}

/** The reference: a plain list of the versions of a pet. */
interface Remembered {
  action: PetAction;
  text: string | null;
}

type Step =
  | { kind: 'put' | 'edit'; id: bigint; name: string }
  | { kind: 'remove' | 'undelete'; id: bigint }
  | { kind: 'restore'; id: bigint; back: number };

const id = fc.constantFrom(1n, 2n, MAX_INT64);
const name = fc.constantFrom('Rex', 'Max', 'Miso "x" é 🐈');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('put' as const, 'edit' as const), id, name }),
  fc.record({ kind: fc.constantFrom('remove' as const, 'undelete' as const), id }),
  fc.record({ kind: fc.constant('restore' as const), id, back: fc.nat(5) }),
);

/** The version that a step adds; undefined if it changes nothing or is refused. */
function nextOf(list: readonly Remembered[], { kind, id: petId, ...rest }: Step): Remembered | undefined {
  const now = list[0]?.text ?? null;
  const text = 'name' in rest ? petText(petId, recordOf({ name: rest.name, photoUrls: [], tags: [] })) : null;
  if (kind === 'put') return text === now ? undefined : { action: now === null ? 'added' : 'replaced', text };
  if (kind === 'edit') return now === null || text === now ? undefined : { action: 'edited', text };
  if (kind === 'remove') return now === null ? undefined : { action: 'deleted', text: null };
  const wanted = kind === 'undelete' ? (now === null ? list[1] : undefined) : list['back' in rest ? rest.back : 0];
  const back = wanted?.text ?? null;
  return back === null || back === now ? undefined : { action: 'restored', text: back };
}

/** The versions of a pet, and how to restore them. */
export function describePetHistory(openStores: OpenStores): void {
  const test = testsOn(openStores);
  void describe('pet history', () => {
    test('equals a plain list of versions, after any changes', async ({ pets }) => {
      const lists = new Map<bigint, Remembered[]>([1n, 2n, MAX_INT64].map((petId) => [petId, []]));

      async function changeOf(one: Step): Promise<PetChange> {
        if (one.kind === 'put') return putPet({ name: one.name }, one.id);
        if (one.kind === 'edit') return editPet(one.id, { name: one.name });
        if (one.kind === 'remove') return removePet(one.id);
        if (one.kind !== 'restore') return restorePet(one.id);
        const versions = await all(pets, one.id);
        return restorePet(one.id, versions[one.back]?.version ?? 987_654_321n);
      }

      const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        for (const one of steps) {
          const list = lists.get(one.id) ?? [];
          const next = nextOf(list, one);
          await applyAll(pets, [await changeOf(one)]);
          if (next !== undefined) list.unshift(next);
          assert.equal((await findText(pets, one.id)) ?? null, list[0]?.text ?? null);
        }
        for (const [petId, list] of lists) {
          const versions = await pets.listVersions(petId, undefined, 10_000);
          assert.deepEqual(
            versions.map(({ action, text }) => ({ action, text })),
            list,
          );
          assert.deepEqual(
            versions.map(({ previous }) => previous),
            versions.map((_version, index) => versions[index + 1]?.version),
          );
        }
      });
      await fc.assert(property, { numRuns: 25 });
    });

    test('is read in pages from any version of the pet on, and from no other number', async ({ pets }) => {
      const changes = Array.from({ length: 350 }, (_, index) => putPet({ name: `Name ${index}` }, 1n));
      await applyEach(pets, [putPet({}, 2n), ...changes, putPet({ name: 'Other' }, 2n), removePet(1n)]);
      const versions = await all(pets, 1n);
      assert.equal(versions.length, 351);
      assert.deepEqual(versions[0]?.text, null);
      for (const [from, limit] of [
        [0, 1],
        [1, 100],
        [100, 101],
        [99, 252],
        [300, 1000],
        [350, 5],
      ] as const)
        assert.deepEqual(
          await pets.listVersions(1n, versions[from]?.version, limit),
          versions.slice(from, from + limit),
        );
      const [other] = await all(pets, 2n);
      for (const version of [other?.version, 0n, -1n, MAX_INT64])
        assert.deepEqual(await pets.listVersions(1n, version, 10), [], String(version));
      assert.deepEqual(await all(pets, 3n), []);
    });

    test('has smaller pages for long texts, and is complete', async ({ pets }) => {
      for (let index = 0; index < 12; index++)
        await applyOne(pets, putPet({ name: `${index}`, photoUrls: ['é'.repeat(150_000)] }, 1n));
      const parts: (readonly PetVersion[])[] = [];
      for (let from: bigint | undefined; parts.length === 0 || from !== undefined;) {
        const part = await pets.listVersions(1n, from, 1000);
        assert.ok(part.length > 0);
        assert.ok(part.reduce((sum, { text }) => sum + (text?.length ?? 0), 0) <= MAX_CHARACTERS_READ + 200_000);
        parts.push(part);
        from = part.at(-1)?.previous;
      }
      assert.ok(parts.length > 1);
      assert.deepEqual(
        parts.flat().map(({ text }) => (JSON.parse(text ?? '') as { name: string }).name),
        Array.from({ length: 12 }, (_, index) => `${11 - index}`),
      );
    });

    test('has the time and the account with its current name', async ({ pets, users }) => {
      await applyOne(users, createUsers(newAccount('ada', { publicId: 7n }), newAccount('bob', { publicId: 7n })));
      await applyEach(pets, [
        putPet({}, 1n, by(1n, 1000)),
        putPet({ name: 'Max' }, 1n, by(2n, 2000)),
        putPet({ name: 'Tom' }, 1n, by(null, 3000)),
      ]);
      await applyOne(users, replaceUser('ada', { username: 'Ada Lovelace' }));
      await applyOne(users, removeUser('bob'));
      assert.deepEqual(
        (await all(pets, 1n)).map(({ atMs, actor }) => [atMs, actor]),
        [
          [3000, undefined],
          [2000, { id: 2n, name: null }],
          [1000, { id: 1n, name: 'Ada Lovelace' }],
        ],
      );
    });

    test('restores a version: everything that search finds the pet by', async ({ pets }) => {
      const tags = [{ name: 'old' }];
      const first = await applyOne(pets, putPet({ status: 'sold', tags }, 1n));
      await applyOne(pets, putPet({ status: 'pending', tags: [{ name: 'new' }] }, 1n));
      const restored = await applyOne(pets, restorePet(1n, first.version));
      assert.equal(restored.text, first.text);
      assert.ok(restored.version > first.version);
      const part = { afterId: 0n, limit: 10 };
      assert.equal((await pets.listByTags(['old'], part)).length, 1);
      assert.deepEqual(await pets.listByTags(['new'], part), []);
      assert.equal((await pets.listByStatus(['sold'], part)).length, 1);
      assert.deepEqual(await actionsOf(pets, 1n), ['restored', 'replaced', 'added']);
      assert.equal(
        (await applyOne(pets, restorePet(1n, first.version))).version,
        restored.version,
        'nothing to restore',
      );
    });

    test('restores a deleted pet under its id, which is never reused', async ({ pets }) => {
      const { id: petId, text, version } = await applyOne(pets, putPet({ tags: [{ name: 't' }] }));
      await applyOne(pets, removePet(petId));
      assert.notEqual((await applyOne(pets, putPet())).id, petId);
      const back = await applyOne(pets, restorePet(petId));
      assert.deepEqual([back.id, back.text], [petId, text]);
      await applyFailing(pets, restorePet(petId), 'conflict');
      await applyOne(pets, removePet(petId));
      await applyOne(pets, restorePet(petId, version));
      assert.equal(await findText(pets, petId), text);
      assert.deepEqual(await actionsOf(pets, petId), ['restored', 'deleted', 'restored', 'deleted', 'added']);
      assert.equal((await pets.listByTags(['t'], { afterId: 0n, limit: 9 })).length, 1);
    });

    test('restores within the batch that changed and deleted', async ({ pets }) => {
      const { version } = await applyOne(pets, putPet({ name: 'First' }, 1n));
      const outcomes = await applyAll(pets, [
        putPet({ name: 'Second' }, 1n),
        restorePet(1n, version),
        removePet(1n),
        restorePet(1n),
        removePet(1n),
        putPet({ name: 'Again' }, 1n),
        restorePet(1n),
        restorePet(1n, version),
        restorePet(1n, version + 1n),
      ]);
      assert.deepEqual(codesOf(outcomes), ['ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'conflict', 'ok', 'ok']);
      assert.match((await findText(pets, 1n)) ?? '', /Second/);
      assert.equal((await all(pets, 1n)).length, 9);
    });

    test('restores no deletion, no version of another pet, and nothing unknown', async ({ pets }) => {
      const one = await applyOne(pets, putPet({}, 1n));
      const two = await applyOne(pets, putPet({}, 2n));
      await applyOne(pets, removePet(1n));
      const [removal] = await all(pets, 1n);
      await applyFailing(pets, restorePet(1n, removal?.version ?? 0n), 'conflict');
      for (const version of [two.version, 0n, -1n, MAX_INT64])
        await applyFailing(pets, restorePet(1n, version), 'not-found');
      await applyFailing(pets, restorePet(3n, one.version), 'not-found');
      await applyFailing(pets, restorePet(3n), 'not-found');
      assert.deepEqual(await actionsOf(pets, 1n), ['deleted', 'added']);
    });

    test('restores only if the precondition holds', async ({ pets }) => {
      const first = await applyOne(pets, putPet({}, 1n));
      const second = await applyOne(pets, putPet({ name: 'Max' }, 1n));
      await applyFailing(pets, restorePet(1n, first.version, only(first.version)), 'precondition-failed');
      await applyOne(pets, restorePet(1n, first.version, only(second.version)));
      await applyOne(pets, removePet(1n));
      await applyFailing(pets, restorePet(1n, first.version, only(first.version)), 'precondition-failed');
      await applyFailing(pets, restorePet(1n, undefined, { ifMatch: '*' }), 'precondition-failed');
    });

    test('restores without deleted photos, and references the remaining ones', async (stores) => {
      const { pets } = stores;
      await applyEach(pets, [putPet({}, 1n), editPet(1n, { photo: photo('a') }), editPet(1n, { photo: photo('b') })]);
      const full = await applyOne(pets, editPet(1n, { photoUrls: ['/x', ...urls('a', 'b')] }));
      await applyOne(pets, editPet(1n, { photoUrls: urls('b') }));
      await clearAway(stores);
      const restored = await applyOne(pets, restorePet(1n, full.version));
      assert.equal(restored.text, petText(1n, recordOf({ name: 'Rex', photoUrls: ['/x', ...urls('b')], tags: [] })));
      await applyOne(pets, removePet(1n));
      const back = await applyOne(pets, restorePet(1n));
      assert.equal(back.text, restored.text);
      await clearAway(stores);
      assert.equal((await findAll(stores.photos, [photo('b').digest])).length, 1);
      assert.notEqual((await findAll(stores.photos, [photo('b').digest]))[0], undefined, 'the pet references it again');
      await applyOne(pets, removePet(1n));
      await clearAway(stores);
      assert.doesNotMatch((await applyOne(pets, restorePet(1n, full.version))).text, /photo\//);
    });
  });
}

/** Claims unreferenced photos, whose files may be deleted from then on. */
async function clearAway({ photos }: DatabaseStores): Promise<void> {
  const times = { beforeMs: Date.now() + 1000, nowMs: Date.now(), claimMs: 1000 };
  const [outcome] = await applyAll(photos, [{ kind: 'doom', strayDigests: [], most: 10, ...times }]);
  assert.ok(!(outcome instanceof Failure));
}
