import type { DatabaseSync } from 'node:sqlite';
import { isAudited, type NewAuditEntry, type Stamp } from '../../../domain/audit.ts';
import {
  altEditOf,
  decide,
  requireNeverUsed,
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
  isSold,
} from '../../../domain/pets/pet.ts';
import { Ids } from '../../rows/ids.ts';
import { toStoredPet, USED_PET_IDS, type PetRow } from '../../rows/pets.ts';
import { storedName } from '../../rows/stored-names.ts';
import { requireCredential } from '../../rows/service/credential-check.ts';
import { prepareChange, prepareRow, prepareRows } from '../engine/database.ts';
import { runSteps, type Ask } from '../engine/steps.ts';
import type { Versions } from '../engine/versions.ts';
import type { TransactionWrites } from '../engine/writer.ts';
import { PetCounts } from './pet-counts.ts';
import { PhotoReferences } from './photo-references.ts';

/** The number of ids that are read together: about as many as one transaction assigns. */
const ID_BATCH = 64;

interface PetWritesDeps {
  db: DatabaseSync;
  versions: Versions;
  audit: (entry: NewAuditEntry) => void;
  ask: Ask;
}

export class PetWrites implements TransactionWrites<PetChange, StoredPet> {
  readonly #versions: Versions;
  readonly #nextId;
  readonly #setNextId;
  #ids: Ids | undefined;
  readonly #audit: (entry: NewAuditEntry) => void;
  readonly #ask: Ask;
  readonly #counts: PetCounts;
  readonly #photos: PhotoReferences;
  readonly #past: PastVersions;
  readonly #byId;
  readonly #addVersion;
  readonly #addPet;
  readonly #updatePet;
  readonly #deletePet;
  readonly #addTag;
  readonly #deleteTag;
  readonly #wasDeleted;
  readonly #insertDeleted;
  readonly #forgetDeleted;

