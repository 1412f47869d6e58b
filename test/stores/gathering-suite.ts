import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gatherStores, type BatchedStores } from '../../src/storage/batching/gathered-stores.ts';
import { Failure } from '../../src/domain/failure.ts';
import { createUsers, editPet, newAccount, putPet, removePet } from '../support/changes.ts';
import type { OpenStores } from './store-suite.ts';

/** Notes how large each batch was that reached the stores. */
function countBatches(stores: BatchedStores): { stores: BatchedStores; sizes: Record<string, number[]> } {
  const sizes: Record<string, number[]> = { petFinds: [], petChanges: [], userFinds: [] };
  const { petStore, userStore } = stores;
  return {
    sizes,
    stores: {
      ...stores,
      petStore: {
        ...petStore,
        findMany: (ids) => (sizes['petFinds']?.push(ids.length), petStore.findMany(ids)),
        applyAll: (changes) => (sizes['petChanges']?.push(changes.length), petStore.applyAll(changes)),
      },
      userStore: {
        ...userStore,
        findMany: (names) => (sizes['userFinds']?.push(names.length), userStore.findMany(names)),
      },
    },
  };
}

const total = (sizes: readonly number[] = []) => sizes.reduce((sum, size) => sum + size, 0);

export function describeGathering(openStores: OpenStores): void {
  void describe('calls gathered into batches', () => {
    void it('are answered each with its own result, in few batches', async (t) => {
      const { stores, sizes } = countBatches(await openStores(t));
      const { pets } = gatherStores(stores);
      const names = Array.from({ length: 1300 }, (_, index) => `Pet ${index}`);
      const stored = await Promise.all(names.map((name) => pets.apply(putPet({ name }))));
      assert.ok(stored.every(({ text }, index) => text.includes(`"name":"Pet ${index}"`)));
      const found = await Promise.all(stored.map(({ id }) => pets.find(id)));
      assert.deepEqual(found, stored);
      for (const kind of ['petChanges', 'petFinds']) {
        assert.equal(total(sizes[kind]), 1300);
        assert.ok((sizes[kind]?.length ?? 0) <= 3, `${kind} came as ${sizes[kind]?.join()}`);
      }
    });

    void it('are rejected alone', async (t) => {
      const { stores, sizes } = countBatches(await openStores(t));
      const { pets } = gatherStores(stores);
      const results = await Promise.allSettled([
        pets.apply(putPet({ name: 'A' }, 1n)),
        pets.apply(editPet(9n, { name: 'Nobody' })),
        pets.apply(putPet({ name: 'B' }, 2n)),
        pets.apply(removePet(8n)),
        pets.apply(editPet(2n, { name: 'C' })),
      ]);
      assert.deepEqual(sizes['petChanges'], [5]);
      assert.deepEqual(
        results.map((result) => (result.status === 'fulfilled' ? 'ok' : (result.reason as Failure).code)),
        ['ok', 'not-found', 'ok', 'not-found', 'ok'],
      );
      assert.deepEqual(
        [await pets.find(1n), await pets.find(2n), await pets.find(9n)].map((pet) => pet?.id),
        [1n, 2n, undefined],
      );
    });

    void it('give a caller what it wrote before', async (t) => {
      const { pets, users } = gatherStores(await openStores(t));
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

    void it('all fail with the failure of their batch, and later ones are not touched by it', async (t) => {
      const { petStore, ...others } = await openStores(t);
      let down = true;
      const { pets } = gatherStores({
        ...others,
        petStore: {
          ...petStore,
          findMany: async (ids) => {
            if (down) throw new Failure('unavailable', 'The engine is out of reach.');
            return petStore.findMany(ids);
          },
        },
      });
      const results = await Promise.allSettled([pets.find(1n), pets.find(2n)]);
      assert.deepEqual(
        results.map(({ status }) => status),
        ['rejected', 'rejected'],
      );
      down = false;
      assert.equal(await pets.find(1n), undefined);
    });
  });
}
