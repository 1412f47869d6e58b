import { ROLES, type Role } from '../../domain/access.ts';
import type { UserFilter } from '../../domain/accounts/ports.ts';
import { AUDIT_ACTIONS, AUDIT_OUTCOMES, SUBJECT_KINDS } from '../../domain/audit.ts';
import type { AuditCriteria } from '../../domain/accounts/audit-log.ts';
import { Failure } from '../../domain/failure.ts';
import { DEFAULT_LOG_ENTRIES, LOG_ENTRY_LEVELS, MAX_LOG_ENTRIES, type LogFilter } from '../../domain/log.ts';
import { choiceOf, textOf, timeOf, type Query } from './query-values.ts';

/* The filters of administrators, from a query of HTTP or from flags of the command line. */

/** How the path of an operation identifies the user. */
export const NAMED_BY = ['name', 'accountId'] as const;

/** Actions, and their parts before the dot. */
const ACTION_FILTERS = [...new Set(AUDIT_ACTIONS.flatMap((action) => [action.split('.')[0] ?? action, action]))];

/** @throws Failure `invalid-input` */
export function readUserFilter(query: Query): UserFilter {
  return {
    text: textOf(query, 'text'),
    role: choiceOf<Role>(query, 'role', ROLES),
    userStatus: statusOf(query),
  };
}

/** @throws Failure `invalid-input` */
export function readAuditCriteria(query: Query): AuditCriteria {
  return {
    action: choiceOf(query, 'action', ACTION_FILTERS),
    outcome: choiceOf(query, 'outcome', AUDIT_OUTCOMES),
    actor: textOf(query, 'actor'),
    subjectKind: choiceOf(query, 'kind', SUBJECT_KINDS),
    subject: textOf(query, 'subject'),
    sinceMs: timeOf(query, 'since'),
    untilMs: timeOf(query, 'until'),
  };
}

/** @throws Failure `invalid-input` */
export function readLogFilter(query: Query): LogFilter {
  const limit = textOf(query, 'limit') ?? String(DEFAULT_LOG_ENTRIES);
  if (!/^\d{1,4}$/.test(limit) || Number(limit) < 1 || Number(limit) > MAX_LOG_ENTRIES)
    throw new Failure('invalid-input', `limit must be a number from 1 to ${MAX_LOG_ENTRIES}.`);
  return { level: choiceOf(query, 'level', LOG_ENTRY_LEVELS), text: textOf(query, 'text'), limit: Number(limit) };
}

function statusOf(query: Query): number | undefined {
  const value = textOf(query, 'userStatus');
  if (value === undefined) return undefined;
  if (!/^-?\d{1,10}$/.test(value)) throw new Failure('invalid-input', 'userStatus must be an integer.');
  return Number(value);
}
