import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import type { DatabaseStores } from '../../src/domain/stores.ts';
import type { KeyChange } from '../../src/domain/accounts/api-key.ts';
import type { UserChange } from '../../src/domain/accounts/ports.ts';
import type { SessionChange } from '../../src/domain/accounts/session.ts';
import type { AuditAction, AuditEntry, AuditSubject, NewAuditEntry, Stamp } from '../../src/domain/audit.ts';
import { Failure, type FailureCode } from '../../src/domain/failure.ts';
import type { PetChange } from '../../src/domain/pets/pet-change.ts';
import type { PhotoChange } from '../../src/domain/pets/ports.ts';
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
import type { OpenStores } from './store-suite.ts';

/** Applies one change to its store. */
type Application = (stores: DatabaseStores) => Promise<unknown>;

const pets =
  (change: PetChange): Application =>
  ({ pets }) =>
    applyOne(pets, change);
const users =
  (change: UserChange): Application =>
  ({ users }) =>
    applyOne(users, change);
const sessions =
  (change: SessionChange): Application =>
  ({ sessions }) =>
    applyOne(sessions, change);
const keys =
  (change: KeyChange): Application =>
  ({ keys }) =>
    applyOne(keys, change);
const limits =
  (change: LimitChange): Application =>
  ({ limits }) =>
    applyOne(limits, change);
const audit =
  (change: AuditChange): Application =>
  ({ audit }) =>
    applyOne(audit, change);
const photos =
  (change: PhotoChange): Application =>
  ({ photos }) =>
    applyOne(photos, change);

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

function byGrace<C extends { stamp: Stamp }>(change: C): C {
  return { ...change, stamp: GRACE };
}

/** The actor of changes by a session's owner, identified by that session. */
const byOwner = (actorId: bigint, actorName: string, credentialId: string): Stamp => ({
  ...GRACE,
  via: 'session',
  actorId,
  actorName,
  credentialId,
});

function expectedEntry(
  action: AuditAction,
  subject: AuditSubject,
  details: Record<string, string> | null = null,
  stamp: Stamp = GRACE,
): NewAuditEntry {
  return { stamp, action, subject, outcome: 'done', details };
}

/** A key revoked by a new password of its account. */
const revoked = (key: AuditSubject, account: string) => expectedEntry('key.revoked', key, { account });

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

interface Telling {
  name: string;
  /** An earlier change, by another actor. */
  after?: readonly Application[];
  change: Application;
  entries: readonly NewAuditEntry[];
}

const petChanges: Telling[] = [
  {
    name: 'creating a pet',
    change: pets(byGrace(putPet({}, 6n))),
    entries: [expectedEntry('pet.added', { ...PET, id: '6' })],
  },
  {
    name: 'replacing a pet',
    change: pets(byGrace(putPet({ name: 'Fox', status: 'sold' }, 5n))),
    entries: [expectedEntry('pet.replaced', { ...PET, name: 'Fox' }, { fields: 'name, status' })],
  },
  { name: 'replacing a pet by the same', change: pets(byGrace(putPet({ name: 'Rex' }, 5n))), entries: [] },
  {
    name: 'editing a pet',
    change: pets(byGrace(editPet(5n, { name: 'Fox' }))),
    entries: [expectedEntry('pet.edited', { ...PET, name: 'Fox' }, { fields: 'name' })],
  },
  {
    name: 'restoring a deleted pet',
    after: [pets(removePet(5n))],
    change: pets(byGrace(restorePet(5n))),
    entries: [expectedEntry('pet.restored', PET)],
  },
  { name: 'an empty edit of a pet', change: pets(byGrace(editPet(5n, {}))), entries: [] },
  { name: 'deleting a pet', change: pets(byGrace(removePet(5n))), entries: [expectedEntry('pet.deleted', PET)] },
];

