import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { inspect } from 'node:util';
import type { DatabaseStores } from '../../src/storage/rows/stores/stores.ts';
import type { KeyChange } from '../../src/domain/accounts/api-key.ts';
import type { UserChange } from '../../src/domain/accounts/ports.ts';
import type { SessionChange } from '../../src/domain/accounts/session.ts';
import type { AuditAction, AuditEntry, AuditSubject, NewAuditEntry, Stamp } from '../../src/domain/audit.ts';
import { Failure, type FailureCode } from '../../src/domain/failure.ts';
import type { PetChange } from '../../src/domain/pets/pet-change.ts';
import type { PhotoChange } from '../../src/domain/photos/ports.ts';
import type { AuditChange } from '../../src/domain/audit.ts';
import type { LimitChange } from '../../src/domain/accounts/throttle.ts';
import {
  HASH,
  STAMP,
  applyAll,
  applyEach,
  applyOne,
  beginSession,
  createKey,
  createUsers,
  editPet,
  endOtherSessions,
  endSession,
  endSessions,
  issueReset,
  loginAccount,
  newAccount,
  putPet,
  removePet,
  removeUser,
  replaceUser,
  restorePet,
  revokeKey,
  setPassword,
  setRole,
  setStatus,
  useReset,
} from '../support/changes.ts';
import { testsOn, type OpenStores } from './open-stores.ts';

/** Applies one change to its store. */
type Application = (stores: DatabaseStores) => Promise<unknown>;

/** The actor of the changes under test. */
const GRACE: Stamp = {
  atMs: 2000,
  via: 'command-line',
  actorId: 42n,
  actorName: 'Grace',
  actorRole: null,
  credentialId: 'session of Grace',
  address: '198.51.100.7',
};

/** Changes of one store, by Grace. */
const by =
  <C extends object>(storeOf: (stores: DatabaseStores) => Parameters<typeof applyOne<C, unknown>>[0]) =>
  (change: C): Application =>
  (stores) =>
    applyOne(storeOf(stores), 'stamp' in change ? { ...change, stamp: GRACE } : change);
const pets = by<PetChange>((stores) => stores.pets);
const users = by<UserChange>((stores) => stores.users);
const sessions = by<SessionChange>((stores) => stores.sessions);
const keys = by<KeyChange>((stores) => stores.keys);
const limits = by<LimitChange>((stores) => stores.limits);
const audit = by<AuditChange>((stores) => stores.audit);
const photos = by<PhotoChange>((stores) => stores.photos);

/** The actor of changes by a session's owner, identified by that session. */
const byOwner = (actorId: bigint, actorName: string, credentialId: string): Stamp => ({
  ...GRACE,
  via: 'session',
  actorId,
  actorName,
  credentialId,
});

function entry(
  action: AuditAction,
  subject: AuditSubject,
  details: Record<string, string> | null = null,
  stamp: Stamp = GRACE,
): NewAuditEntry {
  return { stamp, action, subject, outcome: 'done', details };
}

/** A key revoked by a new password of its account. */
const revoked = (key: AuditSubject, account: string) => entry('key.revoked', key, { account });

const PET: AuditSubject = { kind: 'pet', id: '5', name: 'Rex' };
const ADA: AuditSubject = { kind: 'account', id: '1', name: 'Ada' };
const LADY: AuditSubject = { kind: 'account', id: '1', name: 'Lady' };
const BOB: AuditSubject = { kind: 'account', id: '2', name: 'Bob' };
const KEY: AuditSubject = { kind: 'key', id: 'id of k1', name: 'key k1' };

const FAILED_LOGIN: NewAuditEntry = {
  stamp: { ...GRACE, via: 'anonymous', actorId: null, actorName: null, credentialId: null },
  action: 'session.begun',
  subject: ADA,
  outcome: 'failed',
  details: null,
};

const COUNTER = { key: 'counter', limit: { free: 1, firstWaitMs: 1, maxWaitMs: 1, forgetAfterMs: 1 } };

