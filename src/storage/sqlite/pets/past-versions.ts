import type { DatabaseSync } from 'node:sqlite';
import type { PastPet, RestorePet } from '../../../domain/pets/pet-change.ts';
import { readPetText, recordOf } from '../../../domain/pets/pet.ts';
import { prepareRow, prepareRows } from '../engine/database.ts';

/** Finds what a restore is to bring back. */
export function createPastVersions(db: DatabaseSync): (change: RestorePet) => PastPet | undefined {
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
