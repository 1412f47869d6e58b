import type { AuditAction } from '../audit.ts';
import type { PetAction } from '../pets/pet-change.ts';

/** The account actions that are published as events. Password changes are not. */
export const ACCOUNT_ACTIONS = ['created', 'updated', 'deleted', 'closed', 'reopened', 'role-set'] as const;

export type AccountAction = (typeof ACCOUNT_ACTIONS)[number];

interface EventBase {
  /** Shared by pets and accounts. Ascending in commit order, possibly with gaps. */
  version: bigint;
  atMs: number;
}

interface PetEvent extends EventBase {
  kind: 'pet';
  action: PetAction;
  /** See `AccountEvent`; undefined for receivers that may not know it. */
  actorId: bigint | null | undefined;
  petId: bigint;
  /** The pet in this version; null if it was deleted. */
  text: string | null;
  /** JSON; null for an empty profile. */
  profile: string | null;
  /** Whether the pet is a draft since the change. */
  isDraft: boolean;
  /** Whether the pet was a draft before. Also true if a deleted pet was restored as a draft: no one else saw it. */
  wasDraft: boolean;
}

export interface AccountEvent extends EventBase {
  kind: 'account';
  action: AccountAction;
  /** The id of the account that made the change; null for anonymous clients and the command line. */
  actorId: bigint | null;
  accountId: bigint;
  /** The user name after the change. */
  username: string;
  /** Further details by name; never secret. */
  details: Readonly<Record<string, string>> | null;
}

/** An event, written in the transaction of its change. */
export type ChangeEvent = PetEvent | AccountEvent;

/**
 * What everyone may receive of a change, at the time and at any later time: the six fields of a pet that was published
 * then. Undefined if the change is about a draft only.
 *
 * Authors and profiles are for staff: a story may be corrected or deleted later, and which own fields are public may
 * change, but the past stays.
 */
export function publicEvent(event: ChangeEvent): ChangeEvent | undefined {
  if (event.kind !== 'pet') return event;
  const action = publicAction(event);
  if (action === undefined) return undefined;
  return { ...event, action, text: action === 'deleted' ? null : event.text, profile: null, actorId: undefined };
}

/** What a change of a pet is for everyone; undefined if it is about a draft only. */
export function publicAction({
  isDraft,
  wasDraft,
  text,
  action,
}: Pick<PetEvent, 'isDraft' | 'wasDraft' | 'text' | 'action'>): PetAction | undefined {
  const isPublic = text !== null && !isDraft;
  const wasPublic = !wasDraft && action !== 'added';
  if (!isPublic) return wasPublic ? 'deleted' : undefined;
  return wasDraft ? 'added' : action;
}

/** The changes that a client reads: all of them for staff, otherwise their public part. */
export function readableEvents(events: readonly ChangeEvent[], isStaff: boolean): readonly ChangeEvent[] {
  return isStaff ? events : events.map(publicEvent).filter((event) => event !== undefined);
}

export const EVENT_KINDS = ['pet', 'account'] as const satisfies readonly ChangeEvent['kind'][];

export type EventKind = (typeof EVENT_KINDS)[number];

/** `pet.added`, `account.closed` and so on. */
export function typeOf({ kind, action }: ChangeEvent): string {
  return `${kind}.${action}`;
}

/** The published account action of an audit entry; undefined if it is not published. */
export function accountActionOf(action: AuditAction): AccountAction | undefined {
  return ACCOUNT_ACTIONS.find((candidate) => action === `account.${candidate}`);
}
