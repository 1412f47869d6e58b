import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { createUsers, newAccount, putPet, removePet } from '../support/changes.ts';
import { testsOn, type OpenStores } from './open-stores.ts';

export function describeGathering(openStores: OpenStores): void {
  const test = testsOn(openStores);
  void describe('concurrent calls', () => {
    test('get their own results', async ({ pets }) => {
      const names = Array.from({ length: 1300 }, (_, index) => `Pet ${index}`);
      const stored = await Promise.all(names.map((name) => pets.apply(putPet({ name }))));
      assert.ok(stored.every(({ text }, index) => text.includes(`"name":"Pet ${index}"`)));
      const found = await Promise.all(stored.map(async ({ id }) => pets.find(id)));
      assert.deepEqual(
        found,
        stored.map(({ id, version, text, isDraft }) => ({ id, version, text, isDraft })),
      );
    });

    test('read their own earlier writes', async ({ pets, users }) => {
      await Promise.all(
        Array.from({ length: 50 }, async (_, index) => {
          const { id } = await pets.apply(putPet({ name: `Own ${index}` }));
          assert.match((await pets.find(id))?.text ?? '', new RegExp(`"Own ${index}"`));
          await users.apply(createUsers(newAccount(`user${index}`)));
          assert.equal((await users.find(`USER${index}`))?.user.username, `user${index}`);
          await pets.apply(removePet(id));
          assert.equal(await pets.find(id), undefined);
        }),
      );
    });
  });
}
