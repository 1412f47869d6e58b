import type { DatabaseSync } from 'node:sqlite';
import { isWorthAnEntry, type Stamp } from '../../../domain/audit.ts';
import {
  altEditOf,
  decide,
  demandNeverUsed,
  photoOf,
  type PetAction,
  type PetChange,
  type PastPet,
  type RestorePet,
} from '../../../domain/pets/pet-change.ts';
import { petAuditEntry } from '../../../domain/pets/pet-history.ts';
import {
  petText,
  readPetText,
  tagNamesOf,
  type PetRecord,
  type StoredPet,
  recordOf,
} from '../../../domain/pets/pet.ts';
import { createStandingCheck } from '../accounts/standing.ts';
import { createAuditWriter } from '../audit-store.ts';
import { prepare, prepareChange, prepareRows, prepareRow } from '../engine/database.ts';
import { createIdAllocator } from '../engine/id-allocator.ts';
import { unpack, type PackedPet, type PackedPetChange } from '../engine/packed-pet.ts';
import type { Versions } from '../engine/versions.ts';
import type { TransactionWrites } from '../engine/writer.ts';
import { storedPet, type PetRow } from './pet-store.ts';
import { createPetCounts } from './pet-counts.ts';
import { createPetSearch } from './pet-search.ts';
import { createPhotoReferences } from './photo-references.ts';

