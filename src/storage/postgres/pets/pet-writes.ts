import { isWorthAnEntry, type Stamp } from '../../../domain/audit.ts';
import type { Outcome } from '../../../domain/failure.ts';
import {
  decide,
  demandNeverUsed,
  photoDigestsOf,
  photoOf,
  type PetAction,
  type PastPet,
  type PetChange,
  type RestorePet,
} from '../../../domain/pets/pet-change.ts';
import type { Photo } from '../../../domain/photos/photo.ts';
import { petAuditEntry } from '../../../domain/pets/pet-history.ts';
import { petText, readPetText, recordOf, type PetRecord, type StoredPet } from '../../../domain/pets/pet.ts';
import { createIds, type Ids } from '../engine/ids.ts';
import { statement } from '../engine/statements.ts';
import { failureAlone, type StoreWrites, type Transaction } from '../engine/transactions.ts';
import { findPast } from './past-versions.ts';
import { toStoredPet } from '../../rows/pets.ts';
import { writeSearch } from './pet-search.ts';
import { findAlts } from './photo-alts.ts';
import { findDoomed, pairColumns, writePhotos } from './photo-references.ts';
import { isCredentialValid, credentialEnded } from '../accounts/credential-check.ts';

const byIds = statement('select id, version, text from pet where id = any($1::int8[])');
const removedByIds = statement('select id, version from removed_pet where id = any($1::int8[])');
// Sent before it is known which id is the next one.
const usedFromNext = statement(
  `select id from pet where id >= (select next_pet_id from change_order where only_row = 1)
     and id < (select next_pet_id from change_order where only_row = 1) + $1::int8
   union all select id from removed_pet where id >= (select next_pet_id from change_order where only_row = 1)
     and id < (select next_pet_id from change_order where only_row = 1) + $1::int8`,
);
const USED_IDS = {
  list: statement(
    'select id from pet where id >= $1 and id < $2 union all select id from removed_pet where id >= $1 and id < $2',
  ),
  count: statement(
    `select (select count(*) from pet where id >= $1 and id < $2) + (select count(*) from removed_pet where id >= $1 and id < $2)`,
  ),
};
const addVersions = statement(
  `insert into pet_version (pet_id, version, previous, action, changed_by, changed_at_ms, text)
   select * from unnest($1::int8[], $2::int8[], $3::int8[], $4::text[], $5::int8[], $6::int8[], $7::text[])`,
);
const addPets = statement(
  'insert into pet (id, version, status, text) select * from unnest($1::int8[], $2::int8[], $3::text[], $4::text[])',
);
const updatePets = statement(
  `update pet set version = changed.version, status = changed.status, text = changed.text
   from unnest($1::int8[], $2::int8[], $3::text[], $4::text[]) as changed (id, version, status, text) where pet.id = changed.id`,
);
const removePets = statement('delete from pet where id = any($1::int8[])');
const addTags = statement('insert into pet_tag (name, pet_id) select * from unnest($1::text[], $2::int8[])');
const removeTags = statement(
  `delete from pet_tag using unnest($1::text[], $2::int8[]) as gone (tag, id) where name = gone.tag and pet_id = gone.id`,
);
const rememberRemoved = statement('insert into removed_pet (id, version) select * from unnest($1::int8[], $2::int8[])');
const forgetRemoved = statement('delete from removed_pet where id = any($1::int8[])');

/** A version as it is to be written. */
interface Version {
  id: bigint;
  version: bigint;
  previous: bigint | undefined;
  action: PetAction;
  stamp: Stamp;
  text: string | null;
}

/** A pet as it is at some moment of a batch, with what its text holds. */
interface HeldPet {
  pet: StoredPet;
  record: PetRecord;
}

/**
 * The changes of pets. What a batch does to them is worked out here, change by change, and then written with a statement a table, however many
 * changes there are: no other transaction comes between.
 */
export const petWrites: StoreWrites<PetChange, StoredPet> = {
  async applyAll(changes, transaction) {
    const batch = await prepareBatch(changes, transaction);
    const outcomes: Outcome<StoredPet>[] = [];
    for (const change of changes) outcomes.push(await batch.apply(change).catch(failureAlone));
    batch.write();
    return outcomes;
  },
};

