import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { FactorChange, FactorUse, Passkey, SignInStep } from '../../src/domain/accounts/factors.ts';
import { issuerKey } from '../../src/domain/providers/provider.ts';
import type { SessionChange } from '../../src/domain/accounts/session.ts';
import type { DatabaseStores } from '../../src/storage/rows/stores/stores.ts';
import {
  applyAll,
  applyEach,
  applyFailing,
  applyOne,
  beginSession,
  codesOf,
  completedStep,
  createUsers,
  findAll,
  loginAccount,
  newAccount,
  removeUser,
  setPassword,
  setStatus,
  STAMP,
} from '../support/changes.ts';
import { testsOn, type OpenStores } from './open-stores.ts';

/* Ada (1) and Bob (2) have a session each, `a1` and `b1`. */
async function withSessions(stores: DatabaseStores): Promise<void> {
  await applyOne(stores.users, createUsers(loginAccount('ada'), loginAccount('bob')));
  await applyEach(stores.sessions, [beginSession('a1', 1n), beginSession('b1', 2n)]);
}

function beginStep(digest: string, other: Partial<SignInStep> = {}): FactorChange {
  const step = { digest, kind: 'test', accountId: 1n, details: { challenge: 'ü "x"' }, expiresAtMs: 5000, ...other };
  return { kind: 'begin-step', step, stamp: STAMP };
}

const ISSUER = 'https://login.example.org';

type AddTotp = Extract<FactorChange, { kind: 'add-totp' }>;

function addTotp(accountId = 1n, other: Partial<AddTotp> = {}): AddTotp {
  return {
    kind: 'add-totp',
    accountId,
    totp: { secret: 'SECRET', lastStep: 100, createdAtMs: 1000 },
    uses: [],
    session: { digest: accountId === 1n ? 'a1' : 'b1', factors: ['password', 'totp'] },
    recoveryCodes: ['c1', 'c2', 'c3'],
    stamp: STAMP,
    ...other,
  };
}

function passkey(id: string, other: Partial<Passkey> = {}): Passkey {
  return {
    id,
    accountId: 1n,
    credential: `credential of ${id}`,
    userHandle: 'handle of ada',
    publicKey: 'key',
    counter: 5,
    transports: ['internal', 'hybrid'],
    isSynced: true,
    name: `Phone "${id}" 🐈`,
    createdAtMs: 1000,
    lastUsedAtMs: undefined,
    ...other,
  };
}

type AddPasskey = Extract<FactorChange, { kind: 'add-passkey' }>;

function addPasskey(added: Passkey, other: Partial<AddPasskey> = {}): AddPasskey {
  return {
    kind: 'add-passkey',
    accountId: added.accountId,
    passkey: added,
    uses: [],
    session: { digest: added.accountId === 1n ? 'a1' : 'b1', factors: ['password', 'passkey'] },
    recoveryCodes: ['c1', 'c2', 'c3'],
    stamp: STAMP,
    ...other,
  };
}

const totp = (step: number) => ({ kind: 'totp', accountId: 1n, step }) as const;
const code = (digest: string, accountId = 1n) => ({ kind: 'recovery-code', accountId, digest }) as const;
const key = (counter: number) => ({ kind: 'passkey', id: 'p1', counter }) as const;
const step = (digest: string) => ({ kind: 'step', digest }) as const;
const challenge = (digest: string, expiresAtMs = 5000) => ({ kind: 'challenge', digest, expiresAtMs }) as const;

/** A login of Ada with a second factor. */
function logInWith(digest: string, ...uses: FactorUse[]): Extract<SessionChange, { kind: 'begin' }> {
  return beginSession(digest, 1n, { uses, session: { proof: { factors: ['password', 'totp'] } } });
}

async function isAlive({ sessions }: DatabaseStores, ...digests: string[]): Promise<readonly boolean[]> {
  return (await findAll(sessions, digests)).map((session) => session !== undefined);
}

async function actionsOf({ audit }: DatabaseStores): Promise<readonly string[]> {
  return (await audit.list({}, { beforeId: undefined, limit: 100 })).map(({ action }) => action).toReversed();
}

export function describeFactorStore(openStores: OpenStores): void {
  describeSteps(openStores);
  describeAdditions(openStores);
  describeUses(openStores);
  describeRemovals(openStores);
}

