import type { AuditAction } from '../audit.ts';
import type { PetAction } from '../pets/pet-change.ts';

/** The account actions that are published as events: none about passwords. */
export const ACCOUNT_ACTIONS = ['created', 'updated', 'removed', 'closed', 'reopened', 'role-set'] as const;

export type AccountAction = (typeof ACCOUNT_ACTIONS)[number];

interface EventBase {
  /** Shared by pets and accounts. Grows in the order of the commits, possibly with gaps. */
  version: bigint;
  atMs: number;
  /** The id of the account that made the change; null for anonymous clients and the command line. */
  changedBy: bigint | null;
}

/** A version of a pet. */
export interface PetEvent extends EventBase {
  kind: 'pet';
  action: PetAction;
  petId: bigint;
  /** The pet in this version; null if it was deleted. */
  text: string | null;
}

/** A change of an account. */
export interface AccountEvent extends EventBase {
  kind: 'account';
  action: AccountAction;
  accountId: bigint;
  /** The name after the change. */
  username: string;
  /** Further details by name; never secret. */
  details: Readonly<Record<string, string>> | null;
}

/** A change, written by the transaction that made it. */
export type ChangeEvent = PetEvent | AccountEvent;

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