/** Before each change: a pet (5), Ada (1) and Bob (2) with sessions and keys, root (3), and a reset link for Ada. */
async function withEverything(stores: DatabaseStores): Promise<void> {
  await applyOne(stores.pets, putPet({ name: 'Rex' }, 5n));
  const root = loginAccount('root', { role: 'admin' });
  const accounts = [loginAccount('Ada', { publicId: 50n }), loginAccount('Bob', { publicId: 50n }), root];
  await applyOne(stores.users, createUsers(...accounts));
  await applyOne(stores.users, issueReset('ada', 'link'));
  await applyEach(stores.sessions, [beginSession('a1', 1n), beginSession('a2', 1n), beginSession('b1', 2n)]);
  await applyEach(stores.keys, [createKey('k1', 1n), createKey('k2', 2n)]);
}

async function listAll({ audit }: DatabaseStores): Promise<readonly AuditEntry[]> {
  return (await audit.list({}, { beforeId: undefined, limit: 10_000 })).toReversed();
}

function withoutId({ stamp, action, subject, outcome, details }: AuditEntry): NewAuditEntry {
  return { stamp, action, subject, outcome, details };
}

/** The new entries in order, without ids. */
async function entriesOf(stores: DatabaseStores, work: () => Promise<unknown>): Promise<readonly NewAuditEntry[]> {
  const before = await listAll(stores);
  await work();
  const after = await listAll(stores);
  assert.deepEqual(after.slice(0, before.length), before);
  return after.slice(before.length).map(withoutId);
}

type Telling = [
  name: string,
  change: Application,
  entries: readonly NewAuditEntry[],
  /** Earlier changes. */
  ...before: Application[],
];

const petChanges: Telling[] = [
  ['creating a pet', pets(putPet({}, 6n)), [entry('pet.added', { ...PET, id: '6' })]],
  [
    'replacing a pet',
    pets(putPet({ name: 'Fox', status: 'sold' }, 5n)),
    [entry('pet.replaced', { ...PET, name: 'Fox' }, { fields: 'name, status' })],
  ],
  ['replacing a pet by the same', pets(putPet({ name: 'Rex' }, 5n)), []],
  [
    'editing a pet',
    pets(editPet(5n, { name: 'Fox' })),
    [entry('pet.edited', { ...PET, name: 'Fox' }, { fields: 'name' })],
  ],
  ['restoring a deleted pet', pets(restorePet(5n)), [entry('pet.restored', PET)], pets(removePet(5n))],
  ['an empty edit of a pet', pets(editPet(5n, {})), []],
  ['deleting a pet', pets(removePet(5n)), [entry('pet.deleted', PET)]],
];

