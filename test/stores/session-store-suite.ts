import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { DatabaseStores } from '../../src/storage/rows/stores/stores.ts';
import type { SessionChange } from '../../src/domain/accounts/session.ts';
import {
  applyAll,
  applyEach,
  applyFailing,
  applyOne,
  beginSession,
  codesOf,
  createUsers,
  endOtherSessions,
  endSession,
  endSessions,
  findAll,
  loginAccount,
  newAccount,
  removeUser,
  replaceUser,
  setPassword,
  setStatus,
} from '../support/changes.ts';
import { testsOn, type OpenStores } from './open-stores.ts';

async function foundOf({ sessions }: DatabaseStores, ...digests: string[]): Promise<readonly boolean[]> {
  return (await findAll(sessions, digests)).map((session) => session !== undefined);
}

async function usedAt({ sessions }: DatabaseStores, digest: string): Promise<number | undefined> {
  const [session] = await findAll(sessions, [digest]);
  return session?.lastUsedAtMs;
}

/** Ada (1) and Bob (2), whose user ids equal their account ids. */
async function withAccounts(stores: DatabaseStores): Promise<void> {
  const ada = loginAccount('ada', { publicId: 7n, role: 'editor', profile: { username: 'ada', userStatus: 2 } });
  await applyOne(stores.users, createUsers(ada, loginAccount('bob', { publicId: 7n })));
}

const startedAt = (startedAtMs: number, expiresAtMs = 9000) => ({ session: { startedAtMs, expiresAtMs } });

export function describeSessionStore(openStores: OpenStores): void {
  describeLookUps(openStores);
  describeBeginnings(openStores);
  describeSessionLists(openStores);
  describeEnds(openStores);
}

function describeLookUps(openStores: OpenStores): void {
  const testPrepared = testsOn(openStores, withAccounts);
  void describe('sessions: lookup', () => {
    testPrepared('returns the current data of the account', async (stores) => {
      const proof = { factors: ['passkey', 'provider'], issuer: 'https://issuer.example' } as const;
      const { session: times } = startedAt(1234, 5678);
      await applyOne(stores.sessions, beginSession('d1', 1n, { session: { ...times, proof } }));
      const stored = { ...times, proof, provedAtMs: 1234, lastUsedAtMs: 1234 };
      const session = { digest: 'd1', id: 'id of d1', userId: 1n, role: 'editor', ...stored };
      const find = async () => {
        const [{ lastWritten: _lastWritten, ...found } = assert.fail()] = await findAll(stores.sessions, ['d1']);
        return found;
      };
      assert.deepEqual(await find(), { ...session, username: 'ada', userStatus: 2 });
      await applyOne(stores.users, replaceUser('ada', { username: 'Lady', userStatus: 7 }));
      assert.deepEqual(await find(), { ...session, username: 'Lady', userStatus: 7 });
    });

    testPrepared('remembers the latest time of use', async (stores) => {
      await applyEach(stores.sessions, [beginSession('d1', 1n), { kind: 'touch', digest: 'd1', usedAtMs: 2000 }]);
      assert.equal(await usedAt(stores, 'd1'), 2000);
      await applyOne(stores.sessions, { kind: 'touch', digest: 'd1', usedAtMs: 1500 });
      assert.equal(await usedAt(stores, 'd1'), 2000);
      await applyOne(stores.sessions, { kind: 'touch', digest: 'none', usedAtMs: 1500 });
      assert.deepEqual(await foundOf(stores, 'none'), [false]);
    });
  });
}

/** Changes between the check of a password and the beginning of the session. */
const meanwhile: [name: string, happens: (stores: DatabaseStores) => Promise<unknown>][] = [
  ['was deleted', ({ users }) => applyOne(users, removeUser('ada'))],
  ['was closed', ({ users }) => applyOne(users, setStatus('ada', 3))],
  [
    'was closed by a new profile',
    ({ users }) => applyOne(users, replaceUser('ada', { username: 'ada', userStatus: 3 })),
  ],
  ['got another password', ({ users }) => applyOne(users, setPassword('ada', 'new'))],
];

