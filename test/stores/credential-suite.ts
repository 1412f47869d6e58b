import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DatabaseStores } from '../../src/domain/stores.ts';
import type { Stamp } from '../../src/domain/audit.ts';
import { Failure } from '../../src/domain/failure.ts';
import type { UserChange } from '../../src/domain/accounts/ports.ts';
import {
  HASH,
  STAMP,
  applyAll,
  applyOne,
  createUsers,
  findAll,
  newAccount,
  putPet,
  replaceUser,
} from '../support/changes.ts';
import type { OpenStores } from './store-suite.ts';

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

const KEY = { id: 'k1', name: 'ci', scopes: ['write:pets'], createdAtMs: 1, expiresAtMs: 9_000_000_000_000 } as const;

async function withAda(stores: DatabaseStores): Promise<void> {
  const ada = newAccount('ada', { publicId: 7n, role: 'admin', passwordHash: HASH });
  const root = newAccount('root', { publicId: 7n, role: 'admin', passwordHash: HASH });
  await applyOne(stores.users, createUsers(ada, root));
  const client = { address: '127.0.0.1', userAgent: undefined };
  const session = { digest: 'd1', id: 's1', userId: 1n, startedAtMs: 1, expiresAtMs: 9_000_000_000_000, client };
  await applyOne(stores.sessions, { kind: 'begin', session, passwordHash: HASH, replaces: [], stamp: STAMP });
  await applyOne(stores.keys, {
    kind: 'create',
    digest: 'key digest',
    userId: 1n,
    key: KEY,
    maxOfAccount: 9,
    stamp: STAMP,
  });
}

const CHANGES: readonly [
  title: string,
  change: (stores: DatabaseStores, stamp: Stamp) => Promise<readonly unknown[]>,
][] = [
  ['a pet', ({ pets }, stamp) => applyAll(pets, [putPet({}, 7n, { stamp })])],
  ['a deleted pet', ({ pets }, stamp) => applyAll(pets, [{ kind: 'delete', id: 7n, stamp }])],
  ['an account', ({ users }, stamp) => applyAll(users, [{ ...replaceUser('root', { username: 'r' }), stamp }])],
  ['a role', ({ users }, stamp) => applyAll(users, [{ kind: 'set-role', username: 'ada', role: 'admin', stamp }])],
  ['a key', ({ keys }, stamp) => applyAll(keys, [{ kind: 'revoke', id: 'k1', userId: 1n, stamp }])],
  [
    'sessions',
    ({ sessions }, stamp) => applyAll(sessions, [{ kind: 'end-others', userId: 2n, keepSession: undefined, stamp }]),
  ],
];

const LOSSES: readonly [how: string, stamp: Stamp, lose: (stores: DatabaseStores) => Promise<unknown>][] = [
  ['the session has ended', BY_SESSION, ({ sessions }) => end(sessions)],
  ['the key is revoked', BY_KEY, ({ keys }) => applyOne(keys, { kind: 'revoke', id: 'k1', userId: 1n, stamp: STAMP })],
  ['the account is closed (session)', BY_SESSION, ({ users }) => applyOne(users, closing)],
  ['the account is closed (key)', BY_KEY, ({ users }) => applyOne(users, closing)],
  ['the role has changed (session)', BY_SESSION, ({ users }) => applyOne(users, demoting)],
  ['the role has changed (key)', BY_KEY, ({ users }) => applyOne(users, demoting)],
  [
    'the account is deleted',
    BY_SESSION,
    ({ users }) => applyOne(users, { kind: 'delete', username: 'ada', stamp: STAMP }),
  ],
];

const closing: UserChange = { kind: 'set-status', username: 'ada', userStatus: 3, stamp: STAMP };
const demoting: UserChange = { kind: 'set-role', username: 'ada', role: 'editor', stamp: STAMP };

function end(sessions: DatabaseStores['sessions']): Promise<unknown> {
  return applyOne(sessions, { kind: 'end', digests: ['d1'], stamp: STAMP });
}

export function describeAuthorization(openStores: OpenStores): void {
  void describe('authorized change', () => {
    void it('is made while the authorization is valid', async (t) => {
      for (const stamp of [BY_SESSION, BY_KEY]) {
        const stores = await openStores(t);
        await withAda(stores);
        for (const [title, change] of CHANGES.filter(([name]) => name !== 'a key')) {
          const [outcome] = await change(stores, stamp);
          assert.ok(!(outcome instanceof Error), `${title} by ${stamp.via}`);
        }
      }
    });

    for (const [how, stamp, lose] of LOSSES) {
      void it(`is refused after ${how}`, async (t) => {
        const stores = await openStores(t);
        await withAda(stores);
        await lose(stores);
        const entriesBefore = await stores.audit.list({}, { beforeId: undefined, limit: 100 });
        for (const [title, change] of CHANGES) {
          const [outcome] = await change(stores, stamp);
          assert.ok(outcome instanceof Failure, title);
          assert.equal(outcome.code, 'unauthenticated', title);
        }
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
      void it(`is refused if the account is not the one seen then (${seen.id}, ${seen.role})`, async (t) => {
        const { users } = await openStores(t);
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
    void it('are limited to a thousand: another one ends the least recently used', async (t) => {
      const stores = await openStores(t);
      await withAda(stores);
      const client = { address: '127.0.0.1', userAgent: undefined };
      const begin = (number: number) =>
        ({
          kind: 'begin',
          session: {
            digest: `n${number}`,
            id: `i${number}`,
            userId: 1n,
            startedAtMs: number,
            expiresAtMs: 1e13,
            client,
          },
          passwordHash: HASH,
          replaces: [],
          stamp: STAMP,
        }) as const;
      const outcomes = await applyAll(
        stores.sessions,
        Array.from({ length: 1000 }, (_, index) => begin(index + 2)),
      );
      assert.ok(outcomes.every((outcome) => !(outcome instanceof Error)));
      assert.equal((await stores.sessions.listOf(1n)).length, 1000);
      assert.deepEqual(await findAll(stores.sessions, ['d1']), [undefined]);
    });
  });
}
