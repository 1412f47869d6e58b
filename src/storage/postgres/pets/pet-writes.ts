import { isAudited, type Stamp } from '../../../domain/audit.ts';
import type { Outcome } from '../../../domain/failure.ts';
import {
  decide,
  isPublished,
  newExternalId,
  requireFreeExternalId,
  requireNeverUsed,
  writtenPet,
  photoDigestsOf,
  photoOf,
  type PastPet,
  type PetChange,
  type PetState,
  type RestorePet,
  type WritePet,
} from '../../../domain/pets/pet-change.ts';
import type { Photo } from '../../../domain/photos/photo.ts';
import { NO_PET, petAuditEntry, type PetTexts } from '../../../domain/pets/pet-history.ts';
import { readPetText, recordOf, type PetRecord } from '../../../domain/pets/pet.ts';
import { askCommon, statement } from '../engine/statements.ts';
import { runSteps } from '../engine/steps.ts';
import { failureAlone, type StoreWrites, type Transaction } from '../engine/transactions.ts';
import { findPast } from './past-versions.ts';
import { Ids } from '../../rows/ids.ts';
import { ownersOfExternalIds, PET_STATE_COLUMNS, toPetState, USED_PET_IDS, type PetStateRow } from '../../rows/pets.ts';
import { tallyOf, writeCounts } from './pet-counts.ts';
import {
  writeDeleted,
  writeExternalIds,
  writePets,
  writeTags,
  writeVersions,
  type DeletedVersions,
  type HeldPet,
  type Pets,
  type Version,
} from './pet-tables.ts';
import { findAlts } from './photo-alts.ts';
import { findDoomed, writePhotos } from './photo-references.ts';
import { isCredentialValid, credentialEnded } from '../../rows/credential-check.ts';

const byIds = statement(`select ${PET_STATE_COLUMNS}, added_version from pet where id = any($1::int8[])`);
const deletedByIds = statement('select id, version, added_version from removed_pet where id = any($1::int8[])');
// Sent before the next id is known.
const usedFromNext = statement(
  `select id from pet where id >= (select next_pet_id from change_order where only_row = 1)
     and id < (select next_pet_id from change_order where only_row = 1) + $1::int8
   union all select id from removed_pet where id >= (select next_pet_id from change_order where only_row = 1)
     and id < (select next_pet_id from change_order where only_row = 1) + $1::int8`,
);

/**
 * Changes of pets. A batch is applied in memory, change by change, and then written with one statement per table. No
 * other transaction runs in between.
 */
export const petWrites: StoreWrites<PetChange, PetState> = {
  async applyAll(changes, transaction) {
    const batch = new PetBatch(transaction, await readBefore(changes, transaction));
    const outcomes: Outcome<PetState>[] = [];
    for (const change of changes) outcomes.push(await batch.apply(change).catch(failureAlone));
    batch.write();
    return outcomes;
  },
};

type Before = Awaited<ReturnType<typeof readBefore>>;

/** Reads everything that a batch depends on, with statements that are sent together. */
async function readBefore(changes: readonly PetChange[], transaction: Transaction) {
  const { ask } = transaction;
  const runLength = changes.some(({ id }) => id === undefined) ? changes.length : 0;
  const chosenIds = [...new Set(changes.map(({ id }) => id).filter((id) => id !== undefined))];
  const [counters, stored, deleted, used, doomed, alts, validCredentials, owners] = await Promise.all([
    transaction.counters,
    chosenIds.length === 0 ? [] : ask<[...PetStateRow, addedVersion: bigint]>(byIds, chosenIds),
    chosenIds.length === 0 ? [] : ask<[id: bigint, version: bigint, addedVersion: bigint]>(deletedByIds, chosenIds),
    runLength === 0 ? [] : usedIdsAhead(runLength, transaction),
    findDoomed(changes.flatMap(photoDigestsOf), transaction),
    findAlts(changes, transaction),
    validCredentialsOf(changes, transaction),
    readOwners(
      changes.map(externalIdOf).filter((externalId) => externalId !== undefined),
      transaction,
    ),
  ]);
  const pets = new Map<bigint, HeldPet>(
    stored.map(([...row]) => {
      const addedVersion = row.pop() as bigint;
      return [row[0], hold(toPetState(row as unknown as PetStateRow), addedVersion)];
    }),
  );
  const ids = new Ids({
    used: USED_PET_IDS,
    next: counters.nextPetId,
    batch: runLength,
    known: used.map(([id]) => id),
  });
  return {
    counters,
    pets,
    deleted: new Map(deleted.map(([id, version, addedVersion]) => [id, { version, addedVersion }])),
    ids,
    doomed,
    alts,
    validCredentials,
    owners,
  };
}

