import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NewAccount, UserFilter, UserStore } from '../../src/domain/accounts/ports.ts';
import { MAX_INT64 } from '../../src/domain/int64.ts';
import {
  applyEach,
  applyOne,
  createUsers,
  HASH,
  newAccount,
  removeUser,
  replaceUser,
  setRole,
} from '../support/changes.ts';
import type { OpenStores } from './store-suite.ts';

const WHOLE = { afterId: 0n, limit: 1000 };

const people: readonly NewAccount[] = [
  newAccount('', { id: 3n, profile: { username: 'Ada', firstName: 'Augusta', lastName: 'King', userStatus: 2 } }),
  newAccount('', { id: 1n, role: 'admin', passwordHash: HASH, profile: { username: 'root', userStatus: 2 } }),
  newAccount('', { id: MAX_INT64, role: 'editor', profile: { username: 'Zoë', email: 'zoe@Example.ORG' } }),
  newAccount('', {
    id: 7n,
    profile: { username: 'ÉTIENNE', firstName: 'Étienne', lastName: 'Škoda', email: 'es@example.org', userStatus: 3 },
  }),
  newAccount('', { id: 5n, role: 'editor', profile: { username: 'o%_x', firstName: 'ЖЕНЯ', phone: '+49 555' } }),
];

async function withPeople(userStore: UserStore): Promise<void> {
  await applyOne(userStore, createUsers(...people));
}

async function idsOf(userStore: UserStore, filter: UserFilter, part = WHOLE): Promise<readonly bigint[]> {
  return (await userStore.search(filter, part)).map(({ user }) => user.id);
}

const EVERYBODY = [1n, 3n, 5n, 7n, MAX_INT64];

const searches: { name: string; filter: UserFilter; expected: readonly bigint[] }[] = [
  { name: 'nothing in particular', filter: {}, expected: EVERYBODY },
  { name: 'an empty text', filter: { text: '' }, expected: EVERYBODY },
  { name: 'a user name', filter: { text: 'Ada' }, expected: [3n] },
  { name: 'a part of a user name in another case', filter: { text: 'OO' }, expected: [1n] },
  { name: 'a first name', filter: { text: 'augusta' }, expected: [3n] },
  { name: 'a last name', filter: { text: 'KING' }, expected: [3n] },
  { name: 'an e-mail address', filter: { text: 'ZOE@example' }, expected: [MAX_INT64] },
  { name: 'what stands in fields of several people', filter: { text: 'example.org' }, expected: [7n, MAX_INT64] },
  { name: 'a letter beyond ASCII in another case, in a user name', filter: { text: 'ZOË' }, expected: [MAX_INT64] },
  { name: 'the same letter composed of two', filter: { text: 'zoe\u0308' }, expected: [MAX_INT64] },
  { name: 'a letter beyond ASCII in another case, in a first name', filter: { text: 'étienne' }, expected: [7n] },
  { name: 'a letter beyond ASCII in another case, in a last name', filter: { text: 'šKODA' }, expected: [7n] },
  { name: 'another alphabet', filter: { text: 'женя' }, expected: [5n] },
  { name: 'signs that mean something to databases', filter: { text: '%_' }, expected: [5n] },
  { name: 'such a sign alone', filter: { text: '_' }, expected: [5n] },
  { name: 'a phone number, which is not looked at', filter: { text: '555' }, expected: [] },
  { name: 'what nobody is called', filter: { text: 'nobody' }, expected: [] },
  { name: 'a role', filter: { role: 'editor' }, expected: [5n, MAX_INT64] },
  { name: 'another role', filter: { role: 'viewer' }, expected: [3n, 7n] },
  { name: 'a status', filter: { userStatus: 2 }, expected: [1n, 3n] },
  { name: 'a status that nobody has', filter: { userStatus: 99 }, expected: [] },
  { name: 'text and role', filter: { text: 'o', role: 'editor' }, expected: [5n, MAX_INT64] },
  { name: 'text, role and status', filter: { text: 'o', role: 'admin', userStatus: 2 }, expected: [1n] },
  { name: 'a role that the person with the text has not', filter: { text: 'ada', role: 'admin' }, expected: [] },
];

export function describeUserSearch(openStores: OpenStores): void {
  void describe('a search for accounts', () => {
    void it('finds those whom all that is asked for is true of, by ascending id', async (t) => {
      const { userStore } = await openStores(t);
      await withPeople(userStore);
      for (const { name, filter, expected } of searches) {
        assert.deepEqual(await idsOf(userStore, filter), expected, `by ${name}`);
      }
    });

    // A capital sigma has two small forms, and which one it gets depends on where it stands.
    void it('finds the middle of a Greek name in capitals', async (t) => {
      const { userStore } = await openStores(t);
      const profile = { username: 'Οδυσσεύς', lastName: 'Λαερτιάδης' };
      await applyOne(userStore, createUsers(newAccount('', { id: 1n, profile })));
      for (const text of ['οδυσ', 'ΟΔΥΣΣ', 'ΟΔΥΣ']) assert.deepEqual(await idsOf(userStore, { text }), [1n], text);
    });

    void it('gives the accounts as they are', async (t) => {
      const { userStore } = await openStores(t);
      await withPeople(userStore);
      assert.deepEqual(
        await userStore.search({}, WHOLE),
        await userStore.findMany(['root', 'ada', 'o%_x', 'étienne', 'zoë']),
      );
    });

    void it('comes in parts that make up the whole', async (t) => {
      const { userStore } = await openStores(t);
      await withPeople(userStore);
      for (const filter of [{}, { text: 'o' }]) {
        const whole = await idsOf(userStore, filter);
        for (const limit of [1, 2, whole.length]) {
          const collected: bigint[] = [];
          let part = await idsOf(userStore, filter, { afterId: 0n, limit });
          while (part.length > 0) {
            assert.ok(part.length <= limit);
            collected.push(...part);
            part = await idsOf(userStore, filter, { afterId: part.at(-1) ?? 0n, limit });
          }
          assert.deepEqual(collected, whole);
        }
      }
      assert.deepEqual(await idsOf(userStore, {}, { afterId: 3n, limit: 2 }), [5n, 7n]);
      assert.deepEqual(await idsOf(userStore, {}, { afterId: MAX_INT64, limit: 2 }), []);
    });

    void it('follows every change', async (t) => {
      const { userStore } = await openStores(t);
      await withPeople(userStore);
      await applyEach(userStore, [
        replaceUser('ada', { username: 'Lady', email: 'l@example.org' }),
        setRole('zoë', 'viewer'),
        removeUser('étienne'),
      ]);
      assert.deepEqual(await idsOf(userStore, { text: 'ada' }), []);
      assert.deepEqual(await idsOf(userStore, { text: 'augusta' }), []);
      assert.deepEqual(await idsOf(userStore, { text: 'EXAMPLE' }), [3n, MAX_INT64]);
      assert.deepEqual(await idsOf(userStore, { role: 'viewer' }), [3n, MAX_INT64]);
    });

    void it('finds nobody in an empty store', async (t) => {
      const { userStore } = await openStores(t);
      assert.deepEqual(await userStore.search({}, WHOLE), []);
    });
  });
}