function describeBeginnings(openStores: OpenStores): void {
  const test = testsOn(openStores);
  const testPrepared = testsOn(openStores, withAccounts);
  void describe('sessions: beginning', () => {
    for (const [name, happens] of meanwhile) {
      testPrepared(`is a conflict if the account ${name}, and ends no session`, async (stores) => {
        await applyOne(stores.sessions, beginSession('old', 2n));
        await happens(stores);
        await applyFailing(stores.sessions, beginSession('new', 1n, { replaces: ['old'] }), 'conflict');
        assert.deepEqual(await foundOf(stores, 'new', 'old'), [false, true]);
      });
    }

    for (const passwordHash of ['', 'null', 'undefined']) {
      test(`is a conflict if the account has no password, and "${passwordHash}" is given for it`, async (stores) => {
        await applyOne(stores.users, createUsers(newAccount('ada')));
        await applyFailing(stores.sessions, beginSession('d1', 1n, { passwordHash }), 'conflict');
      });
    }

    testPrepared('fails alone in its batch', async (stores) => {
      const outcomes = await applyAll(stores.sessions, [
        beginSession('d1', 1n),
        beginSession('d2', 77n),
        beginSession('d3', 1n, { passwordHash: 'other' }),
        beginSession('d4', 2n),
      ]);
      assert.deepEqual(codesOf(outcomes), ['ok', 'conflict', 'conflict', 'ok']);
      assert.deepEqual(await foundOf(stores, 'd1', 'd2', 'd3', 'd4'), [true, false, false, true]);
    });

    testPrepared('ends the sessions that it replaces, of any account, and no others', async (stores) => {
      await applyEach(stores.sessions, [beginSession('d1', 1n), beginSession('d2', 2n), beginSession('d3', 1n)]);
      await applyOne(stores.sessions, beginSession('new', 1n, { replaces: ['d1', 'd2', 'none'] }));
      assert.deepEqual(await foundOf(stores, 'd1', 'd2', 'd3', 'new'), [false, false, true, true]);
    });

    test('works for an account without a status, and for every status except closed', async (stores) => {
      const statuses = [undefined, 0, 1, 2, 4, -3];
      const accounts = statuses.map((userStatus, index) => {
        const username = `user${index}`;
        return loginAccount('', { profile: { username, userStatus } });
      });
      await applyOne(stores.users, createUsers(...accounts));
      await applyEach(
        stores.sessions,
        statuses.map((_, index) => beginSession(`d${index}`, BigInt(index + 1))),
      );
    });
  });
}

function describeSessionLists(openStores: OpenStores): void {
  const testPrepared = testsOn(openStores, withAccounts);
  void describe('sessions: list of an account', () => {
    testPrepared('has each session with its client, newest first', async (stores) => {
      const client = { address: '2001:db8::1', userAgent: 'Mozilla/5.0 (ü "x")' };
      await applyEach(stores.sessions, [
        beginSession('middle', 1n, startedAt(2000)),
        beginSession('of bob', 2n, startedAt(2500)),
        beginSession('first', 1n, startedAt(1000)),
        beginSession('last', 1n, { session: { startedAtMs: 3000, client } }),
        { kind: 'touch', digest: 'first', usedAtMs: 4000 },
      ]);
      const other = { address: '192.0.2.1', userAgent: undefined };
      const proof = { factors: ['password'] };
      const record = { userId: 1n, expiresAtMs: 9000, client: other, proof };
      assert.deepEqual(await stores.sessions.listOf(1n), [
        { ...record, digest: 'last', id: 'id of last', startedAtMs: 3000, lastUsedAtMs: 3000, client },
        { ...record, digest: 'middle', id: 'id of middle', startedAtMs: 2000, lastUsedAtMs: 2000 },
        { ...record, digest: 'first', id: 'id of first', startedAtMs: 1000, lastUsedAtMs: 4000 },
      ]);
    });
  });
}

const TWO_OF_ADA_AND_ONE_OF_BOB: readonly SessionChange[] = [
  beginSession('a1', 1n),
  beginSession('a2', 1n),
  beginSession('b1', 2n),
];

