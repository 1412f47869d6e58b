import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Failure } from '../../src/domain/failure.ts';
import { createUsers, editPet, newAccount, putPet, removePet } from '../support/changes.ts';
import type { OpenStores } from './store-suite.ts';

export function describeGathering(openStores: OpenStores): void {
  void describe('concurrent calls', () => {
    void it('get their own results', async (t) => {
      const { pets } = await openStores(t);
      const names = Array.from({ length: 1300 }, (_, index) => `Pet ${index}`);
      const stored = await Promise.all(names.map((name) => pets.apply(putPet({ name }))));
      assert.ok(stored.every(({ text }, index) => text.includes(`"name":"Pet ${index}"`)));
      const found = await Promise.all(stored.map(async ({ id }) => pets.find(id)));
      assert.deepEqual(found, stored);
    });

    void it('are rejected individually', async (t) => {
      const { pets } = await openStores(t);
      const results = await Promise.allSettled([
        pets.apply(putPet({ name: 'A' }, 1n)),
        pets.apply(editPet(9n, { name: 'Nobody' })),
        pets.apply(putPet({ name: 'B' }, 2n)),
        pets.apply(removePet(8n)),
        pets.apply(editPet(2n, { name: 'C' })),
      ]);
      assert.deepEqual(
        results.map((result) => (result.status === 'fulfilled' ? 'ok' : (result.reason as Failure).code)),
        ['ok', 'not-found', 'ok', 'not-found', 'ok'],
      );
      assert.deepEqual(
        [await pets.find(1n), await pets.find(2n), await pets.find(9n)].map((pet) => pet?.id),
        [1n, 2n, undefined],
      );
    });

    void it('read their own earlier writes', async (t) => {
      const { pets, users } = await openStores(t);
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
