import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { MAX_INT64 } from '../../src/domain/int64.ts';
import type { UserChange, UserStore } from '../../src/domain/accounts/ports.ts';
import type { DatabaseStores } from '../../src/storage/rows/stores/stores.ts';
import {
  HASH,
  applyAll,
  applyEach,
  applyFailing,
  applyOne,
  beginSession,
  codesOf,
  createUsers,
  findAll,
  issueReset,
  loginAccount,
  newAccount,
  removeUser,
  replaceUser,
  setPassword,
  setRole,
  setStatus,
  useReset,
} from '../support/changes.ts';
import { testsOn, type OpenStores } from './open-stores.ts';

async function namesOf(users: UserStore, ...usernames: string[]): Promise<readonly (string | undefined)[]> {
  return (await findAll(users, usernames)).map((account) => account?.user.username);
}

async function hashOf(users: UserStore, username: string): Promise<string | undefined> {
  const [account] = await findAll(users, [username]);
  return account?.passwordHash;
}

/** Ada (1) with two sessions, and Bob (2) with one. Their user ids equal their account ids. */
async function withSessions({ users, sessions }: DatabaseStores): Promise<void> {
  await applyOne(users, createUsers(loginAccount('ada', { publicId: 7n }), loginAccount('bob', { publicId: 7n })));
  await applyEach(sessions, [beginSession('a1', 1n), beginSession('a2', 1n), beginSession('b1', 2n)]);
}

/** Which of the sessions of `withSessions` still exist. */
async function livingSessions({ sessions }: DatabaseStores): Promise<readonly string[]> {
  const found = await findAll(sessions, ['a1', 'a2', 'b1']);
  return found.flatMap((session) => (session === undefined ? [] : [session.digest]));
}

const pathsOf = (problems: readonly { path: string }[] | undefined) => problems?.map(({ path }) => path);

export function describeUserStore(openStores: OpenStores): void {
  describeAccounts(openStores);
  describeRolesAndStatus(openStores);
  describePasswords(openStores);
  describeResetLinks(openStores);
}

