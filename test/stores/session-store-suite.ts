import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BatchedStores } from '../../src/batching/gathered-stores.ts';
import type { SessionChange } from '../../src/domain/accounts/session.ts';
import { applyEach, applyOne, createUsers, newAccount, replaceUser } from '../support/changes.ts';
import type { OpenStores } from './store-suite.ts';

function begin(digest: string, userId: bigint, startedAtMs = 1000, expiresAtMs = 9000): SessionChange {
  return { kind: 'begin', session: { digest, userId, startedAtMs, expiresAtMs } };
}

async function foundOf({ sessionStore }: BatchedStores, ...digests: string[]): Promise<readonly boolean[]> {
  return (await sessionStore.findMany(digests)).map((session) => session !== undefined);
}

async function usedAt({ sessionStore }: BatchedStores, digest: string): Promise<number | undefined> {
  const [session] = await sessionStore.findMany([digest]);
  return session?.lastUsedAtMs;
}

async function withAccounts(stores: BatchedStores): Promise<void> {
  const ada = newAccount('ada', { id: 1n, role: 'editor', profile: { username: 'ada', userStatus: 2 } });
  await applyOne(stores.userStore, createUsers(ada, newAccount('bob', { id: 2n })));
}

export function describeSessionStore(openStores: OpenStores): void {
  void describe('sessions', () => {
    void it('tell of their account what the look-up needs, as it is now', async (t) => {
      const stores = await openStores(t);
      await withAccounts(stores);
      await applyOne(stores.sessionStore, begin('d1', 1n, 1234, 5678));
      const session = { digest: 'd1', userId: 1n, role: 'editor', lastUsedAtMs: 1234, expiresAtMs: 5678 };
      assert.deepEqual(await stores.sessionStore.findMany(['d1']), [{ ...session, username: 'ada', userStatus: 2 }]);
      await applyOne(stores.userStore, replaceUser('ada', { username: 'Lady', userStatus: 3 }));
      assert.deepEqual(await stores.sessionStore.findMany(['d1']), [{ ...session, username: 'Lady', userStatus: 3 }]);
    });

    void it('are found in the order of the digests', async (t) => {
      const stores = await openStores(t);
      await withAccounts(stores);
      await applyEach(stores.sessionStore, [begin('d1', 1n), begin('d2', 2n)]);
      const found = await stores.sessionStore.findMany(['d2', 'none', 'd1', 'd2']);
      assert.deepEqual(
        found.map((session) => session?.userId),
        [2n, undefined, 1n, 2n],
      );
    });

    void it('are not begun for an account that is gone', async (t) => {
      const stores = await openStores(t);
      await stores.sessionStore.applyAll([begin('d1', 77n)]);
      assert.deepEqual(await foundOf(stores, 'd1'), [false]);
    });

    void it('remember their last use, and never an earlier one', async (t) => {
      const stores = await openStores(t);
      await withAccounts(stores);
      await applyEach(stores.sessionStore, [begin('d1', 1n, 1000), { kind: 'touch', digest: 'd1', usedAtMs: 2000 }]);
      assert.equal(await usedAt(stores, 'd1'), 2000);
      await applyOne(stores.sessionStore, { kind: 'touch', digest: 'd1', usedAtMs: 1500 });
      assert.equal(await usedAt(stores, 'd1'), 2000);
      await applyOne(stores.sessionStore, { kind: 'touch', digest: 'none', usedAtMs: 1500 });
      assert.deepEqual(await foundOf(stores, 'none'), [false]);
    });

    void it('end when told, and only those', async (t) => {
      const stores = await openStores(t);
      await withAccounts(stores);
      await applyEach(stores.sessionStore, [begin('d1', 1n), begin('d2', 1n), begin('d3', 2n)]);
      await applyOne(stores.sessionStore, { kind: 'end', digests: ['d1', 'none', 'd3'] });
      assert.deepEqual(await foundOf(stores, 'd1', 'd2', 'd3'), [false, true, false]);
      await applyOne(stores.sessionStore, { kind: 'end', digests: [] });
      assert.deepEqual(await foundOf(stores, 'd2'), [true]);
    });

    void it('are forgotten when their end has come, by age or by idleness', async (t) => {
      const stores = await openStores(t);
      await withAccounts(stores);
      await applyEach(stores.sessionStore, [
        begin('too old', 1n, 1000, 5000),
        begin('idle', 1n, 1000, 9000),
        begin('just alive', 1n, 3001, 5001),
        { kind: 'touch', digest: 'too old', usedAtMs: 4900 },
      ]);
      await applyOne(stores.sessionStore, { kind: 'forget-expired', nowMs: 5000, idleMs: 2000 });
      assert.deepEqual(await foundOf(stores, 'too old', 'idle', 'just alive'), [false, false, true]);
    });

    void it('end with their account, and do not come back with the name', async (t) => {
      const stores = await openStores(t);
      await withAccounts(stores);
      await applyEach(stores.sessionStore, [begin('d1', 1n), begin('d2', 2n)]);
      await applyOne(stores.userStore, { kind: 'remove', username: 'ada' });
      await applyOne(stores.userStore, createUsers(newAccount('ada')));
      assert.deepEqual(await foundOf(stores, 'd1', 'd2'), [false, true]);
    });

    void it('end with a new password, all but the one that is kept', async (t) => {
      const stores = await openStores(t);
      await withAccounts(stores);
      await applyEach(stores.sessionStore, [begin('d1', 1n), begin('d2', 1n), begin('d3', 2n)]);
      await applyOne(stores.userStore, replaceUser('ada', { username: 'ada' }));
      assert.deepEqual(await foundOf(stores, 'd1', 'd2', 'd3'), [true, true, true]);
      await applyOne(
        stores.userStore,
        replaceUser('ada', { username: 'ada' }, { passwordHash: 'x', keepSession: 'd2' }),
      );
      assert.deepEqual(await foundOf(stores, 'd1', 'd2', 'd3'), [false, true, true]);
      await applyOne(stores.userStore, replaceUser('ada', { username: 'ada' }, { passwordHash: 'y' }));
      assert.deepEqual(await foundOf(stores, 'd1', 'd2', 'd3'), [false, false, true]);
    });
  });
}
