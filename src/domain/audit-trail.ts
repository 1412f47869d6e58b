import type { Access, Action, Actor } from './access.ts';
import { stampOf, type AuditEntry, type AuditFilter, type PersonFilter } from './audit.ts';
import type { UserStore } from './accounts/ports.ts';
import type { Clock } from './ports.ts';
import type { AuditStore, AuditPart } from './audit.ts';
import type { LimitStore } from './accounts/throttle.ts';

export interface AuditTrailNeeds {
  access: Access;
  audit: AuditStore;
  users: UserStore;
  clock: Clock;
  /** How long entries are kept. */
  retentionMs: number;
}

/** As an administrator asks: people by their names. */
export interface AuditQuestion extends Omit<AuditFilter, 'actor' | 'subject'> {
  actor?: string | undefined;
  subject?: string | undefined;
}

export type AuditTrail = ReturnType<typeof createAuditTrail>;

/** Removed at a time, so that no transaction grows long. */
const FORGET_AT_ONCE = 5000;

/** Who did what, for administrators to read. What is done is written down by the stores, with the change itself. */
export function createAuditTrail({ access, audit, users, clock, retentionMs }: AuditTrailNeeds) {
  async function personOf(name: string | undefined): Promise<PersonFilter | undefined> {
    if (name === undefined) return undefined;
    return { name, accountId: (await users.find(name))?.id };
  }

  return {
    /** @throws Failure `unauthenticated`, `forbidden` */
    async listEntries(actor: Actor, question: AuditQuestion, part: AuditPart): Promise<readonly AuditEntry[]> {
      access(actor, 'administer');
      const people = { actor: await personOf(question.actor), subject: await personOf(question.subject) };
      return audit.list({ ...question, ...people }, part);
    },

    /** Clears away what is older than the retention time. @param isStopping asked between the steps */
    async forgetOld(isStopping: () => boolean = () => false): Promise<void> {
      const beforeMs = clock() - retentionMs;
      let removed = FORGET_AT_ONCE;
      while (removed === FORGET_AT_ONCE && !isStopping()) {
        removed = await audit.apply({ kind: 'forget', beforeMs, limit: FORGET_AT_ONCE });
      }
    },
  };
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const REFUSALS_A_MINUTE = 20;

/**
 * Writes down that somebody known was turned away. Only so many a minute of each: whoever has an account cannot fill the disk by asking for
 * what is not theirs.
 */
export function createRefusalNotes(
  { audit, limits }: { audit: AuditStore; limits: LimitStore },
  clock: Clock,
): (actor: Actor, action: Action) => Promise<void> {
  let minute = 0;
  let noted = new Map<bigint, number>();
  return async (actor, action) => {
    if (!('userId' in actor)) return;
    const nowMs = clock();
    const thisMinute = Math.floor(nowMs / MINUTE_MS);
    if (thisMinute !== minute) {
      minute = thisMinute;
      noted = new Map();
    }
    const count = (noted.get(actor.userId) ?? 0) + 1;
    noted.set(actor.userId, count);
    if (count > REFUSALS_A_MINUTE) return;
    // The same number goes for all nodes together.
    const key = `refusals of ${actor.userId} in minute ${thisMinute}`;
    const hour = Math.floor(nowMs / HOUR_MS);
    if ((await limits.apply({ kind: 'lease', key, hour, amount: 1, most: REFUSALS_A_MINUTE })) === 0) return;
    const entry = {
      stamp: stampOf(actor, nowMs),
      action: 'access',
      subject: null,
      details: { wanted: action },
    } as const;
    await audit.apply({ kind: 'note', entry: { ...entry, outcome: 'refused' } });
  };
}
