import type { AccountAction, ChangeEvent } from '../../domain/events/change-event.ts';
import type { PetAction } from '../../domain/pets/pet-change.ts';
import { nameOfStored } from './stored-names.ts';

/** A row of the change feed: a version of a pet, or a change of an account, which has a user name. */
export type ChangeRow = [
  version: bigint,
  subjectId: bigint,
  storedAction: string,
  actorId: bigint | null,
  changedAtMs: bigint,
  text: string | null,
  username: string | null,
  details: string | null,
];

export function toChangeEvent(row: ChangeRow): ChangeEvent {
  const [version, subjectId, storedAction, actorId, changedAtMs, text, username, details] = row;
  const base = { version, actorId, atMs: Number(changedAtMs) };
  if (username === null)
    return { kind: 'pet', ...base, action: nameOfStored(storedAction) as PetAction, petId: subjectId, text };
  return {
    kind: 'account',
    ...base,
    action: nameOfStored(storedAction) as AccountAction,
    accountId: subjectId,
    username,
    details: details === null ? null : (JSON.parse(details) as Record<string, string>),
  };
}
