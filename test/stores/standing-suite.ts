import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BatchedStores } from '../../src/storage/batching/gathered-stores.ts';
import type { Stamp } from '../../src/domain/audit.ts';
import { Failure } from '../../src/domain/failure.ts';
import type { UserChange } from '../../src/domain/accounts/ports.ts';
import { applyOne, createUsers, HASH, newAccount, putPet, replaceUser, STAMP } from '../support/changes.ts';
import type { OpenStores } from './store-suite.ts';

/*
 * A request is let in by its header, and its change comes when the body is there. Whoever has lost in between what they were let in by changes
 * nothing any more.
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

async function withAda(stores: BatchedStores): Promise<void> {
  const ada = newAccount('ada', { publicId: 7n, role: 'admin', passwordHash: HASH });
  const root = newAccount('root', { publicId: 7n, role: 'admin', passwordHash: HASH });
  await applyOne(stores.userStore, createUsers(ada, root));
  const client = { address: '127.0.0.1', userAgent: undefined };
  const session = { digest: 'd1', id: 's1', userId: 1n, startedAtMs: 1, expiresAtMs: 9_000_000_000_000, client };
  await applyOne(stores.sessionStore, { kind: 'begin', session, passwordHash: HASH, replaces: [], stamp: STAMP });
  await applyOne(stores.keyStore, {
    kind: 'create',
    digest: 'key digest',
    userId: 1n,
    key: KEY,
    maxOfAccount: 9,
    stamp: STAMP,
  });
}

const CHANGES: readonly [what: string, change: (stores: BatchedStores, stamp: Stamp) => Promise<readonly unknown[]>][] =
  [
    ['a pet', ({ petStore }, stamp) => petStore.applyAll([putPet({}, 7n, { stamp })])],
    ['a pet that is removed', ({ petStore }, stamp) => petStore.applyAll([{ kind: 'remove', id: 7n, stamp }])],
    [
      'an account',
      ({ userStore }, stamp) => userStore.applyAll([{ ...replaceUser('root', { username: 'r' }), stamp }]),
    ],
    [
      'a role',
      ({ userStore }, stamp) => userStore.applyAll([{ kind: 'set-role', username: 'ada', role: 'admin', stamp }]),
    ],
    ['a key', ({ keyStore }, stamp) => keyStore.applyAll([{ kind: 'revoke', id: 'k1', userId: 1n, stamp }])],
    [
      'sessions',
      ({ sessionStore }, stamp) =>
        sessionStore.applyAll([{ kind: 'end-others', userId: 2n, keepSession: undefined, stamp }]),
    ],
  ];

const LOSSES: readonly [how: string, stamp: Stamp, lose: (stores: BatchedStores) => Promise<unknown>][] = [
  ['the session has ended', BY_SESSION, ({ sessionStore }) => end(sessionStore)],
  [
    'the key is revoked',
    BY_KEY,
    ({ keyStore }) => applyOne(keyStore, { kind: 'revoke', id: 'k1', userId: 1n, stamp: STAMP }),
  ],
  ['the account is closed (session)', BY_SESSION, ({ userStore }) => applyOne(userStore, closing)],
  ['the account is closed (key)', BY_KEY, ({ userStore }) => applyOne(userStore, closing)],
  ['the role is another (session)', BY_SESSION, ({ userStore }) => applyOne(userStore, demoting)],
  ['the role is another (key)', BY_KEY, ({ userStore }) => applyOne(userStore, demoting)],
  [
    'the account is gone',
    BY_SESSION,
    ({ userStore }) => applyOne(userStore, { kind: 'remove', username: 'ada', stamp: STAMP }),
  ],
];

const closing: UserChange = { kind: 'set-status', username: 'ada', userStatus: 3, stamp: STAMP };
const demoting: UserChange = { kind: 'set-role', username: 'ada', role: 'editor', stamp: STAMP };

function end(sessionStore: BatchedStores['sessionStore']): Promise<unknown> {
  return applyOne(sessionStore, { kind: 'end', digests: ['d1'], stamp: STAMP });
}

export function describeStanding(openStores: OpenStores): void {
  void describe('a change by somebody who was let in', () => {
    void it('is made as long as nothing was taken away', async (t) => {
      for (const stamp of [BY_SESSION, BY_KEY]) {
        const stores = await openStores(t);
        await withAda(stores);
        for (const [what, change] of CHANGES.filter(([name]) => name !== 'a key')) {
          const [outcome] = await change(stores, stamp);
          assert.ok(!(outcome instanceof Error), `${what} by ${stamp.via}`);
        }
      }
    });

    for (const [how, stamp, lose] of LOSSES) {
      void it(`is refused once ${how}`, async (t) => {
        const stores = await openStores(t);
        await withAda(stores);
        await lose(stores);
        const entriesBefore = await stores.auditStore.list({}, { beforeId: undefined, limit: 100 });
        for (const [what, change] of CHANGES) {
          const [outcome] = await change(stores, stamp);
          assert.ok(outcome instanceof Failure, what);
          assert.equal(outcome.code, 'unauthenticated', what);
        }
        assert.deepEqual(await stores.petStore.findMany([7n]), [undefined]);
        assert.deepEqual(await stores.auditStore.list({}, { beforeId: undefined, limit: 100 }), entriesBefore);
      });
    }
  });

  void describe('an account that somebody was allowed to change', () => {
    for (const seen of [
      { id: 2n, role: 'viewer' },
      { id: 1n, role: 'editor' },
    ] as const) {
      void it(`is left alone where it is not the one any more that was seen (${seen.id}, ${seen.role})`, async (t) => {
        const { userStore } = await openStores(t);
        await applyOne(userStore, createUsers(newAccount('eve', { publicId: 2n, role: 'viewer' })));
        const outcomes = await userStore.applyAll([
          { ...replaceUser('eve', { username: 'eve', phone: '1' }, { passwordHash: 'x' }), seen } as UserChange,
          { kind: 'remove', username: 'eve', seen, stamp: STAMP },
        ]);
        for (const outcome of outcomes) assert.ok(outcome instanceof Failure && outcome.code === 'conflict');
        const [eve] = await userStore.findMany(['eve']);
        assert.deepEqual([eve?.user.phone, eve?.passwordHash], [undefined, undefined]);
      });
    }
  });

  void describe('the sessions of an account', () => {
    void it('are a thousand at most: one more ends the one that was not used for the longest time', async (t) => {
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
      const outcomes = await stores.sessionStore.applyAll(Array.from({ length: 1000 }, (_, index) => begin(index + 2)));
      assert.ok(outcomes.every((outcome) => !(outcome instanceof Error)));
      assert.equal((await stores.sessionStore.listOf(1n)).length, 1000);
      assert.deepEqual(await stores.sessionStore.findMany(['d1']), [undefined]);
    });
  });
}
