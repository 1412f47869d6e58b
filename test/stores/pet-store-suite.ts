import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { MAX_INT64 } from '../../src/domain/int64.ts';
import type { PetStatus, StoredPet } from '../../src/domain/pets/pet.ts';
import { ownPhoto } from '../../src/domain/photos/photo.ts';
import type { PetChange } from '../../src/domain/pets/pet-change.ts';
import type { PetStore } from '../../src/domain/pets/ports.ts';
import type { EntityTag } from '../../src/domain/precondition.ts';
import {
  applyAll,
  applyEach,
  applyFailing,
  applyOne,
  codesOf,
  createUsers,
  editPet,
  findAll,
  findStates,
  newAccount,
  putPet,
  removePet,
} from '../support/changes.ts';
import { testsOn, type OpenStores } from './open-stores.ts';

const BEGINNING = { afterId: 0n, limit: 1000 };

function idsOf(pets: readonly (StoredPet | undefined)[]): readonly (bigint | undefined)[] {
  return pets.map((pet) => pet?.id);
}

async function findText(pets: PetStore, id: bigint): Promise<string | undefined> {
  const [pet] = await findAll(pets, [id]);
  return pet?.text;
}

const tag = (version: bigint, weak = false): EntityTag => ({ weak, value: version.toString() });

async function withPets(pets: PetStore): Promise<void> {
  const statuses: (PetStatus | undefined)[] = ['available', 'pending', 'sold', undefined];
  await applyEach(
    pets,
    Array.from({ length: 40 }, (_, index) => {
      const status = statuses[index % 4];
      const tags = [{ name: `t${index % 3}` }, { name: 'every' }, { name: 'every' }, { id: 1n }];
      return putPet({ tags, ...(status !== undefined && { status }) }, BigInt(40 - index));
    }),
  );
  await applyOne(pets, putPet({ status: 'sold', tags: [{ name: 'every' }] }, MAX_INT64));
}

const byStatus = (remainder: number) =>
  Array.from({ length: 40 }, (_, index) => BigInt(index + 1)).filter((id) => (40n - id) % 4n === BigInt(remainder));

