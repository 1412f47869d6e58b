import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_INT64 } from '../../src/domain/int64.ts';
import type { UserStore } from '../../src/domain/accounts/ports.ts';
import {
  applyEach,
  applyFailing,
  applyOne,
  codesOf,
  createUsers,
  newAccount,
  replaceUser,
} from '../support/changes.ts';
import type { OpenStores } from './store-suite.ts';

async function namesOf(userStore: UserStore, ...usernames: string[]): Promise<readonly (string | undefined)[]> {
  return (await userStore.findMany(usernames)).map((account) => account?.user.username);
}

async function idOf(userStore: UserStore, username: string): Promise<bigint | undefined> {
  const [account] = await userStore.findMany([username]);
  return account?.user.id;
}

const pathsOf = (problems: readonly { path: string }[] | undefined) => problems?.map(({ path }) => path);

export function describeUserStore(openStores: OpenStores): void {
  void describe('accounts', () => {
    void it('are kept as they are, absent fields absent', async (t) => {
      const { userStore } = await openStores(t);
      const profile = {
        username: 'user?10',
        firstName: `O'Neil "x" \\`,
        lastName: '🐈',
        email: 'a@b',
        phone: '',
        userStatus: -2147483648,
      };
      await applyOne(
        userStore,
        createUsers(
          newAccount('', { id: MAX_INT64, profile, role: 'editor', passwordHash: '$argon2id$x' }),
          newAccount('bare'),
        ),
      );
      const [full, bare] = await userStore.findMany(['user?10', 'bare']);
      assert.deepEqual(full, { user: { id: MAX_INT64, ...profile }, role: 'editor', passwordHash: '$argon2id$x' });
      assert.equal(bare?.passwordHash, undefined);
      assert.deepEqual(JSON.parse(JSON.stringify({ ...bare?.user, id: undefined })), { username: 'bare' });
    });

    void it('are found in the order of the names, without regard to case, and shown as they were written', async (t) => {
      const { userStore } = await openStores(t);
      await applyOne(
        userStore,
        createUsers(newAccount('Ada'), newAccount('Zoë'), newAccount('ÉTIENNE'), newAccount('123')),
      );
      const asked = ['ZOË', 'nobody', 'ada', 'ADA', 'e\u0301tienne', '123', 'zoe'];
      assert.deepEqual(await namesOf(userStore, ...asked), [
        'Zoë',
        undefined,
        'Ada',
        'Ada',
        'ÉTIENNE',
        '123',
        undefined,
      ]);
    });

    void it('are created all or none', async (t) => {
      const { userStore } = await openStores(t);
      await applyOne(userStore, createUsers(newAccount('ada', { id: 7n })));
      const failure = await applyFailing(
        userStore,
        createUsers(newAccount('bob'), newAccount('ADA'), newAccount('cyd', { id: 8n }), newAccount('dan', { id: 7n })),
        'conflict',
      );
      assert.deepEqual(pathsOf(failure.details.problems), ['/1/username', '/3/id']);
      assert.deepEqual(await namesOf(userStore, 'bob', 'cyd', 'dan'), [undefined, undefined, undefined]);
      // Nothing of it is left behind: the names and the ids are free.
      assert.deepEqual(await applyOne(userStore, createUsers(newAccount('cyd', { id: 8n }), newAccount('bob'))), [
        8n,
        1n,
      ]);
    });

    void it('are not created from a list that has a name or an id twice', async (t) => {
      const { userStore } = await openStores(t);
      const failure = await applyFailing(
        userStore,
        createUsers(
          newAccount('ada', { id: 5n }),
          newAccount('bob'),
          newAccount('Ada'),
          newAccount('cyd', { id: 5n }),
          newAccount('BOB'),
        ),
        'conflict',
      );
      assert.deepEqual(pathsOf(failure.details.problems), ['/2/username', '/3/id', '/4/username']);
      assert.deepEqual(await namesOf(userStore, 'ada', 'bob', 'cyd'), [undefined, undefined, undefined]);
    });

    void it('are never overwritten by one that is created', async (t) => {
      const { userStore } = await openStores(t);
      await applyOne(userStore, createUsers(newAccount('ada', { id: 3n, passwordHash: 'hash' })));
      const name = await applyFailing(userStore, createUsers(newAccount('AdA')), 'conflict');
      assert.match(name.message, /AdA/);
      const id = await applyFailing(userStore, createUsers(newAccount('bob', { id: 3n })), 'conflict');
      assert.match(id.message, /\b3\b/);
      const [ada] = await userStore.findMany(['ada']);
      assert.equal(ada?.passwordHash, 'hash');
    });

    void it('change in the order of a batch, one failing alone', async (t) => {
      const { userStore } = await openStores(t);
      const outcomes = await userStore.applyAll([
        createUsers(newAccount('ada')),
        createUsers(newAccount('ADA')),
        replaceUser('ada', { username: 'ada2' }),
        createUsers(newAccount('ada')),
        replaceUser('nobody', { username: 'x' }),
        { kind: 'remove', username: 'nobody' },
        { kind: 'remove', username: 'Ada' },
      ]);
      assert.deepEqual(codesOf(outcomes), ['ok', 'conflict', 'ok', 'ok', 'not-found', 'not-found', 'ok']);
      assert.deepEqual(await namesOf(userStore, 'ada', 'ada2'), [undefined, 'ada2']);
    });

    void it('get a whole new profile in the place of the old one, and keep id, role and password', async (t) => {
      const { userStore } = await openStores(t);
      const profile = { username: 'ada', firstName: 'Ada', email: 'ada@example.org', userStatus: 1 };
      await applyOne(
        userStore,
        createUsers(newAccount('ada', { id: 9n, profile, role: 'admin', passwordHash: 'old' })),
      );
      assert.deepEqual(await applyOne(userStore, replaceUser('ADA', { username: 'ada', phone: '1' })), [9n]);
      const [account] = await userStore.findMany(['ada']);
      assert.deepEqual(JSON.parse(JSON.stringify({ ...account?.user, id: undefined })), {
        username: 'ada',
        phone: '1',
      });
      assert.deepEqual([account?.user.id, account?.role, account?.passwordHash], [9n, 'admin', 'old']);
      await applyOne(userStore, replaceUser('ada', { username: 'ada' }, { passwordHash: 'new' }));
      const [changed] = await userStore.findMany(['ada']);
      assert.equal(changed?.passwordHash, 'new');
    });

    void it('are renamed, also to another case of their own name, but not to the name of another', async (t) => {
      const { userStore } = await openStores(t);
      await applyOne(userStore, createUsers(newAccount('ada'), newAccount('bob')));
      await applyFailing(userStore, replaceUser('ada', { username: 'BOB' }), 'conflict');
      assert.deepEqual(await namesOf(userStore, 'ada', 'bob'), ['ada', 'bob']);
      await applyEach(userStore, [replaceUser('ada', { username: 'ADA' }), replaceUser('bob', { username: 'cyd' })]);
      assert.deepEqual(await namesOf(userStore, 'ada', 'bob', 'cyd'), ['ADA', undefined, 'cyd']);
      assert.deepEqual(await applyOne(userStore, createUsers(newAccount('bob'))), [3n]);
    });

    void it('are gone once removed, and the name is free', async (t) => {
      const { userStore } = await openStores(t);
      await applyOne(userStore, createUsers(newAccount('ada', { passwordHash: 'secret' })));
      assert.deepEqual(await applyOne(userStore, { kind: 'remove', username: 'ADA' }), [1n]);
      assert.deepEqual(await userStore.findMany(['ada']), [undefined]);
      await applyOne(userStore, createUsers(newAccount('ada')));
      const [again] = await userStore.findMany(['ada']);
      assert.deepEqual([again?.user.id, again?.passwordHash], [2n, undefined]);
    });

    void it('get ids as pets do: small, growing, past chosen ones, never twice, and apart from those of pets', async (t) => {
      const { userStore } = await openStores(t);
      assert.deepEqual(
        await applyOne(
          userStore,
          createUsers(
            newAccount('max', { id: MAX_INT64 }),
            newAccount('a'),
            newAccount('two', { id: 2n }),
            newAccount('b'),
          ),
        ),
        [MAX_INT64, 1n, 2n, 3n],
      );
      await applyEach(userStore, [
        { kind: 'remove', username: 'b' },
        { kind: 'remove', username: 'two' },
      ]);
      assert.deepEqual(await applyOne(userStore, createUsers(newAccount('c'))), [4n]);
      await applyEach(userStore, [
        replaceUser('max', { username: 'max', phone: '1' }),
        { kind: 'remove', username: 'max' },
        createUsers(newAccount('d')),
      ]);
      assert.equal(await idOf(userStore, 'd'), 5n);
    });

    void it('of one list do not take the ids that later entries of it chose', async (t) => {
      const { userStore } = await openStores(t);
      const list = [newAccount('a'), newAccount('b', { id: 1n }), newAccount('c'), newAccount('d', { id: 2n })];
      assert.deepEqual(await applyOne(userStore, createUsers(...list)), [3n, 1n, 4n, 2n]);
    });

    void it('can be created a thousand at a time', async (t) => {
      const { userStore } = await openStores(t);
      const list = Array.from({ length: 1000 }, (_, index) => newAccount(`user${index}`));
      assert.equal((await applyOne(userStore, createUsers(...list))).at(-1), 1000n);
      assert.deepEqual(await applyOne(userStore, createUsers()), []);
    });
  });
}
