import { ROLES, type Role } from '../domain/access.ts';
import type { UserFilter } from '../domain/accounts/ports.ts';
import { AUDIT_ACTIONS, AUDIT_OUTCOMES, type AuditSubject } from '../domain/audit.ts';
import type { AuditQuestion } from '../domain/audit-trail.ts';
import { Failure } from '../domain/failure.ts';

/*
 * What administrators ask for, over HTTP (as a query) and at the command line (as flags).
 */

export type Query = Readonly<Record<string, unknown>>;

const SUBJECT_KINDS = ['pet', 'account', 'key'] as const satisfies readonly AuditSubject['kind'][];

/** Whole actions, and their parts before the dot. */
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
export function readAuditQuestion(query: Query): AuditQuestion {
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

function textOf(query: Query, name: string): string | undefined {
  const value = query[name];
  if (value === undefined || (typeof value === 'string' && value !== '')) return value;
  throw new Failure('invalid-input', `${name} must be given once, and not be empty.`);
}

function choiceOf<T extends string>(query: Query, name: string, choices: readonly T[]): T | undefined {
  const value = textOf(query, name);
  const chosen = choices.find((choice) => choice === value);
  if (value !== undefined && chosen === undefined)
    throw new Failure('invalid-input', `${name} must be one of ${choices.join(', ')}.`);
  return chosen;
}

function statusOf(query: Query): number | undefined {
  const value = textOf(query, 'userStatus');
  if (value === undefined) return undefined;
  if (!/^-?\d{1,10}$/.test(value)) throw new Failure('invalid-input', 'userStatus must be a whole number.');
  return Number(value);
}

/** RFC 3339, or a day, which is taken as its beginning in UTC. */
function timeOf(query: Query, name: string): number | undefined {
  const value = textOf(query, name);
  if (value === undefined) return undefined;
  const isTime = /^\d{4}-\d\d-\d\d(?:[Tt]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:\d\d))?$/.test(value);
  const ms = isTime ? Date.parse(value.toUpperCase()) : Number.NaN;
  if (Number.isNaN(ms))
    throw new Failure(
      'invalid-input',
      `${name} must be a time such as 2026-01-31T12:00:00Z, or a day such as 2026-01-31.`,
    );
  return ms;
}