export function describePetStore(openStores: OpenStores): void {
  const test = testsOn(openStores);
  void describe('pets', () => {
    test('are found in the order of the requested ids, duplicates included, with undefined for unknown ids', async ({
      pets,
    }) => {
      await applyEach(pets, [putPet({}, 5n), putPet({}, 3n), putPet({}, MAX_INT64)]);
      const found = await findAll(pets, [MAX_INT64, 4n, 3n, 5n, 3n, 0n, -1n]);
      assert.deepEqual(idsOf(found), [MAX_INT64, undefined, 3n, 5n, 3n, undefined, undefined]);
      assert.deepEqual(await findAll(pets, []), []);
    });

    test('keep any text exactly', async ({ pets }) => {
      const details = {
        category: { id: MAX_INT64, name: 'C"\\' },
        name: `"\\/ 🐕 \u2028 o'Neil; drop table pet; --`,
        photoUrls: ['/v2/photo/x', `/v2/photo/${'a'.repeat(64)}`, 'https://example.org/?a="b"'],
        tags: [{ id: 9007199254740993n, name: 'ß' }, { name: '' }, {}],
        status: 'sold' as const,
      };
      const change = putPet(details, MAX_INT64);
      const stored = await applyOne(pets, change);
      assert.equal(stored.text, `{"id":9223372036854775807${change.record.textAfterId}`);
      assert.deepEqual(await findStates(pets, [MAX_INT64]), [stored]);
    });

    test('apply the changes of a batch in order', async ({ pets }) => {
      const changes: PetChange[] = [
        putPet({ name: 'One' }, 7n),
        editPet(7n, { name: 'Two' }),
        editPet(7n, { status: 'pending' }),
        putPet({ name: 'Three' }, 7n),
        removePet(7n),
        putPet({ name: 'Four' }, 7n),
      ];
      const results = await applyEach(pets, changes);
      assert.deepEqual(
        results.map(({ text }) => text),
        [
          '{"id":7,"name":"One","photoUrls":[],"tags":[]}',
          '{"id":7,"name":"Two","photoUrls":[],"tags":[]}',
          '{"id":7,"name":"Two","photoUrls":[],"tags":[],"status":"pending"}',
          '{"id":7,"name":"Three","photoUrls":[],"tags":[]}',
          '{"id":7,"name":"Three","photoUrls":[],"tags":[]}',
          '{"id":7,"name":"Four","photoUrls":[],"tags":[]}',
        ],
      );
      assert.deepEqual(await findStates(pets, [7n]), [results.at(-1)]);
    });

    test('let a failing change of a batch fail alone', async ({ pets }) => {
      const outcomes = await applyAll(pets, [
        putPet({ name: 'A' }, 1n),
        editPet(99n, { name: 'Nobody' }),
        putPet({ name: 'B' }, 2n, { mustExist: true }),
        putPet({ name: 'C' }, 1n, { precondition: { ifNoneMatch: '*' } }),
        removePet(98n),
        putPet({ name: 'D' }, 3n),
      ]);
      assert.deepEqual(codesOf(outcomes), ['ok', 'not-found', 'not-found', 'precondition-failed', 'not-found', 'ok']);
      assert.deepEqual(idsOf(await findAll(pets, [1n, 2n, 3n, 98n, 99n])), [1n, undefined, 3n, undefined, undefined]);
      assert.match((await findText(pets, 1n)) ?? '', /"name":"A"/);
    });

    test('get a higher version with each change, never reused, even after a deletion', async ({ pets }) => {
      const versions: bigint[] = [];
      for (let round = 0; round < 3; round++) {
        versions.push((await applyOne(pets, putPet({ name: `Put ${round}` }, 1n))).version);
        versions.push((await applyOne(pets, editPet(1n, { name: `Edited ${round}` }))).version);
        await applyOne(pets, removePet(1n));
      }
      assert.deepEqual(
        versions,
        [...new Set(versions)].toSorted((a, b) => (a < b ? -1 : 1)),
      );
    });

    test('return their last state when deleted', async ({ pets }) => {
      const stored = await applyOne(pets, putPet({ name: 'Going' }, 4n));
      assert.deepEqual(await applyOne(pets, removePet(4n)), stored);
      assert.deepEqual(await findAll(pets, [4n]), [undefined]);
      await applyFailing(pets, removePet(4n), 'not-found');
    });

    test('isUnused: true until the first pet ever', async ({ pets }) => {
      assert.equal(await pets.isUnused(), true);
      await applyFailing(pets, editPet(1n, { name: 'Nobody' }), 'not-found');
      assert.equal(await pets.isUnused(), true);
      const { id } = await applyOne(pets, putPet());
      assert.equal(await pets.isUnused(), false);
      await applyOne(pets, removePet(id));
      assert.equal(await pets.isUnused(), false);
    });
  });

  void describe('preconditions of pets', () => {
    test('apply to the current version, also within a batch', async ({ pets }) => {
      const { version } = await applyOne(pets, putPet({ name: 'First' }, 1n));
      const onlyIfUnchanged = { ifMatch: [tag(version)] };
      const outcomes = await applyAll(pets, [
        editPet(1n, { name: 'Second' }, onlyIfUnchanged),
        editPet(1n, { name: 'Lost update' }, onlyIfUnchanged),
        removePet(1n, onlyIfUnchanged),
        putPet({ name: 'Lost update' }, 1n, { precondition: onlyIfUnchanged }),
      ]);
      const late = 'precondition-failed';
      assert.deepEqual(codesOf(outcomes), ['ok', late, late, late]);
      assert.match((await findText(pets, 1n)) ?? '', /"name":"Second"/);
    });

    test('may require an id that was never used, not even by a deleted pet', async ({ pets, photos }) => {
      const digest = 'd'.repeat(64);
      const storedPhoto = {
        digest,
        mediaType: 'image/png',
        byteLength: 1,
        width: 1,
        height: 1,
        placeholder: null,
      } as const;
      const asNew = { mustBeNew: true, photo: storedPhoto } as const;
      const first = await applyOne(pets, putPet({ name: 'First', photoUrls: [ownPhoto(digest)] }, 1n, asNew));
      assert.match(first.text, /d{64}/);
      assert.deepEqual(await findAll(photos, [digest]), [storedPhoto]);
      await applyFailing(pets, putPet({ name: 'Again' }, 1n, asNew), 'precondition-failed');
      await applyOne(pets, removePet(1n));
      const outcomes = await applyAll(pets, [
        putPet({ name: 'Back' }, 1n, asNew),
        putPet({}, 2n, asNew),
        putPet({}, 2n, asNew),
        removePet(2n),
        putPet({}, 2n, asNew),
        putPet({}, 2n),
      ]);
      const failed = 'precondition-failed';
      assert.deepEqual(codesOf(outcomes), [failed, 'ok', failed, 'ok', failed, 'ok']);
      assert.deepEqual(await findAll(pets, [1n]), [undefined]);
    });

    test('matter only for existing pets: others are not found', async ({ pets }) => {
      await applyFailing(pets, removePet(1n, { ifMatch: [tag(1n)] }), 'not-found');
      await applyFailing(pets, editPet(1n, {}, { ifMatch: '*' }), 'not-found');
    });
  });

  void describe('lists of pets', () => {
    const cases: [statuses: PetStatus[], expected: bigint[]][] = [
      [[], []],
      [['available'], byStatus(0)],
      [['sold'], [...byStatus(2), MAX_INT64]],
      [
        ['sold', 'available'],
        [...[...byStatus(0), ...byStatus(2)].toSorted((a, b) => Number(a - b)), MAX_INT64],
      ],
      [['pending', 'pending'], byStatus(1)],
    ];

    test('have the pets with any of the statuses, each once, by ascending id', async ({ pets }) => {
      await withPets(pets);
      for (const [statuses, expected] of cases) {
        assert.deepEqual(idsOf(await pets.listByStatus(statuses, BEGINNING)), expected, statuses.join());
      }
      const all = await pets.listByStatus(['available', 'pending', 'sold'], BEGINNING);
      assert.equal(all.length, 31);
    });

    test('have the pets with any of the tag names, each once, by ascending id', async ({ pets }) => {
      await withPets(pets);
      const upTo40 = Array.from({ length: 40 }, (_, index) => BigInt(index + 1));
      assert.deepEqual(idsOf(await pets.listByTags(['every'], BEGINNING)), [...upTo40, MAX_INT64]);
      assert.deepEqual(idsOf(await pets.listByTags(['t0', 't1', 't2', 'every'], BEGINNING)), [...upTo40, MAX_INT64]);
      assert.deepEqual(
        idsOf(await pets.listByTags(['t1', 'nobody'], BEGINNING)),
        upTo40.filter((id) => (40n - id) % 3n === 1n),
      );
      assert.deepEqual(await pets.listByTags(['Every', 'EVERY', 'ever', '%', ''], BEGINNING), []);
      assert.deepEqual(await pets.listByTags([], BEGINNING), []);
    });

    test('consist of batches that add up to the whole', async ({ pets }) => {
      await withPets(pets);
      const lists = [
        (afterId: bigint, limit: number) => pets.listByStatus(['sold', 'available'], { afterId, limit }),
        (afterId: bigint, limit: number) => pets.listByTags(['t0', 'every', 't2'], { afterId, limit }),
      ];
      for (const list of lists) {
        const whole = await list(0n, 1000);
        for (const limit of [1, 7, whole.length]) {
          const collected: StoredPet[] = [];
          for (let part = await list(0n, limit); part.length > 0; part = await list(part.at(-1)?.id ?? 0n, limit)) {
            assert.ok(part.length <= limit);
            collected.push(...part);
          }
          assert.deepEqual(collected, whole);
        }
      }
    });

    test('have the pets with any of many tag names, in batches that add up to the whole', async ({ pets }) => {
      const names = Array.from({ length: 40 }, (_, index) => `tag ${index}`);
      await applyEach(
        pets,
        Array.from({ length: 90 }, (_, index) =>
          putPet({ tags: [{ name: `tag ${index % 40}` }, { name: `tag ${(index * 7) % 30}` }, { name: 'other' }] }),
        ),
      );
      await applyOne(pets, putPet({ tags: [{ name: 'other' }] }));
      for (let count = 1; count <= 40; count++) {
        const some = names.slice(0, count);
        const found = await pets.listByTags(some, BEGINNING);
        const expected = Array.from({ length: 90 }, (_, index) => index).filter(
          (index) => index % 40 < count || (index * 7) % 30 < count,
        );
        assert.deepEqual(
          idsOf(found),
          expected.map((index) => BigInt(index + 1)),
        );
      }
      for (const limit of [1, 7, 90, 1000]) {
        const found: bigint[] = [];
        for (let afterId = 0n, isMore = true; isMore;) {
          const part = await pets.listByTags([...names, 'tag 3', 'nobody has this'], { afterId, limit });
          found.push(...part.map(({ id }) => id));
          afterId = found.at(-1) ?? 0n;
          isMore = part.length === limit;
        }
        assert.deepEqual(
          found,
          Array.from({ length: 90 }, (_, index) => BigInt(index + 1)),
        );
      }
    });

    test('follow every change', async ({ pets }) => {
      await applyEach(pets, [
        putPet({ status: 'sold', tags: [{ name: 'a' }, { name: 'b' }] }, 1n),
        putPet({ status: 'sold', tags: [{ name: 'a' }] }, 2n),
        putPet({ status: 'sold', tags: [{ name: 'a' }] }, 3n),
      ]);
      await applyEach(pets, [putPet({ tags: [{ name: 'b' }] }, 1n), removePet(2n), editPet(3n, { status: 'pending' })]);
      assert.deepEqual(await pets.listByStatus(['sold'], BEGINNING), []);
      assert.deepEqual(idsOf(await pets.listByStatus(['pending'], BEGINNING)), [3n]);
      assert.deepEqual(idsOf(await pets.listByTags(['a'], BEGINNING)), [3n]);
      assert.deepEqual(idsOf(await pets.listByTags(['b'], BEGINNING)), [1n]);
    });
  });
}

