import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { done, isWorthAnEntry, type Stamp } from '../domain/audit.ts';
import { Failure } from '../domain/failure.ts';
import { decide, demandNeverUsed, photoOf, type PetAction, type PetChange } from '../domain/pets/pet-change.ts';
import {
  petText,
  readPetText,
  tagNamesOf,
  type PetRecord,
  type PetStatus,
  type StoredPet,
} from '../domain/pets/pet.ts';
import { isInHand } from '../domain/pets/photo-gallery.ts';
import type { Photo } from '../domain/pets/photo.ts';
import type { PetStore } from '../domain/pets/ports.ts';
import type { ListPart } from '../domain/ports.ts';
import { createAuditWriter } from './audit-store.ts';
import { createStandingCheck } from './standing.ts';
import { prepare, prepareRow, prepareRows } from './engine/database.ts';
import { createIdAllocator } from './engine/id-allocator.ts';
import { pack, unpack, unpackResult, type PackedPet, type PackedPetChange } from './engine/packed-pet.ts';
import { createSnapshots } from './engine/snapshots.ts';
import type { TransactionWrites, Writer } from './engine/writer.ts';

type PetRow = [id: bigint, version: bigint, text: string];

/** Reads on the event loop's own connections, of which one is for lists; changes through the writer. */
export function openPetStore(reader: DatabaseSync, writer: Writer, scanner: DatabaseSync = reader): PetStore {
  const { inSnapshot } = createSnapshots(scanner, scanner === reader);
  const findRows = prepareFind(reader);
  const listRows = prepareFind(scanner);
  const byId = prepareRow(reader, 'select version, text from pet where id = ?');
  const firstEver = prepareRows(reader, 'select 1 from pet_version limit 1');
  const byTag = prepareRows<[petId: bigint]>(
    scanner,
    'select pet_id from pet_tag where name = ? and pet_id > ? order by pet_id limit ?',
  );

  // One ordered walk of the index for each status, merged: sorting all pets of two statuses for every part of a list would cost too much.
  const ofStatus = 'select * from (select id, version, text from pet where status = ? and id > ? order by id limit ?)';
  const byStatuses = [1, 2, 3].map((count) =>
    prepareRows<PetRow>(scanner, `${Array(count).fill(ofStatus).join(' union all ')} order by id limit ?`),
  );

  return {
    peek: (id) => {
      const row = byId(id) as [version: bigint, text: string] | undefined;
      return row === undefined ? undefined : { id, version: row[0], text: row[1] };
    },

    findMany: async (ids) => findRows(ids),

    applyAll: async (changes) => {
      const outcomes = await writer.apply('pet', changes.map(pack));
      return outcomes.map((outcome, index) =>
        outcome instanceof Error ? outcome : unpackResult(outcome, changes[index]),
      );
    },

    listByStatus: async (statuses, { afterId, limit }) => {
      const distinct = [...new Set<PetStatus>(statuses)];
      const parameters = distinct.flatMap((status): SQLInputValue[] => [status, afterId, limit]);
      return inSnapshot(() => (byStatuses[distinct.length - 1]?.(...parameters, limit) ?? []).map(storedPet));
    },

    listByTags: async (tagNames, { afterId, limit }: ListPart) => {
      // One snapshot for both statements: a pet removed between them would make the part short, and short parts end a list.
      return inSnapshot(() => {
        const ids = new Set(tagNames.flatMap((name) => byTag(name, afterId, limit).map(([id]) => id)));
        const first = [...ids].toSorted((a, b) => (a < b ? -1 : 1)).slice(0, limit);
        return listRows(first).filter((pet) => pet !== undefined);
      });
    },

    isUnused: async () => firstEver().length === 0,
  };
}

/** The pets with these ids, in the order of the ids. */
function prepareFind(db: DatabaseSync): (ids: readonly bigint[]) => (StoredPet | undefined)[] {
  const byIds = prepareRows<[key: bigint, ...PetRow]>(
    db,
    'select key, pet.id, version, text from json_each(?) join pet on pet.id = value',
  );
  return (ids) => {
    const found: (StoredPet | undefined)[] = Array.from({ length: ids.length });
    for (const [key, ...row] of byIds(`[${ids.join()}]`)) found[Number(key)] = storedPet(row);
    return found;
  };
}