function describeSteps(openStores: OpenStores): void {
  const test = testsOn(openStores, withSessions);
  void describe('sign-in steps', () => {
    test('are found by digest', async ({ factors }) => {
      await applyEach(factors, [beginStep('s1'), beginStep('s2', { accountId: undefined, kind: 'other' })]);
      const step = { digest: 's1', kind: 'test', accountId: 1n, details: { challenge: 'ü "x"' }, expiresAtMs: 5000 };
      assert.deepEqual(await factors.findStep('s1'), step);
      assert.deepEqual(await factors.findStep('s2'), { ...step, digest: 's2', kind: 'other', accountId: undefined });
      assert.equal(await factors.findStep('none'), undefined);
    });

    test('do not begin for an account that was changed since it was checked', async ({ factors, users }) => {
      const passwordHash = (await users.find('ada'))?.passwordHash;
      const begin = (digest: string) => ({ ...beginStep(digest), seen: { passwordHash } });
      await applyOne(factors, begin('s1'));
      await applyOne(users, setPassword('ada', 'new'));
      await applyFailing(factors, begin('s2'), 'conflict');
      await applyOne(users, setPassword('ada', passwordHash ?? ''));
      await applyOne(users, setStatus('ada', 3));
      await applyFailing(factors, begin('s2'), 'conflict');
      assert.equal(await factors.findStep('s2'), undefined);
    });

    test('are deleted after their end, the given number at a time', async ({ factors }) => {
      const ends = [4000, 5000, 5001];
      await applyEach(
        factors,
        ends.map((expiresAtMs) => beginStep(`s${expiresAtMs}`, { expiresAtMs })),
      );
      const forget = { kind: 'forget-steps', nowMs: 5000, limit: 1 } as const;
      assert.deepEqual(
        [await factors.apply(forget), await factors.apply(forget), await factors.apply(forget)],
        [1, 1, 0],
      );
      assert.ok((await factors.findStep('s5001')) !== undefined);
    });

    const ends: [what: string, change: (stores: DatabaseStores) => Promise<unknown>][] = [
      ['a new password', ({ users }) => applyOne(users, setPassword('ada', 'new'))],
      ['closing the account', ({ users }) => applyOne(users, setStatus('ada', 3))],
      ['deleting the account', ({ users }) => applyOne(users, removeUser('ada'))],
      ['the first second factor', ({ factors }) => applyOne(factors, addTotp())],
      [
        'unlinking a login at a provider',
        async ({ providerLogins }) => {
          const login = { issuer: ISSUER, subject: 's1' };
          const waysIn = { isPasswordAccepted: true, issuers: [] };
          const change = { userId: 1n, label: 'Example', stamp: STAMP };
          const identity = { ...login, name: 'ada' };
          await providerLogins.apply({ kind: 'link', identity, completed: completedStep(), ...change });
          await providerLogins.apply({ kind: 'unlink', ...login, waysIn, ...change });
        },
      ],
      ['a reset of the factors', ({ factors }) => applyOne(factors, { kind: 'reset', accountId: 1n, stamp: STAMP })],
    ];
    for (const [what, change] of ends) {
      test(`are ended by ${what}, for this account only`, async (stores) => {
        await applyEach(stores.factors, [
          beginStep('s1'),
          beginStep('s2', { accountId: 2n }),
          beginStep('s3', { accountId: undefined }),
        ]);
        await change(stores);
        const found = await Promise.all(['s1', 's2', 's3'].map((digest) => stores.factors.findStep(digest)));
        assert.deepEqual(
          found.map((step) => step?.digest),
          [undefined, 's2', 's3'],
        );
      });
    }
  });
}