  constructor({ db, versions, audit, ask }: PetWritesDeps) {
    this.#versions = versions;
    this.#nextId = prepareRow(db, "select id from next_id where kind = 'pet'");
    this.#setNextId = prepareChange(db, "update next_id set id = ? where kind = 'pet'");
    this.#audit = audit;
    this.#ask = ask;
    this.#counts = new PetCounts(db);
    this.#photos = new PhotoReferences(db, this.#counts);
    this.#past = new PastVersions(db);
    this.#byId = prepareRows<PetRow>(db, 'select id, version, text from pet where id = ?');
    this.#addVersion = prepareChange(
      db,
      'insert into pet_version (version, pet_id, previous, action, changed_by, changed_at_ms, text) values (?, ' +
        '?, ?, ?, ?, ?, ?)',
    );
    this.#addPet = prepareChange(
      db,
      'insert into pet (id, version, added_version, status, text) values (?, ?, ?, ?, ?)',
    );
    this.#updatePet = prepareChange(db, 'update pet set version = ?, status = ?, text = ? where id = ?');
    this.#deletePet = prepareChange(db, 'delete from pet where id = ?');
    this.#addTag = prepareChange(db, 'insert into pet_tag (name, pet_id) values (?, ?)');
    this.#deleteTag = prepareChange(db, 'delete from pet_tag where name = ? and pet_id = ?');
    this.#wasDeleted = prepareRow(db, 'select 1 from removed_pet where id = ?');
    this.#insertDeleted = prepareChange(
      db,
      'insert into removed_pet (id, version, added_version) select id, ?2, added_version from pet where id = ?1',
    );
    this.#forgetDeleted = prepareRows<[version: bigint, addedVersion: bigint]>(
      db,
      'delete from removed_pet where id = ? returning version, added_version',
    );
  }

  begin(): void {
    // Another process may have assigned ids since the last transaction.
    this.#ids = undefined;
    this.#counts.begin();
  }

  apply(change: PetChange): StoredPet {
    runSteps(requireCredential(change.stamp), this.#ask);
    return this.#applyChange(change);
  }

  save(): void {
    if (this.#ids !== undefined) this.#setNextId(this.#ids.next());
    this.#counts.save();
  }

  #applyChange(change: PetChange): StoredPet {
    const current = change.id === undefined ? undefined : this.#byId(change.id).map(toStoredPet)[0];
    const altEdit = altEditOf(change);
    const past = change.kind === 'restore' ? this.#past.find(change) : undefined;
    const decision = decide(current, change, { past, currentAlt: altEdit && this.#photos.altOf(altEdit) });
    if (change.kind === 'put' && change.mustBeNew)
      requireNeverUsed(change, this.#wasDeleted(change.id ?? 0n) !== undefined);
    const photo = photoOf(change);
    if (decision.kind === 'write') this.#photos.requireKept(change.id, decision.record.photoDigests, photo);
    if (photo !== undefined) this.#photos.add(photo, change.stamp.atMs);
    if (decision.kind === 'keep') return decision.current;
    if (decision.kind === 'delete') return this.#delete(decision.current, change.stamp);
    const pet =
      current === undefined
        ? this.#add(change.id, decision.record, decision.action, change.stamp)
        : this.#replace(current, decision.record, decision.action, change.stamp);
    if (decision.alt !== undefined) this.#photos.setAlt(pet.id, decision.alt);
    return pet;
  }

  #add(chosenId: bigint | undefined, record: PetRecord, action: PetAction, stamp: Stamp): StoredPet {
    if (chosenId !== undefined) this.#ids?.notice(chosenId);
    const id = chosenId ?? this.#takeId();
    const [deleted] = chosenId === undefined ? [] : this.#forgetDeleted(id);
    const text = petText(id, record);
    const version = this.#writeVersion(id, deleted && { version: deleted[0], text: null }, action, stamp, text);
    // A deleted pet returns to its place in the order of addition.
    const addedVersion = action === 'restored' ? (deleted?.[1] ?? version) : version;
    this.#addPet(id, version, addedVersion, record.status, text);
    for (const name of record.tagNames) this.#addTag(name, id);
    if (record.photoDigests.length > 0) this.#photos.set(id, record.photoDigests);
    this.#counts.tally.countEvent(action === 'restored' ? 'changed' : 'added', stamp.atMs);
    if (action !== 'restored' && record.status === 'sold') this.#counts.tally.countEvent('adopted', stamp.atMs);
    return { id, version, text };
  }

  #takeId(): bigint {
    this.#ids ??= new Ids({ used: USED_PET_IDS, next: this.#nextId()?.[0] as bigint, batch: ID_BATCH });
    return runSteps(this.#ids.take(), this.#ask);
  }

  #replace(current: StoredPet, record: PetRecord, action: PetAction, stamp: Stamp): StoredPet {
    const { id } = current;
    const text = petText(id, record);
    const version = this.#writeVersion(id, current, action, stamp, text);
    this.#updatePet(version, record.status, text, id);
    this.#deleteTags(current);
    for (const name of record.tagNames) this.#addTag(name, id);
    this.#photos.set(id, record.photoDigests);
    this.#counts.tally.countEvent('changed', stamp.atMs);
    if (record.status === 'sold' && !isSold(current.text)) this.#counts.tally.countEvent('adopted', stamp.atMs);
    return { id, version, text };
  }

  #delete(current: StoredPet, stamp: Stamp): StoredPet {
    this.#insertDeleted(current.id, this.#writeVersion(current.id, current, 'deleted', stamp, null));
    this.#deleteTags(current);
    this.#photos.set(current.id, []);
    this.#deletePet(current.id);
    this.#counts.tally.countEvent('deleted', stamp.atMs);
    return current;
  }

  #deleteTags({ id, text }: StoredPet): void {
    for (const name of tagNamesOf(readPetText(text))) this.#deleteTag(name, id);
  }

  /** @param before the pet before the change, or the version of its deletion */
  #writeVersion(
    id: bigint,
    before: { version: bigint; text: string | null } | undefined,
    action: PetAction,
    stamp: Stamp,
    text: string | null,
  ): bigint {
    if (isAudited(stamp)) this.#audit(petAuditEntry(stamp, { id, action, before: before?.text ?? null, after: text }));
    const version = this.#versions.take();
    this.#addVersion(version, id, before?.version ?? null, storedName(action), stamp.actorId, stamp.atMs, text);
    return version;
  }
}

/** Finds the version that a pet is restored to. */
class PastVersions {
  readonly #ofPet;
  readonly #beforeDeletion;
  readonly #lostAmong;

  constructor(db: DatabaseSync) {
    this.#ofPet = prepareRow(db, 'select text from pet_version where version = ? and pet_id = ?');
    this.#beforeDeletion = prepareRow(
      db,
      'select previous from removed_pet join pet_version on pet_version.version = removed_pet.version where id = ?',
    );
    this.#lostAmong = prepareRows<[digest: string]>(
      db,
      `select value from json_each(?1) where not exists (select 1 from photo where digest = value and doomed = 0)
         and not exists (select 1 from pet_photo where digest = value and pet_id = ?2)`,
    );
  }

  find({ id, version }: RestorePet): PastPet | undefined {
    const wanted = version ?? (this.#beforeDeletion(id)?.[0] as bigint | undefined);
    const row = wanted === undefined ? undefined : (this.#ofPet(wanted, id) as [text: string | null] | undefined);
    if (row === undefined) return undefined;
    const [text] = row;
    const digests = text === null ? [] : recordOf(readPetText(text)).photoDigests;
    return { text, lostPhotos: new Set(this.#lostAmong(JSON.stringify(digests), id).map(([digest]) => digest)) };
  }
}
