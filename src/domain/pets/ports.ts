import type { Awaitable, ListPage, NoOlderThan } from '../ports.ts';
import type { PetStatus, StoredPet } from './pet.ts';
import type { PetChange, PetState } from './pet-change.ts';
import type { PetVersion, DeletedPet } from './pet-version.ts';
import type { StoredProfile } from './profile.ts';

/* The interface for pets. `domain/ports.ts` has the rules for every store, and the errors of every call. */

/** Pets, their tags, and all their versions. */
export interface PetStore {
  find(id: bigint, noOlderThan?: NoOlderThan): Awaitable<StoredPet | undefined>;
  /** Like `find`, with the profile. */
  findWithProfile(id: bigint, noOlderThan?: NoOlderThan): Awaitable<PetState | undefined>;
  /** The pets with these ids that exist, in any order. */
  findMany(ids: readonly bigint[], noOlderThan?: NoOlderThan): Awaitable<readonly StoredPet[]>;
  /** The profiles of these pets that are not empty. */
  findProfiles(
    ids: readonly bigint[],
    noOlderThan?: NoOlderThan,
  ): Awaitable<ReadonlyMap<bigint, StoredProfile & { text: string }>>;
  /**
   * Applies a change as `decide` determines, and writes its version into the history. Concurrent calls are applied in
   * the order of their arrival. Assigned ids ascend from 1, above every id that was ever used, up to 2^53 - 1.
   *
   * @returns the pet after the change; a deleted pet as it was before
   * @throws the failures of `decide`; `conflict` if another pet has the external id
   */
  apply(change: PetChange): Promise<PetState>;
  /** A page of the pets with any of the statuses, by ascending id. */
  listByStatus(statuses: readonly PetStatus[], page: ListPage): Promise<readonly StoredPet[]>;
  /** A page of the pets with any of the tag names, by ascending id, without duplicates. */
  listByTags(tagNames: readonly string[], page: ListPage): Promise<readonly StoredPet[]>;
  /**
   * At most `limit` versions of a pet, which may be deleted, newest first, starting with `fromVersion` or the newest.
   * Returns fewer if their texts are long, but at least one; if there are more, the last one has a `previous`. Empty if
   * the pet does not have this version, or never existed.
   */
  listVersions(id: bigint, fromVersion: bigint | undefined, limit: number): Promise<readonly PetVersion[]>;
  /**
   * At most `limit` deleted pets by descending version of their deletion, starting below `beforeVersion` if it is
   * given.
   */
  listDeleted(beforeVersion: bigint | undefined, limit: number): Promise<readonly DeletedPet[]>;
  /** True if no pet has ever been stored. */
  isUnused(): Promise<boolean>;
}
