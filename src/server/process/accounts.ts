import { findLookalike } from '../../services/crypto/lookalikes.ts';
import { isCommonPassword, Argon2Hasher, type Argon2Parameters } from '../../services/crypto/passwords.ts';
import { tokens } from '../../services/crypto/secrets.ts';
import {
  createAccess,
  permissionOf,
  type AccessMode,
  type AccessSettings,
  type Actor,
  type Role,
  type SecondFactorPolicy,
} from '../../domain/access.ts';
import { AccountWriteLimits, AccountWrites } from '../../domain/accounts/account-writes.ts';
import { Administration } from '../../domain/accounts/administration.ts';
import { AccountEmail } from '../../domain/accounts/account-email.ts';
import { AttemptThrottle } from '../../domain/accounts/attempt-throttle.ts';
import { Authentication } from '../../domain/accounts/authentication.ts';
import { CodeAttempts } from '../../domain/accounts/code-attempts.ts';
import { FreshProof } from '../../domain/accounts/fresh-proof.ts';
import { KnownDevices } from '../../domain/accounts/known-devices.ts';
import { OwnAccount } from '../../domain/accounts/own-account.ts';
import { PasswordCheck } from '../../domain/accounts/password-check.ts';
import { PasswordReset } from '../../domain/accounts/password-reset.ts';
import { PasswordRules } from '../../domain/accounts/password-rules.ts';
import { SessionStart } from '../../domain/accounts/session-start.ts';
import type { MailBell } from '../../domain/mail/mail-bell.ts';
import { MailLimits } from '../../domain/accounts/mail-limits.ts';
import { RateLimit } from '../../domain/accounts/rate-limit.ts';
import type { SessionLimits } from '../../domain/accounts/session.ts';
import { Throttle } from '../../domain/accounts/throttle.ts';
import { UserAccounts } from '../../domain/accounts/user-accounts.ts';
import { AuditLog } from '../../domain/accounts/audit-log.ts';
import { AuthorizationServer } from '../../domain/oauth/authorization-server.ts';
import { OAuthClients } from '../../domain/oauth/oauth-clients.ts';
import type { OAuthProtocol } from '../../domain/oauth/protocol.ts';
import type { Clock } from '../../domain/ports.ts';
import { ProviderAdministration } from '../../domain/providers/provider-administration.ts';
import { OwnProviders } from '../../domain/providers/own-providers.ts';
import type { OpenIdClient } from '../../domain/providers/ports.ts';
import { issuerKey, type Provider } from '../../domain/providers/provider.ts';
import { ProviderSignIn } from '../../domain/providers/provider-sign-in.ts';
import { CodeCheck } from '../../domain/sign-in/code-check.ts';
import { FactorAdministration } from '../../domain/sign-in/factor-administration.ts';
import { OwnFactors } from '../../domain/sign-in/own-factors.ts';
import { OwnPasskeys } from '../../domain/sign-in/own-passkeys.ts';
import { OwnerProof } from '../../domain/sign-in/owner-proof.ts';
import { PasskeyChallenges } from '../../domain/sign-in/passkey-challenges.ts';
import { PasskeyCheck } from '../../domain/sign-in/passkey-check.ts';
import { SignIn } from '../../domain/sign-in/sign-in.ts';
import { SignInSteps } from '../../domain/sign-in/sign-in-steps.ts';
import type { DatabaseStores } from '../../storage/rows/stores/stores.ts';
import { oneTimeCodes, webAuthn } from './factor-services.ts';

interface AccountSettings {
  mode: AccessMode;
  signUp: boolean;
  secondFactor: SecondFactorPolicy;
  passwordMinLength: number;
  sessions: SessionLimits;
  auditRetentionMs: number;
  /** Number of passwords that are hashed concurrently. */
  hashingConcurrency: number;
  passwordHashing: Argon2Parameters;
  /** Replaces the hasher of `passwordHashing`. */
  passwords?: Argon2Hasher | undefined;
  /** Undefined on the command line, which sends no e-mail. */
  bell?: MailBell | undefined;
  /** See `MailLimitsDeps`. */
  isLocalMailServer?: () => boolean;
  onRefused?: AccessSettings['onRefused'];
  providers: readonly Provider[];
  /** The roles that cannot log in with a password. */
  withoutPassword: readonly Role[];
  /** The URL to which providers redirect. */
  publicUrl?: string | undefined;
}

/** Maximum number of logins that wait for a hash: a few seconds of work. */
const MAX_WAITING_HASHES = 100;

/** In secured access, time after a login or a later proof in which the session may make sensitive changes. */
const FRESH_LOGIN_MS = 15 * 60_000;

/**
 * Leases of the requests of a session. A lease is a commit, after which SQLite reads all pages again: with a thousand
 * leases instead of a hundred, a session under load made four per second.
 */
const LEASES_PER_HOUR = 100;