const userChanges: Telling[] = [
  {
    name: 'creating accounts',
    change: users(byGrace(createUsers(newAccount('Cyd'), loginAccount('dan', { publicId: 21n, role: 'editor' })))),
    entries: [
      expectedEntry('account.created', { kind: 'account', id: '4', name: 'Cyd' }, { role: 'viewer' }),
      expectedEntry('account.created', { kind: 'account', id: '5', name: 'dan' }, { role: 'editor' }),
    ],
  },
  { name: 'creating no account', change: users(byGrace(createUsers())), entries: [] },
  {
    name: 'a new profile',
    change: users(byGrace(replaceUser('ada', { username: 'Ada', phone: '1' }))),
    entries: [expectedEntry('account.updated', ADA)],
  },
  {
    name: 'a new name',
    change: users(byGrace(replaceUser('ada', { username: 'Lady' }))),
    entries: [expectedEntry('account.updated', LADY, { renamedFrom: 'Ada' })],
  },
  {
    name: 'a new profile with a password',
    change: users(byGrace(replaceUser('ada', { username: 'Ada' }, { passwordHash: 'new' }))),
    entries: [
      expectedEntry('account.updated', ADA),
      expectedEntry('account.password-changed', ADA),
      revoked(KEY, 'Ada'),
    ],
  },
  {
    name: 'a new profile that closes the account',
    change: users(byGrace(replaceUser('ada', { username: 'Ada', userStatus: 3 }))),
    entries: [expectedEntry('account.updated', ADA), expectedEntry('account.closed', ADA)],
  },
  {
    name: 'a new profile that reopens the account',
    after: [users(setStatus('ada', 3))],
    change: users(byGrace(replaceUser('ada', { username: 'Ada', userStatus: 2 }))),
    entries: [expectedEntry('account.updated', ADA), expectedEntry('account.reopened', ADA)],
  },
  {
    name: 'a new profile of a closed account without a status',
    after: [users(setStatus('ada', 3))],
    change: users(byGrace(replaceUser('ada', { username: 'Ada', phone: '1' }))),
    entries: [expectedEntry('account.updated', ADA)],
  },
  {
    name: 'a new profile of a closed account that leaves it closed',
    after: [users(setStatus('ada', 3))],
    change: users(byGrace(replaceUser('ada', { username: 'Ada', userStatus: 3, phone: '1' }))),
    entries: [expectedEntry('account.updated', ADA)],
  },
  {
    name: 'a new name and password, and closing, all in one',
    change: users(byGrace(replaceUser('ada', { username: 'Lady', userStatus: 3 }, { passwordHash: 'new' }))),
    entries: [
      expectedEntry('account.updated', LADY, { renamedFrom: 'Ada' }),
      expectedEntry('account.password-changed', LADY),
      revoked(KEY, 'Lady'),
      expectedEntry('account.closed', LADY),
    ],
  },
  {
    name: 'deleting an account',
    change: users(byGrace(removeUser('ada'))),
    entries: [expectedEntry('account.deleted', ADA)],
  },
  {
    name: 'setting a role',
    change: users(byGrace(setRole('ada', 'editor'))),
    entries: [expectedEntry('account.role-set', ADA, { from: 'viewer', to: 'editor' })],
  },
  { name: 'setting the same role', change: users(byGrace(setRole('ada', 'viewer'))), entries: [] },
  {
    name: 'closing an account',
    change: users(byGrace(setStatus('ada', 3))),
    entries: [expectedEntry('account.closed', ADA)],
  },
  {
    name: 'closing a closed account',
    after: [users(setStatus('ada', 3))],
    change: users(byGrace(setStatus('ada', 3))),
    entries: [],
  },
  {
    name: 'reopening an account',
    after: [users(setStatus('ada', 3))],
    change: users(byGrace(setStatus('ada', 2))),
    entries: [expectedEntry('account.reopened', ADA)],
  },
  { name: 'reopening an open account', change: users(byGrace(setStatus('ada', 2))), entries: [] },
  {
    name: 'setting a password',
    change: users(byGrace(setPassword('ada', 'new', { replacedHash: HASH, keepSession: 'a1' }))),
    entries: [expectedEntry('account.password-changed', ADA), revoked(KEY, 'Ada')],
  },
  {
    name: 'setting a password, of an account with several keys,',
    after: [keys(createKey('k9', 1n)), keys(createKey('k0', 1n))],
    change: users(byGrace(setPassword('ada', 'new'))),
    entries: [
      expectedEntry('account.password-changed', ADA),
      revoked({ kind: 'key', id: 'id of k0', name: 'key k0' }, 'Ada'),
      revoked(KEY, 'Ada'),
      revoked({ kind: 'key', id: 'id of k9', name: 'key k9' }, 'Ada'),
    ],
  },
  {
    name: 'setting a password and keeping the keys',
    change: users(byGrace(setPassword('ada', 'new', { keepKeys: true }))),
    entries: [expectedEntry('account.password-changed', ADA)],
  },
  { name: 'rehashing a password', change: users({ kind: 'rehash', userId: 1n, from: HASH, to: 'x' }), entries: [] },
  {
    name: 'issuing a reset link',
    change: users(byGrace(issueReset('bob', 'another link', Date.UTC(2026, 0, 31, 12)))),
    entries: [expectedEntry('account.reset-link-issued', BOB, { expires: '2026-01-31T12:00:00.000Z' })],
  },
  {
    name: 'using a reset link',
    change: users(byGrace(useReset('link', 'new'))),
    entries: [expectedEntry('account.password-reset', ADA), revoked(KEY, 'Ada')],
  },
];