function describeAccounts(openStores: OpenStores): void {
  const test = testsOn(openStores);
  void describe('accounts', () => {
    test('isUnused: true until the first account ever', async ({ users }) => {
      assert.equal(await users.isUnused(), true);
      await applyOne(users, createUsers(newAccount('ada')));
      assert.equal(await users.isUnused(), false);
      await applyOne(users, removeUser('ada'));
      assert.equal(await users.isUnused(), false);
    });

    test('are stored unchanged, without absent fields', async ({ users }) => {
      const profile = {
        username: 'user?10',
        firstName: `O'Neil "x" \\`,
        lastName: '🐈',
        email: 'a@b',
        phone: '',
        userStatus: -2147483648,
      };
      await applyOne(
        users,
        createUsers(
          newAccount('', { publicId: MAX_INT64, profile, role: 'editor', passwordHash: '$argon2id$x' }),
          newAccount('bare'),
        ),
      );
      const [full, bare] = await findAll(users, ['user?10', 'bare']);
      const user = { id: MAX_INT64, ...profile };
      assert.deepEqual(full, {
        id: 1n,
        user,
        role: 'editor',
        passwordHash: '$argon2id$x',
        isLinked: false,
        hasPasskey: false,
      });
      assert.equal(bare?.passwordHash, undefined);
      assert.deepEqual(JSON.parse(JSON.stringify({ ...bare?.user, id: undefined })), { username: 'bare' });
    });

    test('are found in the order of the names, ignoring case, with their original spelling', async ({ users }) => {
      await applyOne(
        users,
        createUsers(newAccount('Ada'), newAccount('Zoë'), newAccount('ÉTIENNE'), newAccount('123')),
      );
      const asked = ['ZOË', 'nobody', 'ada', 'ADA', 'e\u0301tienne', '123', 'zoe'];
      assert.deepEqual(await namesOf(users, ...asked), ['Zoë', undefined, 'Ada', 'Ada', 'ÉTIENNE', '123', undefined]);
    });

    test('are created all or none', async ({ users }) => {
      await applyOne(users, createUsers(newAccount('ada', { publicId: 7n })));
      const failure = await applyFailing(
        users,
        createUsers(newAccount('bob'), newAccount('ADA'), newAccount('cyd', { publicId: 8n }), newAccount('ada')),
        'conflict',
      );
      assert.deepEqual(pathsOf(failure.details.problems), ['/1/username', '/3/username']);
      assert.deepEqual(await namesOf(users, 'bob', 'cyd'), [undefined, undefined]);
      // Nothing is left of it: the names are free, and no id was assigned.
      assert.deepEqual(await applyOne(users, createUsers(newAccount('cyd'), newAccount('bob'))), [2n, 3n]);
    });

    test('are not created from a list that has a name twice', async ({ users }) => {
      const failure = await applyFailing(
        users,
        createUsers(newAccount('ada'), newAccount('bob'), newAccount('Ada'), newAccount('cyd'), newAccount('BOB')),
        'conflict',
      );
      assert.deepEqual(pathsOf(failure.details.problems), ['/2/username', '/4/username']);
      assert.deepEqual(await namesOf(users, 'ada', 'bob', 'cyd'), [undefined, undefined, undefined]);
    });

    test('change in the order of a batch, and one may fail alone', async ({ users }) => {
      const outcomes = await applyAll(users, [
        createUsers(newAccount('ada')),
        createUsers(newAccount('ADA')),
        replaceUser('ada', { username: 'ada2' }),
        createUsers(newAccount('ada')),
        replaceUser('nobody', { username: 'x' }),
        removeUser('nobody'),
        removeUser('Ada'),
      ]);
      assert.deepEqual(codesOf(outcomes), ['ok', 'conflict', 'ok', 'ok', 'not-found', 'not-found', 'ok']);
      assert.deepEqual(await namesOf(users, 'ada', 'ada2'), [undefined, 'ada2']);
    });

    test('get a new profile, and keep id, role and password', async ({ users }) => {
      const profile = { username: 'ada', firstName: 'Ada', email: 'ada@example.org', userStatus: 1 };
      await applyOne(
        users,
        createUsers(newAccount('ada', { publicId: 9n, profile, role: 'admin', passwordHash: 'old' })),
      );
      assert.deepEqual(await applyOne(users, replaceUser('ADA', { username: 'ada', phone: '1' })), [9n]);
      const [account] = await findAll(users, ['ada']);
      assert.deepEqual(JSON.parse(JSON.stringify({ ...account?.user, id: undefined })), {
        username: 'ada',
        phone: '1',
      });
      assert.deepEqual([account?.id, account?.user.id], [1n, 9n]);
      assert.deepEqual([account?.role, account?.passwordHash], ['admin', 'old']);
      await applyOne(users, replaceUser('ada', { username: 'ada' }, { passwordHash: 'new' }));
      const [changed] = await findAll(users, ['ada']);
      assert.equal(changed?.passwordHash, 'new');
    });

    test("can be renamed, also to another case of the same name, but not to another account's name", async ({
      users,
    }) => {
      await applyOne(users, createUsers(newAccount('ada'), newAccount('bob')));
      await applyFailing(users, replaceUser('ada', { username: 'BOB' }), 'conflict');
      assert.deepEqual(await namesOf(users, 'ada', 'bob'), ['ada', 'bob']);
      await applyEach(users, [replaceUser('ada', { username: 'ADA' }), replaceUser('bob', { username: 'cyd' })]);
      assert.deepEqual(await namesOf(users, 'ada', 'bob', 'cyd'), ['ADA', undefined, 'cyd']);
      assert.deepEqual(await applyOne(users, createUsers(newAccount('bob'))), [3n]);
    });

    test('are gone after their deletion, and the name is free', async ({ users }) => {
      await applyOne(users, createUsers(newAccount('ada', { passwordHash: 'secret' })));
      assert.deepEqual(await applyOne(users, removeUser('ADA')), [1n]);
      assert.deepEqual(await findAll(users, ['ada']), [undefined]);
      await applyOne(users, createUsers(newAccount('ada')));
      const [again] = await findAll(users, ['ada']);
      assert.deepEqual([again?.user.id, again?.passwordHash], [2n, undefined]);
    });

    test('can be created a thousand at a time', async ({ users }) => {
      const list = Array.from({ length: 1000 }, (_, index) => newAccount(`user${index}`));
      assert.equal((await applyOne(users, createUsers(...list))).at(-1), 1000n);
      assert.deepEqual(await applyOne(users, createUsers()), []);
    });
  });
}

