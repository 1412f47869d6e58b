import assert from 'node:assert/strict';
import { Failure, type FailureCode, type Outcome } from '../../src/domain/failure.ts';
import { recordOf, type PetDetails } from '../../src/domain/pets/pet.ts';
import type { EditPet, PetEdit, PetState, PutPet, DeletePet, RestorePet } from '../../src/domain/pets/pet-change.ts';
import type { PetStore } from '../../src/domain/pets/ports.ts';
import type { Photo, PhotoOfPet } from '../../src/domain/photos/photo.ts';
import type { LoggedIn, Role, Scope } from '../../src/domain/access.ts';
import type { KeyChange } from '../../src/domain/accounts/api-key.ts';
import type { NewAccount, StampedUserChange } from '../../src/domain/accounts/ports.ts';
import type { SessionChange } from '../../src/domain/accounts/session.ts';
import type { Stamp } from '../../src/domain/audit.ts';
import type { ClaimOutcome, IdempotencyStore, NewClaim } from '../../src/domain/request-claim.ts';
import type { PhotoIndex } from '../../src/domain/photos/ports.ts';
import type { Awaitable } from '../../src/domain/ports.ts';
import type { NewSignInStep } from '../../src/domain/providers/ports.ts';
import type { Precondition } from '../../src/domain/precondition.ts';
import type { UserProfile } from '../../src/domain/accounts/user.ts';

/* Changes for stores with defaults for what a test does not specify, and helpers for their results. */

/** The default actor. */
export const STAMP: Stamp = {
  atMs: 1000,
  via: 'command-line',
  actorId: null,
  actorName: 'tester',
  actorRole: null,
  credentialId: null,
  address: null,
};

/** Stores do not check the format of hashes. */
export const HASH = 'hash of a password';

export function putPet(details: Partial<PetDetails> = {}, id?: bigint, other: Partial<PutPet> = {}): PutPet {
  const record = recordOf({ name: 'Rex', photoUrls: [], tags: [], ...details });
  return { kind: 'put', id, record, mustExist: false, stamp: STAMP, ...other };
}

export function editPet(id: bigint, edit: PetEdit, precondition?: Precondition): EditPet {
  return { kind: 'edit', id, edit, precondition, stamp: STAMP };
}

export function removePet(id: bigint, precondition?: Precondition): DeletePet {
  return { kind: 'delete', id, precondition, stamp: STAMP };
}

/** Without a version: restores the last one before the deletion. */
export function restorePet(id: bigint, version?: bigint, precondition?: Precondition): RestorePet {
  return { kind: 'restore', id, version, precondition, stamp: STAMP };
}

/** A photo in the index; different letters make different photos. */
export function photo(letter: string): Photo {
  return {
    digest: letter.repeat(64),
    mediaType: 'image/jpeg',
    byteLength: 1000,
    width: 40,
    height: 30,
    placeholder: null,
  };
}

export function newAccount(username: string, other: Partial<NewAccount> & { profile?: UserProfile } = {}): NewAccount {
  return { publicId: undefined, profile: { username }, role: 'viewer', passwordHash: undefined, ...other };
}

/** The step that a login at a provider completes, each time another one. */
export function completedStep(): NewSignInStep {
  return { digest: crypto.randomUUID(), details: '{}', expiresAtMs: 2000 };
}

/** An account that can log in, and so begin sessions. */
export function loginAccount(
  username: string,
  other: Partial<NewAccount> & { profile?: UserProfile } = {},
): NewAccount {
  return newAccount(username, { passwordHash: HASH, ...other });
}

export function createUsers(...accounts: NewAccount[]): Extract<StampedUserChange, { kind: 'create' }> {
  return { kind: 'create', accounts, isList: true, stamp: STAMP };
}

export function replaceUser(
  username: string,
  profile: UserProfile,
  { publicId, passwordHash, keepSession }: { publicId?: bigint; passwordHash?: string; keepSession?: string } = {},
): StampedUserChange {
  return { kind: 'replace', username, publicId, profile, passwordHash, keepSession, stamp: STAMP };
}

export function removeUser(username: string): StampedUserChange {
  return { kind: 'delete', username, stamp: STAMP };
}

export function setRole(username: string, role: Role): StampedUserChange {
  return { kind: 'set-role', username, role, stamp: STAMP };
}

export function setStatus(username: string, userStatus: number): StampedUserChange {
  return { kind: 'set-status', username, userStatus, stamp: STAMP };
}

interface SetPasswordOptions {
  replacedHash?: string | null;
  keepSession?: string;
  keepKeys?: boolean;
}

export function setPassword(
  username: string,
  passwordHash: string,
  { replacedHash, keepSession, keepKeys = false }: SetPasswordOptions = {},
): StampedUserChange {
  return { kind: 'set-password', username, passwordHash, replacedHash, keepSession, keepKeys, stamp: STAMP };
}

type IssueReset = Extract<StampedUserChange, { kind: 'issue-reset' }>;

export function issueReset(username: string, digest: string, expiresAtMs = 5000): IssueReset {
  return { kind: 'issue-reset', isInvitation: false, username, digest, expiresAtMs, stamp: STAMP };
}

export function useReset(digest: string, passwordHash: string, atMs = STAMP.atMs): StampedUserChange {
  return { kind: 'use-reset', digest, passwordHash, language: 'en', stamp: { ...STAMP, atMs } };
}

