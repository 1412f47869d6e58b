import { findLookalike } from '../../services/crypto/lookalikes.ts';
import { isCommonPassword, Argon2Hasher, type Argon2Parameters } from '../../services/crypto/passwords.ts';
import { tokens } from '../../services/crypto/secrets.ts';
import { createAccess, permissionOf, type AccessMode, type AccessSettings, type Role } from '../../domain/access.ts';
import { AccountWriteLimits, AccountWrites } from '../../domain/accounts/account-writes.ts';
import { Administration } from '../../domain/accounts/administration.ts';
import { AttemptThrottle } from '../../domain/accounts/attempt-throttle.ts';
import { Authentication } from '../../domain/accounts/authentication.ts';
import { OwnAccount } from '../../domain/accounts/own-account.ts';
import { PasswordReset } from '../../domain/accounts/password-reset.ts';
import { PasswordRules } from '../../domain/accounts/password-rules.ts';
import { SessionStart } from '../../domain/accounts/session-start.ts';
import type { MailBell } from '../../domain/mail/mail-bell.ts';
import { RateLimit } from '../../domain/accounts/rate-limit.ts';
import type { SessionLimits } from '../../domain/accounts/session.ts';
import { Throttle } from '../../domain/accounts/throttle.ts';
import { UserAccounts } from '../../domain/accounts/user-accounts.ts';
import { AuditLog } from '../../domain/accounts/audit-log.ts';
import type { Clock } from '../../domain/ports.ts';
import { OwnProviders } from '../../domain/providers/own-providers.ts';
import type { OpenIdClient } from '../../domain/providers/ports.ts';
import type { Provider } from '../../domain/providers/provider.ts';
import { ProviderSignIn } from '../../domain/providers/provider-sign-in.ts';
import type { DatabaseStores } from '../../domain/stores/stores.ts';

interface AccountSettings {
  mode: AccessMode;
  signUp: boolean;
  passwordMinLength: number;
  sessions: SessionLimits;
  resetLinkLifetimeMs: number;
  auditRetentionMs: number;
  /** Number of passwords that are hashed concurrently. */
  hashingConcurrency: number;
  passwordHashing: Argon2Parameters;
  /** Replaces the hasher of `passwordHashing`. */
  passwords?: Argon2Hasher | undefined;
  /** Undefined if the service sends no e-mail. */
  bell?: MailBell | undefined;
  onRefused?: AccessSettings['onRefused'];
  providers: readonly Provider[];
  /** The roles that cannot log in with a password. */
  withoutPassword: readonly Role[];
  /** To which providers redirect. */
  publicUrl?: string | undefined;
}

/** Maximum number of logins that wait for a hash: a few seconds of work. */
const MAX_WAITING_HASHES = 100;

/**
 * In secured access, time after a login in which the session may change the password or create an API key without the
 * password.
 */
const FRESH_LOGIN_MS = 15 * 60_000;

/** Composes the use cases of accounts on top of the stores, for the service and for the command line. */
export function createAccounts(stores: DatabaseStores, settings: AccountSettings, clock: Clock) {
  const { mode, signUp, sessions: sessionLimits, passwordMinLength: minLength, bell, onRefused } = settings;
  const { limits } = stores;
  const isSecured = mode === 'secured';
  const access = createAccess({ mode, signUp, ...(onRefused !== undefined && { onRefused }) });
  const passwords =
    settings.passwords ??
    new Argon2Hasher({
      concurrency: settings.hashingConcurrency,
      maxWaiting: MAX_WAITING_HASHES,
      parameters: settings.passwordHashing,
    });
  const rules = new PasswordRules({ minLength, isCommon: isCommonPassword, isEnforced: isSecured });
  const writeLimits = new AccountWriteLimits({ limits, clock, mode });
  const writes = new AccountWrites({ ...stores, writeLimits, bell });
  const deps = {
    ...stores,
    access,
    passwords,
    rules,
    tokens,
    findLookalike,
    clock,
    sessionLimits,
    attempts: new AttemptThrottle({ throttle: new Throttle({ limits, clock }), tokens, guardsAddresses: isSecured }),
    rateLimit: new RateLimit({ limits, clock, perHour: sessionLimits.requestsPerHour }),
    writes,
    sessionStart: new SessionStart({ writes, tokens, clock, sessionLimits }),
    freshLoginMs: isSecured ? FRESH_LOGIN_MS : Infinity,
    withoutPassword: settings.withoutPassword,
  };
  const { providers, publicUrl } = settings;
  const openId = lazyOpenId(clock);
  const providerSignIn = new ProviderSignIn({ ...deps, providers, publicUrl, openId, writeLimits });
  return {
    access,
    writeLimits,
    providerSignIn,
    ownProviders: new OwnProviders({ ...deps, providerSignIn }),
    passwordActivity: () => passwords.activity(),
    // As in createAccess: in the other modes, anyone may sign up.
    newAccounts: { signUp: signUp || !isSecured, minPasswordLength: rules.minLength },
    may: permissionOf(createAccess({ mode, signUp })),
    authentication: new Authentication(deps),
    accounts: new UserAccounts(deps),
    ownAccount: new OwnAccount(deps),
    administration: new Administration(deps),
    passwordReset: new PasswordReset({ ...deps, linkLifetimeMs: settings.resetLinkLifetimeMs }),
    auditLog: new AuditLog({ ...deps, retentionMs: settings.auditRetentionMs }),
  };
}

/** Loads the library on first use: most services have no provider, or no login for hours. */
function lazyOpenId(clock: Clock): OpenIdClient {
  let loading: Promise<OpenIdClient> | undefined;
  const load = () =>
    (loading ??= import('../../services/openid/openid-client.ts').then(
      ({ StandardOpenId }) => new StandardOpenId({ clock }),
    ));
  return {
    authorizationUrl: async (provider, request) => (await load()).authorizationUrl(provider, request),
    identify: async (provider, response, request) => (await load()).identify(provider, response, request),
    logoutUrl: async (provider, returnTo) => (await load()).logoutUrl(provider, returnTo),
  };
}