const assign = async (pets: PetStore) => (await applyOne(pets, putPet())).id;

export function describePetIds(openStores: OpenStores): void {
  const test = testsOn(openStores);
  void describe('ids of pets', () => {
    test('stay small after a client chose the largest one, and every kind of write still works', async ({ pets }) => {
      await applyOne(pets, putPet({ name: 'Max', status: 'sold', tags: [{ name: 'a' }] }, MAX_INT64));
      assert.equal(await assign(pets), 1n);
      const results = await applyEach(pets, [
        editPet(MAX_INT64, { name: 'Maxine', status: 'pending' }),
        editPet(1n, {
          photo: {
            digest: 'c'.repeat(64),
            mediaType: 'image/png',
            byteLength: 1,
            width: 1,
            height: 1,
            placeholder: null,
          },
        }),
        putPet({ name: 'Again', tags: [{ name: 'b' }] }, MAX_INT64),
        putPet({}, MAX_INT64 - 1n),
        putPet(),
        removePet(MAX_INT64),
        putPet({}, MAX_INT64),
        putPet(),
      ]);
      assert.deepEqual(idsOf(results), [MAX_INT64, 1n, MAX_INT64, MAX_INT64 - 1n, 2n, MAX_INT64, MAX_INT64, 3n]);
    });

    test('skip thousands of consecutive chosen ids, and fill gaps', async ({ pets }) => {
      const chosen = Array.from({ length: 3000 }, (_, index) => BigInt(index + 1)).filter((id) => id !== 1234n);
      await applyEach(
        pets,
        chosen.map((id) => putPet({}, id)),
      );
      assert.deepEqual([await assign(pets), await assign(pets)], [1234n, 3001n]);
    });

    test('are never reused when many batches arrive concurrently', async ({ pets, users }) => {
      await applyEach(pets, [putPet({}, 8n), putPet({}, 21n), putPet({}, 22n), removePet(8n), removePet(22n)]);
      const [batches] = await Promise.all([
        Promise.all(Array.from({ length: 12 }, () => applyEach(pets, [putPet(), putPet()]))),
        applyOne(users, createUsers(newAccount('ada'))),
        applyEach(pets, [putPet(), putPet(), putPet()]),
      ]);
      const rest = await applyEach(pets, [putPet()]);
      const ids = [...batches.flat(), ...rest].map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length);
      for (const used of [8n, 21n, 22n]) assert.ok(!ids.includes(used), `${used} was assigned again`);
      assert.deepEqual(idsOf(rest), [31n]);
    });

    test('are not consumed by changes that fail', async ({ pets }) => {
      await applyFailing(pets, putPet({}, undefined, { precondition: { ifMatch: '*' } }), 'precondition-failed');
      assert.equal(await assign(pets), 1n);
    });
  });
}