const userChanges: Telling[] = [
  [
    'creating accounts',
    users(createUsers(newAccount('Cyd'), loginAccount('dan', { publicId: 21n, role: 'editor' }))),
    [
      entry('account.created', { kind: 'account', id: '4', name: 'Cyd' }, { role: 'viewer' }),
      entry('account.created', { kind: 'account', id: '5', name: 'dan' }, { role: 'editor' }),
    ],
  ],
  [
    'inviting a user',
    users(
      createUsers(newAccount('Eve', { invitation: { digest: 'invited', expiresAtMs: Date.UTC(2026, 0, 31, 12) } })),
    ),
    [
      entry(
        'account.created',
        { kind: 'account', id: '4', name: 'Eve' },
        { role: 'viewer', invitationExpires: '2026-01-31T12:00:00.000Z' },
      ),
    ],
  ],
  ['creating no account', users(createUsers()), []],
  ['a new profile', users(replaceUser('ada', { username: 'Ada', phone: '1' })), [entry('account.updated', ADA)]],
  [
    'a new name',
    users(replaceUser('ada', { username: 'Lady' })),
    [entry('account.updated', LADY, { renamedFrom: 'Ada' })],
  ],
  [
    'a new profile with a password',
    users(replaceUser('ada', { username: 'Ada' }, { passwordHash: 'new' })),
    [entry('account.updated', ADA), entry('account.password-changed', ADA), revoked(KEY, 'Ada')],
  ],
  [
    'a new profile that closes the account',
    users(replaceUser('ada', { username: 'Ada', userStatus: 3 })),
    [entry('account.updated', ADA), entry('account.closed', ADA)],
  ],
  [
    'a new profile that reopens the account',
    users(replaceUser('ada', { username: 'Ada', userStatus: 2 })),
    [entry('account.updated', ADA), entry('account.reopened', ADA)],
    users(setStatus('ada', 3)),
  ],
  [
    'a new profile of a closed account without a status',
    users(replaceUser('ada', { username: 'Ada', phone: '1' })),
    [entry('account.updated', ADA)],
    users(setStatus('ada', 3)),
  ],
  [
    'a new profile of a closed account that leaves it closed',
    users(replaceUser('ada', { username: 'Ada', userStatus: 3, phone: '1' })),
    [entry('account.updated', ADA)],
    users(setStatus('ada', 3)),
  ],
  [
    'a new name and password, and closing, all in one',
    users(replaceUser('ada', { username: 'Lady', userStatus: 3 }, { passwordHash: 'new' })),
    [
      entry('account.updated', LADY, { renamedFrom: 'Ada' }),
      entry('account.password-changed', LADY),
      revoked(KEY, 'Lady'),
      entry('account.closed', LADY),
    ],
  ],
  ['deleting an account', users(removeUser('ada')), [entry('account.deleted', ADA)]],
  [
    'setting a role',
    users(setRole('ada', 'editor')),
    [entry('account.role-set', ADA, { from: 'viewer', to: 'editor' })],
  ],
  ['setting the same role', users(setRole('ada', 'viewer')), []],
  ['closing an account', users(setStatus('ada', 3)), [entry('account.closed', ADA)]],
  ['closing a closed account', users(setStatus('ada', 3)), [], users(setStatus('ada', 3))],
  ['reopening an account', users(setStatus('ada', 2)), [entry('account.reopened', ADA)], users(setStatus('ada', 3))],
  ['reopening an open account', users(setStatus('ada', 2)), []],
  [
    'setting a password',
    users(setPassword('ada', 'new', { replacedHash: HASH, keepSession: 'a1' })),
    [entry('account.password-changed', ADA), revoked(KEY, 'Ada')],
  ],
  [
    'setting a password, of an account with several keys,',
    users(setPassword('ada', 'new')),
    [
      entry('account.password-changed', ADA),
      revoked({ kind: 'key', id: 'id of k0', name: 'key k0' }, 'Ada'),
      revoked(KEY, 'Ada'),
      revoked({ kind: 'key', id: 'id of k9', name: 'key k9' }, 'Ada'),
    ],
    keys(createKey('k9', 1n)),
    keys(createKey('k0', 1n)),
  ],
  [
    'setting a password and keeping the keys',
    users(setPassword('ada', 'new', { keepKeys: true })),
    [entry('account.password-changed', ADA)],
  ],
  ['rehashing a password', users({ kind: 'rehash', userId: 1n, from: HASH, to: 'x' }), []],
  [
    'issuing a reset link',
    users(issueReset('bob', 'another link', Date.UTC(2026, 0, 31, 12))),
    [entry('account.reset-link-issued', BOB, { expires: '2026-01-31T12:00:00.000Z' })],
  ],
  ['using a reset link', users(useReset('link', 'new')), [entry('account.password-reset', ADA), revoked(KEY, 'Ada')]],
];

const sessionChanges: Telling[] = [
  ['beginning a session', sessions(beginSession('a3', 1n)), [entry('session.begun', ADA, { session: 'id of a3' })]],
  [
    'beginning a session that replaces others',
    sessions(beginSession('a3', 1n, { replaces: ['a1', 'none', 'b1'] })),
    [
      entry('session.ended', ADA, { session: 'id of a1' }, byOwner(1n, 'Ada', 'id of a1')),
      entry('session.ended', BOB, { session: 'id of b1' }, byOwner(2n, 'Bob', 'id of b1')),
      entry('session.begun', ADA, { session: 'id of a3' }),
    ],
  ],
  ['using a session', sessions({ kind: 'touch', digest: 'a1', usedAtMs: 2000 }), []],
  [
    'ending sessions by their owners',
    ({ sessions }) => applyOne(sessions, { ...endSessions('a1', 'none', 'b1'), stamp: FAILED_LOGIN.stamp }),
    [
      entry('session.ended', ADA, { session: 'id of a1' }, byOwner(1n, 'Ada', 'id of a1')),
      entry('session.ended', BOB, { session: 'id of b1' }, byOwner(2n, 'Bob', 'id of b1')),
    ],
  ],
  ['ending unknown sessions', sessions(endSessions('none')), []],
  [
    'ending a session by its public id',
    sessions(endSession(1n, 'id of a1')),
    [entry('session.ended', ADA, { session: 'id of a1' })],
  ],
  ['ending all other sessions', sessions(endOtherSessions(1n, 'a1')), [entry('session.ended', ADA, { sessions: '1' })]],
  ['ending all sessions', sessions(endOtherSessions(1n)), [entry('session.ended', ADA, { sessions: '2' })]],
  ['ending all sessions of an account without sessions', sessions(endOtherSessions(3n)), []],
  ['deleting ended sessions', sessions({ kind: 'forget-expired', nowMs: 99_999, idleMs: 1, limit: 100 }), []],
];

