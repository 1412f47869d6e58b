import type { ChangeMark, SourceChange, SourceChanges, SourcePet } from '../../domain/search/index-source.ts';

/* The rows that the search index reads, on both engines. */

export type SourcePetRow = [id: bigint, version: bigint, addedVersion: bigint, changedAtMs: bigint, text: string];

export type ChangeMarkRow = [version: bigint, petId: bigint, changedAtMs: bigint];

export type SourceChangeRow = [
  ...mark: ChangeMarkRow,
  previous: bigint | null,
  textBefore: string | null,
  text: string | null,
  addedVersion: bigint,
];

export function toSourcePet([id, version, addedVersion, changedAtMs, text]: SourcePetRow): SourcePet {
  return { id, version, addedVersion, changedAtMs: Number(changedAtMs), text };
}

export function toChangeMark([version, petId, changedAtMs]: ChangeMarkRow): ChangeMark {
  return { version, petId, changedAtMs: Number(changedAtMs) };
}

/** @param rows those from this version on */
export function toSourceChanges(rows: readonly SourceChangeRow[], afterVersion: bigint): SourceChanges {
  const [first] = rows;
  if (first === undefined || first[0] !== afterVersion) return { at: undefined, changes: rows.map(toSourceChange) };
  return { at: toChangeMark([first[0], first[1], first[2]]), changes: rows.slice(1).map(toSourceChange) };
}

function toSourceChange([version, petId, changedAtMs, ...rest]: SourceChangeRow): SourceChange {
  const [previous, textBefore, text, addedVersion] = rest;
  return {
    ...toChangeMark([version, petId, changedAtMs]),
    previous: previous ?? undefined,
    textBefore,
    text,
    addedVersion,
  };
}
