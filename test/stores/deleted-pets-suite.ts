import assert from 'node:assert/strict';
import { describe } from 'node:test';
import * as fc from 'fast-check';
import { MAX_INT64 } from '../../src/domain/int64.ts';
import { readPetText } from '../../src/domain/pets/pet.ts';
import type { PetChange } from '../../src/domain/pets/pet-change.ts';
import type { PetStore } from '../../src/domain/pets/ports.ts';
import {
  STAMP,
  applyAll,
  applyEach,
  applyOne,
  createUsers,
  editPet,
  findAll,
  newAccount,
  putPet,
  removePet,
  removeUser,
  restorePet,
} from '../support/changes.ts';
import { testsOn, type OpenStores } from './open-stores.ts';

const by = (actorId: bigint | null, atMs: number) => ({ stamp: { ...STAMP, actorId, atMs } });

async function textsOf(pets: PetStore): Promise<readonly string[]> {
  return (await pets.listDeleted(undefined, 1000)).map(({ text }) => text);
}

const id = fc.constantFrom(1n, 2n, 3n, 4n, MAX_INT64);
const change: fc.Arbitrary<PetChange> = fc.oneof(
  id.map((petId) => putPet({ name: 'Rex' }, petId)),
  id.map((petId) => editPet(petId, { name: 'Max' })),
  id.map((petId) => removePet(petId)),
  id.map((petId) => restorePet(petId)),
);

export function describeDeletedPets(openStores: OpenStores): void {
  const test = testsOn(openStores);
  void describe('deleted pets', () => {
    test('have their last state without long fields, the actor and the time of the deletion', async ({
      pets,
      users,
    }) => {
      const [[ada = assert.fail()] = [], [bob = assert.fail()] = []] = await applyEach(users, [
        createUsers(newAccount('ada')),
        createUsers(newAccount('bob')),
      ]);
      const misleading = 'a,"photoUrls":[b,"status":"sold"}';
      await applyEach(pets, [
        putPet({ name: 'Old name', status: 'sold' }, 1n),
        putPet({ category: { id: MAX_INT64, name: misleading }, name: `é 🐈 ${misleading}`, status: 'available' }, 2n),
        putPet({ photoUrls: [misleading], tags: [{ name: misleading }, { name: '"}' }] }, 3n),
        putPet({ name: 'There' }, 5n),
      ]);
      await applyEach(pets, [
        editPet(1n, { name: 'New name' }),
        { ...removePet(1n), ...by(ada, 1000) },
        { ...removePet(2n), ...by(null, 2000) },
        { ...removePet(3n), ...by(bob, 3000) },
      ]);
      await applyOne(users, removeUser('bob'));
      const removed = await pets.listDeleted(undefined, 10);
      const name = JSON.stringify(misleading);
      assert.deepEqual(
        removed.map(({ version: _version, ...pet }) => pet),
        [
          { atMs: 3000, actor: { id: bob, name: null }, text: '{"id":3,"name":"Rex"}' },
          {
            atMs: 2000,
            actor: undefined,
            text: `{"id":2,"category":{"id":${MAX_INT64},"name":${name}},"name":"é 🐈 ${name.slice(1)},"status":"available"}`,
          },
          {
            atMs: 1000,
            actor: { id: ada, name: 'ada' },
            text: '{"id":1,"name":"New name","status":"sold"}',
          },
        ],
      );
      for (const [index, { version }] of removed.entries()) {
        assert.equal((await pets.listVersions(BigInt(3 - index), version, 1))[0]?.action, 'deleted');
        assert.deepEqual(await pets.listDeleted(version, 10), removed.slice(index + 1));
        assert.deepEqual(await pets.listDeleted(version + 1n, 1), [removed[index]]);
      }
    });

    test('are listed last deleted first, after any changes', async ({ pets }) => {
      const property = fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
        await applyAll(pets, changes);
        const newest: { version: bigint; exists: boolean; id: bigint }[] = [];
        for (const petId of [1n, 2n, 3n, 4n, MAX_INT64]) {
          const [last] = await pets.listVersions(petId, undefined, 1);
          if (last !== undefined) newest.push({ version: last.version, exists: last.text !== null, id: petId });
        }
        const gone = newest.filter(({ exists }) => !exists).toSorted((a, b) => (a.version < b.version ? 1 : -1));
        const removed = await pets.listDeleted(undefined, 10);
        assert.deepEqual(
          removed.map(({ version, text }) => [version, /^\{"id":(\d+),/.exec(text)?.[1]]),
          gone.map(({ version, id }) => [version, id.toString()]),
        );
      });
      await fc.assert(property, { numRuns: 60 });
    });

    test('are read synchronously from short texts, even if the pet was long', async ({ pets }) => {
      const photoUrls = Array.from({ length: 98 }, (_, index) => index + '\u0001'.repeat(850));
      const ids = Array.from({ length: 20 }, (_, index) => BigInt(index + 1));
      await applyEach(
        pets,
        ids.map((petId) => putPet({ name: `Long ${petId}`, photoUrls, status: 'pending' }, petId)),
      );
      await applyEach(
        pets,
        ids.map((petId) => removePet(petId)),
      );
      const texts = await textsOf(pets);
      assert.deepEqual(
        texts,
        ids.toReversed().map((petId) => `{"id":${petId},"name":"Long ${petId}","status":"pending"}`),
      );
      await applyEach(
        pets,
        ids.map((petId) => restorePet(petId)),
      );
      assert.deepEqual(await textsOf(pets), []);
      assert.equal(readPetText((await findAll(pets, [7n]))[0]?.text ?? '').photoUrls.length, 98);
    });
  });
}
