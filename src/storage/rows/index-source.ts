import { toStoredPet, type PetRow } from './pets.ts';
import type { ChangeMark, SourceChange, SourceChanges, SourcePet } from '../../domain/search/index-source.ts';

/* The rows that the search index reads, on both engines. */

export type SourcePetRow = [...pet: PetRow, profile: string | null, addedVersion: bigint, changedAtMs: bigint];

export type ChangeMarkRow = [version: bigint, petId: bigint, changedAtMs: bigint];

export type SourceChangeRow = [
  ...mark: ChangeMarkRow,
  previous: bigint | null,
  textBefore: string | null,
  profileBefore: string | null,
  text: string | null,
  profile: string | null,
  addedVersion: bigint,
];

export function toSourcePet([id, version, text, isDraft, profile, ...rest]: SourcePetRow): SourcePet {
  const [addedVersion, changedAtMs] = rest;
  return { ...toStoredPet([id, version, text, isDraft]), profile, addedVersion, changedAtMs: Number(changedAtMs) };
}

export function toChangeMark([version, petId, changedAtMs]: ChangeMarkRow): ChangeMark {
  return { version, petId, changedAtMs: Number(changedAtMs) };
}

/** @param rows the changes from this version on */
export function toSourceChanges(rows: readonly SourceChangeRow[], afterVersion: bigint): SourceChanges {
  const [first] = rows;
  if (first === undefined || first[0] !== afterVersion) return { at: undefined, changes: rows.map(toSourceChange) };
  return { at: toChangeMark([first[0], first[1], first[2]]), changes: rows.slice(1).map(toSourceChange) };
}

function toSourceChange([version, petId, changedAtMs, ...rest]: SourceChangeRow): SourceChange {
  const [previous, textBefore, profileBefore, text, profile, addedVersion] = rest;
  return {
    ...toChangeMark([version, petId, changedAtMs]),
    previous: previous ?? undefined,
    before: { text: textBefore, profile: profileBefore },
    after: { text, profile },
    addedVersion,
  };
}
