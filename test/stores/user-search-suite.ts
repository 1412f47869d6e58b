import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NewAccount, UserFilter, UserStore } from '../../src/domain/accounts/ports.ts';
import { MAX_INT64 } from '../../src/domain/int64.ts';
import {
  HASH,
  applyEach,
  applyOne,
  createUsers,
  findAll,
  newAccount,
  removeUser,
  replaceUser,
  setRole,
} from '../support/changes.ts';
import type { OpenStores } from './store-suite.ts';

const WHOLE = { afterId: 0n, limit: 1000 };

/** Their accounts have the ids 1 to 5 in this order, whatever user ids they chose. */
const accounts: readonly NewAccount[] = [
  newAccount('', {
    publicId: 30n,
    profile: { username: 'Ada', firstName: 'Augusta', lastName: 'King', userStatus: 2 },
  }),
  newAccount('', { publicId: 10n, role: 'admin', passwordHash: HASH, profile: { username: 'root', userStatus: 2 } }),
  newAccount('', { publicId: MAX_INT64, role: 'editor', profile: { username: 'Zoë', email: 'zoe@Example.ORG' } }),
  newAccount('', {
    publicId: 10n,
    profile: { username: 'ÉTIENNE', firstName: 'Étienne', lastName: 'Škoda', email: 'es@example.org', userStatus: 3 },
  }),
  newAccount('', { role: 'editor', profile: { username: 'o%_x', firstName: 'ЖЕНЯ', phone: '+49 555' } }),
];

async function addAccounts(users: UserStore): Promise<void> {
  await applyOne(users, createUsers(...accounts));
}

async function idsOf(users: UserStore, filter: UserFilter, part = WHOLE): Promise<readonly bigint[]> {
  return (await users.search(filter, part)).map(({ id }) => id);
}

const ALL_USERS = [1n, 2n, 3n, 4n, 5n];

const searches: { name: string; filter: UserFilter; expected: readonly bigint[] }[] = [
  { name: 'no filter', filter: {}, expected: ALL_USERS },
  { name: 'an empty text', filter: { text: '' }, expected: ALL_USERS },
  { name: 'a user name', filter: { text: 'Ada' }, expected: [1n] },
  { name: 'a part of a user name in another case', filter: { text: 'OO' }, expected: [2n] },
  { name: 'a first name', filter: { text: 'augusta' }, expected: [1n] },
  { name: 'a last name', filter: { text: 'KING' }, expected: [1n] },
  { name: 'an e-mail address', filter: { text: 'ZOE@example' }, expected: [3n] },
  { name: 'a text in fields of several users', filter: { text: 'example.org' }, expected: [3n, 4n] },
  { name: 'a letter beyond ASCII in another case, in a user name', filter: { text: 'ZOË' }, expected: [3n] },
  { name: 'the same letter composed of two', filter: { text: 'zoe\u0308' }, expected: [3n] },
  { name: 'a letter beyond ASCII in another case, in a first name', filter: { text: 'étienne' }, expected: [4n] },
  { name: 'a letter beyond ASCII in another case, in a last name', filter: { text: 'šKODA' }, expected: [4n] },
  { name: 'another alphabet', filter: { text: 'женя' }, expected: [5n] },
  { name: 'SQL wildcards', filter: { text: '%_' }, expected: [5n] },
  { name: 'a single wildcard', filter: { text: '_' }, expected: [5n] },
  { name: 'a phone number, which is not searched', filter: { text: '555' }, expected: [] },
  { name: 'a text without matches', filter: { text: 'nobody' }, expected: [] },
  { name: 'a role', filter: { role: 'editor' }, expected: [3n, 5n] },
  { name: 'another role', filter: { role: 'viewer' }, expected: [1n, 4n] },
  { name: 'a status', filter: { userStatus: 2 }, expected: [1n, 2n] },
  { name: 'an unused status', filter: { userStatus: 99 }, expected: [] },
  { name: 'text and role', filter: { text: 'o', role: 'editor' }, expected: [3n, 5n] },
  { name: 'text, role and status', filter: { text: 'o', role: 'admin', userStatus: 2 }, expected: [2n] },
  { name: 'a role that the user with the text does not have', filter: { text: 'ada', role: 'admin' }, expected: [] },
];

export function describeUserSearch(openStores: OpenStores): void {
  void describe('user search', () => {
    void it('returns the accounts that match all criteria, by ascending id', async (t) => {
      const { users } = await openStores(t);
      await addAccounts(users);
      for (const { name, filter, expected } of searches) {
        assert.deepEqual(await idsOf(users, filter), expected, `by ${name}`);
      }
    });

    // A capital sigma has two lower-case forms, depending on its position.
    void it('finds the middle of a Greek name in capitals', async (t) => {
      const { users } = await openStores(t);
      const profile = { username: 'Οδυσσεύς', lastName: 'Λαερτιάδης' };
      await applyOne(users, createUsers(newAccount('', { profile })));
      for (const text of ['οδυσ', 'ΟΔΥΣΣ', 'ΟΔΥΣ']) assert.deepEqual(await idsOf(users, { text }), [1n], text);
    });

    void it('returns complete accounts', async (t) => {
      const { users } = await openStores(t);
      await addAccounts(users);
      assert.deepEqual(await users.search({}, WHOLE), await findAll(users, ['ada', 'root', 'zoë', 'étienne', 'o%_x']));
    });

    void it('pages add up to the whole', async (t) => {
      const { users } = await openStores(t);
      await addAccounts(users);
      for (const filter of [{}, { text: 'o' }]) {
        const whole = await idsOf(users, filter);
        for (const limit of [1, 2, whole.length]) {
          const collected: bigint[] = [];
          let part = await idsOf(users, filter, { afterId: 0n, limit });
          while (part.length > 0) {
            assert.ok(part.length <= limit);
            collected.push(...part);
            part = await idsOf(users, filter, { afterId: part.at(-1) ?? 0n, limit });
          }
          assert.deepEqual(collected, whole);
        }
      }
      assert.deepEqual(await idsOf(users, {}, { afterId: 3n, limit: 2 }), [4n, 5n]);
      assert.deepEqual(await idsOf(users, {}, { afterId: MAX_INT64, limit: 2 }), []);
    });

    void it('follows every change', async (t) => {
      const { users } = await openStores(t);
      await addAccounts(users);
      await applyEach(users, [
        replaceUser('ada', { username: 'Lady', email: 'l@example.org' }),
        setRole('zoë', 'viewer'),
        removeUser('étienne'),
      ]);
      assert.deepEqual(await idsOf(users, { text: 'ada' }), []);
      assert.deepEqual(await idsOf(users, { text: 'augusta' }), []);
      assert.deepEqual(await idsOf(users, { text: 'EXAMPLE' }), [1n, 3n]);
      assert.deepEqual(await idsOf(users, { role: 'viewer' }), [1n, 3n]);
    });

    void it('finds nothing in an empty store', async (t) => {
      const { users } = await openStores(t);
      assert.deepEqual(await users.search({}, WHOLE), []);
    });
  });
}
