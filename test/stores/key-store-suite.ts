import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { DatabaseStores } from '../../src/storage/rows/stores/stores.ts';
import type { StampedUserChange } from '../../src/domain/accounts/ports.ts';
import {
  applyAll,
  applyEach,
  applyFailing,
  applyOne,
  codesOf,
  createKey,
  createUsers,
  findAll,
  issueReset,
  loginAccount,
  removeUser,
  replaceUser,
  revokeKey,
  setPassword,
  setRole,
  setStatus,
  useReset,
} from '../support/changes.ts';
import { testsOn, type OpenStores } from './open-stores.ts';

async function foundOf({ keys }: DatabaseStores, ...digests: string[]): Promise<readonly boolean[]> {
  return (await findAll(keys, digests)).map((key) => key !== undefined);
}

async function namesOf({ keys }: DatabaseStores, userId: bigint): Promise<readonly string[]> {
  return (await keys.listOf(userId)).map(({ name }) => name);
}

async function usedAt({ keys }: DatabaseStores, digest: string): Promise<number | undefined> {
  const [key] = await findAll(keys, [digest]);
  return key?.lastUsedAtMs;
}

/** Ada (1) is an editor, Bob (2) a viewer. Their user ids equal their account ids. */
async function withAccounts(stores: DatabaseStores): Promise<void> {
  const ada = loginAccount('ada', { publicId: 7n, role: 'editor', profile: { username: 'ada', userStatus: 2 } });
  await applyOne(stores.users, createUsers(ada, loginAccount('bob', { publicId: 7n })));
}

