import type { Access, Actor } from '../access.ts';
import { done, stampOf, type NewAuditEntry, type Stamp } from '../audit.ts';
import type { Clock } from '../ports.ts';
import { petFields, readPetText, type PetDetails, type PetField, type StoredPet } from './pet.ts';
import { petNotFound, versionNotFound, type PetAction } from './pet-change.ts';
import { digestOfOwnPhoto } from '../photos/photo.ts';
import type { PetStore } from './ports.ts';
import type { Precondition } from './precondition.ts';
import type { HistoryEntry, PetVersion, RemovedPet } from './pet-version.ts';

/** A changed field, as JSON; undefined if the pet did not have it before, or does not have it after. */
export interface FieldChange {
  field: PetField;
  before: string | undefined;
  after: string | undefined;
}

export interface RestoredPet {
  pet: StoredPet;
  /** How many of the version's photos were left out because they have been deleted. */
  missingPhotos: number;
}

/** A page of versions or deleted pets, newest first: from the one before `beforeVersion`, or from the newest if it is undefined. */
export interface VersionPage {
  beforeVersion: bigint | undefined;
  limit: number;
}

export interface PetHistoryDeps {
  access: Access;
  pets: PetStore;
  clock: Clock;
}

/** Maximum number of versions in memory. */
const BATCH_SIZE = 100;

/** The versions of pets, and their restoration. It names the actors and includes deleted pets, so each operation requires `write pets`. */
export class PetHistory {
  readonly #access: Access;
  readonly #pets: PetStore;
  readonly #clock: Clock;

  constructor({ access, pets, clock }: PetHistoryDeps) {
    this.#access = access;
    this.#pets = pets;
    this.#clock = clock;
  }

  /** Lists the versions since the pet was first added, also of a deleted pet. @throws Failure `not-found` */
  async *listEntries(actor: Actor, id: bigint, { beforeVersion, limit }: VersionPage): AsyncGenerator<HistoryEntry> {
    this.#access(actor, 'write pets');
    // Reads `beforeVersion` itself, and the predecessor of the last entry.
    let isKnown = beforeVersion !== undefined;
    const most = limit + (isKnown ? 2 : 1);
    let after: PetVersion | undefined;
    let count = 0;
    for await (const version of this.#versionsBack(id, beforeVersion, most)) {
      if (after !== undefined && !isKnown) yield entryOf(after, version);
      if (after !== undefined) isKnown = false;
      after = version;
      count++;
    }
    if (after === undefined && (beforeVersion === undefined || !(await this.#hasVersions(id)))) throw petNotFound();
    // The first version has no predecessor.
    if (after !== undefined && !isKnown && count < most) yield entryOf(after, undefined);
  }

  /** @throws Failure `not-found` */
  async getEntry(actor: Actor, id: bigint, version: bigint): Promise<HistoryEntry> {
    this.#access(actor, 'write pets');
    const [found, before] = await Array.fromAsync(this.#versionsBack(id, version, 2));
    if (found === undefined) throw versionNotFound();
    return entryOf(found, before);
  }

  /** Restores a version of a pet, also of a deleted one. @throws Failure `not-found`, `precondition-failed`; `conflict` for a version that is a deletion */
  async restoreVersion(actor: Actor, id: bigint, version: bigint, precondition?: Precondition): Promise<RestoredPet> {
    this.#access(actor, 'write pets');
    const [past] = await this.#pets.listVersions(id, version, 1);
    if (past === undefined) throw versionNotFound();
    const stamp = stampOf(actor, this.#clock());
    const pet = await this.#pets.apply({ kind: 'restore', id, version, precondition, stamp });
    return { pet, missingPhotos: missingIn(pet, past) };
  }

  /** The deleted pets, the last deleted first. `beforeVersion` is the version of a deletion. */
  async listDeleted(actor: Actor, { beforeVersion, limit }: VersionPage): Promise<readonly RemovedPet[]> {
    this.#access(actor, 'write pets');
    return this.#pets.listRemoved(beforeVersion, limit);
  }

  /** Restores a deleted pet to its last version. @throws Failure `not-found`, `precondition-failed`; `conflict` for a pet that is not deleted */
  async restoreDeleted(actor: Actor, id: bigint, precondition?: Precondition): Promise<RestoredPet> {
    this.#access(actor, 'write pets');
    const stamp = stampOf(actor, this.#clock());
    const pet = await this.#pets.apply({ kind: 'restore', id, version: undefined, precondition, stamp });
    const [, , past] = await Array.fromAsync(this.#versionsBack(id, pet.version, 3));
    return { pet, missingPhotos: missingIn(pet, past) };
  }

  /** From this version, or from the newest, to the first one; at most `most`. */
  async *#versionsBack(id: bigint, from: bigint | undefined, most: number): AsyncGenerator<PetVersion> {
    let position = from;
    let left = most;
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

/** The audit entry for a change of a pet: with its name, and the names of the changed fields of an existing pet. */
export function petAuditEntry(
  stamp: Stamp,
  { id, action, before, after }: { id: bigint; action: PetAction; before: string | null; after: string | null },
): NewAuditEntry {
  const [was, is] = [detailsOf(before), detailsOf(after)];
  const fields = was === undefined || is === undefined ? [] : changedFields(was, is).map(({ field }) => field);
  const subject = { kind: 'pet', id: id.toString(), name: (is ?? was)?.name ?? null } as const;
  return done(stamp, `pet.${action}`, subject, fields.length === 0 ? null : { fields: fields.join(', ') });
}

/** The fields in which two texts of a pet differ; null if there is no pet. */
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
