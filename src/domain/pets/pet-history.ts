import type { Access, Actor } from '../access.ts';
import { done, stampOf, type NewAuditEntry, type Stamp } from '../audit.ts';
import type { Clock } from '../ports.ts';
import { petFields, readPetText, type PetDetails, type PetField, type StoredPet } from './pet.ts';
import { petNotFound, versionNotFound, type PetAction } from './pet-change.ts';
import { digestOfOwnPhoto } from '../photos/photo.ts';
import type { PetStore } from './ports.ts';
import type { Precondition } from '../precondition.ts';
import type { HistoryEntry, PetVersion, DeletedPet } from './pet-version.ts';
import { changedProfileFields, profileFields, profileJson, readProfileText, type Profile } from './profile.ts';

/** A changed field of a pet. For the profile, the texts have its changed fields only. */
export interface FieldChange {
  field: PetField | 'profile';
  /** JSON; undefined if the field was absent. */
  before: string | undefined;
  after: string | undefined;
}

export interface RestoredPet {
  pet: StoredPet;
  /** The number of photos of the version that were left out because they have been deleted. */
  missingPhotos: number;
}

/**
 * A page of versions or deleted pets, newest first: those before `beforeVersion`, or the newest ones if it is
 * undefined.
 */
interface VersionPage {
  beforeVersion: bigint | undefined;
  limit: number;
}

/** The texts of a version. The text of the pet is null if it does not exist. */
export type PetTexts = Pick<PetVersion, 'text' | 'profile'>;

export const NO_PET: PetTexts = { text: null, profile: null };

interface PetHistoryDeps {
  access: Access;
  pets: PetStore;
  clock: Clock;
}

/** Maximum number of versions in memory. */
const BATCH_SIZE = 100;

/**
 * Lists and restores versions of pets. Versions name their authors, and include those of deleted pets, so every
 * operation requires `write pets`.
 */
export class PetHistory {
  readonly #access: Access;
  readonly #pets: PetStore;
  readonly #clock: Clock;

  constructor({ access, pets, clock }: PetHistoryDeps) {
    this.#access = access;
    this.#pets = pets;
    this.#clock = clock;
  }

  /** Lists the versions of a pet, which may be deleted, newest first. @throws Failure `not-found` */
  async *listEntries(actor: Actor, id: bigint, { beforeVersion, limit }: VersionPage): AsyncGenerator<HistoryEntry> {
    this.#access(actor, 'write pets');
    // Also reads `beforeVersion` itself, and the predecessor of the last entry.
    let isKnown = beforeVersion !== undefined;
    const max = limit + (isKnown ? 2 : 1);
    let after: PetVersion | undefined;
    let count = 0;
    for await (const version of this.#versionsBack(id, beforeVersion, max)) {
      if (after !== undefined && !isKnown) yield entryOf(after, version);
      if (after !== undefined) isKnown = false;
      after = version;
      count++;
    }
    if (after === undefined && (beforeVersion === undefined || !(await this.#hasVersions(id)))) throw petNotFound();
    // The first version has no predecessor.
    if (after !== undefined && !isKnown && count < max) yield entryOf(after, undefined);
  }

  /** @throws Failure `not-found` */
  async getEntry(actor: Actor, id: bigint, version: bigint): Promise<HistoryEntry> {
    this.#access(actor, 'write pets');
    const [found, before] = await Array.fromAsync(this.#versionsBack(id, version, 2));
    if (found === undefined) throw versionNotFound();
    return entryOf(found, before);
  }

  /**
   * Restores a version of a pet, which may be deleted.
   * @throws Failure `not-found`, `precondition-failed`; `conflict` for a version that is a deletion
   */
  async restoreVersion(actor: Actor, id: bigint, version: bigint, precondition?: Precondition): Promise<RestoredPet> {
    this.#access(actor, 'write pets');
    const [past] = await this.#pets.listVersions(id, version, 1);
    if (past === undefined) throw versionNotFound();
    const stamp = stampOf(actor, this.#clock());
    const pet = await this.#pets.apply({ kind: 'restore', id, version, precondition, stamp });
    return { pet, missingPhotos: missingIn(pet, past) };
  }

  /** Lists the deleted pets, most recently deleted first. `beforeVersion` is the version of a deletion. */
  async listDeleted(actor: Actor, { beforeVersion, limit }: VersionPage): Promise<readonly DeletedPet[]> {
    this.#access(actor, 'write pets');
    return this.#pets.listDeleted(beforeVersion, limit);
  }

  /**
   * Restores a deleted pet to its last version.
   * @throws Failure `not-found`, `precondition-failed`; `conflict` for a pet that is not deleted
   */
  async restoreDeleted(actor: Actor, id: bigint, precondition?: Precondition): Promise<RestoredPet> {
    this.#access(actor, 'write pets');
    const stamp = stampOf(actor, this.#clock());
    const pet = await this.#pets.apply({ kind: 'restore', id, version: undefined, precondition, stamp });
    const [, , past] = await Array.fromAsync(this.#versionsBack(id, pet.version, 3));
    return { pet, missingPhotos: missingIn(pet, past) };
  }

  /** At most `max` versions, newest first, starting with this one or the newest. */
  async *#versionsBack(id: bigint, from: bigint | undefined, max: number): AsyncGenerator<PetVersion> {
    let position = from;
    let left = max;
    do {
      const versions = await this.#pets.listVersions(id, position, Math.min(BATCH_SIZE, left));
      yield* versions;
      left -= versions.length;
      position = versions.at(-1)?.previous;
    } while (position !== undefined && left > 0);
  }

  async #hasVersions(id: bigint): Promise<boolean> {
    return (await this.#pets.listVersions(id, undefined, 1)).length > 0;
  }
}

/** The audit entry for a change of a pet. For an existing pet, it lists the changed fields. */
export function petAuditEntry(
  stamp: Stamp,
  { id, action, before, after }: { id: bigint; action: PetAction; before: PetTexts; after: PetTexts },
): NewAuditEntry {
  const [old, current] = [detailsOf(before.text), detailsOf(after.text)];
  const fields =
    old === undefined || current === undefined ? [] : changesBetween(before, after).map(({ field }) => field);
  const subject = { kind: 'pet', id: id.toString(), name: (current ?? old)?.name ?? null } as const;
  return done(stamp, `pet.${action}`, subject, fields.length === 0 ? null : { fields: fields.join(', ') });
}

/** The fields in which two versions of a pet differ. */
export function changesBetween(before: PetTexts, after: PetTexts): readonly FieldChange[] {
  return [...changedFields(detailsOf(before.text), detailsOf(after.text)), ...profileChange(before, after)];
}

function profileChange(before: PetTexts, after: PetTexts): readonly FieldChange[] {
  const [old, now] = [readProfileText(before.profile), readProfileText(after.profile)];
  const changed = changedProfileFields(old, now);
  const textOf = (profile: Profile) => {
    const fields = profileFields(profile).filter(([name]) => changed.includes(name));
    return fields.length === 0 ? undefined : profileJson(fields);
  };
  return changed.length === 0 ? [] : [{ field: 'profile', before: textOf(old), after: textOf(now) }];
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
  return { version, before: before ?? NO_PET };
}

function missingIn(pet: StoredPet, past: PetVersion | undefined): number {
  const now = digestsIn(pet.text);
  return digestsIn(past?.text ?? null).difference(now).size;
}

function digestsIn(text: string | null): Set<string> {
  const urls = text === null ? [] : readPetText(text).photoUrls;
  return new Set(urls.map(digestOfOwnPhoto).filter((digest) => digest !== undefined));
}