/** The changes of pets. */
export function createPetWrites(db: DatabaseSync): TransactionWrites<PackedPetChange, PackedPet> {
  const ids = createIdAllocator(
    db,
    'pet',
    `select (select count(*) from pet where id >= ?1 and id < ?2) + (select count(*) from removed_pet where id >= ?1 and id < ?2)`,
  );
  const byId = prepareRows<PetRow>(db, 'select id, version, text from pet where id = ?');
  const addVersion = prepare(
    db,
    'insert into pet_version (pet_id, previous, action, changed_by, changed_at_ms, text) values (?, ?, ?, ?, ?, ?)',
  );
  const addPet = prepare(db, 'insert into pet (id, version, status, text) values (?, ?, ?, ?)');
  const updatePet = prepare(db, 'update pet set version = ?, status = ?, text = ? where id = ?');
  const removePet = prepare(db, 'delete from pet where id = ?');
  const addTag = prepare(db, 'insert into pet_tag (name, pet_id) values (?, ?)');
  const removeTag = prepare(db, 'delete from pet_tag where name = ? and pet_id = ?');
  const wasRemoved = prepare(db, 'select 1 from removed_pet where id = ?');
  const rememberRemoved = prepare(db, 'insert into removed_pet (id, version) values (?, ?)');
  const lastBeforeRemoval = prepareRows<[version: bigint]>(
    db,
    'delete from removed_pet where id = ? returning version',
  );
  const audit = createAuditWriter(db);
  const demandStanding = createStandingCheck(db);
  const photos = createPhotoReferences(db);

  function writeVersion(
    id: bigint,
    previous: bigint | undefined,
    action: PetAction,
    stamp: Stamp,
    text: string | null,
  ): bigint {
    if (isWorthAnEntry(stamp)) audit(done(stamp, `pet.${action}`, { kind: 'pet', id: id.toString(), name: null }));
    return BigInt(addVersion.run(id, previous ?? null, action, stamp.actorId, stamp.atMs, text).lastInsertRowid);
  }

  function add(chosenId: bigint | undefined, record: PetRecord, stamp: Stamp): StoredPet {
    if (chosenId !== undefined) ids.notice(chosenId);
    const id = chosenId ?? ids.take();
    const [removed] = chosenId === undefined ? [] : lastBeforeRemoval(id);
    const text = petText(id, record);
    const version = writeVersion(id, removed?.[0], 'added', stamp, text);
    addPet.run(id, version, record.status, text);
    for (const name of record.tagNames) addTag.run(name, id);
    if (record.photoDigests.length > 0) photos.set(id, record.photoDigests);
    return { id, version, text };
  }

  function replace(current: StoredPet, record: PetRecord, action: PetAction, stamp: Stamp): StoredPet {
    const { id } = current;
    const text = petText(id, record);
    const version = writeVersion(id, current.version, action, stamp, text);
    updatePet.run(version, record.status, text, id);
    removeTags(current);
    for (const name of record.tagNames) addTag.run(name, id);
    photos.set(id, record.photoDigests);
    return { id, version, text };
  }

  function remove(current: StoredPet, stamp: Stamp): StoredPet {
    rememberRemoved.run(current.id, writeVersion(current.id, current.version, 'removed', stamp, null));
    removeTags(current);
    photos.set(current.id, []);
    removePet.run(current.id);
    return current;
  }

  function removeTags({ id, text }: StoredPet): void {
    for (const name of tagNamesOf(readPetText(text))) removeTag.run(name, id);
  }

  return {
    begin: () => ids.begin(),
    apply: (packed) => {
      const change = unpack(packed);
      demandStanding(change.stamp);
      const pet = apply(change);
      return change.kind === 'put' ? [pet.id, pet.version] : [pet.id, pet.version, pet.text];
    },
    save: () => ids.save(),
  };

  function apply(change: PetChange): StoredPet {
    const current = change.id === undefined ? undefined : byId(change.id).map(storedPet)[0];
    const decision = decide(current, change);
    if (change.kind === 'put' && change.mustBeNew)
      demandNeverUsed(change, wasRemoved.get(change.id ?? 0n) !== undefined);
    const photo = photoOf(change);
    if (decision.kind === 'write') photos.demandKept(change.id, decision.record.photoDigests, photo);
    if (photo !== undefined) photos.add(photo, change.stamp.atMs);
    if (decision.kind === 'keep') return decision.current;
    if (decision.kind === 'remove') return remove(decision.current, change.stamp);
    return current === undefined
      ? add(change.id, decision.record, change.stamp)
      : replace(current, decision.record, decision.action, change.stamp);
  }
}