const keyChanges: Telling[] = [
  [
    'creating a key',
    keys(
      createKey('k3', 1n, {
        key: { name: 'CI', scopes: ['read:pets', 'write:pets'], expiresAtMs: Date.UTC(2026, 1, 28) },
      }),
    ),
    [
      entry(
        'key.created',
        { kind: 'key', id: 'id of k3', name: 'CI' },
        { account: 'Ada', scopes: 'read:pets write:pets', expires: '2026-02-28T00:00:00.000Z' },
      ),
    ],
  ],
  ['revoking one’s own key', keys(revokeKey('id of k1', 1n)), [entry('key.revoked', KEY, { account: 'Ada' })]],
  ['revoking any key', keys(revokeKey('id of k1')), [entry('key.revoked', KEY, { account: 'Ada' })]],
  ['using a key', keys({ kind: 'touch', digest: 'k1', usedAtMs: 2000 }), []],
  ['deleting expired keys', keys({ kind: 'forget-expired', beforeMs: 99_999, limit: 100 }), []],
];

const otherChanges: Telling[] = [
  [
    'counting a failure with its entry',
    limits({ kind: 'count', counters: [COUNTER], nowMs: 2000, entry: FAILED_LOGIN }),
    [FAILED_LOGIN],
  ],
  ['counting without an entry', limits({ kind: 'count', counters: [COUNTER], nowMs: 2000, entry: undefined }), []],
  ['clearing a count', limits({ kind: 'clear', keys: ['counter'] }), []],
  ['a lease', limits({ kind: 'lease', key: 'k', hour: 1, amount: 1, most: 1 }), []],
  ['deleting counts', limits({ kind: 'forget', nowMs: 99_999_999, hour: 99, limit: 100 }), []],
  ['an entry alone', audit({ kind: 'note', entry: FAILED_LOGIN }), [FAILED_LOGIN]],
  ['deleting entries', audit({ kind: 'forget', beforeMs: 1000, limit: 100 }), []],
  [
    'claiming unused photos',
    photos({ kind: 'doom', beforeMs: 99_999, strayDigests: ['stray'], nowMs: 0, claimMs: 1, most: 9 }),
    [],
  ],
  ['releasing photos', photos({ kind: 'release', digests: ['stray'], claimedUntilMs: 1 }), []],
];

const late = { precondition: { ifMatch: [] } };

/** Changes that fail. */
const failing: [name: string, change: Application, code: FailureCode][] = [
  ['an unknown pet', pets(editPet(6n, { name: 'x' })), 'not-found'],
  ['a pet that changed', pets(putPet({}, 5n, late)), 'precondition-failed'],
  ['an existing account', users(createUsers(newAccount('ADA'))), 'conflict'],
  ['a list with an existing account', users(createUsers(newAccount('new'), newAccount('ada'))), 'conflict'],
  ['a name that is in use', users(replaceUser('ada', { username: 'bob' })), 'conflict'],
  ['the profile of an unknown user', users(replaceUser('x', { username: 'x' })), 'not-found'],
  ['the last administrator', users(removeUser('root')), 'conflict'],
  ['the role of the last administrator', users(setRole('root', 'viewer')), 'conflict'],
  ['closing the last administrator', users(setStatus('root', 3)), 'conflict'],
  [
    'a profile that closes the last administrator',
    users(replaceUser('root', { username: 'toor', userStatus: 3 }, { passwordHash: 'x' })),
    'conflict',
  ],
  ['a password that was changed meanwhile', users(setPassword('ada', 'new', { replacedHash: 'other' })), 'conflict'],
  ['a link for an unknown user', users(issueReset('nobody', 'x')), 'not-found'],
  ['an unknown link', users(useReset('none', 'x')), 'not-found'],
  [
    'a session with another password',
    sessions(beginSession('a3', 1n, { passwordHash: 'other', replaces: ['a1'] })),
    'conflict',
  ],
  ['the session of another user', sessions(endSession(1n, 'id of b1')), 'not-found'],
  ['one key too many', keys(createKey('k3', 1n, { maxOfAccount: 1 })), 'conflict'],
  ['a key for an unknown account', keys(createKey('k3', 77n)), 'conflict'],
  ['the key of another user', keys(revokeKey('id of k2', 1n)), 'not-found'],
];

