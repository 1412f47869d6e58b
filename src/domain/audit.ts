import { FEATURE_AUDIT_ACTIONS, FEATURE_SUBJECT_KINDS } from '../features/names.ts';
import type { Actor, Role } from './access.ts';
import type { RequestClaim } from './request-claim.ts';

/** How the actor authenticated. */
export type Via = 'anonymous' | 'session' | 'key' | 'reset-link' | 'provider' | 'oauth-client' | 'command-line';

/** The author, time and origin of a change. Every change carries one, and the audit log stores it. */
export interface Stamp {
  atMs: number;
  via: Via;
  actorId: bigint | null;
  /** The user name; on the command line, the user name in the operating system; the name of a provider. */
  actorName: string | null;
  /** The role that allowed the change. */
  actorRole: Role | null;
  /** The public id of the session or API key. */
  credentialId: string | null;
  /** The IP address; null on the command line. */
  address: string | null;
  /** The claim of the request, if it has an idempotency key. */
  claim?: RequestClaim;
}

/** The audited actions. `access` is a refused request; the others are an object type and a verb. */
export const AUDIT_ACTIONS = [
  'pet.added',
  'pet.replaced',
  'pet.edited',
  'pet.restored',
  'pet.deleted',
  'account.created',
  'account.updated',
  'account.deleted',
  'account.closed',
  'account.reopened',
  'account.role-set',
  'account.password-changed',
  'account.password-reset',
  'account.reset-link-issued',
  'account.email-confirmed',
  'account.provider-linked',
  'account.provider-unlinked',
  'account.totp-added',
  'account.totp-removed',
  'account.recovery-codes-replaced',
  'account.passkey-added',
  'account.passkey-renamed',
  'account.passkey-removed',
  'account.factors-reset',
  'session.begun',
  'session.ended',
  'session.proved',
  'key.created',
  'key.revoked',
  'oauth-client.created',
  'oauth-client.deleted',
  'oauth-client.allowed',
  'backup.started',
  'backup.downloaded',
  'backup.restore-started',
  'backup.restored',
  'backup.restore-undone',
  'mail.retried',
  'mail.deleted',
  'playground.created',
  'organisation.changed',
  'own-fields.changed',
  'mail-settings.changed',
  ...FEATURE_AUDIT_ACTIONS,
  'access',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** `failed`: wrong password or invalid link. `refused`: the actor was authenticated, but lacked the permission. */
export const AUDIT_OUTCOMES = ['done', 'failed', 'refused'] as const;

export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

export const SUBJECT_KINDS = ['pet', 'account', 'key', 'oauth-client', 'backup', ...FEATURE_SUBJECT_KINDS] as const;

/** The object of an action, by its id. */
export interface AuditSubject {
  kind: (typeof SUBJECT_KINDS)[number];
  id: string;
  /**
   * The user name at the time of the action; the name of an API key, a program or a pet. Null for pets in entries of
   * earlier versions.
   */
  name: string | null;
}

/**
 * Contains no secrets: no password, token or API key, and no unknown user name of a failed login, because it may be a
 * password.
 */
export interface NewAuditEntry {
  stamp: Stamp;
  action: AuditAction;
  subject: AuditSubject | null;
  outcome: AuditOutcome;
  details: Readonly<Record<string, string>> | null;
}

export interface AuditEntry extends NewAuditEntry {
  /** Ascending in commit order. */
  id: bigint;
}

/** A filter of entries. Absent fields match every entry. */
export interface AuditFilter {
  /** An action, or its object type (the part before the dot). */
  action?: string | undefined;
  outcome?: AuditOutcome | undefined;
  actor?: PersonFilter | undefined;
  subjectKind?: AuditSubject['kind'] | undefined;
  /** The id or the name of the subject. */
  subject?: PersonFilter | undefined;
  sinceMs?: number | undefined;
  /** Exclusive. */
  untilMs?: number | undefined;
}

/** A current or former name (case-insensitive in ASCII), and the id of the account that has the name now. */
export interface PersonFilter {
  name: string;
  accountId: bigint | undefined;
}

const ANONYMOUS = { actorId: null, actorName: null, actorRole: null, credentialId: null, address: null } as const;

export function stampOf(actor: Actor, atMs: number): Stamp {
  const stamp = stampWithoutClaim(actor, atMs);
  return 'claim' in actor && actor.claim !== undefined ? { ...stamp, claim: actor.claim } : stamp;
}

function stampWithoutClaim(actor: Actor, atMs: number): Stamp {
  const anonymous = { atMs, via: 'anonymous', ...ANONYMOUS } as const;
  if (actor.kind === 'operator') return { ...anonymous, via: 'command-line', actorName: actor.name };
  if (actor.kind === 'anonymous') return { ...anonymous, address: actor.address };
  const { userId: actorId, username: actorName, role: actorRole, address } = actor;
  const known = { atMs, actorId, actorName, actorRole, address };
  return actor.kind === 'key'
    ? { ...known, via: 'key', credentialId: actor.keyId }
    : { ...known, via: 'session', credentialId: actor.session.id };
}

/**
 * Whether a change of a pet gets an audit entry. An anonymous change from loopback, as every change in open access,
 * gets none: the entry would add nothing to the history of the pet, and would slow down every change.
 */
export function isAudited({ via, address }: Stamp): boolean {
  return via !== 'anonymous' || (address !== '127.0.0.1' && address !== '::1');
}

/** The entry for a successful action. */
export function done(
  stamp: Stamp,
  action: AuditAction,
  subject: AuditSubject | null,
  details: NewAuditEntry['details'] = null,
): NewAuditEntry {
  return { stamp, action, subject, outcome: 'done', details };
}

export function accountSubject(id: bigint, name: string): AuditSubject {
  return { kind: 'account', id: id.toString(), name };
}

export function keySubject({ id, name }: { id: string; name: string }): AuditSubject {
  return { kind: 'key', id, name };
}

export function clientSubject({ id, name }: { id: string; name: string }): AuditSubject {
  return { kind: 'oauth-client', id, name };
}

/**
 * The entries for API keys that are revoked together, by ascending id, so that every store writes them in the same
 * order.
 */
export function keysRevoked(
  stamp: Stamp,
  keys: readonly { id: string; name: string }[],
  account: string,
): readonly NewAuditEntry[] {
  return keys
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map((key) => done(stamp, 'key.revoked', keySubject(key), { account }));
}

export type AuditChange =
  /** Writes an entry that belongs to no other change. */
  | { kind: 'note'; entry: NewAuditEntry }
  /** Deletes at most `limit` entries older than `beforeMs`. Returns the number of deleted entries. */
  | { kind: 'forget'; beforeMs: number; limit: number };

/** A page of the audit log, newest first: entries before `beforeId`, or the newest ones if it is undefined. */
export interface AuditPage {
  beforeId: bigint | undefined;
  limit: number;
}

/** The audit log. Entries are never changed, and deleted only by age. Errors as in `domain/ports.ts`. */
export interface AuditStore {
  list(filter: AuditFilter, page: AuditPage): Promise<readonly AuditEntry[]>;
  apply(change: AuditChange): Promise<number>;
}
