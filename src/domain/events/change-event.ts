import type { AuditAction } from '../audit.ts';
import type { PetAction } from '../pets/pet-change.ts';

/** What becomes of accounts, as far as others are told of it: nothing that has to do with passwords. */
export const ACCOUNT_ACTIONS = ['created', 'updated', 'removed', 'closed', 'reopened', 'role-set'] as const;

export type AccountAction = (typeof ACCOUNT_ACTIONS)[number];

interface EventBase {
  /** One order over all changes, of pets and of accounts. It grows in the order of the commits, and need not be without gaps. */
  version: bigint;
  atMs: number;
  /** The id of the account that did it; null for somebody unknown, and at the command line. */
  changedBy: bigint | null;
}

/** A version of a pet. */
export interface PetEvent extends EventBase {
  kind: 'pet';
  action: PetAction;
  petId: bigint;
  /** The pet as it was then; null where it was removed. */
  text: string | null;
}

/** A change of an account. */
export interface AccountEvent extends EventBase {
  kind: 'account';
  action: AccountAction;
  accountId: bigint;
  /** As it was after the change. */
  username: string;
  /** What else is worth knowing, by name; never a secret. */
  details: Readonly<Record<string, string>> | null;
}

/** A change, as it was written by the transaction that made it. */
export type ChangeEvent = PetEvent | AccountEvent;

export const EVENT_KINDS = ['pet', 'account'] as const satisfies readonly ChangeEvent['kind'][];

export type EventKind = (typeof EVENT_KINDS)[number];

/** `pet.added`, `account.closed` and so on. */
export function typeOf({ kind, action }: ChangeEvent): string {
  return `${kind}.${action}`;
}

/** What the audit trail has an entry for, as others are told of it; undefined where they are not. */
export function accountActionOf(action: AuditAction): AccountAction | undefined {
  return ACCOUNT_ACTIONS.find((candidate) => action === `account.${candidate}`);
}