const session = (id: string) => ({ passwordHash: 'SECRET 1', session: { id } });

/** Every change that involves a secret, with unmistakable secrets. */
async function withSecrets({ users, sessions, keys }: DatabaseStores): Promise<void> {
  await applyEach(users, [createUsers(newAccount('ada', { passwordHash: 'SECRET 1' })), issueReset('ada', 'SECRET 2')]);
  await applyEach(sessions, [
    beginSession('SECRET 11', 1n, session('s1')),
    beginSession('SECRET 12', 1n, { ...session('s2'), replaces: ['SECRET 11'] }),
    beginSession('SECRET 13', 1n, session('s3')),
    beginSession('SECRET 14', 1n, session('s4')),
    beginSession('SECRET 15', 1n, session('s5')),
    endSessions('SECRET 13'),
    endSession(1n, 's4'),
    endOtherSessions(1n, 'SECRET 12'),
  ]);
  const key = { id: 'k1', name: 'CI' };
  await applyEach(keys, [createKey('SECRET 21', 1n, { key }), revokeKey('k1')]);
  await applyEach(users, [
    useReset('SECRET 2', 'SECRET 3'),
    { kind: 'rehash', userId: 1n, from: 'SECRET 3', to: 'SECRET 4' },
    setPassword('ada', 'SECRET 5', { replacedHash: 'SECRET 4', keepSession: 'SECRET 12' }),
    replaceUser('ada', { username: 'ada' }, { passwordHash: 'SECRET 6', keepSession: 'SECRET 12' }),
    removeUser('ada'),
  ]);
}

/** The audit entries that every store must write. */
export function describeAuditedChanges(openStores: OpenStores): void {
  const test = testsOn(openStores);
  const testPrepared = testsOn(openStores, withEverything);
  void describe('audited changes', () => {
    for (const [name, change, entries, ...before] of [
      ...petChanges,
      ...userChanges,
      ...sessionChanges,
      ...keyChanges,
      ...otherChanges,
    ]) {
      const actions = entries.length === 0 ? 'nothing' : entries.map(({ action }) => action).join(', ');
      testPrepared(`${name}: writes ${actions}`, async (stores) => {
        for (const earlier of before) await earlier(stores);
        assert.deepEqual(await entriesOf(stores, () => change(stores)), entries);
      });
    }

    testPrepared('a change that fails: writes nothing', async (stores) => {
      for (const [name, change, code] of failing) {
        const entries = await entriesOf(stores, async () => {
          const outcome = await change(stores).catch((error: unknown) => error);
          assert.ok(outcome instanceof Failure && outcome.code === code, name);
        });
        assert.deepEqual(entries, [], name);
      }
    });

    testPrepared('a change that fails in a batch: leaves no entry among the others', async (stores) => {
      const entries = await entriesOf(stores, () =>
        applyAll(stores.users, [
          setRole('ada', 'editor'),
          removeUser('root'),
          createUsers(newAccount('new'), newAccount('ada')),
          setStatus('ada', 3),
        ]),
      );
      assert.deepEqual(
        entries.map(({ action }) => action),
        ['account.role-set', 'account.closed'],
      );
    });

    test('secrets: no digest and no password hash in any entry', async (stores) => {
      await withSecrets(stores);
      const entries = await listAll(stores);
      assert.equal(entries.length, 18);
      const text = inspect(entries, { depth: null, maxArrayLength: null, maxStringLength: null });
      assert.doesNotMatch(text, /SECRET/);
    });

    test('the command line: has no account and no address in its stamp', async (stores) => {
      await applyOne(stores.pets, putPet());
      const [entry] = await listAll(stores);
      assert.deepEqual(entry?.stamp, STAMP);
    });
  });
}