const sessionChanges: Telling[] = [
  {
    name: 'beginning a session',
    change: sessions(byGrace(beginSession('a3', 1n))),
    entries: [expectedEntry('session.begun', ADA, { session: 'id of a3' })],
  },
  {
    name: 'beginning a session that replaces others',
    change: sessions(byGrace(beginSession('a3', 1n, { replaces: ['a1', 'none', 'b1'] }))),
    entries: [
      expectedEntry('session.ended', ADA, { session: 'id of a1' }, byOwner(1n, 'Ada', 'id of a1')),
      expectedEntry('session.ended', BOB, { session: 'id of b1' }, byOwner(2n, 'Bob', 'id of b1')),
      expectedEntry('session.begun', ADA, { session: 'id of a3' }),
    ],
  },
  { name: 'using a session', change: sessions({ kind: 'touch', digest: 'a1', usedAtMs: 2000 }), entries: [] },
  {
    name: 'ending sessions by their owners',
    change: sessions({ ...endSessions('a1', 'none', 'b1'), stamp: FAILED_LOGIN.stamp }),
    entries: [
      expectedEntry('session.ended', ADA, { session: 'id of a1' }, byOwner(1n, 'Ada', 'id of a1')),
      expectedEntry('session.ended', BOB, { session: 'id of b1' }, byOwner(2n, 'Bob', 'id of b1')),
    ],
  },
  { name: 'ending unknown sessions', change: sessions(byGrace(endSessions('none'))), entries: [] },
  {
    name: 'ending a session by its public id',
    change: sessions(byGrace(endSession(1n, 'id of a1'))),
    entries: [expectedEntry('session.ended', ADA, { session: 'id of a1' })],
  },
  {
    name: 'ending all other sessions',
    change: sessions(byGrace(endOtherSessions(1n, 'a1'))),
    entries: [expectedEntry('session.ended', ADA, { sessions: '1' })],
  },
  {
    name: 'ending all sessions',
    change: sessions(byGrace(endOtherSessions(1n))),
    entries: [expectedEntry('session.ended', ADA, { sessions: '2' })],
  },
  {
    name: 'ending all sessions of an account without sessions',
    change: sessions(byGrace(endOtherSessions(3n))),
    entries: [],
  },
  {
    name: 'deleting ended sessions',
    change: sessions({ kind: 'forget-expired', nowMs: 99_999, idleMs: 1, limit: 100 }),
    entries: [],
  },
];

