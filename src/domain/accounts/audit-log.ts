import type { Access, Action, Actor } from '../access.ts';
import type { UserStore } from './ports.ts';
import type { LimitStore } from './throttle.ts';
import {
  stampOf,
  type AuditEntry,
  type AuditFilter,
  type AuditPage,
  type AuditStore,
  type PersonFilter,
} from '../audit.ts';
import { inBatches } from '../batches.ts';
import type { Clock } from '../ports.ts';

interface AuditLogDeps {
  access: Access;
  audit: AuditStore;
  users: Pick<UserStore, 'find'>;
  clock: Clock;
  retentionMs: number;
}

/** A filter that names accounts by user name. */
export interface AuditCriteria extends Omit<AuditFilter, 'actor' | 'subject'> {
  actor?: string | undefined;
  subject?: string | undefined;
}

/**
 * Reads the audit log for administrators, and expires it. Stores write its entries, in the transaction of the change.
 */
export class AuditLog {
  readonly #deps: AuditLogDeps;

  constructor(deps: AuditLogDeps) {
    this.#deps = deps;
  }

  /** @throws Failure `unauthenticated`, `forbidden` */
  async listEntries(actor: Actor, criteria: AuditCriteria, page: AuditPage): Promise<readonly AuditEntry[]> {
    const { access, audit } = this.#deps;
    access(actor, 'administer');
    const people = { actor: await this.#personOf(criteria.actor), subject: await this.#personOf(criteria.subject) };
    return audit.list({ ...criteria, ...people }, page);
  }

  /** Deletes entries older than the retention time. @param isStopping asked between the batches */
  deleteExpired(isStopping: () => boolean = () => false): Promise<void> {
    const { audit, clock, retentionMs } = this.#deps;
    const beforeMs = clock() - retentionMs;
    return inBatches((limit) => audit.apply({ kind: 'forget', beforeMs, limit }), isStopping);
  }

  async #personOf(name: string | undefined): Promise<PersonFilter | undefined> {
    if (name === undefined) return undefined;
    return { name, accountId: (await this.#deps.users.find(name))?.id };
  }
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const REFUSALS_PER_MINUTE = 20;

interface RefusalLogDeps {
  audit: Pick<AuditStore, 'apply'>;
  limits: LimitStore;
  clock: Clock;
}

/**
 * Writes refused requests of authenticated actors to the audit log, rate-limited per account so that no account can
 * fill the disk.
 */
export class RefusalLog {
  readonly #deps: RefusalLogDeps;
  #minute = 0;
  #counts = new Map<bigint, number>();

  constructor(deps: RefusalLogDeps) {
    this.#deps = deps;
  }

  async write(actor: Actor, action: Action): Promise<void> {
    if (!('userId' in actor)) return;
    const { audit, limits, clock } = this.#deps;
    const nowMs = clock();
    if (this.#countOne(actor.userId, nowMs) > REFUSALS_PER_MINUTE) return;
    // The limit is shared by all nodes.
    const key = `refusals of ${actor.userId} in minute ${Math.floor(nowMs / MINUTE_MS)}`;
    const hour = Math.floor(nowMs / HOUR_MS);
    if ((await limits.apply({ kind: 'lease', key, hour, amount: 1, most: REFUSALS_PER_MINUTE })) === 0) return;
    const refusal = { action: 'access', subject: null, outcome: 'refused', details: { wanted: action } } as const;
    await audit.apply({ kind: 'note', entry: { stamp: stampOf(actor, nowMs), ...refusal } });
  }

  /** @returns the number of refusals in this minute on this node */
  #countOne(userId: bigint, nowMs: number): number {
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#counts = new Map();
    }
    const count = (this.#counts.get(userId) ?? 0) + 1;
    this.#counts.set(userId, count);
    return count;
  }
}