/** Composes the use cases of accounts on top of the stores, for the service and for the command line. */
export function createAccounts(stores: DatabaseStores, settings: AccountSettings, clock: Clock) {
  const {
    mode,
    signUp,
    secondFactor,
    sessions: sessionLimits,
    passwordMinLength: minLength,
    bell,
    onRefused,
    withoutPassword,
    providers,
    publicUrl,
  } = settings;
  const { limits } = stores;
  const isSecured = mode === 'secured';
  const access = createAccess({ mode, signUp, secondFactor, ...(onRefused !== undefined && { onRefused }) });
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
  const throttle = new Throttle({ limits, clock });
  const attempts = new AttemptThrottle({ throttle, tokens, guardsAddresses: isSecured });
  const codeAttempts = new CodeAttempts({ throttle, tokens });
  const waysInOf = (role: Role) => ({
    isPasswordAccepted: !withoutPassword.includes(role),
    issuers: providers.map(({ issuer }) => issuerKey(issuer)),
  });
  const freshLoginMs = isSecured ? FRESH_LOGIN_MS : Infinity;
  const freshProof = new FreshProof({ ...stores, clock, waysInOf, freshLoginMs });
  const mailLimits = new MailLimits({
    limits,
    tokens,
    clock,
    isLocalServer: settings.isLocalMailServer ?? (() => true),
  });
  const devices = bell && new KnownDevices({ ...stores, throttle, tokens, bell });
  const deps = {
    ...stores,
    access,
    passwords,
    rules,
    tokens,
    findLookalike,
    clock,
    sessionLimits,
    attempts,
    codeAttempts,
    mailLimits,
    freshProof,
    secondFactor,
    passwordCheck: new PasswordCheck({ ...stores, passwords, attempts, clock, withoutPassword }),
    email: new AccountEmail({ ...stores, access, tokens, attempts, mailLimits, bell, clock, freshProof }),
    devices,
    rateLimit: new RateLimit({ limits, clock, perHour: sessionLimits.requestsPerHour, leasesPerHour: LEASES_PER_HOUR }),
    writes,
    sessionStart: new SessionStart({ ...stores, writes, codeAttempts, tokens, clock, sessionLimits, devices }),
    protocol: lazyOAuth(),
    writeLimits,
    withoutPassword,
    waysInOf,
  };
  const openId = lazyOpenId(clock);
  const authentication = new Authentication(deps);
  const signIn = composeSignIn({ ...deps, authentication });
  const providerSignIn = new ProviderSignIn({ ...deps, ...signIn, providers, publicUrl, openId, writeLimits });
  return {
    access,
    mailLimits,
    writeLimits,
    requireProof: (actor: Actor) => freshProof.require(actor),
    providerSignIn,
    ownProviders: new OwnProviders({ ...deps, providerSignIn }),
    providerAdministration: new ProviderAdministration({ ...deps, providerSignIn }),
    passwords,
    // As in createAccess: in the other modes, anyone may sign up.
    newAccounts: () => ({
      signUp: signUp || !isSecured,
      minPasswordLength: rules.minLength,
      ...(bell?.isOn === true && { mail: true }),
    }),
    may: permissionOf(createAccess({ mode, signUp, secondFactor })),
    authentication,
    accounts: new UserAccounts(deps),
    ownAccount: new OwnAccount(deps),
    accountEmail: deps.email,
    authorizationServer: new AuthorizationServer(deps),
    oauthClients: new OAuthClients(deps),
    administration: new Administration(deps),
    passwordReset: new PasswordReset(deps),
    auditLog: new AuditLog({ ...deps, retentionMs: settings.auditRetentionMs }),
    factorAdministration: new FactorAdministration(deps),
    ...signIn,
  };
}

type SignInDeps = Omit<
  ConstructorParameters<typeof SignIn>[0] &
    ConstructorParameters<typeof OwnPasskeys>[0] &
    ConstructorParameters<typeof OwnFactors>[0] &
    ConstructorParameters<typeof OwnerProof>[0] &
    ConstructorParameters<typeof PasskeyCheck>[0] &
    ConstructorParameters<typeof SignInSteps>[0],
  'steps' | 'codes' | 'passkeys' | 'challenges' | 'oneTimeCodes' | 'webAuthn'
>;

function composeSignIn(accounts: SignInDeps) {
  const services = { ...accounts, oneTimeCodes, webAuthn };
  const steps = new SignInSteps(services);
  const checks = { codes: new CodeCheck(services), passkeys: new PasskeyCheck(services) };
  const deps = { ...services, ...checks, steps, challenges: new PasskeyChallenges(services) };
  return {
    steps,
    signIn: new SignIn(deps),
    ownFactors: new OwnFactors(deps),
    ownPasskeys: new OwnPasskeys(deps),
    ownerProof: new OwnerProof(deps),
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

/** Loaded on first use: most services give no program access. */
function lazyOAuth(): OAuthProtocol {
  let loading: Promise<OAuthProtocol> | undefined;
  const load = () =>
    (loading ??= import('../../services/oauth/oauth-library.ts').then(({ OAuthLibrary }) => new OAuthLibrary()));
  return {
    authorize: async (...request) => (await load()).authorize(...request),
    requestToken: async (...request) => (await load()).requestToken(...request),
    credentialsIn: async (request) => (await load()).credentialsIn(request),
  };
}
