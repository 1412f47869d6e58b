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

/** Their accounts have the ids 1 to 5 in this order, whatever ids they chose as users. */
const people: readonly NewAccount[] = [
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

async function withPeople(users: UserStore): Promise<void> {
  await applyOne(users, createUsers(...people));
}

async function idsOf(users: UserStore, filter: UserFilter, part = WHOLE): Promise<readonly bigint[]> {
  return (await users.search(filter, part)).map(({ id }) => id);
}

const EVERYBODY = [1n, 2n, 3n, 4n, 5n];

const searches: { name: string; filter: UserFilter; expected: readonly bigint[] }[] = [
  { name: 'nothing in particular', filter: {}, expected: EVERYBODY },
  { name: 'an empty text', filter: { text: '' }, expected: EVERYBODY },
  { name: 'a user name', filter: { text: 'Ada' }, expected: [1n] },
  { name: 'a part of a user name in another case', filter: { text: 'OO' }, expected: [2n] },
  { name: 'a first name', filter: { text: 'augusta' }, expected: [1n] },
  { name: 'a last name', filter: { text: 'KING' }, expected: [1n] },
  { name: 'an e-mail address', filter: { text: 'ZOE@example' }, expected: [3n] },
  { name: 'what stands in fields of several people', filter: { text: 'example.org' }, expected: [3n, 4n] },
  { name: 'a letter beyond ASCII in another case, in a user name', filter: { text: 'ZOË' }, expected: [3n] },
  { name: 'the same letter composed of two', filter: { text: 'zoe\u0308' }, expected: [3n] },
  { name: 'a letter beyond ASCII in another case, in a first name', filter: { text: 'étienne' }, expected: [4n] },
  { name: 'a letter beyond ASCII in another case, in a last name', filter: { text: 'šKODA' }, expected: [4n] },
  { name: 'another alphabet', filter: { text: 'женя' }, expected: [5n] },
  { name: 'signs that mean something to databases', filter: { text: '%_' }, expected: [5n] },
  { name: 'such a sign alone', filter: { text: '_' }, expected: [5n] },
  { name: 'a phone number, which is not looked at', filter: { text: '555' }, expected: [] },
  { name: 'what nobody is called', filter: { text: 'nobody' }, expected: [] },
  { name: 'a role', filter: { role: 'editor' }, expected: [3n, 5n] },
  { name: 'another role', filter: { role: 'viewer' }, expected: [1n, 4n] },
  { name: 'a status', filter: { userStatus: 2 }, expected: [1n, 2n] },
  { name: 'a status that nobody has', filter: { userStatus: 99 }, expected: [] },
  { name: 'text and role', filter: { text: 'o', role: 'editor' }, expected: [3n, 5n] },
  { name: 'text, role and status', filter: { text: 'o', role: 'admin', userStatus: 2 }, expected: [2n] },
  { name: 'a role that the person with the text has not', filter: { text: 'ada', role: 'admin' }, expected: [] },
];

export function describeUserSearch(openStores: OpenStores): void {
  void describe('a search for accounts', () => {
    void it('finds those whom all that is asked for is true of, by ascending id', async (t) => {
      const { users } = await openStores(t);
      await withPeople(users);
      for (const { name, filter, expected } of searches) {
        assert.deepEqual(await idsOf(users, filter), expected, `by ${name}`);
      }
    });

    // A capital sigma has two small forms, and which one it gets depends on where it stands.
    void it('finds the middle of a Greek name in capitals', async (t) => {
      const { users } = await openStores(t);
      const profile = { username: 'Οδυσσεύς', lastName: 'Λαερτιάδης' };
      await applyOne(users, createUsers(newAccount('', { profile })));
      for (const text of ['οδυσ', 'ΟΔΥΣΣ', 'ΟΔΥΣ']) assert.deepEqual(await idsOf(users, { text }), [1n], text);
    });

    void it('gives the accounts as they are', async (t) => {
      const { users } = await openStores(t);
      await withPeople(users);
      assert.deepEqual(await users.search({}, WHOLE), await findAll(users, ['ada', 'root', 'zoë', 'étienne', 'o%_x']));
    });

    void it('comes in parts that make up the whole', async (t) => {
      const { users } = await openStores(t);
      await withPeople(users);
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
      await withPeople(users);
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

    void it('finds nobody in an empty store', async (t) => {
      const { users } = await openStores(t);
      assert.deepEqual(await users.search({}, WHOLE), []);
    });
  });
}
