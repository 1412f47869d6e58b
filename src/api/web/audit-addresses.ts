import { AUDIT_ACTIONS, AUDIT_OUTCOMES, type AuditAction, type AuditOutcome } from '../../domain/audit.ts';
import { textIn, type Search } from './admin-addresses.ts';

/* The query parameters of the page of the audit log. Invalid ones are ignored. */

export { AUDIT_ACTIONS, AUDIT_OUTCOMES };
export type { AuditAction };

export interface AuditSearch {
  /** An action, or its part before the dot. */
  action?: string;
  outcome?: AuditOutcome;
  actor?: string;
  subject?: string;
  /** Days in the time zone of the reader, such as `2026-01-31`; both inclusive. */
  since?: string;
  until?: string;
}

/** The actions by their parts before the dot. */
export const AUDIT_GROUPS: ReadonlyMap<string, readonly AuditAction[]> = Map.groupBy(
  AUDIT_ACTIONS,
  (action) => action.split('.')[0] ?? action,
);

export function readAuditSearch(search: Search): AuditSearch {
  const action = [...AUDIT_GROUPS.keys(), ...AUDIT_ACTIONS].find((each) => each === search['action']);
  const outcome = AUDIT_OUTCOMES.find((each) => each === search['outcome']);
  const read = {
    action,
    outcome,
    actor: textIn(search, 'actor'),
    subject: textIn(search, 'subject'),
    since: dayIn(search, 'since'),
    until: dayIn(search, 'until'),
  };
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined));
}

const DAY_MS = 24 * 3_600_000;

/** The query of the API, whose `until` is exclusive. Days begin and end in the time zone of the reader. */
export function auditFilterOf({ since, until, ...rest }: AuditSearch) {
  return {
    ...rest,
    ...(since !== undefined && { since: startOfDay(since).toISOString() }),
    ...(until !== undefined && { until: startOfNextDay(until).toISOString() }),
  };
}

/** In the local time zone. */
function startOfDay(day: string): Date {
  return new Date(`${day}T00:00:00`);
}

/** When daylight saving time begins or ends, a day has 23 or 25 hours. */
function startOfNextDay(day: string): Date {
  const next = new Date(startOfDay(day).getTime() + DAY_MS + DAY_MS / 2);
  next.setHours(0, 0, 0, 0);
  return next;
}

function dayIn(search: Search, name: string): string | undefined {
  const text = textIn(search, name) ?? '';
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(startOfDay(text).getTime()) ? text : undefined;
}