async function prepareBatch(changes: readonly PetChange[], transaction: Transaction) {
  const { ask, audit, wrote } = transaction;
  const runLength = changes.some(({ id }) => id === undefined) ? changes.length : 0;
  const chosenIds = [...new Set(changes.map(({ id }) => id).filter((id) => id !== undefined))];
  const [counters, stored, removed, used, doomed, alts, standing] = await Promise.all([
    transaction.counters,
    chosenIds.length === 0 ? [] : ask<[bigint, bigint, string]>(byIds, chosenIds),
    chosenIds.length === 0 ? [] : ask<[id: bigint, version: bigint]>(removedByIds, chosenIds),
    runLength === 0 ? [] : usedIdsAhead(runLength, transaction),
    findDoomed(changes.flatMap(photoDigestsOf), transaction),
    findAlts(changes, transaction),
    standingOf(changes, transaction),
  ]);
  const before = new Map<bigint, HeldPet>(stored.map((row) => [row[0], hold(toStoredPet(row))]));
  const now = new Map(before);
  const removedBefore = new Map(removed);
  const removedNow = new Map(removedBefore);
  const versions: Version[] = [];
  const photos = new Map<string, Photo>();
  const ids: Ids = createIds(ask, USED_IDS, counters.nextPetId, {
    used: used.map(([id]) => id),
    length: runLength,
  });

  function writeVersion(id: bigint, action: PetAction, stamp: Stamp, text: string | null): bigint {
    const version = ++counters.lastVersion;
    const current = now.get(id)?.pet;
    versions.push({ id, version, previous: current?.version ?? removedNow.get(id), action, stamp, text });
    if (isWorthAnEntry(stamp)) audit(petAuditEntry(stamp, { id, action, before: current?.text ?? null, after: text }));
    return version;
  }

  function put(id: bigint, record: PetRecord, action: PetAction, stamp: Stamp): StoredPet {
    const text = petText(id, record);
    alts.forget(id, now.get(id)?.record.photoDigests, record.photoDigests);
    const pet = { id, version: writeVersion(id, action, stamp, text), text };
    now.set(id, { pet, record });
    removedNow.delete(id);
    return pet;
  }

  /** What a restore brings back, also from among the versions of this very batch. */
  function pastOf(change: RestorePet): Promise<PastPet | undefined> {
    const heldPhotos = [...(now.get(change.id)?.record.photoDigests ?? []), ...photos.keys()];
    return findPast(change, { versions, removal: removedNow.get(change.id), heldPhotos }, ask);
  }

  /** The pictures that a pet comes to refer to by their paths only. */
  function photosNamed({ photoDigests }: PetRecord, change: PetChange): readonly string[] {
    const known = new Set(change.id === undefined ? [] : now.get(change.id)?.record.photoDigests);
    return photoDigests.filter((digest) => digest !== photoOf(change)?.digest && !known.has(digest));
  }

  return {
    async apply(change: PetChange): Promise<StoredPet> {
      if (!standing.has(credentialOf(change.stamp))) throw credentialEnded();
      // Also of what comes to nothing: whoever is told that a pet has changed is to find it changed.
      wrote(change.stamp);
      const current = change.id === undefined ? undefined : now.get(change.id)?.pet;
      const past = change.kind === 'restore' ? await pastOf(change) : undefined;
      const decision = decide(current, change, { past, altNow: alts.before(change) });
      demandNeverUsed(change, change.id !== undefined && removedNow.has(change.id));
      const photo = photoOf(change);
      if (decision.kind === 'write') doomed.demandKept(photosNamed(decision.record, change));
      if (photo !== undefined) {
        doomed.revive(photo, change.stamp.atMs);
        photos.set(photo.digest, photo);
      }
      if (decision.kind === 'keep') return decision.current;
      if (decision.kind === 'remove') {
        const { id } = decision.current;
        removedNow.set(id, writeVersion(id, 'removed', change.stamp, null));
        alts.forget(id, now.get(id)?.record.photoDigests);
        now.delete(id);
        return decision.current;
      }
      const id = change.id ?? (await ids.take());
      if (change.id !== undefined) ids.notice(id);
      if (decision.alt !== undefined) alts.set(id, decision.alt);
      return put(id, decision.record, decision.action, change.stamp);
    },

    write(): void {
      if (versions.length === 0 && photos.size === 0) return;
      counters.nextPetId = ids.next();
      const changedIds = [...new Set(versions.map(({ id }) => id))];
      const asked = [
        ...writeVersions(versions, transaction),
        ...writePets(changedIds, before, now, transaction),
        ...writeTags(changedIds, before, now, transaction),
        ...writeRemoved(changedIds, removedBefore, removedNow, transaction),
        ...writeSearch(versions, before, now, transaction),
        ...writePhotos(
          [...photos.values()],
          changedIds.map((id) => ({
            id,
            before: before.get(id)?.record.photoDigests ?? [],
            now: now.get(id)?.record.photoDigests ?? [],
          })),
          transaction,
        ),
        ...alts.write(({ petId, digest }) => now.get(petId)?.record.photoDigests.includes(digest) ?? false),
      ];
      for (const one of asked) transaction.later(one);
    },
  };
}