function describeAdditions(openStores: OpenStores): void {
  const test = testsOn(openStores, withSessions);
  void describe('factors: addition', () => {
    test('stores one-time codes with recovery codes, once, and improves the session', async (stores) => {
      const { factors, sessions } = stores;
      await applyEach(factors, [beginStep('s1'), beginStep('s2')]);
      assert.equal(await applyOne(factors, addTotp(1n, { uses: [step('s1')], stamp: { ...STAMP, atMs: 2000 } })), 1);
      assert.deepEqual(await factors.listOf(1n), {
        totp: { secret: 'SECRET', lastStep: 100, createdAtMs: 1000 },
        recoveryCodes: { total: 3, left: 3 },
        passkeys: [],
      });
      const session = await sessions.find('a1');
      assert.deepEqual([session?.proof.factors, session?.provedAtMs], [['password', 'totp'], 2000]);
      await applyFailing(factors, addTotp(1n, { uses: [step('s2')] }), 'conflict');
      await applyFailing(factors, addTotp(2n, { uses: [step('s1')] }), 'conflict');
      await applyFailing(factors, addTotp(77n), 'conflict');
      assert.equal((await factors.listOf(2n)).totp, undefined);
      assert.deepEqual((await actionsOf(stores)).slice(-1), ['account.totp-added']);
    });

    test('ends the other sessions with the first second factor only', async (stores) => {
      await applyOne(stores.sessions, beginSession('a2', 1n));
      await applyOne(stores.factors, addTotp());
      assert.deepEqual(await isAlive(stores, 'a1', 'a2', 'b1'), [true, false, true]);
      await applyOne(stores.sessions, logInWith('a3'));
      await applyOne(stores.factors, addPasskey(passkey('p1')));
      assert.deepEqual(await isAlive(stores, 'a1', 'a3'), [true, true]);
    });

    test('stores passkeys of an account under one handle, and each once', async ({ factors }) => {
      assert.equal(await applyOne(factors, addPasskey(passkey('p1'))), 1);
      assert.equal(
        await applyOne(factors, addPasskey(passkey('p2', { createdAtMs: 2000, isSynced: false, transports: [] }))),
        0,
      );
      assert.deepEqual(await factors.listOf(1n), {
        totp: undefined,
        recoveryCodes: { total: 3, left: 3 },
        passkeys: [passkey('p1'), passkey('p2', { createdAtMs: 2000, isSynced: false, transports: [] })],
      });
      assert.deepEqual(await factors.findPasskey('credential of p1'), { ...passkey('p1'), username: 'ada' });
      assert.equal(await factors.findPasskey('p1'), undefined);
      await applyFailing(factors, addPasskey(passkey('p3', { userHandle: 'other' })), 'conflict');
      const stolen = passkey('p4', { accountId: 2n, credential: 'credential of p1', userHandle: 'handle of bob' });
      await applyFailing(factors, addPasskey(stolen), 'conflict');
    });

    test('takes twenty passkeys', async ({ factors }) => {
      for (let number = 0; number < 20; number++) await applyOne(factors, addPasskey(passkey(`p${number}`)));
      await applyFailing(factors, addPasskey(passkey('p20')), 'conflict');
    });

    test('renames a passkey of the account', async ({ factors }) => {
      await applyOne(factors, addPasskey(passkey('p1')));
      const rename = { kind: 'rename-passkey', accountId: 1n, id: 'p1', name: 'Key', stamp: STAMP } as const;
      await applyOne(factors, rename);
      assert.equal((await factors.listOf(1n)).passkeys[0]?.name, 'Key');
      await applyFailing(factors, { ...rename, accountId: 2n }, 'not-found');
    });

    test('is refused to a session that has ended', async ({ factors, sessions }) => {
      const stamp = { ...STAMP, via: 'session', actorId: 1n, credentialId: 'id of a1', actorRole: 'viewer' } as const;
      await applyOne(sessions, { kind: 'end', digests: ['a1'], stamp: STAMP });
      await applyFailing(factors, addTotp(1n, { stamp }), 'unauthenticated');
      await applyFailing(factors, { ...beginStep('s1'), stamp } as FactorChange, 'unauthenticated');
      assert.equal(await factors.findStep('s1'), undefined);
    });
  });
}

