import { findLookalike } from '../services/crypto/lookalikes.ts';
import { isCommonPassword } from '../services/crypto/common-passwords.ts';
import { createPasswordHasher, type Argon2Parameters } from '../services/crypto/password-hasher.ts';
import { tokens } from '../services/crypto/tokens.ts';
import { createAccess, type AccessMode, type AccessSettings } from '../domain/access.ts';
import { AccountWrites, limitAccountWrites } from '../domain/accounts/account-writes.ts';
import { createAdministration } from '../domain/accounts/administration.ts';
import { createGuessing } from '../domain/accounts/guessing.ts';
import { createOwnAccount } from '../domain/accounts/own-account.ts';
import { createPasswordReset } from '../domain/accounts/password-reset.ts';
import { ANY_PASSWORD, createPasswordRules } from '../domain/accounts/password-rules.ts';
import type { SessionLimits } from '../domain/accounts/session.ts';
import { createSignIn } from '../domain/accounts/sign-in.ts';
import { createUserAccounts } from '../domain/accounts/user-accounts.ts';
import { createAuditTrail } from '../domain/audit-trail.ts';
import type { Clock } from '../domain/ports.ts';
import { createRequestBudget } from '../domain/accounts/request-budget.ts';
import { createThrottle } from '../domain/accounts/throttle.ts';
import type { DatabaseStores } from './stores.ts';

export interface AccountSettings {
  mode: AccessMode;
  signUp: boolean;
  passwordMinLength: number;
  sessions: SessionLimits;
  resetLinkLifetimeMs: number;
  auditRetentionMs: number;
  /** How many passwords are hashed at once. */
  hashingConcurrency: number;
  passwordHashing: Argon2Parameters;
  onRefused?: AccessSettings['onRefused'];
}

/** So many logins may wait for their hash: a few seconds' worth. */
const MAX_WAITING_HASHES = 100;

/** In secured access, how long after its login a session may set another password or create a key without the password. */
const FRESH_LOGIN_MS = 15 * 60_000;

/** Everything about accounts, put together on top of the stores: for the service, and for the command line beside it. */
export function createAccounts(stores: DatabaseStores, settings: AccountSettings, clock: Clock) {
  const { mode, signUp, sessions: sessionLimits, onRefused } = settings;
  const isSecured = mode === 'secured';
  const access = createAccess({ mode, signUp, ...(onRefused !== undefined && { onRefused }) });
  const passwords = createPasswordHasher({
    concurrency: settings.hashingConcurrency,
    maxWaiting: MAX_WAITING_HASHES,
    parameters: settings.passwordHashing,
  });
  const rules = isSecured
    ? createPasswordRules({ minLength: settings.passwordMinLength, isCommon: isCommonPassword })
    : ANY_PASSWORD;
  const throttle = createThrottle({ limits: stores.limits, clock });
  const guessing = createGuessing({ throttle, tokens, guardsAddresses: isSecured });
  const budget = createRequestBudget(sessionLimits.requestsPerHour, stores.limits, clock);
  const freshLoginMs = isSecured ? FRESH_LOGIN_MS : Infinity;
  const accountWrites = new AccountWrites({ limits: stores.limits, clock, mode });
  const limited = limitAccountWrites(stores, accountWrites);
  const parts = {
    access,
    passwords,
    rules,
    tokens,
    guessing,
    findLookalike,
    budget,
    clock,
    sessionLimits,
    freshLoginMs,
    ...limited,
  };
  return {
    access,
    accountWrites,
    // As createAccess has it: in the other modes, anybody may.
    newAccounts: { signUp: signUp || !isSecured, minPasswordLength: rules.minLength },
    quietAccess: createAccess({ mode, signUp }),
    signIn: createSignIn(parts),
    accounts: createUserAccounts(parts),
    ownAccount: createOwnAccount(parts),
    administration: createAdministration(parts),
    passwordReset: createPasswordReset({ ...parts, linkLifetimeMs: settings.resetLinkLifetimeMs }),
    auditTrail: createAuditTrail({ ...parts, retentionMs: settings.auditRetentionMs }),
  };
}
