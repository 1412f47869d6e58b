import type { DatabaseSync } from 'node:sqlite';
import { isAudited, type NewAuditEntry, type Stamp } from '../../../domain/audit.ts';
import {
  altEditOf,
  decide,
  isPublished,
  newExternalId,
  requireFreeExternalId,
  requireNeverUsed,
  writtenPet,
  photoOf,
  type PetAction,
  type PetChange,
  type PastPet,
  type PetState,
  type RestorePet,
  type WritePet,
} from '../../../domain/pets/pet-change.ts';
import { NO_PET, petAuditEntry, type PetTexts } from '../../../domain/pets/pet-history.ts';
import { readPetText, tagNamesOf, type StoredPet, recordOf } from '../../../domain/pets/pet.ts';
import { EMPTY_PROFILE, type ProfileRecord } from '../../../domain/pets/profile.ts';
import { Ids } from '../../rows/ids.ts';
import {
  ownersOfExternalIds,
  PET_STATE_COLUMNS,
  toPetState,
  USED_PET_IDS,
  type PetStateRow,
  type SentPetState,
} from '../../rows/pets.ts';
import { storedName } from '../../rows/stored-names.ts';
import { requireCredential } from '../../rows/credential-check.ts';
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

export class PetWrites implements TransactionWrites<PetChange, SentPetState> {
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
  readonly #addVersionWithProfile;
  readonly #addPet;
  readonly #updatePet;
  readonly #setAdded;
  readonly #setProfile;
  readonly #deletePet;
  readonly #addTag;
  readonly #deleteTag;
  readonly #wasDeleted;
  readonly #insertDeleted;
  readonly #forgetDeleted;
  readonly #ownerOf;
  readonly #setExternalId;
  readonly #deleteExternalId;

