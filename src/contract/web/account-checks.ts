import { SCOPES, type Scope } from '../../domain/access.ts';
import { Failure } from '../../domain/failure.ts';
import { KEY_LIMITS } from '../../domain/accounts/api-key.ts';
import { canonicalUsername, RESERVED_USERNAMES, usernameKey } from '../../domain/accounts/user.ts';
import { readUserUpdate } from '../read-bodies.ts';
import { SentUserUpdate } from '../user-schemas.ts';
import { checkInPage } from './page-check.ts';

/*
 * What can be said of an account before it is sent, by the schemas of the service.
 */

export { KEY_LIMITS };

export const KEY_SCOPES = SCOPES;
export type KeyScope = Scope;

export type ProfileField = 'username' | 'firstName' | 'lastName' | 'email' | 'phone';

export type ProfileFault = 'missing' | 'reserved' | 'malformed';

export type ProfileFaults = Readonly<Partial<Record<ProfileField, ProfileFault>>>;

/** What is wrong with an account, by field; nothing where nothing is. */
export function findProfileFaults(sent: Readonly<Partial<Record<ProfileField, string>>>): ProfileFaults {
  if (sent.username === '') return { username: 'missing' };
  try {
    readUserUpdate(checkInPage(SentUserUpdate, sent));
    return {};
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const fields = (error.details.problems ?? []).map(({ path }) => path.split('/')[1] as ProfileField);
    const isReserved = RESERVED_USERNAMES.has(canonicalUsername(sent.username ?? '').toLowerCase());
    return Object.fromEntries(
      fields.map((field) => [field, field === 'username' && isReserved ? 'reserved' : 'malformed']),
    );
  }
}

/** Are these the same account to the service? */
export function isSameUsername(one: string, other: string): boolean {
  return usernameKey(one) === usernameKey(other);
}
