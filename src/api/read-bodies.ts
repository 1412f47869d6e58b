import { invalidInput, type FieldProblem } from '../domain/failure.ts';
import { parseInt64 } from '../domain/int64.ts';
import { DEFAULT_ROLE } from '../domain/access.ts';
import type { Invitation } from '../domain/accounts/password-reset.ts';
import { canonicalUsername, type NewUser, type UserUpdate } from '../domain/accounts/user.ts';
import { findUsernameFault, USERNAME_RULES } from '../domain/accounts/username-rules.ts';
import { ALT_LENGTH } from '../domain/photos/photo.ts';
import type { PetPhotoEdit } from '../domain/pets/pet-photos.ts';
import type { SentInvitation } from './records/account.ts';
import type { SentPhotoEdit } from './records/photo.ts';
import { INT32_RULE, type SentUser, type SentUserUpdate } from './records/user.ts';

/*
 * Converts bodies, in which IDs may be numbers or digits, and null means absent, to domain objects. The bodies have
 * passed their schemas; rules that a schema cannot express, 64 bits and user names, are checked here.
 */

/**
 * @param path the path of the user in the body, for messages
 * @throws Failure `invalid-input`
 */
export function readNewUser(sent: SentUser, path = ''): NewUser {
  const problems: FieldProblem[] = [];
  const id = assignable(readId(sent.id, `${path}/id`, problems));
  const username = canonicalUsername(sent.username);
  const fault = findUsernameFault(username);
  if (fault !== undefined) problems.push({ path: `${path}/username`, message: USERNAME_RULES[fault] });
  const user = { id, ...readProfile(sent, path, problems), username };
  if (problems.length > 0) throw invalidInput(problems);
  return user;
}

/** @throws Failure `invalid-input` */
export function readInvitation({ username, role, email }: SentInvitation): Invitation {
  const named = { username: readNewUser({ username }).username, role: role ?? DEFAULT_ROLE };
  // An empty field of a form.
  return { ...named, email: email === '' ? undefined : (email ?? undefined) };
}

/**
 * The rules for a new user name are checked later, because an existing one may break them.
 * @throws Failure `invalid-input`
 */
export function readUserUpdate(sent: SentUserUpdate): UserUpdate {
  const problems: FieldProblem[] = [];
  const update = {
    id: assignable(readId(sent.id, '/id', problems)),
    ...readProfile(sent, '', problems),
    username: isThere(sent.username) ? canonicalUsername(sent.username) : undefined,
  };
  if (problems.length > 0) throw invalidInput(problems);
  return update;
}

/** For zero and negative IDs, as for none, the service assigns one. */
export function assignable(id: bigint | undefined): bigint | undefined {
  return id !== undefined && id > 0n ? id : undefined;
}

function readProfile(sent: SentUserUpdate, path: string, problems: FieldProblem[]) {
  const { firstName, lastName, email, password, phone } = sent;
  return {
    firstName: firstName ?? undefined,
    lastName: lastName ?? undefined,
    email: email ?? undefined,
    // Forms send an empty password if it is unchanged.
    password: password === null || password === '' ? undefined : password,
    phone: phone ?? undefined,
    userStatus: readInt32(sent.userStatus, `${path}/userStatus`, problems),
  };
}

export function readId(
  sent: number | string | null | undefined,
  path: string,
  problems: FieldProblem[],
): bigint | undefined {
  if (!isThere(sent)) return undefined;
  // A number beyond 2^53 that is not written in plain digits (1e17) may have been rounded by the client.
  const id = typeof sent === 'string' ? parseInt64(sent) : Number.isSafeInteger(sent) ? BigInt(sent) : undefined;
  if (id === undefined) problems.push({ path, message: 'must be a 64-bit integer in decimal digits' });
  return id;
}

function readInt32(
  sent: number | string | null | undefined,
  path: string,
  problems: FieldProblem[],
): number | undefined {
  if (!isThere(sent)) return undefined;
  const value = Number(sent);
  if ((value | 0) !== value) problems.push({ path, message: INT32_RULE });
  return value;
}

export function isThere<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

/**
 * The alternative text that came with an upload, cut to its maximum length: an upload never fails because of it.
 * Undefined if it is empty.
 */
export function altOfUpload(additionalMetadata: string | undefined): string | undefined {
  const plain = (additionalMetadata ?? '').toWellFormed().replaceAll('\0', '').trim();
  // Half of a surrogate pair may be left at the end.
  const cut = plain
    .slice(0, ALT_LENGTH)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd();
  return cut === '' ? undefined : cut;
}

export function readPhotoEdit({ alt, first }: SentPhotoEdit): PetPhotoEdit {
  const text = alt?.trim();
  return {
    ...(alt !== undefined && { alt: text === undefined || text === '' ? null : text }),
    ...(first === true && { first }),
  };
}