const keyChanges: Telling[] = [
  {
    name: 'creating a key',
    change: keys(
      byGrace(
        createKey('k3', 1n, {
          key: { name: 'CI', scopes: ['read:pets', 'write:pets'], expiresAtMs: Date.UTC(2026, 1, 28) },
        }),
      ),
    ),
    entries: [
      expectedEntry(
        'key.created',
        { kind: 'key', id: 'id of k3', name: 'CI' },
        { account: 'Ada', scopes: 'read:pets write:pets', expires: '2026-02-28T00:00:00.000Z' },
      ),
    ],
  },
  {
    name: 'revoking one’s own key',
    change: keys(byGrace(revokeKey('id of k1', 1n))),
    entries: [expectedEntry('key.revoked', KEY, { account: 'Ada' })],
  },
  {
    name: 'revoking any key',
    change: keys(byGrace(revokeKey('id of k1'))),
    entries: [expectedEntry('key.revoked', KEY, { account: 'Ada' })],
  },
  { name: 'using a key', change: keys({ kind: 'touch', digest: 'k1', usedAtMs: 2000 }), entries: [] },
  {
    name: 'deleting expired keys',
    change: keys({ kind: 'forget-expired', beforeMs: 99_999, limit: 100 }),
    entries: [],
  },
];

const otherChanges: Telling[] = [
  {
    name: 'counting a failure with its entry',
    change: limits({ kind: 'count', counters: [COUNTER], nowMs: 2000, entry: FAILED_LOGIN }),
    entries: [FAILED_LOGIN],
  },
  {
    name: 'counting without an entry',
    change: limits({ kind: 'count', counters: [COUNTER], nowMs: 2000, entry: undefined }),
    entries: [],
  },
  { name: 'clearing a count', change: limits({ kind: 'clear', keys: ['counter'] }), entries: [] },
  { name: 'a lease', change: limits({ kind: 'lease', key: 'k', hour: 1, amount: 1, most: 1 }), entries: [] },
  {
    name: 'deleting counts',
    change: limits({ kind: 'forget', nowMs: 99_999_999, hour: 99, limit: 100 }),
    entries: [],
  },
  { name: 'an entry alone', change: audit({ kind: 'note', entry: FAILED_LOGIN }), entries: [FAILED_LOGIN] },
  { name: 'deleting entries', change: audit({ kind: 'forget', beforeMs: 1000, limit: 100 }), entries: [] },
  {
    name: 'claiming unused photos',
    change: photos({ kind: 'doom', beforeMs: 99_999, strayDigests: ['stray'], nowMs: 0, claimMs: 1, most: 9 }),
    entries: [],
  },
  {
    name: 'releasing photos',
    change: photos({ kind: 'release', digests: ['stray'], claimedUntilMs: 1 }),
    entries: [],
  },
];

const late = { precondition: { ifMatch: [] } };