/** The changes of pets. */
export function createPetWrites(db: DatabaseSync, versions: Versions): TransactionWrites<PackedPetChange, PackedPet> {
  const ids = createIdAllocator(
    db,
    'pet',
    `select (select count(*) from pet where id >= ?1 and id < ?2) + (select count(*) from removed_pet where id >= ?1 and id < ?2)`,
  );
  const byId = prepareRows<PetRow>(db, 'select id, version, text from pet where id = ?');
  const addVersion = prepareChange(
    db,
    'insert into pet_version (version, pet_id, previous, action, changed_by, changed_at_ms, text) values (?, ?, ?, ?, ?, ?, ?)',
  );
  const addPet = prepareChange(db, 'insert into pet (id, version, status, text) values (?, ?, ?, ?)');
  const updatePet = prepareChange(db, 'update pet set version = ?, status = ?, text = ? where id = ?');
  const removePet = prepareChange(db, 'delete from pet where id = ?');
  const addTag = prepareChange(db, 'insert into pet_tag (name, pet_id) values (?, ?)');
  const removeTag = prepareChange(db, 'delete from pet_tag where name = ? and pet_id = ?');
  const wasRemoved = prepare(db, 'select 1 from removed_pet where id = ?');
  const rememberRemoved = prepareChange(db, 'insert into removed_pet (id, version) values (?, ?)');
  const lastBeforeRemoval = prepareRows<[version: bigint]>(
    db,
    'delete from removed_pet where id = ? returning version',
  );
  const audit = createAuditWriter(db);
  const demandStanding = createStandingCheck(db);
  const counts = createPetCounts(db);
  const photos = createPhotoReferences(db, counts);
  const findPast = createPastVersions(db);
  const search = createPetSearch(db, counts);

  /** @param before what there is of the pet: all of it, or the version of its removal */
  function writeVersion(
    id: bigint,
    before: { version: bigint; text: string | null } | undefined,
    action: PetAction,
    stamp: Stamp,
    text: string | null,
  ): bigint {
    if (isWorthAnEntry(stamp)) audit(petAuditEntry(stamp, { id, action, before: before?.text ?? null, after: text }));
    const version = versions.take();
    addVersion(version, id, before?.version ?? null, action, stamp.actorId, stamp.atMs, text);
    return version;
  }

  function add(chosenId: bigint | undefined, record: PetRecord, action: PetAction, stamp: Stamp): StoredPet {
    if (chosenId !== undefined) ids.notice(chosenId);
    const id = chosenId ?? ids.take();
    const [removed] = chosenId === undefined ? [] : lastBeforeRemoval(id);
    const text = petText(id, record);
    const version = writeVersion(id, removed && { version: removed[0], text: null }, action, stamp, text);
    addPet(id, version, record.status, text);
    for (const name of record.tagNames) addTag(name, id);
    if (record.photoDigests.length > 0) photos.set(id, record.photoDigests);
    const pet = { id, version, text };
    if (action === 'restored') search.restored(pet, record, stamp.atMs);
    else search.added(pet, record, stamp.atMs);
    return pet;
  }

  function replace(current: StoredPet, record: PetRecord, action: PetAction, stamp: Stamp): StoredPet {
    const { id } = current;
    const text = petText(id, record);
    const version = writeVersion(id, current, action, stamp, text);
    updatePet(version, record.status, text, id);
    removeTags(current);
    for (const name of record.tagNames) addTag(name, id);
    photos.set(id, record.photoDigests);
    search.changed(current, record, stamp.atMs);
    return { id, version, text };
  }

  function remove(current: StoredPet, stamp: Stamp): StoredPet {
    rememberRemoved(current.id, writeVersion(current.id, current, 'removed', stamp, null));
    removeTags(current);
    photos.set(current.id, []);
    removePet(current.id);
    search.removed(current, stamp.atMs);
    return current;
  }

  function removeTags({ id, text }: StoredPet): void {
    for (const name of tagNamesOf(readPetText(text))) removeTag(name, id);
  }

  return {
    begin: () => {
      ids.begin();
      search.begin();
      counts.begin();
    },
    apply: (packed) => {
      const change = unpack(packed);
      demandStanding(change.stamp);
      const pet = apply(change);
      return change.kind === 'put' ? [pet.id, pet.version] : [pet.id, pet.version, pet.text];
    },
    save: () => {
      ids.save();
      search.save();
      counts.save();
    },
  };

  function apply(change: PetChange): StoredPet {
    const current = change.id === undefined ? undefined : byId(change.id).map(storedPet)[0];
    const altEdit = altEditOf(change);
    const past = change.kind === 'restore' ? findPast(change) : undefined;
    const decision = decide(current, change, { past, altNow: altEdit && photos.altOf(altEdit) });
    if (change.kind === 'put' && change.mustBeNew)
      demandNeverUsed(change, wasRemoved.get(change.id ?? 0n) !== undefined);
    const photo = photoOf(change);
    if (decision.kind === 'write') photos.demandKept(change.id, decision.record.photoDigests, photo);
    if (photo !== undefined) photos.add(photo, change.stamp.atMs);
    if (decision.kind === 'keep') return decision.current;
    if (decision.kind === 'remove') return remove(decision.current, change.stamp);
    const pet =
      current === undefined
        ? add(change.id, decision.record, decision.action, change.stamp)
        : replace(current, decision.record, decision.action, change.stamp);
    if (decision.alt !== undefined) photos.setAlt(pet.id, decision.alt);
    return pet;
  }
}

/** Finds what a restore is to bring back. */
function createPastVersions(db: DatabaseSync): (change: RestorePet) => PastPet | undefined {
  const ofPet = prepareRow(db, 'select text from pet_version where version = ? and pet_id = ?');
  const beforeRemoval = prepareRow(
    db,
    'select previous from removed_pet join pet_version on pet_version.version = removed_pet.version where id = ?',
  );
  const lostAmong = prepareRows<[digest: string]>(
    db,
    `select value from json_each(?1) where not exists (select 1 from photo where digest = value and doomed = 0)
       and not exists (select 1 from pet_photo where digest = value and pet_id = ?2)`,
  );

  return ({ id, version }) => {
    const wanted = version ?? (beforeRemoval(id)?.[0] as bigint | undefined);
    const row = wanted === undefined ? undefined : (ofPet(wanted, id) as [text: string | null] | undefined);
    if (row === undefined) return undefined;
    const [text] = row;
    const digests = text === null ? [] : recordOf(readPetText(text)).photoDigests;
    return { text, lostPhotos: new Set(lostAmong(JSON.stringify(digests), id).map(([digest]) => digest)) };
  };
}
