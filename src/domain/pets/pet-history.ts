import type { Access, Actor } from '../access.ts';
import { stampOf } from '../audit.ts';
import type { Clock } from '../ports.ts';
import { petFields, readPetText, type PetField, type StoredPet } from './pet.ts';
import { petNotFound, versionNotFound, type PetAction } from './pet-change.ts';
import { digestOfOwnPhoto } from './photo.ts';
import type { Pets } from './ports.ts';
import type { Precondition } from './precondition.ts';

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

/** A field that is not the same as before, as JSON; undefined where it was not there, or is not there any more. */
export interface FieldChange {
  field: PetField;
  before: string | undefined;
  after: string | undefined;
}

/** A part of a history, newest first: from the version before this one; the newest, where that is absent. */
export interface HistoryPart {
  beforeVersion: bigint | undefined;
  limit: number;
}

export interface RestoredPet {
  pet: StoredPet;
  /** So many pictures of ours that the version had are gone by now, and left out. */
  missingPhotos: number;
}

export interface PetHistoryNeeds {
  access: Access;
  pets: Pets;
  clock: Clock;
}

export type PetHistory = ReturnType<typeof createPetHistory>;

/** What every pet was, and the way back. It tells who did what, and shows what was removed: so it is for those who may change pets. */
export function createPetHistory({ access, pets, clock }: PetHistoryNeeds) {
  return {
    /** Every version since the pet was first added, whether it is there or not. @throws Failure `not-found` */
    async listEntries(actor: Actor, id: bigint, part: HistoryPart): Promise<readonly HistoryEntry[]> {
      access(actor, 'write pets');
      const { beforeVersion, limit } = part;
      const isFirst = beforeVersion === undefined;
      // The one that the client has as well, and the one before the last.
      const found = await pets.listVersions(id, beforeVersion, limit + (isFirst ? 1 : 2));
      if (found.length === 0 && (isFirst || (await pets.listVersions(id, undefined, 1)).length === 0))
        throw petNotFound();
      const versions = isFirst ? found : found.slice(1);
      return versions.slice(0, limit).map((version, index) => entryOf(version, versions[index + 1]));
    },

    /** @throws Failure `not-found` */
    async getEntry(actor: Actor, id: bigint, version: bigint): Promise<HistoryEntry> {
      access(actor, 'write pets');
      const [found, before] = await pets.listVersions(id, version, 2);
      if (found === undefined) throw versionNotFound();
      return entryOf(found, before);
    },

    /**
     * Makes a pet what it was in a version, whether it is there or was removed.
     *
     * @throws Failure `not-found`, `precondition-failed`; `conflict` for a version that is a removal
     */
    async restoreVersion(actor: Actor, id: bigint, version: bigint, precondition?: Precondition): Promise<RestoredPet> {
      access(actor, 'write pets');
      const [past] = await pets.listVersions(id, version, 1);
      if (past === undefined) throw versionNotFound();
      const pet = await pets.apply({ kind: 'restore', id, version, precondition, stamp: stampOf(actor, clock()) });
      return { pet, missingPhotos: missingIn(pet, past) };
    },

    /** Brings a removed pet back as it was last. @throws Failure `not-found`, `precondition-failed`; `conflict` for a pet that is there */
    async bringBack(actor: Actor, id: bigint, precondition?: Precondition): Promise<RestoredPet> {
      access(actor, 'write pets');
      const stamp = stampOf(actor, clock());
      const pet = await pets.apply({ kind: 'restore', id, version: undefined, precondition, stamp });
      const [, , past] = await pets.listVersions(id, pet.version, 3);
      return { pet, missingPhotos: missingIn(pet, past) };
    },
  };
}

/** The fields in which two texts of a pet differ; null stands for no pet. */
export function changesBetween(before: string | null, after: string | null): readonly FieldChange[] {
  const fieldsBefore = fieldsOf(before);
  const fieldsAfter = fieldsOf(after);
  const names = new Set([...fieldsBefore.keys(), ...fieldsAfter.keys()]);
  return [...names]
    .map((field) => ({ field, before: fieldsBefore.get(field), after: fieldsAfter.get(field) }))
    .filter((change) => change.before !== change.after);
}

function fieldsOf(text: string | null): ReadonlyMap<PetField, string> {
  return new Map(text === null ? [] : petFields(readPetText(text)));
}

function entryOf(version: PetVersion, before: PetVersion | undefined): HistoryEntry {
  return { version, textBefore: before?.text ?? null };
}

function missingIn(pet: StoredPet, past: PetVersion | undefined): number {
  const now = digestsIn(pet.text);
  return digestsIn(past?.text ?? null).difference(now).size;
}

function digestsIn(text: string | null): Set<string> {
  const urls = text === null ? [] : readPetText(text).photoUrls;
  return new Set(urls.map(digestOfOwnPhoto).filter((digest) => digest !== undefined));
}