function describeRolesAndStatus(openStores: OpenStores): void {
  const test = testsOn(openStores);
  const testPrepared = testsOn(openStores, withSessions);
  void describe('role of an account', () => {
    test('is replaced, and nothing else changes', async ({ users }) => {
      const profile = { username: 'Ada', firstName: 'Ada', userStatus: 2 };
      await applyOne(users, createUsers(loginAccount('', { profile })));
      assert.deepEqual(await applyOne(users, setRole('ADA', 'editor')), [1n]);
      const [ada] = await findAll(users, ['ada']);
      assert.equal(ada?.role, 'editor');
      assert.equal(ada?.passwordHash, HASH);
      assert.deepEqual([ada?.user.username, ada?.user.firstName, ada?.user.userStatus], ['Ada', 'Ada', 2]);
    });

    test('makes the account one of the staff, whose names are listed', async ({ users }) => {
      await applyOne(users, createUsers(...['ada', 'Bob', 'cleo'].map((name) => loginAccount(name))));
      assert.deepEqual(await users.staffNames(), []);
      await applyOne(users, setRole('bob', 'editor'));
      await applyOne(users, setRole('ada', 'admin'));
      assert.deepEqual((await users.staffNames()).toSorted(), ['Bob', 'ada']);
    });

    testPrepared('applies immediately to existing sessions', async (stores) => {
      await applyOne(stores.users, setRole('ada', 'editor'));
      const found = await findAll(stores.sessions, ['a1', 'a2', 'b1']);
      assert.deepEqual(
        found.map((session) => session?.role),
        ['editor', 'editor', 'viewer'],
      );
    });
  });

  void describe('status of an account', () => {
    testPrepared('closes it and ends its sessions only; reopens it', async (stores) => {
      assert.deepEqual(await applyOne(stores.users, setStatus('ADA', 3)), [1n]);
      assert.equal((await findAll(stores.users, ['ada']))[0]?.user.userStatus, 3);
      assert.deepEqual(await livingSessions(stores), ['b1']);
      assert.deepEqual(await applyOne(stores.users, setStatus('ada', 2)), [1n]);
      const [ada] = await findAll(stores.users, ['ada']);
      assert.deepEqual([ada?.user.userStatus, ada?.passwordHash, ada?.role], [2, HASH, 'viewer']);
      assert.deepEqual(await livingSessions(stores), ['b1']);
    });

    testPrepared('ends the sessions also if a new profile closes the account', async (stores) => {
      await applyOne(stores.users, replaceUser('ada', { username: 'ada', userStatus: 2 }));
      assert.deepEqual(await livingSessions(stores), ['a1', 'a2', 'b1']);
      await applyOne(stores.users, replaceUser('ada', { username: 'ada', userStatus: 3 }));
      assert.deepEqual(await livingSessions(stores), ['b1']);
    });

    testPrepared('also ends the session that a new password would have kept', async (stores) => {
      const closed = { username: 'ada', userStatus: 3 };
      await applyOne(stores.users, replaceUser('ada', closed, { passwordHash: 'new', keepSession: 'a1' }));
      assert.deepEqual(await livingSessions(stores), ['b1']);
    });

    test('is kept by a new profile without a status', async ({ users }) => {
      await applyOne(users, createUsers(loginAccount('ada')));
      await applyEach(users, [setStatus('ada', 3), replaceUser('ada', { username: 'ada', phone: '1' })]);
      assert.equal((await findAll(users, ['ada']))[0]?.user.userStatus, 3);
      await applyOne(users, replaceUser('ada', { username: 'ada', userStatus: 1 }));
      assert.equal((await findAll(users, ['ada']))[0]?.user.userStatus, 1);
    });
  });
}

