import { createCheck } from '../api/check.ts';
import { readNewUser } from '../api/read-bodies.ts';
import { SentUsers } from '../api/records/user.ts';
import { Argon2Hasher } from '../services/crypto/passwords.ts';
import { DEFAULT_ROLE, ROLES, type Role } from '../domain/access.ts';
import type { NewAccount } from '../domain/accounts/ports.ts';
import { USER_STATUS_ACTIVE } from '../domain/accounts/user.ts';
import { invalidInput } from '../domain/failure.ts';
import { requireKnown } from './known-options.ts';

export interface TestUser {
  username: string;
  /** The password rules do not apply: a short one is accepted. */
  password: string;
  /** `viewer` by default. */
  role?: Role;
}

const USER_OPTIONS = ['username', 'password', 'role'] as const satisfies readonly (keyof TestUser)[];

/**
 * Bypasses the password rules by hashing the passwords here.
 *
 * @throws Failure `invalid-input`
 */
export function readTestUsers(users: readonly TestUser[]): Promise<NewAccount[]> {
  createCheck(SentUsers)(users);
  for (const user of users) requireKnown(user, USER_OPTIONS);
  const problems = users.flatMap(({ password, role = DEFAULT_ROLE }, index) => [
    ...(typeof password === 'string' ? [] : [{ path: `/${index}/password`, message: 'must be a string' }]),
    ...(ROLES.includes(role) ? [] : [{ path: `/${index}/role`, message: `must be one of ${ROLES.join(', ')}` }]),
  ]);
  if (problems.length > 0) throw invalidInput(problems);
  const profiles = users.map(({ username }, index) => readNewUser({ username }, `/${index}`));
  const passwords = new Argon2Hasher({ concurrency: 4, maxWaiting: users.length });
  return Promise.all(
    users.map(async ({ username, password, role = DEFAULT_ROLE }, index) => ({
      publicId: undefined,
      profile: { username: profiles[index]?.username ?? username, userStatus: USER_STATUS_ACTIVE },
      role,
      passwordHash: await passwords.hash(password),
    })),
  );
}