function describeUses(openStores: OpenStores): void {
  const test = testsOn(openStores, async (stores) => {
    await withSessions(stores);
    await applyOne(stores.factors, addTotp());
    await applyOne(stores.factors, addPasskey(passkey('p1')));
    await applyOne(stores.factors, beginStep('s1'));
  });

  void describe('factors: use', () => {
    const uses: [what: string, first: FactorUse, allowed: readonly FactorUse[], refused: readonly FactorUse[]][] = [
      ['a one-time code', totp(101), [totp(102), totp(110)], [totp(101), totp(110), totp(109), totp(100)]],
      ['a recovery code', code('c1'), [code('c2')], [code('c1'), code('none'), code('c3', 2n)]],
      ['a passkey', key(6), [key(7), key(100)], [key(100), key(6), key(0), { ...key(200), id: 'none' }]],
      ['a step', step('s1'), [], [step('s1'), step('none')]],
      ['a challenge', challenge('n1'), [challenge('n2')], [challenge('n1'), challenge('n2'), challenge('n3', 1000)]],
    ];
    for (const [what, first, allowed, refused] of uses) {
      test(`of ${what} is accepted once, also of concurrent ones`, async ({ sessions }) => {
        const outcomes = await applyAll(sessions, [logInWith('d1', first), logInWith('d2', first)]);
        assert.deepEqual(codesOf(outcomes).toSorted(), ['conflict', 'ok']);
        for (const [index, use] of allowed.entries()) await applyOne(sessions, logInWith(`e${index}`, use));
        for (const use of refused) await applyFailing(sessions, logInWith('f', use), 'conflict');
      });
    }

    test('of a passkey without a counter is accepted each time', async ({ factors, sessions }) => {
      await applyOne(factors, addPasskey(passkey('p2', { counter: 0 })));
      for (const digest of ['d1', 'd2']) await applyOne(sessions, logInWith(digest, { ...key(0), id: 'p2' }));
    });

    test('of one factor is not recorded if another one is refused', async (stores) => {
      await applyFailing(stores.sessions, logInWith('d1', step('s1'), code('c1'), totp(100)), 'conflict');
      await applyFailing(stores.sessions, { ...logInWith('d1', step('s1'), totp(101)), passwordHash: 'x' }, 'conflict');
      assert.deepEqual(await isAlive(stores, 'd1'), [false]);
      await applyOne(stores.sessions, logInWith('d1', step('s1'), code('c1'), totp(101)));
      assert.deepEqual((await stores.factors.listOf(1n)).recoveryCodes, { total: 3, left: 2 });
    });

    test('of an expired step is refused', async ({ sessions }) => {
      const late = { ...logInWith('d1', step('s1')), stamp: { ...STAMP, atMs: 5000 } };
      await applyFailing(sessions, late, 'conflict');
    });

    test('is needed to begin a session, whatever was known when the password was checked', async (stores) => {
      const failure = await applyFailing(stores.sessions, beginSession('d1', 1n), 'unauthenticated');
      assert.deepEqual(failure.details.secondFactor, ['totp', 'recovery-code', 'passkey']);
      await applyOne(stores.sessions, beginSession('d2', 2n));
      const alone = beginSession('d3', 1n, { uses: [key(6)], session: { proof: { factors: ['passkey'] } } });
      await applyOne(stores.sessions, alone);
      assert.deepEqual(await isAlive(stores, 'd1', 'd2', 'd3'), [false, true, true]);
    });

    test('renews the proof of a session', async ({ sessions }) => {
      const stamp = { ...STAMP, atMs: 3000 };
      const prove = { kind: 'prove', digest: 'a1', factors: ['password', 'totp'], uses: [totp(101)], stamp } as const;
      await applyOne(sessions, prove);
      const session = await sessions.find('a1');
      assert.deepEqual([session?.proof.factors, session?.provedAtMs], [['password', 'totp'], 3000]);
      await applyFailing(sessions, prove, 'conflict');
      await applyFailing(sessions, { ...prove, digest: 'none', uses: [] }, 'unauthenticated');
    });
  });
}

