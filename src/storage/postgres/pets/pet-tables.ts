import type { Stamp } from '../../../domain/audit.ts';
import type { PetAction, PetState } from '../../../domain/pets/pet-change.ts';
import type { PetRecord } from '../../../domain/pets/pet.ts';
import { storedName } from '../../rows/stored-names.ts';
import { statement } from '../engine/statements.ts';
import type { Transaction } from '../engine/transactions.ts';
import { pairColumns } from './photo-references.ts';

/*
 * Writes the result of a batch of changes, with one statement per table. The statements are sent, and not awaited here.
 */

const addVersions = statement(
  `insert into pet_version (pet_id, version, previous, action, changed_by, changed_at_ms, text,
     profile_version, profile, is_draft, was_draft)
   select * from unnest($1::int8[], $2::int8[], $3::int8[], $4::text[], $5::int8[], $6::int8[], $7::text[], $8::int8[],
     $9::text[], $10::int8[], $11::int8[])`,
);
const COLUMNS = 'id, version, status, text, profile_version, profile, is_draft, added_version';
const ROWS = 'unnest($1::int8[], $2::int8[], $3::text[], $4::text[], $5::int8[], $6::text[], $7::int8[], $8::int8[])';
const addPets = statement(`insert into pet (${COLUMNS}) select * from ${ROWS}`);
const updatePets = statement(
  `update pet set version = changed.version, status = changed.status, text = changed.text,
     profile_version = changed.profile_version, profile = changed.profile, is_draft = changed.is_draft,
     added_version = changed.added_version
   from ${ROWS} as changed (${COLUMNS}) where pet.id = changed.id`,
);
const deletePets = statement('delete from pet where id = any($1::int8[])');
const addTags = statement('insert into pet_tag (name, pet_id) select * from unnest($1::text[], $2::int8[])');
const deleteTags = statement(
  `delete from pet_tag using unnest($1::text[], $2::int8[]) as gone (tag, id) where name = gone.tag and pet_id = gone.id`,
);
const insertDeleted = statement(
  'insert into removed_pet (id, version, added_version) select * from unnest($1::int8[], $2::int8[], $3::int8[])',
);
const addExternalIds = statement(
  'insert into pet_external_id (external_id, pet_id) select * from unnest($1::text[], $2::int8[])',
);
const deleteExternalIds = statement('delete from pet_external_id where pet_id = any($1::int8[])');
const forgetDeleted = statement('delete from removed_pet where id = any($1::int8[])');

/** A version to be written. */
export interface Version {
  id: bigint;
  version: bigint;
  previous: bigint | undefined;
  action: PetAction;
  stamp: Stamp;
  text: string | null;
  profileVersion: bigint;
  profile: string | null;
  isDraft: boolean;
  wasDraft: boolean;
}

/** A pet at some point of a batch, with its parsed text. */
export interface HeldPet {
  pet: PetState;
  record: PetRecord;
  addedVersion: bigint;
}

/** A deleted pet. If it is restored, it returns to its place in the order of addition. */
export interface DeletedVersions {
  /** The version of the deletion. */
  version: bigint;
  addedVersion: bigint;
}

export type Pets = ReadonlyMap<bigint, HeldPet>;

export function writeVersions(versions: readonly Version[], { ask }: Transaction): Promise<unknown>[] {
  if (versions.length === 0) return [];
  return [
    ask(
      addVersions,
      versions.map(({ id }) => id),
      versions.map(({ version }) => version),
      versions.map(({ previous }) => previous ?? null),
      versions.map(({ action }) => storedName(action)),
      versions.map(({ stamp }) => stamp.actorId),
      versions.map(({ stamp }) => stamp.atMs),
      versions.map(({ text }) => text),
      versions.map(({ profileVersion }) => profileVersion),
      versions.map(({ profile }) => profile),
      versions.map(({ isDraft }) => Number(isDraft)),
      versions.map(({ wasDraft }) => Number(wasDraft)),
    ),
  ];
}

function petColumns(pets: readonly HeldPet[]) {
  return [
    pets.map(({ pet }) => pet.id),
    pets.map(({ pet }) => pet.version),
    pets.map(({ record }) => record.status),
    pets.map(({ pet }) => pet.text),
    pets.map(({ pet }) => pet.profile.version),
    pets.map(({ pet }) => pet.profile.text),
    pets.map(({ pet }) => Number(pet.isDraft)),
    pets.map(({ addedVersion }) => addedVersion),
  ] as const;
}

export function writePets(ids: readonly bigint[], before: Pets, now: Pets, { ask }: Transaction): Promise<unknown>[] {
  const there = ids.map((id) => now.get(id)).filter((held) => held !== undefined);
  const added = there.filter(({ pet }) => !before.has(pet.id));
  const updated = there.filter(({ pet }) => before.has(pet.id));
  const gone = ids.filter((id) => before.has(id) && !now.has(id));
  return [
    ...(added.length > 0 ? [ask(addPets, ...petColumns(added))] : []),
    // A pet that was deleted and added again in this batch has a new added_version.
    ...(updated.length > 0 ? [ask(updatePets, ...petColumns(updated))] : []),
    ...(gone.length > 0 ? [ask(deletePets, gone)] : []),
  ];
}

export function writeTags(ids: readonly bigint[], before: Pets, now: Pets, { ask }: Transaction): Promise<unknown>[] {
  const added: [name: string, id: bigint][] = [];
  const gone: [name: string, id: bigint][] = [];
  for (const id of ids) {
    const namesBefore = new Set(before.get(id)?.record.tagNames);
    const namesNow = new Set(now.get(id)?.record.tagNames);
    for (const name of namesNow.difference(namesBefore)) added.push([name, id]);
    for (const name of namesBefore.difference(namesNow)) gone.push([name, id]);
  }
  return [
    ...(gone.length > 0 ? [ask(deleteTags, ...pairColumns(gone))] : []),
    ...(added.length > 0 ? [ask(addTags, ...pairColumns(added))] : []),
  ];
}

/** @param changed the new external ids by pet; null for none */
export function writeExternalIds(
  changed: ReadonlyMap<bigint, string | null>,
  { ask }: Transaction,
): Promise<unknown>[] {
  const added = [...changed].filter((entry): entry is [bigint, string] => entry[1] !== null);
  return [
    ...(changed.size > 0 ? [ask(deleteExternalIds, [...changed.keys()])] : []),
    ...(added.length > 0
      ? [ask(addExternalIds, ...pairColumns(added.map(([id, externalId]) => [externalId, id])))]
      : []),
  ];
}

export function writeDeleted(
  ids: readonly bigint[],
  before: ReadonlyMap<bigint, DeletedVersions>,
  now: ReadonlyMap<bigint, DeletedVersions>,
  { ask }: Transaction,
): Promise<unknown>[] {
  const changed = ids.filter((id) => before.get(id)?.version !== now.get(id)?.version);
  const back = changed.filter((id) => before.has(id));
  const gone = changed.filter((id) => now.has(id));
  return [
    ...(back.length > 0 ? [ask(forgetDeleted, back)] : []),
    ...(gone.length > 0
      ? [
          ask(
            insertDeleted,
            gone,
            gone.map((id) => now.get(id)?.version ?? null),
            gone.map((id) => now.get(id)?.addedVersion ?? null),
          ),
        ]
      : []),
  ];
}
