import type { Access, Actor } from '../access.ts';
import { done, stampOf, type NewAuditEntry, type Stamp } from '../audit.ts';
import type { Clock } from '../ports.ts';
import { petFields, readPetText, type PetDetails, type PetField, type StoredPet } from './pet.ts';
import { petNotFound, versionNotFound, type PetAction } from './pet-change.ts';
import { digestOfOwnPhoto } from '../photos/photo.ts';
import type { PetStore } from './ports.ts';
import type { Precondition } from './precondition.ts';
import type { HistoryEntry, PetVersion, RemovedPet } from './pet-version.ts';

/** A field that is not the same as before, as JSON; undefined where it was not there, or is not there any more. */
export interface FieldChange {
  field: PetField;
  before: string | undefined;
  after: string | undefined;
}

export interface RestoredPet {
  pet: StoredPet;
  /** So many pictures of ours that the version had are gone by now, and left out. */
  missingPhotos: number;
}

export interface PetHistoryNeeds {
  access: Access;
  pets: PetStore;
  clock: Clock;
}

export type PetHistory = ReturnType<typeof createPetHistory>;

/** So many versions are read at once, at most. */
const READ_AT_ONCE = 100;

/** What every pet was, and the way back. It tells who did what, and shows what was removed: so it is for those who may change pets. */
export function createPetHistory({ access, pets, clock }: PetHistoryNeeds) {
  /** From this version on, or from the newest, back to the first one: as few are in memory as are read at once. */
  async function* versionsBack(id: bigint, from: bigint | undefined, most: number): AsyncGenerator<PetVersion> {
    let position = from;
    let left = most;
    do {
      const versions = await pets.listVersions(id, position, Math.min(READ_AT_ONCE, left));
      yield* versions;
      left -= versions.length;
      position = versions.at(-1)?.previous;
    } while (position !== undefined && left > 0);
  }

  return {
    /**
     * Every version since the pet was first added, whether it is there or not, newest first: from the one before `beforeVersion`, or from the newest;
     * `limit` at most.
     *
     * @throws Failure `not-found`
     */
    async *entriesBack(
      actor: Actor,
      id: bigint,
      { beforeVersion, limit }: { beforeVersion: bigint | undefined; limit: number },
    ): AsyncGenerator<HistoryEntry> {
      access(actor, 'write pets');
      // The one that the client has as well, and the one before the last.
      let isKnown = beforeVersion !== undefined;
      const most = limit + (isKnown ? 2 : 1);
      let after: PetVersion | undefined;
      let count = 0;
      for await (const version of versionsBack(id, beforeVersion, most)) {
        if (after !== undefined && !isKnown) yield entryOf(after, version);
        if (after !== undefined) isKnown = false;
        after = version;
        count++;
      }
      if (
        after === undefined &&
        (beforeVersion === undefined || (await pets.listVersions(id, undefined, 1)).length === 0)
      )
        throw petNotFound();
      // The first one that there ever was.
      if (after !== undefined && !isKnown && count < most) yield entryOf(after, undefined);
    },

    /** @throws Failure `not-found` */
    async getEntry(actor: Actor, id: bigint, version: bigint): Promise<HistoryEntry> {
      access(actor, 'write pets');
      const [found, before] = await Array.fromAsync(versionsBack(id, version, 2));
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

    /** The pets that are not there now, the last removed first: from the one before the removal `beforeVersion`, or from the last; `limit` at most. */
    async listRemoved(
      actor: Actor,
      { beforeVersion, limit }: { beforeVersion: bigint | undefined; limit: number },
    ): Promise<readonly RemovedPet[]> {
      access(actor, 'write pets');
      return pets.listRemoved(beforeVersion, limit);
    },

    /** Brings a removed pet back as it was last. @throws Failure `not-found`, `precondition-failed`; `conflict` for a pet that is there */
    async bringBack(actor: Actor, id: bigint, precondition?: Precondition): Promise<RestoredPet> {
      access(actor, 'write pets');
      const stamp = stampOf(actor, clock());
      const pet = await pets.apply({ kind: 'restore', id, version: undefined, precondition, stamp });
      const [, , past] = await Array.fromAsync(versionsBack(id, pet.version, 3));
      return { pet, missingPhotos: missingIn(pet, past) };
    },
  };
}

/** The entry of the audit trail for a change of a pet: with its name, and the names of the fields that a change of an existing pet gave other values. */
export function petAuditEntry(
  stamp: Stamp,
  { id, action, before, after }: { id: bigint; action: PetAction; before: string | null; after: string | null },
): NewAuditEntry {
  const [was, is] = [detailsOf(before), detailsOf(after)];
  const fields = was === undefined || is === undefined ? [] : changedFields(was, is).map(({ field }) => field);
  const subject = { kind: 'pet', id: id.toString(), name: (is ?? was)?.name ?? null } as const;
  return done(stamp, `pet.${action}`, subject, fields.length === 0 ? null : { fields: fields.join(', ') });
}

/** The fields in which two texts of a pet differ; null stands for no pet. */
export function changesBetween(before: string | null, after: string | null): readonly FieldChange[] {
  return changedFields(detailsOf(before), detailsOf(after));
}

function changedFields(before: PetDetails | undefined, after: PetDetails | undefined): readonly FieldChange[] {
  const fieldsBefore = fieldsOf(before);
  const fieldsAfter = fieldsOf(after);
  const names = new Set([...fieldsBefore.keys(), ...fieldsAfter.keys()]);
  return [...names]
    .map((field) => ({ field, before: fieldsBefore.get(field), after: fieldsAfter.get(field) }))
    .filter((change) => change.before !== change.after);
}

function detailsOf(text: string | null): PetDetails | undefined {
  return text === null ? undefined : readPetText(text);
}

function fieldsOf(pet: PetDetails | undefined): ReadonlyMap<PetField, string> {
  return new Map(pet === undefined ? [] : petFields(pet));
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
