import assert from 'node:assert/strict';
import { describe } from 'node:test';
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
import { testsOn, type OpenStores } from './open-stores.ts';

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

const searches: [name: string, filter: UserFilter, expected: readonly bigint[]][] = [
  ['no filter', {}, ALL_USERS],
  ['an empty text', { text: '' }, ALL_USERS],
  ['a user name', { text: 'Ada' }, [1n]],
  ['a part of a user name in another case', { text: 'OO' }, [2n]],
  ['a first name', { text: 'augusta' }, [1n]],
  ['a last name', { text: 'KING' }, [1n]],
  ['an e-mail address', { text: 'ZOE@example' }, [3n]],
  ['a text in fields of several users', { text: 'example.org' }, [3n, 4n]],
  ['a letter beyond ASCII in another case, in a user name', { text: 'ZOË' }, [3n]],
  ['the same letter composed of two', { text: 'zoe\u0308' }, [3n]],
  ['a letter beyond ASCII in another case, in a first name', { text: 'étienne' }, [4n]],
  ['a letter beyond ASCII in another case, in a last name', { text: 'šKODA' }, [4n]],
  ['another alphabet', { text: 'женя' }, [5n]],
  ['SQL wildcards', { text: '%_' }, [5n]],
  ['a single wildcard', { text: '_' }, [5n]],
  ['a phone number, which is not searched', { text: '555' }, []],
  ['a text without matches', { text: 'nobody' }, []],
  ['a role', { role: 'editor' }, [3n, 5n]],
  ['another role', { role: 'viewer' }, [1n, 4n]],
  ['a status', { userStatus: 2 }, [1n, 2n]],
  ['an unused status', { userStatus: 99 }, []],
  ['text and role', { text: 'o', role: 'editor' }, [3n, 5n]],
  ['text, role and status', { text: 'o', role: 'admin', userStatus: 2 }, [2n]],
  ['a role that the user with the text does not have', { text: 'ada', role: 'admin' }, []],
];

export function describeUserSearch(openStores: OpenStores): void {
  const test = testsOn(openStores);
  const testPrepared = testsOn(openStores, ({ users }) => addAccounts(users));
  void describe('user search', () => {
    testPrepared('returns the accounts that match all criteria, by ascending id', async ({ users }) => {
      for (const [name, filter, expected] of searches) {
        assert.deepEqual(await idsOf(users, filter), expected, `by ${name}`);
      }
    });

    // A capital sigma has two lower-case forms, depending on its position.
    test('finds the middle of a Greek name in capitals', async ({ users }) => {
      const profile = { username: 'Οδυσσεύς', lastName: 'Λαερτιάδης' };
      await applyOne(users, createUsers(newAccount('', { profile })));
      for (const text of ['οδυσ', 'ΟΔΥΣΣ', 'ΟΔΥΣ']) assert.deepEqual(await idsOf(users, { text }), [1n], text);
    });

    testPrepared('returns complete accounts', async ({ users }) => {
      assert.deepEqual(await users.search({}, WHOLE), await findAll(users, ['ada', 'root', 'zoë', 'étienne', 'o%_x']));
    });

    testPrepared('pages add up to the whole', async ({ users }) => {
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

    testPrepared('follows every change', async ({ users }) => {
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
  });
}
