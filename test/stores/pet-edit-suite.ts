import assert from 'node:assert/strict';
import { describe } from 'node:test';
import * as fc from 'fast-check';
import { createCheck } from '../../src/api/check.ts';
import { SentPet, SentPetPatch } from '../../src/api/records/sent-pet.ts';
import { readPet, readPetPatch } from '../../src/api/read-pet.ts';
import { PET_STATUSES } from '../../src/domain/pets/pet.ts';
import { ownPhoto } from '../../src/domain/photos/photo.ts';
import {
  applyAll,
  applyEach,
  applyFailing,
  applyOne,
  codesOf,
  editPet,
  findAll,
  photo,
  putPet,
} from '../support/changes.ts';
import { testsOn, type OpenStores } from './open-stores.ts';

type Json = null | number | string | readonly Json[] | { readonly [name: string]: Json };

/** The examples of RFC 7396, section 2. */
function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const merged: Record<string, Json> = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else merged[name] = mergePatch(merged[name], value);
  }
  return merged;
}

function isObject(value: Json | undefined): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const name = fc.constantFrom('Rex', 'Miso "x" \\ é', '🐈');
const id = fc.integer({ min: -3, max: 3 });
const label = fc.record({ id, name }, { requiredKeys: [], noNullPrototype: true });
const labelPatch = fc.record({ id: fc.option(id), name: fc.option(name) }, { requiredKeys: [], noNullPrototype: true });
const lists = {
  photoUrls: fc.array(fc.constantFrom('https://example.org/a', '/b'), { maxLength: 3 }),
  tags: fc.array(label, { maxLength: 3 }),
};
const status = fc.constantFrom(...PET_STATUSES);
const sentPet = fc.record(
  { category: label, name, ...lists, status },
  { requiredKeys: ['name', 'photoUrls', 'tags'], noNullPrototype: true },
);
const sentPatch = fc.record(
  {
    category: fc.option(labelPatch),
    name,
    photoUrls: fc.option(lists.photoUrls),
    tags: fc.option(lists.tags),
    status: fc.option(status),
    beside: fc.option(fc.integer()),
  },
  { requiredKeys: [], noNullPrototype: true },
);
const checkPet = createCheck(SentPet);
const checkPatch = createCheck(SentPetPatch);

/** Edits of some fields of a pet. */
export function describePetEdits(openStores: OpenStores): void {
  const test = testsOn(openStores);
  void describe('edits of pets', () => {
    test('merge patches according to RFC 7396, one by one and in a batch', async ({ pets }) => {
      let petId = 0n;
      const property = fc.asyncProperty(sentPet, fc.array(sentPatch, { maxLength: 6 }), async (sent, patches) => {
        petId++;
        await applyOne(pets, putPet(readPet(checkPet(sent)).pet, petId));
        const edits = patches.map((patch) => editPet(petId, readPetPatch(checkPatch(patch), petId)));
        const [first, ...others] = edits;
        if (first !== undefined) await applyOne(pets, first);
        if (others.length > 0) await applyEach(pets, others);
        let expected = sent as Json;
        for (const { beside: _unknown, ...patch } of patches) {
          // A pet always has both lists.
          const merged = mergePatch(expected, patch) as object;
          expected = { photoUrls: [], tags: [], ...merged };
        }
        const [stored] = await findAll(pets, [petId]);
        assert.deepEqual(JSON.parse(stored?.text ?? ''), { ...(expected as object), id: Number(petId) });
      });
      await fc.assert(property, { numRuns: 60 });
    });

    test('are all applied if they are concurrent and concern different fields', async ({ pets }) => {
      await applyOne(pets, putPet({ category: { id: 1n, name: 'Dogs' } }, 1n));
      const edits = [
        { name: 'Max' },
        { status: 'sold' as const },
        { category: { name: null } },
        { tags: [{ name: 't' }] },
      ];
      await Promise.all(edits.map((edit) => applyOne(pets, editPet(1n, edit))));
      const [pet] = await findAll(pets, [1n]);
      assert.equal(
        pet?.text,
        '{"id":1,"category":{"id":1},"name":"Max","photoUrls":[],"tags":[{"name":"t"}],"status":"sold"}',
      );
      assert.deepEqual((await pets.listByTags(['t'], { afterId: 0n, limit: 9 })).length, 1);
      await applyOne(pets, editPet(1n, { status: null, tags: [] }));
      assert.deepEqual(await pets.listByTags(['t'], { afterId: 0n, limit: 9 }), []);
      assert.deepEqual(await pets.listByStatus(['sold'], { afterId: 0n, limit: 9 }), []);
    });

    test('create no version if they change nothing', async ({ pets }) => {
      const { version } = await applyOne(pets, putPet({ category: { name: 'Dogs' }, status: 'sold' }, 1n));
      const same = [
        {},
        { name: 'Rex' },
        { category: { id: null } },
        { category: {} },
        { tags: [] },
        { status: 'sold' as const },
      ];
      for (const edit of same) assert.equal((await applyOne(pets, editPet(1n, edit))).version, version);
    });

    test('use photos of the service as a put does, except those being deleted', async ({ pets, photos }) => {
      await applyEach(pets, [putPet({}, 1n), putPet({}, 2n), editPet(1n, { photo: photo('a') })]);
      await applyOne(pets, editPet(2n, { photoUrls: [ownPhoto(photo('a').digest)] }));
      await applyOne(pets, editPet(1n, { photoUrls: [] }));
      const doom = {
        kind: 'doom',
        beforeMs: Date.now() + 1000,
        strayDigests: [],
        nowMs: 0,
        claimMs: 1000,
        most: 9,
      } as const;
      assert.deepEqual(await applyOne(photos, doom), [], 'the second pet still has it');
      await applyOne(pets, editPet(2n, { photoUrls: [] }));
      assert.deepEqual(await applyOne(photos, doom), [photo('a').digest]);
      const again = editPet(1n, { photoUrls: [ownPhoto(photo('a').digest)] });
      await applyFailing(pets, again, 'unavailable');
      assert.deepEqual(codesOf(await applyAll(pets, [editPet(9n, { name: 'x' }), again])), [
        'not-found',
        'unavailable',
      ]);
    });
  });
}