  constructor({ db, versions, audit, ask }: PetWritesDeps) {
    this.#versions = versions;
    this.#nextId = prepareRow(db, "select id from next_id where kind = 'pet'");
    this.#setNextId = prepareChange(db, "update next_id set id = ? where kind = 'pet'");
    this.#audit = audit;
    this.#ask = ask;
    this.#counts = new PetCounts(db);
    this.#photos = new PhotoReferences(db, this.#counts);
    this.#past = new PastVersions(db);
    this.#byId = prepareRows<PetStateRow>(db, `select ${PET_STATE_COLUMNS} from pet where id = ?`);
    this.#addVersion = prepareChange(
      db,
      'insert into pet_version (version, pet_id, previous, action, changed_by, changed_at_ms, text) ' +
        'values (?, ?, ?, ?, ?, ?, ?)',
    );
    this.#addVersionWithProfile = prepareChange(
      db,
      'insert into pet_version (version, pet_id, previous, action, changed_by, changed_at_ms, text, ' +
        'profile_version, profile, is_draft, was_draft) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.#addPet = prepareChange(
      db,
      'insert into pet (id, version, added_version, status, text) values (?, ?, ?, ?, ?)',
    );
    this.#updatePet = prepareChange(db, 'update pet set version = ?, status = ?, text = ? where id = ?');
    this.#setAdded = prepareChange(db, 'update pet set added_version = ? where id = ?');
    this.#setProfile = prepareChange(db, 'update pet set profile_version = ?, profile = ?, is_draft = ? where id = ?');
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
    this.#ownerOf = prepareRows<[externalId: string, petId: bigint]>(db, ownersOfExternalIds.sqlite);
    this.#deleteExternalId = prepareChange(db, 'delete from pet_external_id where pet_id = ?');
    this.#setExternalId = prepareChange(db, 'insert into pet_external_id (external_id, pet_id) values (?, ?)');
  }

  begin(): void {
    // Another process may have assigned ids since the last transaction.
    this.#ids = undefined;
    this.#counts.begin();
  }

  apply(change: PetChange): SentPetState {
    runSteps(requireCredential(change.stamp), this.#ask);
    const pet = this.#applyChange(change);
    const { id, version, text } = pet;
    return pet.profile.version === 0n ? { id, version, text } : pet;
  }

  save(): void {
    if (this.#ids !== undefined) this.#setNextId(this.#ids.next());
    this.#counts.save();
  }

  #applyChange(change: PetChange): PetState {
    const current = change.id === undefined ? undefined : this.#byId(change.id).map(toPetState)[0];
    const altEdit = altEditOf(change);
    const past = change.kind === 'restore' ? this.#past.find(change) : undefined;
    const decision = decide(current, change, { past, currentAlt: altEdit && this.#photos.altOf(altEdit) });
    if (change.kind === 'put' && change.mustBeNew)
      requireNeverUsed(change, this.#wasDeleted(change.id ?? 0n) !== undefined);
    const photo = photoOf(change);
    if (decision.kind === 'write') this.#requireFree(decision, change.id);
    if (decision.kind === 'write') this.#photos.requireKept(change.id, decision.record.photoDigests, photo);
    if (photo !== undefined) this.#photos.add(photo, change.stamp.atMs);
    if (decision.kind === 'keep') return decision.current;
    if (decision.kind === 'delete') return this.#delete(decision.current, change.stamp);
    const pet =
      current === undefined
        ? this.#add(change.id, decision, change.stamp)
        : this.#replace(current, decision, change.stamp);
    if (decision.profile !== undefined) this.#writeProfile(pet, decision.profile);
    if (decision.alt !== undefined) this.#photos.setAlt(pet.id, decision.alt);
    return pet;
  }

  #add(chosenId: bigint | undefined, write: WritePet, stamp: Stamp): PetState {
    const { record, action } = write;
    if (chosenId !== undefined) this.#ids?.notice(chosenId);
    const id = chosenId ?? this.#takeId();
    const [deleted] = chosenId === undefined ? [] : this.#forgetDeleted(id);
    const pet = writtenPet(undefined, write, { id, version: this.#versions.take() });
    this.#writeVersion({ id, action, stamp, previous: deleted?.[0], before: undefined, after: pet }, pet.version);
    // A deleted pet returns to its place in the order of addition.
    const addedVersion = action === 'restored' ? (deleted?.[1] ?? pet.version) : pet.version;
    this.#addPet(id, pet.version, addedVersion, record.status, pet.text);
    for (const name of record.tagNames) this.#addTag(name, id);
    if (record.photoDigests.length > 0) this.#photos.set(id, record.photoDigests);
    return pet;
  }

  #takeId(): bigint {
    this.#ids ??= new Ids({ used: USED_PET_IDS, next: this.#nextId()?.[0] as bigint, batch: ID_BATCH });
    return runSteps(this.#ids.take(), this.#ask);
  }

  #replace(current: PetState, write: WritePet, stamp: Stamp): PetState {
    const { id } = current;
    const { record, action } = write;
    const pet = writtenPet(current, write, { id, version: this.#versions.take() });
    this.#writeVersion({ id, action, stamp, previous: current.version, before: current, after: pet }, pet.version);
    this.#updatePet(pet.version, record.status, pet.text, id);
    if (isPublished(current, pet)) this.#setAdded(pet.version, id);
    this.#deleteTags(current);
    for (const name of record.tagNames) this.#addTag(name, id);
    this.#photos.set(id, record.photoDigests);
    return pet;
  }

  #delete(current: PetState, stamp: Stamp): PetState {
    const { id, version: previous } = current;
    const version = this.#versions.take();
    this.#writeVersion({ id, action: 'deleted', stamp, previous, before: current, after: undefined }, version);
    this.#insertDeleted(id, version);
    this.#deleteTags(current);
    this.#photos.set(id, []);
    this.#writeExternalId(id, null);
    this.#deletePet(id);
    return current;
  }

  #requireFree(write: WritePet, id: bigint | undefined): void {
    const externalId = newExternalId(write);
    if (externalId === undefined) return;
    const [owner] = this.#ownerOf(JSON.stringify([externalId]));
    requireFreeExternalId(externalId, owner?.[1], id);
  }

  #writeProfile({ id, isDraft, profile }: PetState, { externalId }: ProfileRecord): void {
    this.#setProfile(profile.version, profile.text, Number(isDraft), id);
    this.#writeExternalId(id, externalId);
  }

  #writeExternalId(id: bigint, externalId: string | null): void {
    this.#deleteExternalId(id);
    if (externalId !== null) this.#setExternalId(externalId, id);
  }

  #deleteTags({ id, text }: StoredPet): void {
    for (const name of tagNamesOf(readPetText(text))) this.#deleteTag(name, id);
  }

  #writeVersion({ id, action, stamp, previous, before, after }: WrittenVersion, version: bigint): void {
    if (isAudited(stamp))
      this.#audit(petAuditEntry(stamp, { id, action, before: textsOf(before), after: textsOf(after) }));
    this.#counts.tally.countChange({ action, atMs: stamp.atMs, before, after });
    const text = after?.text ?? null;
    const common = [version, id, previous ?? null, storedName(action), stamp.actorId, stamp.atMs, text] as const;
    const [isDraft, wasDraft] = [after?.isDraft ?? false, before?.isDraft ?? false];
    const profile = after?.profile ?? EMPTY_PROFILE;
    // Most changes are of pets without a profile: more parameters take a twentieth of the time of a new pet.
    if (profile.version === 0n && !wasDraft) this.#addVersion(...common);
    else this.#addVersionWithProfile(...common, profile.version, profile.text, Number(isDraft), Number(wasDraft));
  }
}

interface WrittenVersion {
  id: bigint;
  action: PetAction;
  stamp: Stamp;
  /** The version before, also if it is a deletion. */
  previous: bigint | undefined;
  before: PetState | undefined;
  after: PetState | undefined;
}

function textsOf(pet: PetState | undefined): PetTexts {
  return pet === undefined ? NO_PET : { text: pet.text, profile: pet.profile.text };
}

type PastRow = [text: string | null, profile: string | null];

/** Finds the version that a pet is restored to. */
class PastVersions {
  readonly #ofPet;
  readonly #beforeDeletion;
  readonly #lostAmong;

  constructor(db: DatabaseSync) {
    this.#ofPet = prepareRow(db, 'select text, profile from pet_version where version = ? and pet_id = ?');
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
    const row = wanted === undefined ? undefined : (this.#ofPet(wanted, id) as PastRow | undefined);
    if (row === undefined) return undefined;
    const [text, profile] = row;
    const digests = text === null ? [] : recordOf(readPetText(text)).photoDigests;
    return {
      text,
      profile,
      lostPhotos: new Set(this.#lostAmong(JSON.stringify(digests), id).map(([digest]) => digest)),
    };
  }
}
