import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { UserStore } from '../../src/domain/accounts/ports.ts';
import { MAX_INT64 } from '../../src/domain/int64.ts';
import {
  applyEach,
  applyOne,
  beginSession,
  createKey,
  createUsers,
  findAll,
  loginAccount,
  newAccount,
  removeUser,
  replaceUser,
} from '../support/changes.ts';
import { testsOn, type OpenStores } from './open-stores.ts';

/** The id of the account and the id of the user. */
async function idsOf(users: UserStore, username: string): Promise<readonly [bigint, bigint] | undefined> {
  const [account] = await findAll(users, [username]);
  return account && [account.id, account.user.id];
}

export function describeUserIds(openStores: OpenStores): void {
  const test = testsOn(openStores);
  void describe('user id', () => {
    test('is the one that the client chose; the account has another', async ({ users }) => {
      const list = [newAccount('a', { publicId: 500n }), newAccount('b'), newAccount('c', { publicId: MAX_INT64 })];
      assert.deepEqual(await applyOne(users, createUsers(...list)), [500n, 2n, MAX_INT64]);
      assert.deepEqual(await idsOf(users, 'a'), [1n, 500n]);
      assert.deepEqual(await idsOf(users, 'b'), [2n, 2n]);
      assert.deepEqual(await idsOf(users, 'c'), [3n, MAX_INT64]);
    });

    test('may equal that of another user or account, in one list and across lists', async ({ users }) => {
      await applyOne(users, createUsers(newAccount('a')));
      const list = [
        newAccount('b', { publicId: 1n }),
        newAccount('c', { publicId: 9n }),
        newAccount('d', { publicId: 9n }),
      ];
      assert.deepEqual(await applyOne(users, createUsers(...list)), [1n, 9n, 9n]);
      assert.deepEqual(await applyOne(users, createUsers(newAccount('e', { publicId: 9n }))), [9n]);
      assert.deepEqual(await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => idsOf(users, name))), [
        [1n, 1n],
        [2n, 1n],
        [3n, 9n],
        [4n, 9n],
        [5n, 9n],
      ]);
    });

    test('is changed by a new profile with an id, and only then', async ({ users }) => {
      await applyOne(users, createUsers(newAccount('a'), newAccount('b')));
      assert.deepEqual(await applyOne(users, replaceUser('a', { username: 'a' }, { publicId: 2n })), [2n]);
      assert.deepEqual(await idsOf(users, 'a'), [1n, 2n]);
      assert.deepEqual(await applyOne(users, replaceUser('a', { username: 'A', phone: '1' })), [2n]);
      assert.deepEqual(await idsOf(users, 'a'), [1n, 2n]);
      assert.deepEqual(await idsOf(users, 'b'), [2n, 2n], 'the other user with this id is unchanged');
    });

    test('does not affect sessions and keys, which belong to the account', async ({ users, sessions, keys }) => {
      await applyEach(users, [createUsers(loginAccount('a')), createUsers(loginAccount('b', { publicId: 1n }))]);
      await applyOne(sessions, beginSession('s', 1n));
      await applyOne(keys, createKey('k', 1n));
      await applyOne(users, replaceUser('a', { username: 'a' }, { publicId: 2n }));
      const owners = async () => {
        const found = [...(await findAll(sessions, ['s'])), ...(await findAll(keys, ['k']))];
        return found.map((each) => each && [each.userId, each.username]);
      };
      assert.deepEqual(await owners(), [
        [1n, 'a'],
        [1n, 'a'],
      ]);
      await applyOne(users, removeUser('b'));
      assert.equal((await owners()).length, 2);
      await applyOne(users, removeUser('a'));
      assert.deepEqual(await owners(), [undefined, undefined]);
    });
  });

  void describe('account id', () => {
    test('is never one that a new profile has chosen, also in the same batch', async ({ users }) => {
      await applyEach(users, [
        createUsers(newAccount('a')),
        replaceUser('a', { username: 'a' }, { publicId: 2n }),
        createUsers(newAccount('b')),
        ...[4n, 5n, 6n].map((publicId) => replaceUser('a', { username: 'a' }, { publicId })),
      ]);
      await applyOne(users, createUsers(newAccount('c')));
      assert.deepEqual(await idsOf(users, 'b'), [3n, 3n]);
      assert.deepEqual(await idsOf(users, 'c'), [7n, 7n]);
    });
  });
}