export function describeKeyStore(openStores: OpenStores): void {
  const testPrepared = testsOn(openStores, withAccounts);
  void describe('API keys', () => {
    testPrepared('are found by digest, in the given order, with the data of the owner', async (stores) => {
      const key = {
        id: 'abc',
        name: `CI "ü" ' 🐈`,
        scopes: ['read:pets', 'write:pets'],
        createdAtMs: 1234,
        expiresAtMs: 8_640_000_000_000,
      } as const;
      await applyEach(stores.keys, [createKey('k1', 1n, { key }), createKey('k2', 2n)]);
      const [bobs, none, adas, again] = await findAll(stores.keys, ['k2', 'none', 'k1', 'k2']);
      const { lastWritten: _lastWritten, ...stored } = adas ?? assert.fail();
      assert.deepEqual(stored, {
        ...key,
        digest: 'k1',
        userId: 1n,
        username: 'ada',
        role: 'editor',
        userStatus: 2,
        isAccessToken: false,
        lastUsedAtMs: undefined,
      });
      assert.deepEqual([bobs?.userId, bobs?.userStatus, bobs?.scopes], [2n, undefined, ['read:pets']]);
      assert.deepEqual([none, again], [undefined, bobs]);
      assert.deepEqual(await findAll(stores.keys, []), []);
    });

    testPrepared('have the current name, role and status of the owner', async (stores) => {
      await applyOne(stores.keys, createKey('k1', 1n));
      await applyEach(stores.users, [
        replaceUser('ada', { username: 'Lady', userStatus: 2 }),
        setRole('lady', 'viewer'),
        setStatus('lady', 3),
      ]);
      const [key] = await findAll(stores.keys, ['k1']);
      assert.deepEqual([key?.username, key?.role, key?.userStatus], ['Lady', 'viewer', 3]);
    });

    const newPasswords: [title: string, change: StampedUserChange][] = [
      ['a new password', setPassword('ada', 'new', { keepSession: 'a1' })],
      ['a profile with a new password', replaceUser('ada', { username: 'Lady' }, { passwordHash: 'new' })],
      ['a reset link', useReset('link', 'new')],
    ];
    for (const [title, change] of newPasswords) {
      testPrepared(`are all revoked by ${title}, also expired ones, but not those of others`, async (stores) => {
        const expired = createKey('k3', 1n, { key: { expiresAtMs: 1001 } });
        await applyEach(stores.keys, [createKey('k1', 1n), createKey('k2', 2n), expired]);
        await applyOne(stores.users, issueReset('ada', 'link'));
        assert.deepEqual(await foundOf(stores, 'k1', 'k2', 'k3'), [true, true, true]);
        await applyOne(stores.users, change);
        assert.deepEqual(await foundOf(stores, 'k1', 'k2', 'k3'), [false, true, false]);
        assert.deepEqual(await stores.keys.listOf(1n), []);
        await applyOne(stores.keys, createKey('k4', 1n));
        assert.deepEqual(await foundOf(stores, 'k4'), [true], 'a key created afterwards is not affected');
      });
    }

    testPrepared('stay when the password changes without revoking them, or does not change', async (stores) => {
      await applyOne(stores.keys, createKey('k1', 1n));
      await applyOne(stores.users, setPassword('ada', 'new', { keepKeys: true }));
      await applyOne(stores.users, replaceUser('ada', { username: 'ada', phone: '1' }));
      await applyOne(stores.users, { kind: 'rehash', userId: 1n, from: 'new', to: 'newer' });
      await applyFailing(stores.users, setPassword('ada', 'x', { replacedHash: 'other' }), 'conflict');
      await applyFailing(stores.users, useReset('none', 'x'), 'not-found');
      assert.deepEqual(await foundOf(stores, 'k1'), [true]);
    });

    testPrepared('are listed by account, newest first', async (stores) => {
      await applyEach(stores.keys, [
        createKey('middle', 1n, { key: { createdAtMs: 2000 } }),
        createKey('of bob', 2n, { key: { createdAtMs: 2500 } }),
        createKey('first', 1n, { key: { createdAtMs: 1000, expiresAtMs: 1001 } }),
        createKey('last', 1n, { key: { createdAtMs: 3000, scopes: ['write:pets'] } }),
        { kind: 'touch', digest: 'middle', usedAtMs: 2100 },
      ]);
      const [last, ...others] = await stores.keys.listOf(1n);
      assert.deepEqual(last, {
        id: 'id of last',
        name: 'key last',
        scopes: ['write:pets'],
        createdAtMs: 3000,
        expiresAtMs: 9000,
        lastUsedAtMs: undefined,
      });
      assert.deepEqual(
        others.map(({ id, lastUsedAtMs }) => [id, lastUsedAtMs]),
        [
          ['id of middle', 2100],
          ['id of first', undefined],
        ],
      );
      assert.deepEqual(await stores.keys.listOf(77n), []);
    });

    testPrepared('keep the latest time of use', async (stores) => {
      await applyEach(stores.keys, [createKey('k1', 1n), createKey('k2', 1n)]);
      for (const [usedAtMs, expected] of [
        [2000, 2000],
        [1500, 2000],
        [2001, 2001],
      ] as const) {
        await applyOne(stores.keys, { kind: 'touch', digest: 'k1', usedAtMs });
        assert.equal(await usedAt(stores, 'k1'), expected);
      }
      assert.equal(await usedAt(stores, 'k2'), undefined);
      await applyOne(stores.keys, { kind: 'touch', digest: 'none', usedAtMs: 1500 });
      assert.deepEqual(await foundOf(stores, 'none'), [false]);
    });

    testPrepared('are limited in number per account, also within a batch', async (stores) => {
      const maxOfAccount = 2;
      const outcomes = await applyAll(stores.keys, [
        createKey('k1', 1n, { maxOfAccount }),
        createKey('k2', 1n, { maxOfAccount }),
        createKey('k3', 1n, { maxOfAccount }),
        createKey('k4', 2n, { maxOfAccount }),
      ]);
      assert.deepEqual(codesOf(outcomes), ['ok', 'ok', 'conflict', 'ok']);
      assert.deepEqual(await foundOf(stores, 'k1', 'k2', 'k3', 'k4'), [true, true, false, true]);
      await applyFailing(stores.keys, createKey('k3', 1n, { maxOfAccount }), 'conflict');
      await applyEach(stores.keys, [revokeKey('id of k1', 1n), createKey('k3', 1n, { maxOfAccount })]);
      assert.deepEqual((await namesOf(stores, 1n)).toSorted(), ['key k2', 'key k3']);
    });

    testPrepared('do not count toward the limit after they expire', async (stores) => {
      await applyOne(stores.keys, createKey('k1', 1n, { maxOfAccount: 1, key: { expiresAtMs: 2000 } }));
      const before = createKey('k2', 1n, { maxOfAccount: 1, key: { createdAtMs: 1999 } });
      await applyFailing(stores.keys, before, 'conflict');
      await applyOne(stores.keys, createKey('k2', 1n, { maxOfAccount: 1, key: { createdAtMs: 2000 } }));
    });

    testPrepared('are revoked by the owner, once; not found in another account, nor by digest', async (stores) => {
      await applyEach(stores.keys, [createKey('k1', 1n), createKey('k2', 2n), createKey('k3', 1n)]);
      for (const id of ['id of k2', 'k1', 'key k1', ''])
        await applyFailing(stores.keys, revokeKey(id, 1n), 'not-found');
      await applyFailing(stores.keys, revokeKey('k1'), 'not-found');
      assert.deepEqual(await foundOf(stores, 'k1', 'k2', 'k3'), [true, true, true]);
      await applyOne(stores.keys, revokeKey('id of k1', 1n));
      assert.deepEqual(await foundOf(stores, 'k1', 'k2', 'k3'), [false, true, true]);
      await applyFailing(stores.keys, revokeKey('id of k1', 1n), 'not-found');
    });

    testPrepared('may still be found after they expire, until they are deleted', async (stores) => {
      await applyEach(stores.keys, [
        createKey('long ago', 1n, { key: { expiresAtMs: 4999 } }),
        createKey('just now', 1n, { key: { expiresAtMs: 5000 } }),
        createKey('soon', 2n, { key: { expiresAtMs: 5001 } }),
      ]);
      await applyOne(stores.keys, { kind: 'forget-expired', beforeMs: 4000, limit: 10 });
      assert.deepEqual(await foundOf(stores, 'long ago', 'just now', 'soon'), [true, true, true]);
      await applyOne(stores.keys, { kind: 'forget-expired', beforeMs: 5000, limit: 10 });
      const [longAgo, , soon] = await foundOf(stores, 'long ago', 'just now', 'soon');
      assert.deepEqual([longAgo, soon], [false, true]);
    });

    testPrepared('are deleted in batches of the given size', async (stores) => {
      const digests = ['k1', 'k2', 'k3'];
      await applyEach(
        stores.keys,
        digests.map((digest) => createKey(digest, 1n, { key: { expiresAtMs: 4999 } })),
      );
      await applyOne(stores.keys, createKey('alive', 1n, { key: { expiresAtMs: 9000 } }));
      const forget = { kind: 'forget-expired', beforeMs: 5000, limit: 2 } as const;
      assert.equal(await applyOne(stores.keys, forget), 2);
      assert.equal((await foundOf(stores, ...digests)).filter(Boolean).length, 1);
      assert.equal(await applyOne(stores.keys, forget), 1);
      assert.equal(await applyOne(stores.keys, forget), 0);
      assert.deepEqual(await foundOf(stores, 'alive'), [true]);
    });

    testPrepared('end with the account, and do not return with the name', async (stores) => {
      await applyEach(stores.keys, [createKey('k1', 1n), createKey('k2', 2n)]);
      await applyOne(stores.users, removeUser('ada'));
      await applyOne(stores.users, createUsers(loginAccount('ada')));
      assert.deepEqual(await foundOf(stores, 'k1', 'k2'), [false, true]);
      assert.deepEqual(await stores.keys.listOf(1n), []);
    });
  });
}