/** Changes that fail. */
const failing: { name: string; change: Application; code: FailureCode }[] = [
  { name: 'an unknown pet', change: pets(byGrace(editPet(6n, { name: 'x' }))), code: 'not-found' },
  { name: 'a pet that changed', change: pets(byGrace(putPet({}, 5n, late))), code: 'precondition-failed' },
  { name: 'an existing account', change: users(byGrace(createUsers(newAccount('ADA')))), code: 'conflict' },
  {
    name: 'a list with an existing account',
    change: users(byGrace(createUsers(newAccount('new'), newAccount('ada')))),
    code: 'conflict',
  },
  { name: 'a name that is in use', change: users(byGrace(replaceUser('ada', { username: 'bob' }))), code: 'conflict' },
  {
    name: 'the profile of an unknown user',
    change: users(byGrace(replaceUser('x', { username: 'x' }))),
    code: 'not-found',
  },
  { name: 'the last administrator', change: users(byGrace(removeUser('root'))), code: 'conflict' },
  { name: 'the role of the last administrator', change: users(byGrace(setRole('root', 'viewer'))), code: 'conflict' },
  { name: 'closing the last administrator', change: users(byGrace(setStatus('root', 3))), code: 'conflict' },
  {
    name: 'a profile that closes the last administrator',
    change: users(byGrace(replaceUser('root', { username: 'toor', userStatus: 3 }, { passwordHash: 'x' }))),
    code: 'conflict',
  },
  {
    name: 'a password that was changed meanwhile',
    change: users(byGrace(setPassword('ada', 'new', { replacedHash: 'other' }))),
    code: 'conflict',
  },
  { name: 'a link for an unknown user', change: users(byGrace(issueReset('nobody', 'x'))), code: 'not-found' },
  { name: 'an unknown link', change: users(byGrace(useReset('none', 'x'))), code: 'not-found' },
  {
    name: 'a session with another password',
    change: sessions(byGrace(beginSession('a3', 1n, { passwordHash: 'other', replaces: ['a1'] }))),
    code: 'conflict',
  },
  { name: 'the session of another user', change: sessions(byGrace(endSession(1n, 'id of b1'))), code: 'not-found' },
  { name: 'one key too many', change: keys(byGrace(createKey('k3', 1n, { maxOfAccount: 1 }))), code: 'conflict' },
  { name: 'a key for an unknown account', change: keys(byGrace(createKey('k3', 77n))), code: 'conflict' },
  { name: 'the key of another user', change: keys(byGrace(revokeKey('id of k2', 1n))), code: 'not-found' },
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
  void describe('audited changes', () => {
    for (const { name, after = [], change, entries } of [
      ...petChanges,
      ...userChanges,
      ...sessionChanges,
      ...keyChanges,
      ...otherChanges,
    ]) {
      const actions = entries.length === 0 ? 'nothing' : entries.map(({ action }) => action).join(', ');
      void it(`${name}: writes ${actions}`, async (t) => {
        const stores = await openStores(t);
        await withEverything(stores);
        for (const earlier of after) await earlier(stores);
        assert.deepEqual(await entriesOf(stores, () => change(stores)), entries);
      });
    }

    void it('a change that fails: writes nothing', async (t) => {
      const stores = await openStores(t);
      await withEverything(stores);
      for (const { name, change, code } of failing) {
        const entries = await entriesOf(stores, async () => {
          const outcome = await change(stores).catch((error: unknown) => error);
          assert.ok(outcome instanceof Failure && outcome.code === code, name);
        });
        assert.deepEqual(entries, [], name);
      }
    });

    void it('a change that fails in a batch: leaves no entry among the others', async (t) => {
      const stores = await openStores(t);
      await withEverything(stores);
      const entries = await entriesOf(stores, () =>
        applyAll(stores.users, [
          byGrace(setRole('ada', 'editor')),
          byGrace(removeUser('root')),
          byGrace(createUsers(newAccount('new'), newAccount('ada'))),
          byGrace(setStatus('ada', 3)),
        ]),
      );
      assert.deepEqual(
        entries.map(({ action }) => action),
        ['account.role-set', 'account.closed'],
      );
    });

    void it('secrets: no digest and no password hash in any entry', async (t) => {
      const stores = await openStores(t);
      await withSecrets(stores);
      const entries = await listAll(stores);
      assert.equal(entries.length, 18);
      const text = inspect(entries, { depth: null, maxArrayLength: null, maxStringLength: null });
      assert.doesNotMatch(text, /SECRET/);
    });

    void it('the command line: has no account and no address in its stamp', async (t) => {
      const stores = await openStores(t);
      await applyOne(stores.pets, putPet());
      const [entry] = await listAll(stores);
      assert.deepEqual(entry?.stamp, STAMP);
    });
  });
}
