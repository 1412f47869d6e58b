import type { PetAction } from './pet-change.ts';

/** A pet as it was from one change to the next. */
export interface PetVersion {
  version: bigint;
  /** The version before it; undefined of the first one. */
  previous: bigint | undefined;
  action: PetAction;
  atMs: number;
  /** Who made the change, by an account. Of an account that is no more, only the id is known. */
  actor: { id: bigint; name: string | null } | undefined;
  /** Null where the change removed the pet. */
  text: string | null;
}

/** A version, and what was there before it. */
export interface HistoryEntry {
  version: PetVersion;
  /** Null where there was no pet. */
  textBefore: string | null;
}

/** A pet that is not there now. */
export interface RemovedPet {
  /** Of the removal. */
  version: bigint;
  atMs: number;
  actor: PetVersion['actor'];
  /** As it was last, without its pictures and tags (`textWithoutLists`). */
  text: string;
}
