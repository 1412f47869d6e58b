import type { AccessMode } from '../access.ts';
import type { Stamp } from '../audit.ts';
import type { Clock } from '../ports.ts';
import type { KeyChange } from './api-key.ts';
import type { MailBell } from '../mail/mail-bell.ts';
import type { FactorChange, FactorStore } from './factors.ts';
import { networkOf } from './attempt-throttle.ts';
import type { KeyStore, SessionStore, UserChange, UserStore } from './ports.ts';
import { RateLimit } from './rate-limit.ts';
import type { SessionChange } from './session.ts';
import type { LimitStore } from './throttle.ts';

/**
 * Writes per hour and account. The limits are separate, so that a stolen session cannot use up the logins or password
 * changes of the owner.
 */
const HOURLY_LIMITS = {
  changes: 1000,
  passwords: 1000,
  logins: 10_000,
  'sign-in steps': 10_000,
  'requests with an idempotency key': 1000,
  'refusals kept': 1000,
} as const;

export type AccountWrite = keyof typeof HOURLY_LIMITS;

/** A script of an administrator may import thousands of accounts. */
const HOURLY_LIMIT_OF_STAFF = 100_000;

/**
 * Leases are small, because an account writes only a few times an hour, and the rest of a lease is lost when a server
 * stops.
 */
const LEASES_PER_HOUR = 50;

interface AccountWriteLimitsDeps {
  limits: LimitStore;
  clock: Clock;
  mode: AccessMode;
}

type Writer = Pick<Stamp, 'via' | 'actorId' | 'actorRole' | 'address'>;

/**
 * Limits the writes of accounts, per account, or per address for anonymous clients: each write adds an entry to the
 * audit log, which is kept for a year. In open access, all clients run on this machine, so only recorded refusals are
 * limited.
 */
export class AccountWriteLimits {
  readonly #mode: AccessMode;
  readonly #ofAccount: Readonly<Record<AccountWrite, RateLimit>>;
  readonly #ofStaff: RateLimit;

  constructor({ limits, clock, mode }: AccountWriteLimitsDeps) {
    const hourly = (perHour: number) =>
      new RateLimit({
        limits,
        clock,
        perHour,
        leasesPerHour: LEASES_PER_HOUR,
        unit: 'changes of users',
        name: 'account-changes',
      });
    this.#mode = mode;
    this.#ofAccount = {
      changes: hourly(HOURLY_LIMITS.changes),
      passwords: hourly(HOURLY_LIMITS.passwords),
      logins: hourly(HOURLY_LIMITS.logins),
      'sign-in steps': hourly(HOURLY_LIMITS['sign-in steps']),
      'requests with an idempotency key': hourly(HOURLY_LIMITS['requests with an idempotency key']),
      'refusals kept': hourly(HOURLY_LIMITS['refusals kept']),
    };
    this.#ofStaff = hourly(HOURLY_LIMIT_OF_STAFF);
  }

  /** @throws Failure `too-many-requests` beyond the limit, with the seconds until the next hour */
  async spend(what: AccountWrite, { via, actorId, actorRole, address }: Writer, count = 1): Promise<void> {
    const isRefusal = what === 'refusals kept';
    if (via === 'command-line' || (this.#mode === 'open' && !isRefusal)) return;
    const who = actorId === null ? `address ${networkOf(address ?? '')}` : `account ${actorId}`;
    // Sandbox access has the limits of administrators for all users.
    const isStaff = !isRefusal && (actorRole === 'admin' || this.#mode === 'sandbox');
    await (isStaff ? this.#ofStaff : this.#ofAccount[what]).spend(`${what} of ${who}`, count);
  }
}

interface AccountWritesDeps {
  users: UserStore;
  sessions: SessionStore;
  keys: KeyStore;
  factors: FactorStore;
  writeLimits: AccountWriteLimits;
  /** Rung after changes of which the owner may be told by e-mail. */
  bell: MailBell | undefined;
}

/**
 * Writes accounts, sessions and keys, within the limits of the actor. Use cases write only through this class. Ending a
 * session and revoking a key are not limited: both must always be possible, and creating them is limited. Every method
 * throws the failures of its store, and `too-many-requests`.
 */
export class AccountWrites {
  readonly #deps: AccountWritesDeps;

  constructor(deps: AccountWritesDeps) {
    this.#deps = deps;
  }

  async changeUser(change: UserChange): Promise<readonly bigint[]> {
    const { users, writeLimits } = this.#deps;
    if (change.kind !== 'rehash') await writeLimits.spend(kindOf(change), change.stamp, countOf(change));
    return this.#ring(users.apply(change));
  }

  async changeSession(change: SessionChange): Promise<number> {
    const { sessions, writeLimits } = this.#deps;
    if (change.kind === 'begin') await writeLimits.spend('logins', change.stamp);
    return change.kind === 'begin' ? this.#ring(sessions.apply(change)) : sessions.apply(change);
  }

  async changeFactors(change: FactorChange): Promise<number> {
    const { factors, writeLimits } = this.#deps;
    if (change.kind === 'forget-steps') return factors.apply(change);
    const isStep = change.kind === 'begin-step';
    await writeLimits.spend(isStep ? 'sign-in steps' : 'changes', change.stamp);
    return isStep ? factors.apply(change) : this.#ring(factors.apply(change));
  }

  async changeKey(change: KeyChange): Promise<number> {
    const { keys, writeLimits } = this.#deps;
    if (change.kind === 'create') await writeLimits.spend('changes', change.stamp);
    return change.kind === 'create' ? this.#ring(keys.apply(change)) : keys.apply(change);
  }

  async #ring<T>(change: Promise<T>): Promise<T> {
    const result = await change;
    this.#deps.bell?.ring();
    return result;
  }
}

function kindOf({ kind }: UserChange): AccountWrite {
  return kind === 'set-password' || kind === 'use-reset' ? 'passwords' : 'changes';
}

/** Each account of a list gets its own audit entry. */
function countOf(change: UserChange): number {
  return change.kind === 'create' ? change.accounts.length : 1;
}
