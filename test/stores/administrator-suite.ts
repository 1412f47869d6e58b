import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { NewAccount, UserChange } from '../../src/domain/accounts/ports.ts';
import { Failure } from '../../src/domain/failure.ts';
import {
  applyAll,
  applyEach,
  applyFailing,
  applyOne,
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

const admin = (username: string, userStatus = 2) =>
  loginAccount(username, { role: 'admin', profile: { username, userStatus } });

/** Everything that takes the role from an administrator called root, or locks them out. */
const waysOut: [name: string, change: UserChange][] = [
  ['a deletion', removeUser('ROOT')],
  ['the role of a viewer', setRole('Root', 'viewer')],
  ['the role of an editor', setRole('root', 'editor')],
  ['closing', setStatus('root', 3)],
  ['a new profile that closes the account', replaceUser('root', { username: 'root', userStatus: 3 })],
  [
    'a new profile that closes the account, with another name and password',
    replaceUser('root', { username: 'toor', userStatus: 3 }, { passwordHash: 'new' }),
  ],
];

/** Accounts that do not count as another administrator. */
const noOthers: [name: string, others: readonly NewAccount[]][] = [
  ['nobody', []],
  ['viewers and editors', [loginAccount('ada'), loginAccount('bob', { role: 'editor' })]],
  ['an administrator without a password', [newAccount('ada', { role: 'admin' })]],
  ['a closed administrator', [admin('ada', 3)]],
];

const states: [hasAdministrator: boolean, name: string, ...accounts: NewAccount[]][] = [
  [false, 'without accounts'],
  [false, 'with viewers and editors only', loginAccount('a', { role: 'editor' })],
  [false, 'with an administrator without a password', newAccount('a', { role: 'admin' })],
  [false, 'with a closed administrator', admin('a', 3)],
  [true, 'with an administrator', admin('a')],
  [true, 'with an administrator without a status', loginAccount('a', { role: 'admin' })],
  [true, 'with one open administrator of several', admin('a', 3), admin('b', 1), loginAccount('c')],
];

const first = (username: string): UserChange => ({ ...createUsers(admin(username)), isFirstAdmin: true });

/** Once there is an administrator who can log in, there always is one. */
export function describeAdministrators(openStores: OpenStores): void {
  const test = testsOn(openStores);
  void describe('last administrator', () => {
    for (const [name, others] of noOthers) {
      test(`keeps the role and access beside ${name}`, async ({ users }) => {
        await applyOne(users, createUsers(admin('root'), ...others));
        const before = await findAll(users, ['root']);
        for (const [way, change] of waysOut) {
          const [failure] = await applyAll(users, [change]);
          assert.ok(failure instanceof Failure && failure.code === 'conflict', way);
          assert.match(failure.message, /root/);
          assert.deepEqual(await findAll(users, ['root', 'toor']), [...before, undefined], way);
          assert.equal(await users.hasAdministrator(), true, way);
        }
      });
    }

    for (const [name, change] of waysOut) {
      test(`may be replaced: with another administrator, ${name} succeeds`, async ({ users }) => {
        await applyOne(users, createUsers(admin('root'), admin('ada')));
        await applyOne(users, change);
        const [root] = await findAll(users, ['root']);
        assert.ok(root === undefined || root.role !== 'admin' || root.user.userStatus === 3);
        assert.equal(await users.hasAdministrator(), true);
      });
    }

    test('remains when the last two give up the role concurrently', async ({ users }) => {
      await applyOne(users, createUsers(admin('root'), admin('ada')));
      const inOneBatch = await applyAll(users, [setRole('root', 'viewer'), setStatus('ada', 3)]);
      assert.deepEqual(codesOf(inOneBatch), ['ok', 'conflict']);
      await applyOne(users, setRole('root', 'admin'));
      const apart = await Promise.all([applyAll(users, [removeUser('root')]), applyAll(users, [removeUser('ada')])]);
      assert.deepEqual(codesOf(apart.flat()).toSorted(), ['conflict', 'ok']);
      assert.equal(await users.hasAdministrator(), true);
    });

    test('may get another profile, name and password, and the role again', async ({ users }) => {
      await applyOne(users, createUsers(admin('root')));
      await applyEach(users, [
        setRole('root', 'admin'),
        setStatus('root', 2),
        setPassword('root', 'new'),
        replaceUser('root', { username: 'toor', userStatus: 1 }, { passwordHash: 'newer' }),
        replaceUser('toor', { username: 'toor' }),
      ]);
      assert.equal(await users.hasAdministrator(), true);
    });

    test('is not affected by changes of accounts that cannot log in', async ({ users }) => {
      const accounts = [newAccount('no password', { role: 'admin' }), admin('closed', 3), loginAccount('viewer')];
      await applyOne(users, createUsers(...accounts));
      await applyEach(users, [setRole('no password', 'viewer'), setStatus('viewer', 3), removeUser('viewer')]);
      await applyEach(users, [removeUser('closed'), removeUser('no password')]);
      assert.deepEqual(await findAll(users, ['no password', 'closed', 'viewer']), [undefined, undefined, undefined]);
    });

    test('a colleague without a password counts only after getting one', async ({ users }) => {
      await applyOne(users, createUsers(admin('root'), newAccount('ada', { role: 'admin' })));
      await applyFailing(users, removeUser('root'), 'conflict');
      await applyEach(users, [issueReset('ada', 'link'), useReset('link', 'hash'), removeUser('root')]);
      assert.deepEqual(await findAll(users, ['root']), [undefined]);
    });
  });

  void describe('first administrator', () => {
    for (const [is, name, ...accounts] of states)
      test(`is ${is ? 'refused' : 'created'} ${name}`, async ({ users }) => {
        await applyOne(users, createUsers(...accounts));
        assert.equal(await users.hasAdministrator(), is);
        const [outcome] = await applyAll(users, [first('root')]);
        assert.equal(outcome instanceof Failure && outcome.code === 'conflict', is);
        assert.equal((await findAll(users, ['root']))[0] === undefined, is);
      });

    test('is one, of several that are created at once', async ({ users }) => {
      const outcomes = await applyAll(users, ['a', 'b', 'c'].map(first));
      assert.equal(outcomes.filter((outcome) => !(outcome instanceof Failure)).length, 1);
    });
  });

  void describe('hasAdministrator', () => {
    test('follows every change', async ({ users }) => {
      await applyOne(users, createUsers(newAccount('ada')));
      const responses: boolean[] = [];
      const changes = [
        setPassword('ada', 'hash'),
        setRole('ada', 'admin'),
        createUsers(admin('bob', 3)),
        setStatus('bob', 2),
        setStatus('ada', 3),
        setRole('ada', 'viewer'),
      ];
      for (const change of changes) {
        await applyOne(users, change);
        responses.push(await users.hasAdministrator());
      }
      assert.deepEqual(responses, [false, true, true, true, true, true]);
    });
  });
}