/** Which of the next ids were ever in use. The first who asks in a transaction does not wait for the lock, and lets the server say where they begin. */
function usedIdsAhead(length: number, { ask, countersNow }: Transaction): Promise<[id: bigint][]> {
  const counters = countersNow();
  if (counters === undefined) return ask<[id: bigint]>(usedFromNext, length);
  return ask<[id: bigint]>(USED_IDS.list, counters.nextPetId, counters.nextPetId + BigInt(length));
}

function writeVersions(versions: readonly Version[], { ask }: Transaction): Promise<unknown>[] {
  if (versions.length === 0) return [];
  return [
    ask(
      addVersions,
      versions.map(({ id }) => id),
      versions.map(({ version }) => version),
      versions.map(({ previous }) => previous ?? null),
      versions.map(({ action }) => action),
      versions.map(({ stamp }) => stamp.actorId),
      versions.map(({ stamp }) => stamp.atMs),
      versions.map(({ text }) => text),
    ),
  ];
}

type Pets = ReadonlyMap<bigint, HeldPet>;

function petColumns(pets: readonly HeldPet[]) {
  return [
    pets.map(({ pet }) => pet.id),
    pets.map(({ pet }) => pet.version),
    pets.map(({ record }) => record.status),
    pets.map(({ pet }) => pet.text),
  ] as const;
}

function writePets(ids: readonly bigint[], before: Pets, now: Pets, { ask }: Transaction): Promise<unknown>[] {
  const there = ids.map((id) => now.get(id)).filter((held) => held !== undefined);
  const added = there.filter(({ pet }) => !before.has(pet.id));
  const updated = there.filter(({ pet }) => before.has(pet.id));
  const gone = ids.filter((id) => before.has(id) && !now.has(id));
  return [
    ...(added.length > 0 ? [ask(addPets, ...petColumns(added))] : []),
    ...(updated.length > 0 ? [ask(updatePets, ...petColumns(updated))] : []),
    ...(gone.length > 0 ? [ask(removePets, gone)] : []),
  ];
}

function writeTags(ids: readonly bigint[], before: Pets, now: Pets, { ask }: Transaction): Promise<unknown>[] {
  const added: [name: string, id: bigint][] = [];
  const gone: [name: string, id: bigint][] = [];
  for (const id of ids) {
    const namesBefore = new Set(before.get(id)?.record.tagNames);
    const namesNow = new Set(now.get(id)?.record.tagNames);
    for (const name of namesNow.difference(namesBefore)) added.push([name, id]);
    for (const name of namesBefore.difference(namesNow)) gone.push([name, id]);
  }
  return [
    ...(gone.length > 0 ? [ask(removeTags, ...pairColumns(gone))] : []),
    ...(added.length > 0 ? [ask(addTags, ...pairColumns(added))] : []),
  ];
}

/** The ids of pets that are no more, each with the version that says so. */
function writeRemoved(
  ids: readonly bigint[],
  before: ReadonlyMap<bigint, bigint>,
  now: ReadonlyMap<bigint, bigint>,
  { ask }: Transaction,
): Promise<unknown>[] {
  const changed = ids.filter((id) => before.get(id) !== now.get(id));
  const back = changed.filter((id) => before.has(id));
  const gone = changed.filter((id) => now.has(id));
  return [
    ...(back.length > 0 ? [ask(forgetRemoved, back)] : []),
    ...(gone.length > 0
      ? [
          ask(
            rememberRemoved,
            gone,
            gone.map((id) => now.get(id) ?? null),
          ),
        ]
      : []),
  ];
}

/** The credentials with which these changes are made, but for those that are not valid any more. */
async function standingOf(changes: readonly PetChange[], transaction: Transaction): Promise<ReadonlySet<string>> {
  const stamps = new Map(changes.map(({ stamp }) => [credentialOf(stamp), stamp]));
  const checked = await Promise.all(
    [...stamps].map(async ([credential, stamp]) => ((await isCredentialValid(stamp, transaction)) ? [credential] : [])),
  );
  return new Set(checked.flat());
}

function credentialOf({ via, actorId, credentialId, actorRole }: Stamp): string {
  return via === 'session' || via === 'key' ? `${via} ${actorId} ${credentialId} ${actorRole}` : '';
}

function hold(pet: StoredPet): HeldPet {
  return { pet, record: recordOf(readPetText(pet.text)) };
}