/** The external id that a change names. */
function externalIdOf(change: PetChange): string | undefined {
  const profile = change.kind === 'put' ? change.profile : change.kind === 'edit' ? change.edit.profile : undefined;
  if (profile === undefined) return undefined;
  return ('edit' in profile ? profile.edit : profile.replacedBy).externalId ?? undefined;
}

/** The pets that have these external ids. */
async function readOwners(externalIds: readonly string[], { ask }: Transaction): Promise<Map<string, bigint>> {
  if (externalIds.length === 0) return new Map();
  const rows = await askCommon(ask)<[externalId: string, id: bigint]>(ownersOfExternalIds, [...new Set(externalIds)]);
  return new Map(rows.map(([externalId, id]) => [externalId, id]));
}

class PetBatch {
  readonly #transaction: Transaction;
  readonly #before: Before;
  readonly #pets: Map<bigint, HeldPet>;
  readonly #deleted: Map<bigint, DeletedVersions>;
  readonly #versions: Version[] = [];
  readonly #photos = new Map<string, Photo>();
  readonly #externalIds = new Map<bigint, string | null>();

  constructor(transaction: Transaction, before: Before) {
    this.#transaction = transaction;
    this.#before = before;
    this.#pets = new Map(before.pets);
    this.#deleted = new Map(before.deleted);
  }

