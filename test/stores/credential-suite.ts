import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DatabaseStores } from '../../src/storage/rows/stores/stores.ts';
import type { Stamp } from '../../src/domain/audit.ts';
import { Failure } from '../../src/domain/failure.ts';
import type { UserChange } from '../../src/domain/accounts/ports.ts';
import {
  HASH,
  STAMP,
  applyAll,
  applyOne,
  beginSession,
  createKey,
  createUsers,
  endSessions,
  findAll,
  newAccount,
  putPet,
  removeUser,
  replaceUser,
  revokeKey,
  setRole,
  setStatus,
} from '../support/changes.ts';
import { CHECKED_CHANGES } from './stamped-changes.ts';
import { testsOn, type OpenStores } from './open-stores.ts';

/*
 * A request is authorized by its headers, but its change arrives after the body. A change must fail if the actor has
 * lost that authorization meanwhile.
 */

const BY_SESSION: Stamp = {
  ...STAMP,
  via: 'session',
  actorId: 1n,
  actorName: 'ada',
  actorRole: 'admin',
  credentialId: 's1',
};
const BY_KEY: Stamp = { ...BY_SESSION, via: 'key', credentialId: 'k1' };

const LATE_MS = 9_000_000_000_000;

async function withAda(stores: DatabaseStores): Promise<void> {
  const ada = newAccount('ada', { publicId: 7n, role: 'admin', passwordHash: HASH });
  const root = newAccount('root', { publicId: 7n, role: 'admin', passwordHash: HASH });
  await applyOne(stores.users, createUsers(ada, root));
  const session = { id: 's1', startedAtMs: 1, expiresAtMs: LATE_MS };
  await applyOne(stores.sessions, beginSession('d1', 1n, { session }));
  const key = { id: 'k1', scopes: ['write:pets'], createdAtMs: 1, expiresAtMs: LATE_MS } as const;
  await applyOne(stores.keys, createKey('key digest', 1n, { key }));
}

/** One after the other, by the same credential. */
const CHANGES: readonly [
  title: string,
  change: (stores: DatabaseStores, stamp: Stamp) => Promise<readonly unknown[]>,
][] = [
  ['a pet', ({ pets }, stamp) => applyAll(pets, [putPet({}, 7n, { stamp })])],
  ['a deleted pet', ({ pets }, stamp) => applyAll(pets, [{ kind: 'delete', id: 7n, stamp }])],
  ['an account', ({ users }, stamp) => applyAll(users, [{ ...replaceUser('root', { username: 'r' }), stamp }])],
  ['a role', ({ users }, stamp) => applyAll(users, [{ kind: 'set-role', username: 'ada', role: 'admin', stamp }])],
  [
    'sessions',
    ({ sessions }, stamp) => applyAll(sessions, [{ kind: 'end-others', userId: 2n, keepSession: undefined, stamp }]),
  ],
];

const LOSSES: readonly [how: string, stamp: Stamp, lose: (stores: DatabaseStores) => Promise<unknown>][] = [
  ['the session has ended', BY_SESSION, ({ sessions }) => applyOne(sessions, endSessions('d1'))],
  ['the key is revoked', BY_KEY, ({ keys }) => applyOne(keys, revokeKey('k1', 1n))],
  ['the account is closed (session)', BY_SESSION, ({ users }) => applyOne(users, setStatus('ada', 3))],
  ['the account is closed (key)', BY_KEY, ({ users }) => applyOne(users, setStatus('ada', 3))],
  ['the role has changed (session)', BY_SESSION, ({ users }) => applyOne(users, setRole('ada', 'editor'))],
  ['the role has changed (key)', BY_KEY, ({ users }) => applyOne(users, setRole('ada', 'editor'))],
  ['the account is deleted', BY_SESSION, ({ users }) => applyOne(users, removeUser('ada'))],
];

/** The code of the failure of a change. */
async function codeOf(change: Promise<unknown>): Promise<string> {
  try {
    await change;
  } catch (error) {
    if (error instanceof Failure) return error.code;
    throw error;
  }
  return 'made';
}

export function describeAuthorization(openStores: OpenStores): void {
  const test = testsOn(openStores);
  void describe('authorized change', () => {
    void it('is made while the authorization is valid', async (t) => {
      for (const stamp of [BY_SESSION, BY_KEY]) {
        const stores = await openStores(t);
        await withAda(stores);
        for (const [title, change] of CHANGES) {
          const [outcome] = await change(stores, stamp);
          assert.ok(!(outcome instanceof Error), `${title} by ${stamp.via}`);
        }
      }
    });

    for (const [how, stamp, lose] of LOSSES) {
      test(`is refused after ${how}`, async (stores) => {
        await withAda(stores);
        await lose(stores);
        const entriesBefore = await stores.audit.list({}, { beforeId: undefined, limit: 100 });
        const outcomes = await Promise.all(
          CHECKED_CHANGES.map(async ({ title, apply }) => [title, await codeOf(apply(stores, stamp))]),
        );
        const refused = CHECKED_CHANGES.map(({ title }) => [title, 'unauthenticated']);
        assert.deepEqual(outcomes, refused);
        assert.deepEqual(await findAll(stores.pets, [7n]), [undefined]);
        assert.deepEqual(await stores.audit.list({}, { beforeId: undefined, limit: 100 }), entriesBefore);
      });
    }
  });

  void describe('change of an account that an actor was allowed to change', () => {
    for (const seen of [
      { id: 2n, role: 'viewer' },
      { id: 1n, role: 'editor' },
    ] as const) {
      test(`is refused if the account is not the one seen then (${seen.id}, ${seen.role})`, async ({ users }) => {
        await applyOne(users, createUsers(newAccount('eve', { publicId: 2n, role: 'viewer' })));
        const outcomes = await applyAll(users, [
          { ...replaceUser('eve', { username: 'eve', phone: '1' }, { passwordHash: 'x' }), seen } as UserChange,
          { kind: 'delete', username: 'eve', seen, stamp: STAMP },
        ]);
        for (const outcome of outcomes) assert.ok(outcome instanceof Failure && outcome.code === 'conflict');
        const [eve] = await findAll(users, ['eve']);
        assert.deepEqual([eve?.user.phone, eve?.passwordHash], [undefined, undefined]);
      });
    }
  });

  void describe('sessions of an account', () => {
    test('are limited to a thousand: another one ends the least recently used', async (stores) => {
      await withAda(stores);
      const outcomes = await applyAll(
        stores.sessions,
        Array.from({ length: 1000 }, (_, index) =>
          beginSession(`n${index}`, 1n, { session: { startedAtMs: index + 2, expiresAtMs: LATE_MS } }),
        ),
      );
      assert.ok(outcomes.every((outcome) => !(outcome instanceof Error)));
      assert.equal((await stores.sessions.listOf(1n)).length, 1000);
      assert.deepEqual(await findAll(stores.sessions, ['d1']), [undefined]);
    });
  });
}
