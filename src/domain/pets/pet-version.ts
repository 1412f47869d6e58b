import type { PetAction } from './pet-change.ts';

/** A version of a pet. */
export interface PetVersion {
  version: bigint;
  /** The previous version; undefined for the first one. */
  previous: bigint | undefined;
  action: PetAction;
  atMs: number;
  /** The account that made the change; without a name if it was deleted. */
  actor: { id: bigint; name: string | null } | undefined;
  /** Null if the change deleted the pet. */
  text: string | null;
}

/** A version and the text before it. */
export interface HistoryEntry {
  version: PetVersion;
  /** Null if there was no pet. */
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
