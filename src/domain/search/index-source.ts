import type { Awaitable } from '../ports.ts';
import type { StoredPet } from '../pets/pet.ts';

/** A pet as the index reads it from the database. */
export interface SourcePet extends StoredPet {
  /** JSON; null for an empty profile. */
  profile: string | null;
  addedVersion: bigint;
  changedAtMs: number;
}

/**
 * Identifies a change of a pet. The version alone does not: after a backup was restored, other changes get the same
 * versions.
 */
export interface ChangeMark {
  version: bigint;
  petId: bigint;
  changedAtMs: number;
}

/** A change of a pet, in the order of the commits. */
export interface SourceChange extends ChangeMark {
  /** The version of the pet before the change; undefined if it never existed. */
  previous: bigint | undefined;
  /** The pet before the change. Its text is null if it did not exist or was deleted. */
  before: SourceTexts;
  /** The pet after the change. Its text is null if it was deleted. */
  after: SourceTexts;
  /** The `addedVersion` of the pet as it is now, which a later change may have added again. */
  addedVersion: bigint;
}

export interface SourceTexts {
  text: string | null;
  profile: string | null;
}

/** Changes as they follow a version, from one state of the database. */
export interface SourceChanges {
  /** The change with this version; undefined if the database has no such change. */
  at: ChangeMark | undefined;
  /** The changes after it, in their order. */
  changes: readonly SourceChange[];
}

/**
 * The database as the search index reads it: on the primary, so that every committed change is seen. All methods throw
 * Failure `unavailable`.
 */
export interface IndexSource {
  /** The last committed change of a pet; undefined if there was none. */
  lastChange(): Awaitable<ChangeMark | undefined>;
  /** At most `limit` pets from `fromId` on, by ascending id. */
  listPets(fromId: bigint, limit: number): Awaitable<readonly SourcePet[]>;
  /** At most `limit` changes after this version, and the one with it. */
  listChanges(afterVersion: bigint, limit: number): Awaitable<SourceChanges>;
  /** The number of pets, for progress. */
  countPets(): Awaitable<number>;
}
