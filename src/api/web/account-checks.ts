import { SCOPES, type Scope } from '../../domain/access.ts';
import { Failure } from '../../domain/failure.ts';
import { KEY_LIMITS } from '../../domain/accounts/api-key.ts';
import { usernameKey } from '../../domain/accounts/user.ts';
import { findUsernameFault, type UsernameFault } from '../../domain/accounts/username-rules.ts';
import { SentUserUpdate } from '../records/user.ts';
import { checkInPage } from '../check.ts';

/* Checks of account forms in the web application, with the schemas of the service. */

export { KEY_LIMITS };

export const KEY_SCOPES = SCOPES;
export type KeyScope = Scope;

export type ProfileField = 'username' | 'firstName' | 'lastName' | 'email' | 'phone';

type ProfileFault = 'missing' | UsernameFault;

type ProfileFaults = Readonly<Partial<Record<ProfileField, ProfileFault>>>;

/** The faults of a profile, by field. The current user name is not checked. */
export function findProfileFaults(
  sent: Readonly<Partial<Record<ProfileField, string>>>,
  currentName?: string,
): ProfileFaults {
  if (sent.username === '') return { username: 'missing' };
  const fault =
    sent.username === undefined || sent.username === currentName ? undefined : findUsernameFault(sent.username);
  return { ...findMalformed(sent), ...(fault !== undefined && { username: fault }) };
}

function findMalformed(sent: Readonly<Partial<Record<ProfileField, string>>>): ProfileFaults {
  try {
    checkInPage(SentUserUpdate, sent);
    return {};
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const fields = (error.details.problems ?? []).map(({ path }) => path.split('/')[1] as ProfileField);
    return Object.fromEntries(fields.map((field) => [field, 'malformed']));
  }
}

export function isSameUsername(one: string, other: string): boolean {
  return usernameKey(one) === usernameKey(other);
}