function describePasswords(openStores: OpenStores): void {
  const test = testsOn(openStores);
  const testPrepared = testsOn(openStores, withSessions);
  void describe('password of an account', () => {
    testPrepared('is replaced, and all sessions of the account end', async (stores) => {
      assert.deepEqual(await applyOne(stores.users, setPassword('ADA', 'new')), [1n]);
      assert.equal(await hashOf(stores.users, 'ada'), 'new');
      assert.equal(await hashOf(stores.users, 'bob'), HASH);
      assert.deepEqual(await livingSessions(stores), ['b1']);
    });

    testPrepared('spares the given session', async (stores) => {
      await applyOne(stores.users, setPassword('ada', 'new', { replacedHash: HASH, keepSession: 'a2' }));
      assert.deepEqual(await livingSessions(stores), ['a2', 'b1']);
    });

    testPrepared('is not changed if it is no longer the expected one', async (stores) => {
      const outcomes = await applyAll(stores.users, [
        setPassword('ada', 'first', { replacedHash: HASH, keepSession: 'a1' }),
        setPassword('ada', 'second', { replacedHash: HASH, keepSession: 'a2' }),
      ]);
      assert.deepEqual(codesOf(outcomes), ['ok', 'conflict']);
      assert.equal(await hashOf(stores.users, 'ada'), 'first');
      assert.deepEqual(await livingSessions(stores), ['a1', 'b1']);
    });

    test('is not changed for an account without one if a current one is expected, and the reverse', async ({
      users,
    }) => {
      await applyOne(users, createUsers(newAccount('ada')));
      await applyFailing(users, setPassword('ada', 'new', { replacedHash: HASH }), 'conflict');
      assert.equal(await hashOf(users, 'ada'), undefined);
      await applyOne(users, setPassword('ada', 'first', { replacedHash: null }));
      await applyFailing(users, setPassword('ada', 'second', { replacedHash: null }), 'conflict');
      assert.equal(await hashOf(users, 'ada'), 'first');
    });

    testPrepared('can be rehashed, which ends nothing', async (stores) => {
      await applyOne(stores.users, issueReset('ada', 'link'));
      assert.deepEqual(await applyOne(stores.users, { kind: 'rehash', userId: 1n, from: HASH, to: 'stronger' }), [1n]);
      assert.equal(await hashOf(stores.users, 'ada'), 'stronger');
      assert.equal(await hashOf(stores.users, 'bob'), HASH);
      assert.deepEqual(await livingSessions(stores), ['a1', 'a2', 'b1']);
      assert.equal(await stores.users.findReset('link', 1000), 'ada');
    });

    test('is not rehashed if it was changed meanwhile, or the account is deleted', async ({ users }) => {
      await applyOne(users, createUsers(loginAccount('ada', { publicId: 7n })));
      await applyEach(users, [
        setPassword('ada', 'new'),
        { kind: 'rehash', userId: 1n, from: HASH, to: 'stronger' },
        { kind: 'rehash', userId: 77n, from: HASH, to: 'stronger' },
      ]);
      assert.equal(await hashOf(users, 'ada'), 'new');
    });
  });
}

