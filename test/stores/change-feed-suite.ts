import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { DatabaseStores } from '../../src/storage/rows/stores/stores.ts';
import { typeOf, type ChangeEvent } from '../../src/domain/events/change-event.ts';
import {
  applyEach,
  applyFailing,
  applyOne,
  createUsers,
  editPet,
  issueReset,
  newAccount,
  putPet,
  removePet,
  removeUser,
  replaceUser,
  setPassword,
  setRole,
  setStatus,
  STAMP,
} from '../support/changes.ts';
import { testsOn, type OpenStores } from './open-stores.ts';

const CLOSED = 3;

const at = (atMs: number) => ({ ...STAMP, atMs });

async function readAll({ changeFeed }: DatabaseStores, limit: number): Promise<readonly ChangeEvent[]> {
  const all: ChangeEvent[] = [];
  for (let part = await changeFeed.list(0n, limit); part.length > 0;) {
    assert.ok(part.length <= limit);
    all.push(...part);
    part = await changeFeed.list(all.at(-1)?.version ?? 0n, limit);
  }
  return all;
}

export function describeChangeFeed(openStores: OpenStores): void {
  const test = testsOn(openStores);
  void describe('change feed', () => {
    test('is empty without changes', async ({ changeFeed }) => {
      assert.equal(await changeFeed.lastVersion(), 0n);
      assert.deepEqual(await changeFeed.list(0n, 10), []);
    });

    test('lists changes of pets and accounts in one order, for any page size', async (stores) => {
      const { pets, users, changeFeed } = stores;
      await applyOne(pets, putPet({ name: 'Rex' }));
      await applyOne(users, createUsers(newAccount('ann'), newAccount('bob')));
      await applyEach(pets, [editPet(1n, { name: 'Rex II' }), putPet({ name: 'Zoe' }), removePet(1n)]);
      await applyOne(users, setRole('ann', 'editor'));
      await applyOne(pets, editPet(2n, { status: 'sold' }));
      const events = await readAll(stores, 100);
      assert.deepEqual(
        events.map((event) => [event.version, typeOf(event), event.kind === 'pet' ? event.petId : event.username]),
        [
          [1n, 'pet.added', 1n],
          [2n, 'account.created', 'ann'],
          [3n, 'account.created', 'bob'],
          [4n, 'pet.edited', 1n],
          [5n, 'pet.added', 2n],
          [6n, 'pet.deleted', 1n],
          [7n, 'account.role-set', 'ann'],
          [8n, 'pet.edited', 2n],
        ],
      );
      for (const limit of [1, 2, 3]) assert.deepEqual(await readAll(stores, limit), events);
      assert.equal(await changeFeed.lastVersion(), 8n);
      assert.deepEqual(await changeFeed.list(8n, 10), []);
    });

    test('has the time, the actor and the pet after the change', async ({ pets, changeFeed }) => {
      const stamp = { ...STAMP, atMs: 1234, actorId: 7n };
      await applyOne(pets, { ...putPet({ name: 'Rex' }), stamp });
      await applyOne(pets, removePet(1n));
      const [added, removed] = await changeFeed.list(0n, 2);
      const { text } = added as { text: string };
      assert.match(text, /^\{"id":1,"name":"Rex"/);
      assert.deepEqual(added, {
        kind: 'pet',
        version: 1n,
        atMs: 1234,
        actorId: 7n,
        action: 'added',
        petId: 1n,
        text,
        profile: null,
        isDraft: false,
        wasDraft: false,
      });
      assert.equal((removed as { text: null }).text, null);
    });

    test('has the public fields of accounts, and nothing about passwords', async ({ users, changeFeed }) => {
      await applyOne(users, createUsers(newAccount('ann')));
      await applyOne(users, replaceUser('ann', { username: 'anne', email: 'secret@example.org' }));
      await applyOne(users, setPassword('anne', 'another hash'));
      await applyOne(users, issueReset('anne', 'digest of a link'));
      await applyOne(users, setStatus('anne', CLOSED));
      await applyOne(users, setStatus('anne', CLOSED));
      await applyOne(users, setStatus('anne', 2));
      await applyOne(users, removeUser('anne'));
      const events = await changeFeed.list(0n, 100);
      assert.deepEqual(
        events.map((event) => [
          typeOf(event),
          event.kind === 'account' && [event.accountId, event.username, event.details],
        ]),
        [
          ['account.created', [1n, 'ann', { role: 'viewer' }]],
          ['account.updated', [1n, 'anne', { renamedFrom: 'ann' }]],
          ['account.closed', [1n, 'anne', null]],
          ['account.reopened', [1n, 'anne', null]],
          ['account.deleted', [1n, 'anne', null]],
        ],
      );
    });

    test('omits changes that failed or changed nothing', async ({ pets, users, changeFeed }) => {
      await applyOne(pets, putPet({ name: 'Rex' }, 5n));
      await applyOne(pets, putPet({ name: 'Rex' }, 5n));
      await applyFailing(pets, removePet(6n), 'not-found');
      await applyOne(users, createUsers(newAccount('ann')));
      await applyFailing(users, createUsers(newAccount('bob'), newAccount('ann')), 'conflict');
      await applyFailing(users, removeUser('nobody'), 'not-found');
      assert.deepEqual((await changeFeed.list(0n, 100)).map(typeOf), ['pet.added', 'account.created']);
      assert.equal(await changeFeed.lastVersion(), 2n);
    });

    test('has smaller pages for long texts, and is complete', async (stores) => {
      await applyOne(stores.users, createUsers(newAccount('ann')));
      for (let index = 0; index < 12; index++)
        await applyOne(stores.pets, putPet({ name: `${index}`, photoUrls: ['é'.repeat(150_000)] }));
      await applyOne(stores.users, createUsers(newAccount('bob')));
      const first = await stores.changeFeed.list(0n, 100);
      assert.ok(first.length > 1 && first.length < 10, `${first.length} came`);
      assert.deepEqual(
        (await readAll(stores, 100)).map(({ version }) => version),
        Array.from({ length: 14 }, (_, index) => BigInt(index + 1)),
      );
    });

    test('deletes old account changes in batches, but never the newest: no number is reused', async (stores) => {
      const { pets, users, changeFeed } = stores;
      const forget = (beforeMs: number, limit: number) => applyOne(changeFeed, { kind: 'forget', beforeMs, limit });
      assert.equal(await forget(9000, 10), 0);
      await applyOne(pets, { ...putPet({ name: 'Rex' }), stamp: at(1000) });
      for (const [index, name] of ['ann', 'bob', 'cyd', 'dan'].entries())
        await applyOne(users, { ...createUsers(newAccount(name)), stamp: at(2000 + index) });
      const versions = async () => (await readAll(stores, 2)).map(({ version }) => version);
      assert.equal(await forget(2000, 10), 0, 'nothing is that old');
      assert.equal(await forget(2003, 2), 2);
      assert.deepEqual(await versions(), [1n, 4n, 5n], 'versions of pets stay');
      assert.equal(await forget(2003, 2), 1);
      assert.equal(await forget(9000, 10), 0, 'the newest stays');
      assert.deepEqual(await versions(), [1n, 5n]);
      assert.equal(await changeFeed.lastVersion(), 5n);
      assert.deepEqual((await changeFeed.list(2n, 10)).map(typeOf), ['account.created'], 'from a deleted position on');
      await applyOne(users, { ...createUsers(newAccount('eve')), stamp: at(9000) });
      assert.equal(await forget(9000, 10), 1);
      assert.deepEqual(await versions(), [1n, 6n]);
    });

    test('is read without a gap while changes come in', async (stores) => {
      const seen: bigint[] = [];
      const writing = Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          for (let count = 0; count < 10; count++) {
            if (index % 5 === 0) await applyOne(stores.users, createUsers(newAccount(`user ${index} ${count}`)));
            else await applyOne(stores.pets, putPet({ name: `pet ${index} ${count}` }));
          }
        }),
      );
      for (let last = 0n; last < 200n;) {
        const part = await stores.changeFeed.list(last, 7);
        seen.push(...part.map(({ version }) => version));
        last = seen.at(-1) ?? 0n;
        await new Promise((resolve) => setImmediate(resolve));
      }
      await writing;
      assert.deepEqual(
        seen,
        Array.from({ length: 200 }, (_, index) => BigInt(index + 1)),
      );
    });
  });
}