/** Which pets refer to which pictures, and since when a picture is referred to by none. */
function createPhotoReferences(db: DatabaseSync) {
  const claimOn = prepareRows<[claimedUntilMs: bigint | null]>(
    db,
    'select claimed_until_ms from photo where digest = ? and doomed = 1',
  );
  const doomedButNotOfPet = prepareRow(
    db,
    `select 1 from json_each(?1) join photo on digest = value where doomed = 1
       and not exists (select 1 from pet_photo where pet_photo.digest = value and pet_id = ?2)`,
  );
  // Unused from now on, unless a pet has named it already. A doomed one that nobody has in hand begins anew.
  const addPhoto = prepare(
    db,
    `insert into photo (digest, media_type, byte_length, width, height, unused_since_ms)
     select ?1, ?2, ?3, ?4, ?5, iif(exists (select 1 from pet_photo where digest = ?1), null, ?6) where true
     on conflict (digest) do update set media_type = excluded.media_type, byte_length = excluded.byte_length, width = excluded.width,
       height = excluded.height, unused_since_ms = excluded.unused_since_ms, doomed = 0, claimed_until_ms = null where photo.doomed = 1`,
  );
  const ofPet = prepareRows<[digest: string]>(db, 'select digest from pet_photo where pet_id = ?');
  const release = prepare(db, 'delete from pet_photo where pet_id = ? and digest = ?');
  const markUnused = prepare(
    db,
    'update photo set unused_since_ms = ?1 where digest = ?2 and not exists (select 1 from pet_photo where digest = ?2)',
  );
  const refer = prepare(db, 'insert into pet_photo (digest, pet_id) values (?, ?) on conflict do nothing');
  const markUsed = prepare(db, 'update photo set unused_since_ms = null where digest = ? and doomed = 0');

  return {
    /** @throws Failure `unavailable` where the file of a picture that the pet comes to refer to may be going away; not that of one that is uploaded */
    demandKept(petId: bigint | undefined, digests: readonly string[], uploaded: Photo | undefined): void {
      const named = digests.filter((digest) => digest !== uploaded?.digest);
      if (named.length > 0 && doomedButNotOfPet(JSON.stringify(named), petId ?? null) !== undefined)
        throw photoIsDoomed();
    },

    /** @throws Failure `unavailable` while somebody has the picture in hand to remove it */
    add({ digest, mediaType, byteLength, width, height }: Photo, nowMs: number): void {
      const [claim] = claimOn(digest);
      if (claim !== undefined && isInHand(claim[0] === null ? null : Number(claim[0]), nowMs)) throw photoIsDoomed();
      addPhoto.run(digest, mediaType, byteLength, width, height, Date.now());
    },

    /** Makes these the pictures that the pet refers to. */
    set(petId: bigint, digests: readonly string[]): void {
      const wanted = new Set(digests);
      for (const [digest] of ofPet(petId)) {
        if (wanted.delete(digest)) continue;
        release.run(petId, digest);
        markUnused.run(Date.now(), digest);
      }
      for (const digest of wanted) {
        refer.run(digest, petId);
        markUsed.run(digest);
      }
    },
  };
}

function photoIsDoomed(): Failure {
  return new Failure(
    'unavailable',
    'This very picture is being cleared away at the moment. Send it again in a second.',
    { retryAfterSeconds: 1 },
  );
}

function storedPet([id, version, text]: PetRow): StoredPet {
  return { id, version, text };
}