function describeResetLinks(openStores: OpenStores): void {
  const test = testsOn(openStores);
  const testPrepared = testsOn(openStores, withSessions);
  void describe('reset link', () => {
    test('belongs to its account until it expires; unknown ones to none', async ({ users }) => {
      await applyOne(users, createUsers(loginAccount('bob'), loginAccount('Ada', { publicId: 5n })));
      assert.deepEqual(await applyOne(users, issueReset('ADA', 'link', 5000)), [2n]);
      assert.equal(await users.findReset('link', 4999), 'Ada');
      assert.equal(await users.findReset('link', 5000), undefined);
      assert.equal(await users.findReset('other', 1000), undefined);
      await applyFailing(users, useReset('link', 'too late', 5000), 'not-found');
      assert.equal(await hashOf(users, 'ada'), HASH);
      await applyOne(users, useReset('link', 'just in time', 4999));
      assert.equal(await hashOf(users, 'ada'), 'just in time');
    });

    test('of an invitation sets the first password', async ({ users }) => {
      const invited = { invitation: { digest: 'invited', expiresAtMs: 5000 } };
      await applyOne(users, createUsers(newAccount('eve', invited), newAccount('bob')));
      assert.equal(await users.findReset('invited', 4999), 'eve');
      await applyOne(users, useReset('invited', 'first', 4999));
      assert.equal(await hashOf(users, 'eve'), 'first');
      assert.equal(await hashOf(users, 'bob'), undefined);
    });

    testPrepared('sets a password once, and ends the sessions of the account', async (stores) => {
      await applyOne(stores.users, issueReset('ada', 'link'));
      assert.deepEqual(await applyOne(stores.users, useReset('link', 'new')), [1n]);
      assert.equal(await hashOf(stores.users, 'ada'), 'new');
      assert.equal(await stores.users.findReset('link', 1000), undefined);
      assert.deepEqual(await livingSessions(stores), ['b1']);
      await applyFailing(stores.users, useReset('link', 'again'), 'not-found');
      assert.equal(await hashOf(stores.users, 'ada'), 'new');
    });

    test('succeeds for exactly one of several concurrent uses', async ({ users }) => {
      await applyOne(users, createUsers(loginAccount('ada')));
      await applyOne(users, issueReset('ada', 'link'));
      const inOneBatch = applyAll(
        users,
        [1, 2, 3].map((number) => useReset('link', `batch ${number}`)),
      );
      const alone = [4, 5].map((number) => applyAll(users, [useReset('link', `alone ${number}`)]));
      const codes = codesOf((await Promise.all([inOneBatch, ...alone])).flat());
      assert.deepEqual(codes.toSorted(), ['not-found', 'not-found', 'not-found', 'not-found', 'ok']);
      assert.match((await hashOf(users, 'ada')) ?? '', /^(?:batch|alone) \d$/);
    });

    test('replaces an earlier one of the same account, and of no other', async ({ users }) => {
      await applyOne(users, createUsers(loginAccount('ada'), loginAccount('bob')));
      await applyEach(users, [issueReset('ada', 'first'), issueReset('bob', 'of bob'), issueReset('ada', 'second')]);
      await applyFailing(users, useReset('first', 'x'), 'not-found');
      const digests = ['first', 'second', 'of bob'];
      assert.deepEqual(await Promise.all(digests.map((digest) => users.findReset(digest, 1000))), [
        undefined,
        'ada',
        'bob',
      ]);
      await applyOne(users, useReset('second', 'new'));
      assert.equal(await hashOf(users, 'ada'), 'new');
    });

    const endings: [how: string, ...changes: UserChange[]][] = [
      ['another password is set', setPassword('ada', 'other')],
      ['a new profile with another password', replaceUser('ada', { username: 'ada' }, { passwordHash: 'other' })],
      ['the account is closed, and reopened', setStatus('ada', 3), setStatus('ada', 2)],
      ['the account is deleted, and another one gets its name', removeUser('ada'), createUsers(loginAccount('ada'))],
    ];
    for (const [how, ...changes] of endings) {
      test(`is invalid after ${how}`, async ({ users }) => {
        await applyOne(users, createUsers(loginAccount('ada')));
        await applyOne(users, issueReset('ada', 'link'));
        for (const change of changes) {
          await applyOne(users, change);
          assert.equal(await users.findReset('link', 1000), undefined);
        }
        const hash = await hashOf(users, 'ada');
        await applyFailing(users, useReset('link', 'new'), 'not-found');
        assert.equal(await hashOf(users, 'ada'), hash);
      });
    }

    test('stays valid when the account is renamed, and has its new name', async ({ users }) => {
      await applyOne(users, createUsers(loginAccount('ada', { publicId: 7n })));
      await applyEach(users, [issueReset('ada', 'link'), replaceUser('ada', { username: 'Lady' })]);
      assert.equal(await users.findReset('link', 1000), 'Lady');
      assert.deepEqual(await applyOne(users, useReset('link', 'new')), [1n]);
    });
  });
}
