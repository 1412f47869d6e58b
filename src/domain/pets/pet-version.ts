import type { PetAction } from './pet-change.ts';

export interface PetVersion {
  version: bigint;
  /** Undefined for the first version. */
  previous: bigint | undefined;
  action: PetAction;
  atMs: number;
  /**
   * The account that made the change; its name is null if it was deleted. Undefined for anonymous clients and the
   * command line.
   */
  actor: { id: bigint; name: string | null } | undefined;
  /** Null if the change deleted the pet. */
  text: string | null;
  /** JSON; null for an empty profile. */
  profile: string | null;
}

/** A version and the previous one. */
export interface HistoryEntry {
  version: PetVersion;
  /** The texts are null if the pet did not exist. */
  before: Pick<PetVersion, 'text' | 'profile'>;
}

export interface DeletedPet {
  /** The version of the deletion. */
  version: bigint;
  atMs: number;
  actor: PetVersion['actor'];
  /** Its last text, without photos and tags (`textWithoutLists`). */
  text: string;
}
