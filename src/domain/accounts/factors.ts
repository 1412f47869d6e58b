import type { Factor, Role } from '../access.ts';
import type { Stamp } from '../audit.ts';
import { Failure } from '../failure.ts';

/*
 * Second factors and passkeys of accounts, and what a client has begun and must complete: steps.
 */

export const FACTOR_LIMITS = {
  recoveryCodes: 10,
  passkeys: 20,
  passkeyNameLength: 64,
  /** A client has this long for a step. */
  stepMs: 10 * 60_000,
} as const;

/** The second factors that an account itself has. */
export const OWN_SECOND_FACTORS = ['totp', 'recovery-code', 'passkey'] as const satisfies readonly Factor[];

export interface Totp {
  /** In base32. */
  secret: string;
  /** The last step whose code was accepted. Neither it nor an earlier one is accepted again. */
  lastStep: number;
  createdAtMs: number;
}

export interface Passkey {
  id: string;
  accountId: bigint;
  /** The credential ID of WebAuthn, in base64url. */
  credential: string;
  /** The same for all passkeys of the account. */
  userHandle: string;
  /** COSE, in base64url. */
  publicKey: string;
  counter: number;
  transports: readonly string[];
  /** Whether its owner can use it on several devices. */
  isSynced: boolean;
  name: string;
  createdAtMs: number;
  lastUsedAtMs: number | undefined;
}

/** The factors of an account besides its password. */
export interface AccountFactors {
  totp: Totp | undefined;
  recoveryCodes: { total: number; left: number };
  /** Oldest first. */
  passkeys: readonly Passkey[];
}

interface FactorCounts {
  totps: number;
  /** Recovery codes that were not used. */
  codesLeft: number;
  passkeys: number;
}

/** The factors that complete a login with the password; none if the account has no second factor. */
export function secondFactorsOf({ totps, codesLeft, passkeys }: FactorCounts): readonly Factor[] {
  if (totps === 0 && passkeys === 0) return [];
  return [
    ...(totps === 0 ? [] : (['totp'] as const)),
    ...(codesLeft === 0 ? [] : (['recovery-code'] as const)),
    ...(passkeys === 0 ? [] : (['passkey'] as const)),
  ];
}

export function countFactors({ totp, recoveryCodes, passkeys }: AccountFactors): FactorCounts {
  return { totps: totp === undefined ? 0 : 1, codesLeft: recoveryCodes.left, passkeys: passkeys.length };
}

/** What an account of some role can log in with, besides its passkeys. */
export interface WaysIn {
  isPasswordAccepted: boolean;
  /** The issuers of the configured providers, as `issuerKey` has them. */
  issuers: readonly string[];
}

export type WaysInOf = (role: Role) => WaysIn;

/** Whether a login with it begins no session if the account has a second factor. */
export function isFirstFactor(factor: Factor): boolean {
  return factor === 'password' || factor === 'provider';
}

/** For a login with the right password alone. */
export function secondFactorNeeded(factors: readonly Factor[]): Failure {
  return new Failure(
    'unauthenticated',
    'This account has a second factor. Log in on the web page or with POST /v2/sign-in/password; a program uses an ' +
      'API key.',
    { secondFactor: factors },
  );
}

/** A login or set-up that a client has begun and completes with a token. Only the digest of the token is stored. */
export interface SignInStep {
  digest: string;
  kind: string;
  /** Undefined before it is known who logs in. */
  accountId: bigint | undefined;
  /** What the service must know to complete the step, by name. */
  details: Readonly<Record<string, string>>;
  expiresAtMs: number;
}

/**
 * The use of a factor. It is checked in the transaction that it allows, so that no node accepts a code or a challenge
 * twice.
 */
export type FactorUse =
  | { kind: 'step'; digest: string }
  /** A challenge that was not stored. Its use is, until its end. */
  | { kind: 'challenge'; digest: string; expiresAtMs: number }
  | { kind: 'totp'; accountId: bigint; step: number }
  | { kind: 'recovery-code'; accountId: bigint; digest: string }
  /** `counter` is that of the authenticator, which always is 0 or always grows. */
  | { kind: 'passkey'; id: string; counter: number };

/** The session that adds a factor, which is then one that its owner has proved to have. */
interface AddingSession {
  digest: string;
  factors: readonly Factor[];
}

interface NewFactor {
  accountId: bigint;
  /** The step that is completed. */
  uses: readonly FactorUse[];
  session: AddingSession;
  /** Digests of new recovery codes, which are stored if the account has no unused ones. */
  recoveryCodes: readonly string[];
  stamp: Stamp;
}

/**
 * Changes of an account throw `unauthenticated` if the session of the stamp has ended. The first second factor ends the
 * other sessions of the account, since they were begun without it. Removing the last one deletes the recovery codes,
 * and the sessions no longer count as proved with one.
 */
export type FactorChange =
  /**
   * @param seen the account as it was checked
   * @throws Failure `conflict` if it was closed, or got another password, since: its steps ended at that moment
   */
  | { kind: 'begin-step'; step: SignInStep; seen?: { passwordHash: string | undefined }; stamp: Stamp }
  /**
   * Returns 1 if the recovery codes were stored.
   * @throws Failure `conflict` if the account has a secret, or the step was completed
   */
  | (NewFactor & { kind: 'add-totp'; totp: Totp })
  /** Returns 1 if the recovery codes were stored. @throws Failure `conflict` */
  | (NewFactor & { kind: 'add-passkey'; passkey: Passkey })
  /** @throws Failure `not-found` */
  | { kind: 'remove-totp'; accountId: bigint; stamp: Stamp }
  /** @throws Failure `not-found` */
  | { kind: 'rename-passkey'; accountId: bigint; id: string; name: string; stamp: Stamp }
  /** @throws Failure `not-found`; `conflict` for the last way in */
  | { kind: 'remove-passkey'; accountId: bigint; id: string; waysIn: WaysIn; stamp: Stamp }
  /** @throws Failure `conflict` for an account without a second factor */
  | { kind: 'replace-recovery-codes'; accountId: bigint; digests: readonly string[]; stamp: Stamp }
  /** Deletes all factors except the password, and ends the sessions. Returns the number of deleted factors. */
  | { kind: 'reset'; accountId: bigint; stamp: Stamp }
  /** Deletes at most `limit` expired steps. Returns the number of deleted steps. */
  | { kind: 'forget-steps'; nowMs: number; limit: number };

/** Factors and steps. Errors as in `domain/ports.ts`. */
export interface FactorStore {
  listOf(accountId: bigint): Promise<AccountFactors>;
  /** The passkey with this credential ID, and the current name of its account. */
  findPasskey(credential: string): Promise<(Passkey & { username: string }) | undefined>;
  /** May return an expired step: the caller checks the time. */
  findStep(digest: string): Promise<SignInStep | undefined>;
  apply(change: FactorChange): Promise<number>;
}