  /** @throws Failure of this change; the batch is unchanged then */
  async apply(change: PetChange): Promise<PetState> {
    const { alts, doomed, validCredentials } = this.#before;
    if (!validCredentials.has(credentialOf(change.stamp))) throw credentialEnded();
    // Even if nothing is changed: after a 412, the client must read the state that caused it.
    this.#transaction.wrote(change.stamp);
    const current = change.id === undefined ? undefined : this.#pets.get(change.id)?.pet;
    const past = change.kind === 'restore' ? await this.#pastOf(change) : undefined;
    const decision = decide(current, change, { past, currentAlt: alts.before(change) });
    requireNeverUsed(change, change.id !== undefined && this.#deleted.has(change.id));
    const photo = photoOf(change);
    if (decision.kind === 'write') await this.#requireFree(decision, change);
    if (decision.kind === 'write') doomed.requireKept(this.#photosNamed(decision.record, change));
    if (photo !== undefined) {
      doomed.revive(photo, change.stamp.atMs);
      this.#photos.set(photo.digest, photo);
    }
    if (decision.kind === 'keep') return decision.current;
    if (decision.kind === 'delete') return this.#delete(decision.current, change.stamp);
    return this.#put(await this.#idOf(change), decision, change.stamp);
  }

  /** Sends the statements that write the batch. They are awaited before the commit. */
  write(): void {
    if (this.#versions.length === 0 && this.#photos.size === 0) return;
    const { counters, ids, pets: before, deleted, alts } = this.#before;
    const transaction = this.#transaction;
    counters.nextPetId = ids.next();
    const changedIds = [...new Set(this.#versions.map(({ id }) => id))];
    const references = changedIds.map((id) => ({
      id,
      before: photosOf(before, id),
      now: photosOf(this.#pets, id),
    }));
    const sent = [
      ...writeExternalIds(this.#externalIds, transaction),
      ...writeVersions(this.#versions, transaction),
      ...writePets(changedIds, before, this.#pets, transaction),
      ...writeTags(changedIds, before, this.#pets, transaction),
      ...writeDeleted(changedIds, deleted, this.#deleted, transaction),
      ...writeCounts(tallyOf(this.#versions, before), transaction.ask),
      ...writePhotos([...this.#photos.values()], references, transaction),
      ...alts.write(({ petId, digest }) => photosOf(this.#pets, petId).includes(digest)),
    ];
    for (const statement of sent) transaction.later(statement);
  }

  async #idOf({ id }: PetChange): Promise<bigint> {
    const { ids } = this.#before;
    if (id === undefined) return runSteps(ids.take(), this.#transaction);
    ids.notice(id);
    return id;
  }

  /** The owner may be known from the batch: a restore has an external id that nobody could read before. */
  async #requireFree(write: WritePet, change: PetChange): Promise<void> {
    const externalId = newExternalId(write);
    if (externalId === undefined) return;
    const { owners } = this.#before;
    if (change.kind === 'restore' && !owners.has(externalId))
      for (const [read, id] of await readOwners([externalId], this.#transaction)) owners.set(read, id);
    const before = owners.get(externalId);
    const isGivenUp = before !== undefined && this.#externalIds.has(before);
    const inBatch = [...this.#externalIds].find(([, taken]) => taken === externalId)?.[0];
    requireFreeExternalId(externalId, inBatch ?? (isGivenUp ? undefined : before), change.id);
  }

  #put(id: bigint, write: WritePet, stamp: Stamp): PetState {
    const { record, action, alt, profile } = write;
    const { alts } = this.#before;
    const held = this.#pets.get(id);
    if (alt !== undefined) alts.set(id, alt);
    alts.forget(id, held?.record.photoDigests, record.photoDigests);
    const pet = writtenPet(held?.pet, write, { id, version: ++this.#before.counters.lastVersion });
    this.#writeVersion(id, { action, stamp, version: pet.version, after: pet });
    const earlier = held ?? (action === 'restored' ? this.#deleted.get(id) : undefined);
    const addedVersion = isPublished(held?.pet, pet) ? pet.version : (earlier?.addedVersion ?? pet.version);
    this.#pets.set(id, { pet, record, addedVersion });
    if (profile !== undefined) this.#externalIds.set(id, profile.externalId);
    this.#deleted.delete(id);
    return pet;
  }

  #delete(current: PetState, stamp: Stamp): PetState {
    const { id } = current;
    const { addedVersion } = this.#pets.get(id) as HeldPet;
    const version = ++this.#before.counters.lastVersion;
    this.#writeVersion(id, { action: 'deleted', stamp, version, after: undefined });
    this.#deleted.set(id, { version, addedVersion });
    this.#before.alts.forget(id, this.#pets.get(id)?.record.photoDigests);
    if (current.profile.text !== null) this.#externalIds.set(id, null);
    this.#pets.delete(id);
    return current;
  }

  #writeVersion(
    id: bigint,
    { after, ...version }: Pick<Version, 'version' | 'action' | 'stamp'> & { after: PetState | undefined },
  ): void {
    const { action, stamp } = version;
    const current = this.#pets.get(id)?.pet;
    const texts = textsOf(after);
    this.#versions.push({
      id,
      ...version,
      previous: current?.version ?? this.#deleted.get(id)?.version,
      ...texts,
      profileVersion: after?.profile.version ?? 0n,
      isDraft: after?.isDraft ?? false,
      wasDraft: current?.isDraft ?? false,
    });
    if (isAudited(stamp))
      this.#transaction.audit(petAuditEntry(stamp, { id, action, before: textsOf(current), after: texts }));
  }

  /** The version that a restore returns to, which may be one of this batch. */
  #pastOf(change: RestorePet): Promise<PastPet | undefined> {
    const heldPhotos = [...(this.#pets.get(change.id)?.record.photoDigests ?? []), ...this.#photos.keys()];
    const batch = { versions: this.#versions, removal: this.#deleted.get(change.id)?.version, heldPhotos };
    return findPast(change, batch, this.#transaction.ask);
  }

  /** The photos to which the pet would newly refer by their paths only. */
  #photosNamed({ photoDigests }: PetRecord, change: PetChange): readonly string[] {
    const known = new Set(change.id === undefined ? [] : this.#pets.get(change.id)?.record.photoDigests);
    return photoDigests.filter((digest) => digest !== photoOf(change)?.digest && !known.has(digest));
  }
}

/**
 * Which of the next ids were ever in use. The first statement of a transaction does not wait for the lock: the server
 * knows where they begin.
 */
function usedIdsAhead(length: number, { ask, countersNow }: Transaction): Promise<[id: bigint][]> {
  const counters = countersNow();
  if (counters === undefined) return ask<[id: bigint]>(usedFromNext, length);
  return askCommon(ask)<[id: bigint]>(USED_PET_IDS.list, counters.nextPetId, counters.nextPetId + BigInt(length));
}

function photosOf(pets: Pets, id: bigint): readonly string[] {
  return pets.get(id)?.record.photoDigests ?? [];
}

/** The credentials of these changes that are still valid. */
async function validCredentialsOf(
  changes: readonly PetChange[],
  transaction: Transaction,
): Promise<ReadonlySet<string>> {
  const stamps = new Map(changes.map(({ stamp }) => [credentialOf(stamp), stamp]));
  const checked = await Promise.all(
    [...stamps].map(async ([credential, stamp]) =>
      (await runSteps(isCredentialValid(stamp), transaction)) ? [credential] : [],
    ),
  );
  return new Set(checked.flat());
}

function credentialOf({ via, actorId, credentialId, actorRole }: Stamp): string {
  return via === 'session' || via === 'key' ? `${via} ${actorId} ${credentialId} ${actorRole}` : '';
}

function textsOf(pet: PetState | undefined): PetTexts {
  return pet === undefined ? NO_PET : { text: pet.text, profile: pet.profile.text };
}

function hold(pet: PetState, addedVersion: bigint): HeldPet {
  return { pet, record: recordOf(readPetText(pet.text)), addedVersion };
}