function describeRemovals(openStores: OpenStores): void {
  const test = testsOn(openStores, async (stores) => {
    await withSessions(stores);
    await applyOne(stores.factors, addTotp());
    await applyOne(stores.factors, addPasskey(passkey('p1')));
  });
  const removeTotp = { kind: 'remove-totp', accountId: 1n, stamp: STAMP } as const;
  const waysIn = { isPasswordAccepted: true, issuers: [] };
  const removePasskey = { kind: 'remove-passkey', accountId: 1n, id: 'p1', waysIn, stamp: STAMP } as const;
  const remove = (isPasswordAccepted: boolean, issuers: readonly string[]) =>
    ({ ...removePasskey, waysIn: { isPasswordAccepted, issuers: issuers.map(issuerKey) } }) as const;
  void describe('factors: removal', () => {
    test('deletes one factor, and the recovery codes with the last one', async ({ factors, sessions }) => {
      await applyOne(factors, removeTotp);
      await applyFailing(factors, removeTotp, 'not-found');
      assert.deepEqual((await factors.listOf(1n)).recoveryCodes, { total: 3, left: 3 });
      await applyFailing(factors, { ...removePasskey, accountId: 2n }, 'not-found');
      await applyOne(factors, removePasskey);
      const none = { totp: undefined, recoveryCodes: { total: 0, left: 0 }, passkeys: [] };
      assert.deepEqual(await factors.listOf(1n), none);
      await applyOne(sessions, beginSession('d1', 1n));
    });

    test('takes the proofs of the last one from the sessions of the account', async ({ factors, sessions }) => {
      const begun = [['password', 'totp'], ['passkey'], ['provider', 'provider-second-factor', 'passkey']] as const;
      for (const [index, proved] of begun.entries())
        await applyOne(sessions, beginSession(`d${index}`, 1n, { session: { proof: { factors: proved } } }));
      const provedBy = async () =>
        (await findAll(sessions, ['a1', 'd0', 'd1', 'd2'])).map((session) => session?.proof.factors);
      await applyOne(factors, removePasskey);
      assert.deepEqual(await provedBy(), [['password', 'passkey'], ...begun]);
      await applyOne(factors, removeTotp);
      assert.deepEqual(await provedBy(), [['password'], ['password'], [], ['provider', 'provider-second-factor']]);
      assert.deepEqual((await sessions.find('b1'))?.proof.factors, ['password']);
    });

    test('keeps a way in', async ({ factors, providerLogins, users }) => {
      await applyFailing(factors, remove(false, []), 'conflict');
      const identity = { issuer: ISSUER, subject: 's1', name: 'ada' };
      const linked = { userId: 1n, identity, label: 'Example', completed: completedStep(), stamp: STAMP };
      await providerLogins.apply({ kind: 'link', ...linked });
      await applyFailing(factors, remove(false, []), 'conflict');
      await applyOne(factors, remove(false, [ISSUER]));
      assert.deepEqual((await factors.listOf(1n)).passkeys, []);
      await applyOne(factors, addPasskey(passkey('p1')));
      await applyOne(factors, remove(true, []));
      assert.equal((await users.find('ada'))?.isLinked, true);
    });

    test('by a reset keeps the last administrator, except on the command line', async ({ factors, users }) => {
      await applyOne(users, createUsers(newAccount('root', { role: 'admin' })));
      const root = await users.find('root');
      assert.deepEqual([root?.hasPasskey, await users.hasAdministrator()], [false, false]);
      const accountId = root?.id ?? 0n;
      await applyOne(factors, addPasskey(passkey('p2', { accountId })));
      assert.deepEqual([(await users.find('root'))?.hasPasskey, await users.hasAdministrator()], [true, true]);
      const reset = { kind: 'reset', accountId, stamp: STAMP } as const;
      await applyFailing(factors, { ...reset, stamp: { ...STAMP, via: 'provider' } }, 'conflict');
      assert.equal(await applyOne(factors, reset), 1);
      assert.equal(await users.hasAdministrator(), false);
    });

    test('replaces recovery codes, of an account with a second factor', async ({ factors }) => {
      const replace = { kind: 'replace-recovery-codes', accountId: 1n, digests: ['n1', 'n2'], stamp: STAMP } as const;
      await applyOne(factors, replace);
      assert.deepEqual((await factors.listOf(1n)).recoveryCodes, { total: 2, left: 2 });
      await applyFailing(factors, { ...replace, accountId: 2n }, 'conflict');
    });

    test('by a reset deletes everything, and ends the sessions, once', async (stores) => {
      const reset = { kind: 'reset', accountId: 1n, stamp: STAMP } as const;
      assert.equal(await applyOne(stores.factors, reset), 2);
      const none = { totp: undefined, recoveryCodes: { total: 0, left: 0 }, passkeys: [] };
      assert.deepEqual(await stores.factors.listOf(1n), none);
      assert.deepEqual(await isAlive(stores, 'a1', 'b1'), [false, true]);
      assert.equal(await applyOne(stores.factors, reset), 0);
      assert.deepEqual((await actionsOf(stores)).filter((action) => action === 'account.factors-reset').length, 1);
    });

    test('happens with the account', async (stores) => {
      await applyOne(stores.users, removeUser('ada'));
      assert.equal(await stores.factors.findPasskey('credential of p1'), undefined);
      assert.equal((await stores.factors.listOf(1n)).totp, undefined);
    });
  });
}
