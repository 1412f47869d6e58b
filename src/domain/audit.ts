import type { Actor, Role } from './access.ts';
import type { RequestClaim } from './idempotency/request-claim.ts';

/** How somebody showed who they are. */
export type Via = 'anonymous' | 'session' | 'key' | 'reset-link' | 'command-line';

/** Who did it, when, and from where: what every change carries, and the audit trail keeps. */
export interface Stamp {
  /** Milliseconds since 1970. */
  atMs: number;
  via: Via;
  actorId: bigint | null;
  /** The user name; at the command line, the name that the operating system has for the user. */
  actorName: string | null;
  /** The role by which it was allowed. */
  actorRole: Role | null;
  /** Which session or key it was, by its public id. */
  credentialId: string | null;
  /** The IP address; null at the command line. */
  address: string | null;
  /** The hold on its idempotency key that the request has by which it was done, where it has one. */
  claim?: RequestClaim;
}

/** Everything that the audit trail tells of. The part before the dot is the kind of the subject. */
export const AUDIT_ACTIONS = [
  'pet.added',
  'pet.replaced',
  'pet.edited',
  'pet.restored',
  'pet.removed',
  'account.created',
  'account.updated',
  'account.removed',
  'account.closed',
  'account.reopened',
  'account.role-set',
  'account.password-changed',
  'account.password-reset',
  'account.reset-link-issued',
  'session.begun',
  'session.ended',
  'key.created',
  'key.revoked',
  'webhook.created',
  'webhook.updated',
  'webhook.removed',
  'webhook.letters-sent-again',
  'access',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** `failed`: with a wrong password or an invalid link. `refused`: known, but not allowed. */
export const AUDIT_OUTCOMES = ['done', 'failed', 'refused'] as const;

export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/** What it was done to. The id is that of the pet, the account, the key or the webhook. */
export interface AuditSubject {
  kind: 'pet' | 'account' | 'key' | 'webhook';
  id: string;
  /** The user name of an account, as it was then; the name of a key; the name of a pet, null in entries of earlier versions. */
  name: string | null;
}

/** Never has a secret in it: no password, no token, no key; of a failed login, no user name that is none, for it may be a password. */
export interface NewAuditEntry {
  stamp: Stamp;
  action: AuditAction;
  subject: AuditSubject | null;
  outcome: AuditOutcome;
  /** What else is worth knowing, by name. */
  details: Readonly<Record<string, string>> | null;
}

export interface AuditEntry extends NewAuditEntry {
  /** Grows in the order of the commits. */
  id: bigint;
}

/** Which entries; what is absent does not matter. */
export interface AuditFilter {
  /** A whole action, or its part before the dot. */
  action?: string | undefined;
  outcome?: AuditOutcome | undefined;
  /** Who did it. */
  actor?: PersonFilter | undefined;
  subjectKind?: AuditSubject['kind'] | undefined;
  /** What it was done to: the id of a pet, an account or a key, or a name. */
  subject?: PersonFilter | undefined;
  sinceMs?: number | undefined;
  /** Exclusive. */
  untilMs?: number | undefined;
}

/** A name that somebody goes by or went by (without regard to case in ASCII), and the id of the account that has it now. */
export interface PersonFilter {
  name: string;
  accountId: bigint | undefined;
}

const NOBODY = { actorId: null, actorName: null, actorRole: null, credentialId: null, address: null } as const;

export function stampOf(actor: Actor, atMs: number): Stamp {
  const stamp = stampOfDoer(actor, atMs);
  return 'claim' in actor && actor.claim !== undefined ? { ...stamp, claim: actor.claim } : stamp;
}

function stampOfDoer(actor: Actor, atMs: number): Stamp {
  const nobody = { atMs, via: 'anonymous', ...NOBODY } as const;
  if (actor.kind === 'operator') return { ...nobody, via: 'command-line', actorName: actor.name };
  if (actor.kind === 'anonymous') return { ...nobody, address: actor.address };
  const { userId: actorId, username: actorName, role: actorRole, address } = actor;
  const who = { atMs, actorId, actorName, actorRole, address };
  return actor.kind === 'key'
    ? { ...who, via: 'key', credentialId: actor.keyId }
    : { ...who, via: 'session', credentialId: actor.session.id };
}

/**
 * Does an entry for a change of a pet tell more than the history of the pet does? Not where somebody unknown on this very machine did it, as in
 * open access everybody is; there, an entry would only make every change slower.
 */
export function isWorthAnEntry({ via, address }: Stamp): boolean {
  return via !== 'anonymous' || (address !== '127.0.0.1' && address !== '::1');
}

/** An entry of something that was done. */
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

/** An API key, by its public id and the name that its owner gave it. */
export function keySubject({ id, name }: { id: string; name: string }): AuditSubject {
  return { kind: 'key', id, name };
}

/** The entries for API keys that are revoked together: by ascending id, so that every store writes them in the same order. */
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
  /** Writes an entry without another change. */
  | { kind: 'note'; entry: NewAuditEntry }
  /** Deletes entries older than `beforeMs`, `limit` at most. The outcome is their number. */
  | { kind: 'forget'; beforeMs: number; limit: number };

/** A page of the audit trail, newest first: entries before `beforeId`, or the newest if it is undefined. */
export interface AuditPart {
  beforeId: bigint | undefined;
  limit: number;
}

/** The audit trail. Entries are never changed, and deleted only by age. */
export interface AuditStore {
  list(filter: AuditFilter, part: AuditPart): Promise<readonly AuditEntry[]>;
  apply(change: AuditChange): Promise<number>;
}
