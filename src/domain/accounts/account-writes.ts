import type { AccessMode } from '../access.ts';
import type { Stamp } from '../audit.ts';
import type { Clock } from '../ports.ts';
import type { LimitStore } from './throttle.ts';
import { createRequestBudget, type RequestBudget } from './request-budget.ts';
import { networkOf } from './guessing.ts';
import type { KeyStore, SessionStore, UserChange, UserStore } from './ports.ts';

/**
 * The most that one account writes in an hour, for each kind. The kinds are counted separately, so a stolen session cannot use up the logins or the
 * passwords of its owner.
 */
const AN_HOUR = {
  changes: 1000,
  passwords: 1000,
  logins: 10_000,
  'requests with an idempotency key': 1000,
  'refusals kept': 1000,
} as const;

export type AccountWrite = keyof typeof AN_HOUR;

/** Administration may be a program that imports thousands of accounts. */
const AN_HOUR_FOR_STAFF = 100_000;

/** An account writes a few times an hour: larger leases would be lost with each server that ends. */
const LEASES_AN_HOUR = 50;

export interface AccountWritesDeps {
  limits: LimitStore;
  clock: Clock;
  mode: AccessMode;
}

type Writer = Pick<Stamp, 'via' | 'actorId' | 'actorRole' | 'address'>;

/**
 * Limits what one account, or one address without an account, makes the database keep about accounts. Every write is an entry in the audit trail, which
 * is kept for a year. In open access, all who write are at this machine: only the refusals that are kept are limited.
 */
export class AccountWrites {
  readonly #mode: AccessMode;
  readonly #usual: Readonly<Record<AccountWrite, RequestBudget>>;
  readonly #ofStaff: RequestBudget;

  constructor({ limits, clock, mode }: AccountWritesDeps) {
    const budget = (writes: number) =>
      createRequestBudget(writes, limits, clock, { leasesAnHour: LEASES_AN_HOUR, unit: 'changes of accounts' });
    this.#mode = mode;
    this.#usual = {
      changes: budget(AN_HOUR.changes),
      passwords: budget(AN_HOUR.passwords),
      logins: budget(AN_HOUR.logins),
      'requests with an idempotency key': budget(AN_HOUR['requests with an idempotency key']),
      'refusals kept': budget(AN_HOUR['refusals kept']),
    };
    this.#ofStaff = budget(AN_HOUR_FOR_STAFF);
  }

  /** @throws Failure `too-many-requests` beyond the number, with the seconds until the next hour */
  async spend(what: AccountWrite, { via, actorId, actorRole, address }: Writer, count = 1): Promise<void> {
    const isRefusal = what === 'refusals kept';
    if (via === 'command-line' || (this.#mode === 'open' && !isRefusal)) return;
    const who = actorId === null ? `address ${networkOf(address ?? '')}` : `account ${actorId}`;
    // Sandbox access has the limits of administrators for all users.
    const isStaff = !isRefusal && (actorRole === 'admin' || this.#mode === 'sandbox');
    await (isStaff ? this.#ofStaff : this.#usual[what]).spend(`${what} of ${who}`, count);
  }
}

/**
 * The same stores, with each change that a request makes counted. Ending a session or a key is not: it must always be possible, and there is none that
 * was not begun.
 */
export function limitAccountWrites<Stores extends { users: UserStore; sessions: SessionStore; keys: KeyStore }>(
  stores: Stores,
  writes: AccountWrites,
): Stores {
  const { users, sessions, keys } = stores;
  return {
    ...stores,
    users: {
      ...users,
      async apply(change) {
        if (change.kind !== 'rehash') await writes.spend(kindOf(change), change.stamp, countOf(change));
        return users.apply(change);
      },
    },
    sessions: {
      ...sessions,
      async apply(change) {
        if (change.kind === 'begin') await writes.spend('logins', change.stamp);
        return sessions.apply(change);
      },
    },
    keys: {
      ...keys,
      async apply(change) {
        if (change.kind === 'create') await writes.spend('changes', change.stamp);
        return keys.apply(change);
      },
    },
  };
}

function kindOf({ kind }: UserChange): AccountWrite {
  return kind === 'set-password' || kind === 'use-reset' ? 'passwords' : 'changes';
}

/** Each account of a list has an entry of its own. */
function countOf(change: UserChange): number {
  return change.kind === 'create' ? change.accounts.length : 1;
}
