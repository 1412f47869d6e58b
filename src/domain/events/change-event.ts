import type { AuditAction } from '../audit.ts';
import type { PetAction } from '../pets/pet-change.ts';
import { profileRecordOf, publicProfile, readProfileText } from '../pets/profile.ts';

/** The account actions that are published as events. Password changes are not. */
export const ACCOUNT_ACTIONS = ['created', 'updated', 'deleted', 'closed', 'reopened', 'role-set'] as const;

export type AccountAction = (typeof ACCOUNT_ACTIONS)[number];

interface EventBase {
  /** Shared by pets and accounts. Ascending in commit order, possibly with gaps. */
  version: bigint;
  atMs: number;
  /** The id of the account that made the change; null for anonymous clients and the command line. */
  actorId: bigint | null;
}

/** A change of a pet. */
interface PetEvent extends EventBase {
  kind: 'pet';
  action: PetAction;
  petId: bigint;
  /** The pet in this version; null if it was deleted. */
  text: string | null;
  /** Its profile, as in `StoredProfile`. */
  profile: string | null;
  /** Whether the pet is a draft since the change, and whether it was one before. */
  isDraft: boolean;
  wasDraft: boolean;
}

/** A change of an account. */
export interface AccountEvent extends EventBase {
  kind: 'account';
  action: AccountAction;
  accountId: bigint;
  /** The user name after the change. */
  username: string;
  /** Further details by name; never secret. */
  details: Readonly<Record<string, string>> | null;
}

/** An event, written in the transaction of its change. */
export type ChangeEvent = PetEvent | AccountEvent;

/**
 * The event as everyone may receive it: a draft does not exist for them. Undefined if it is about a draft only.
 * Profiles have neither private fields nor own fields: which of those are public may change while a client follows
 * events.
 */
export function publicEvent(event: ChangeEvent): ChangeEvent | undefined {
  if (event.kind !== 'pet') return event;
  const { isDraft, wasDraft, text, action } = event;
  if (isDraft && (wasDraft || action === 'added')) return undefined;
  if (wasDraft && text === null) return undefined;
  if (isDraft) return { ...event, action: 'deleted', text: null, profile: null };
  const { text: profile } = profileRecordOf(publicProfile(readProfileText(event.profile), () => false));
  return { ...event, action: wasDraft ? 'added' : action, profile };
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