function describeEnds(openStores: OpenStores): void {
  const testPrepared = testsOn(openStores, withAccounts);
  void describe('sessions: ending', () => {
    testPrepared('ends the given sessions, and no others', async (stores) => {
      await applyEach(stores.sessions, TWO_OF_ADA_AND_ONE_OF_BOB);
      await applyOne(stores.sessions, endSessions('a1', 'none', 'b1'));
      assert.deepEqual(await foundOf(stores, 'a1', 'a2', 'b1'), [false, true, false]);
      await applyOne(stores.sessions, endSessions());
      assert.deepEqual(await foundOf(stores, 'a2'), [true]);
    });

    testPrepared('works by public id, not by digest, and not for sessions of other accounts', async (stores) => {
      await applyEach(stores.sessions, TWO_OF_ADA_AND_ONE_OF_BOB);
      for (const id of ['id of b1', 'a1', 'none', ''])
        await applyFailing(stores.sessions, endSession(1n, id), 'not-found');
      assert.deepEqual(await foundOf(stores, 'a1', 'a2', 'b1'), [true, true, true]);
      await applyOne(stores.sessions, endSession(1n, 'id of a1'));
      assert.deepEqual(await foundOf(stores, 'a1', 'a2', 'b1'), [false, true, true]);
      await applyFailing(stores.sessions, endSession(1n, 'id of a1'), 'not-found');
    });

    testPrepared('ends all sessions of an account except the given one, if it is of the account', async (stores) => {
      await applyEach(stores.sessions, [...TWO_OF_ADA_AND_ONE_OF_BOB, beginSession('a3', 1n), beginSession('b2', 2n)]);
      const left = () => foundOf(stores, 'a1', 'a2', 'a3', 'b1', 'b2');
      for (let times = 0; times < 2; times++) {
        await applyOne(stores.sessions, endOtherSessions(1n, 'a2'));
        assert.deepEqual(await left(), [false, true, false, true, true]);
      }
      await applyOne(stores.sessions, endOtherSessions(2n, 'a2'));
      assert.deepEqual(await left(), [false, true, false, false, false]);
      await applyOne(stores.sessions, endOtherSessions(1n));
      assert.deepEqual(await left(), [false, false, false, false, false]);
      await applyOne(stores.sessions, endOtherSessions(77n));
    });

    testPrepared('old and idle sessions are deleted', async (stores) => {
      await applyEach(stores.sessions, [
        beginSession('too old', 1n, startedAt(1000, 5000)),
        beginSession('idle', 1n, startedAt(1000, 9000)),
        beginSession('just alive', 1n, startedAt(3001, 5001)),
        { kind: 'touch', digest: 'too old', usedAtMs: 4900 },
      ]);
      await applyOne(stores.sessions, { kind: 'forget-expired', nowMs: 5000, idleMs: 2000, limit: 10 });
      assert.deepEqual(await foundOf(stores, 'too old', 'idle', 'just alive'), [false, false, true]);
    });

    testPrepared('deletes the given number at a time', async (stores) => {
      const ended = ['old 1', 'old 2', 'idle 1', 'idle 2', 'both'];
      await applyEach(stores.sessions, [
        beginSession('old 1', 1n, startedAt(4000, 5000)),
        beginSession('old 2', 1n, startedAt(4000, 5000)),
        beginSession('idle 1', 1n, startedAt(1000, 9000)),
        beginSession('idle 2', 1n, startedAt(1000, 9000)),
        beginSession('both', 1n, startedAt(1000, 5000)),
        beginSession('alive', 1n, startedAt(4000, 9000)),
      ]);
      const forget = { kind: 'forget-expired', nowMs: 5000, idleMs: 2000, limit: 2 } as const;
      for (const [forgotten, left] of [
        [2, 3],
        [2, 1],
        [1, 0],
        [0, 0],
      ]) {
        assert.equal(await applyOne(stores.sessions, forget), forgotten);
        assert.equal((await foundOf(stores, ...ended)).filter(Boolean).length, left);
      }
      assert.deepEqual(await foundOf(stores, 'alive'), [true]);
    });

    testPrepared('sessions end with the account, and do not return with the name', async (stores) => {
      await applyEach(stores.sessions, TWO_OF_ADA_AND_ONE_OF_BOB);
      await applyOne(stores.users, removeUser('ada'));
      await applyOne(stores.users, createUsers(newAccount('ada')));
      assert.deepEqual(await foundOf(stores, 'a1', 'a2', 'b1'), [false, false, true]);
    });

    testPrepared('a new password ends all sessions except the given one', async (stores) => {
      await applyEach(stores.sessions, TWO_OF_ADA_AND_ONE_OF_BOB);
      await applyOne(stores.users, replaceUser('ada', { username: 'ada' }));
      assert.deepEqual(await foundOf(stores, 'a1', 'a2', 'b1'), [true, true, true]);
      await applyOne(stores.users, replaceUser('ada', { username: 'ada' }, { passwordHash: 'x', keepSession: 'a2' }));
      assert.deepEqual(await foundOf(stores, 'a1', 'a2', 'b1'), [false, true, true]);
      await applyOne(stores.users, replaceUser('ada', { username: 'ada' }, { passwordHash: 'y' }));
      assert.deepEqual(await foundOf(stores, 'a1', 'a2', 'b1'), [false, false, true]);
    });
  });
}
