import assert from 'node:assert/strict';
import { Failure, type FailureCode, type Outcome } from '../../src/domain/failure.ts';
import { recordOf, type PetDetails } from '../../src/domain/pets/pet.ts';
import type { EditPet, PetEdit, PutPet, RemovePet } from '../../src/domain/pets/pet-change.ts';
import type { Photo } from '../../src/domain/pets/photo.ts';
import type { NewAccount, UserChange } from '../../src/domain/accounts/ports.ts';
import type { Precondition } from '../../src/domain/pets/precondition.ts';
import type { UserProfile } from '../../src/domain/accounts/user.ts';

/*
 * Changes for stores, each with what a test does not care about filled in, and looks into what comes back.
 */

export function putPet(details: Partial<PetDetails> = {}, id?: bigint, other: Partial<PutPet> = {}): PutPet {
  const record = recordOf({ name: 'Rex', photoUrls: [], tags: [], ...details });
  return { kind: 'put', id, record, mustExist: false, by: null, ...other };
}

export function editPet(id: bigint, edit: PetEdit, precondition?: Precondition): EditPet {
  return { kind: 'edit', id, edit, precondition, by: null };
}

export function removePet(id: bigint, precondition?: Precondition): RemovePet {
  return { kind: 'remove', id, precondition, by: null };
}

/** A picture as the index knows it; different letters make different ones. */
export function photo(letter: string): Photo {
  return { digest: letter.repeat(64), mediaType: 'image/jpeg', byteLength: 1000, width: 40, height: 30 };
}

export function newAccount(username: string, other: Partial<NewAccount> & { profile?: UserProfile } = {}): NewAccount {
  return { id: undefined, profile: { username }, role: 'viewer', passwordHash: undefined, ...other };
}

export function createUsers(...accounts: NewAccount[]): UserChange {
  return { kind: 'create', accounts, isList: true };
}

export function replaceUser(
  username: string,
  profile: UserProfile,
  other: { passwordHash?: string; keepSession?: string } = {},
): UserChange {
  return { kind: 'replace', username, profile, passwordHash: other.passwordHash, keepSession: other.keepSession };
}

interface Applying<C, R> {
  applyAll(changes: readonly C[]): Promise<readonly Outcome<R>[]>;
}

/** Applies one change that has to succeed. */
export async function applyOne<C, R>(store: Applying<C, R>, change: C): Promise<R> {
  const [result] = await applyEach(store, [change]);
  return result as R;
}

/** Applies a batch of changes that all have to succeed. */
export async function applyEach<C, R>(store: Applying<C, R>, changes: readonly C[]): Promise<readonly R[]> {
  const outcomes = await store.applyAll(changes);
  assert.equal(outcomes.length, changes.length);
  return outcomes.map((outcome) => {
    if (outcome instanceof Error) throw outcome;
    return outcome;
  });
}

/** Applies one change that has to fail so, and gives the failure. */
export async function applyFailing<C, R>(store: Applying<C, R>, change: C, code: FailureCode): Promise<Failure> {
  const [outcome] = await store.applyAll([change]);
  return failureOf(outcome, code);
}

export function failureOf(outcome: unknown, code: FailureCode): Failure {
  assert.ok(outcome instanceof Failure, 'a failure was expected');
  assert.equal(outcome.code, code);
  return outcome;
}

/** What each change of a batch came to: the code of its failure, or 'ok'. */
export function codesOf(outcomes: readonly unknown[]): readonly string[] {
  return outcomes.map((outcome) => (outcome instanceof Failure ? outcome.code : 'ok'));
}