/** The session of an actor who logged in with a password. */
export function testSession(session: { id: string; digest: string; startedAtMs: number }): LoggedIn['session'] {
  return { ...session, provedAtMs: session.startedAtMs, proof: { factors: ['password'] } };
}

type Begin = Extract<SessionChange, { kind: 'begin' }>;

/** A session with the public name `id of <digest>`. */
export function beginSession(
  digest: string,
  userId: bigint,
  { session, ...other }: Partial<Omit<Begin, 'session'>> & { session?: Partial<Begin['session']> } = {},
): Begin {
  const client = { address: '192.0.2.1', userAgent: undefined };
  const known = { startedAtMs: 1000, expiresAtMs: 9000, proof: { factors: ['password'] } } as const;
  return {
    kind: 'begin',
    session: { digest, id: `id of ${digest}`, userId, ...known, client, ...session },
    passwordHash: HASH,
    replaces: [],
    isNewDevice: false,
    stamp: STAMP,
    ...other,
  };
}

export function endSessions(...digests: string[]): Extract<SessionChange, { kind: 'end' }> {
  return { kind: 'end', digests, stamp: STAMP };
}

export function endSession(userId: bigint, id: string): Extract<SessionChange, { kind: 'end-one' }> {
  return { kind: 'end-one', userId, id, stamp: STAMP };
}

export function endOtherSessions(userId: bigint, keepSession?: string): Extract<SessionChange, { kind: 'end-others' }> {
  return { kind: 'end-others', userId, keepSession, stamp: STAMP };
}

type CreateKey = Extract<KeyChange, { kind: 'create' }>;

/** A key with the public name `id of <digest>`. */
export function createKey(
  digest: string,
  userId: bigint,
  { key, ...other }: Partial<Omit<CreateKey, 'key'>> & { key?: Partial<CreateKey['key']> } = {},
): CreateKey {
  const scopes: readonly Scope[] = ['read:pets'];
  const times = { createdAtMs: 1000, expiresAtMs: 9000 };
  return {
    kind: 'create',
    digest,
    userId,
    key: { id: `id of ${digest}`, name: `key ${digest}`, scopes, ...times, ...key },
    maxOfAccount: 100,
    stamp: STAMP,
    ...other,
  };
}

export function revokeKey(id: string, userId?: bigint): Extract<KeyChange, { kind: 'revoke' }> {
  return { kind: 'revoke', id, userId, stamp: STAMP };
}

interface Applying<C, R> {
  apply(change: C): Promise<R>;
}

interface Finding<K, V> {
  find(key: K): Awaitable<V>;
}

/** Applies changes concurrently, and returns the result or the error of each. */
export function applyAll<C, R>(store: Applying<C, R>, changes: readonly NoInfer<C>[]): Promise<readonly Outcome<R>[]> {
  return outcomesOf(changes.map((change) => store.apply(change)));
}

/** Claims requests concurrently, and returns the outcome or the error of each. */
export function claimAll(
  requests: IdempotencyStore,
  claims: readonly NewClaim[],
): Promise<readonly Outcome<ClaimOutcome>[]> {
  return outcomesOf(claims.map((claim) => requests.claim(claim)));
}

async function outcomesOf<R>(pending: readonly Promise<R>[]): Promise<readonly Outcome<R>[]> {
  const settled = await Promise.allSettled(pending);
  return settled.map((each) => (each.status === 'fulfilled' ? each.value : (each.reason as Error)));
}

export function findAll<K, V>(store: Finding<K, V>, keys: readonly K[]): Promise<readonly V[]> {
  return Promise.all(keys.map(async (key) => store.find(key)));
}

/** Like `findAll`, with the profiles, as `apply` returns pets. */
export function findStates(pets: PetStore, ids: readonly bigint[]): Promise<readonly (PetState | undefined)[]> {
  return Promise.all(ids.map(async (id) => pets.findWithProfile(id)));
}

export function findAlts(photos: PhotoIndex, wanted: readonly PhotoOfPet[]): Promise<readonly (string | null)[]> {
  return Promise.all(wanted.map(async (photo) => photos.findAlt(photo)));
}

/** Applies one change that must succeed. */
export async function applyOne<C, R>(store: Applying<C, R>, change: C): Promise<R> {
  return store.apply(change);
}

/** Applies changes concurrently that must all succeed. */
export function applyEach<C, R>(store: Applying<C, R>, changes: readonly NoInfer<C>[]): Promise<readonly R[]> {
  return Promise.all(changes.map((change) => store.apply(change)));
}

/** Applies one change that must fail with this code, and returns the failure. */
export async function applyFailing<C, R>(store: Applying<C, R>, change: C, code: FailureCode): Promise<Failure> {
  const [outcome] = await applyAll(store, [change]);
  return failureOf(outcome, code);
}

export function failureOf(outcome: unknown, code: FailureCode): Failure {
  assert.ok(outcome instanceof Failure, 'a failure was expected');
  assert.equal(outcome.code, code);
  return outcome;
}

/** The outcome of each change of a batch: the code of its failure, or 'ok'. */
export function codesOf(outcomes: readonly unknown[]): readonly string[] {
  return outcomes.map((outcome) => (outcome instanceof Failure ? outcome.code : 'ok'));
}
