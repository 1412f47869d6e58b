import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { PetStatus, StoredPet } from '../../../domain/pets/pet.ts';
import type { BatchedPetStore } from '../../../domain/pets/ports.ts';
import type { ListPart } from '../../../domain/ports.ts';
import { prepareRow, prepareRows } from '../engine/database.ts';
import { pack, unpackResult } from '../engine/packed-pet.ts';
import { createSnapshots } from '../engine/snapshots.ts';
import type { Writer } from '../engine/writer.ts';
import { preparePetHistory } from './pet-history.ts';
import { prepareRemovedPets } from './removed-pets.ts';

export type PetRow = [id: bigint, version: bigint, text: string];

/** Reads on the event loop's own connections, of which one is for lists; changes through the writer. */
export function openPetStore(reader: DatabaseSync, writer: Writer, scanner: DatabaseSync = reader): BatchedPetStore {
  const snapshots = createSnapshots(scanner, scanner === reader);
  const { inSnapshot } = snapshots;
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

    listVersions: preparePetHistory(scanner, snapshots),
    listRemoved: prepareRemovedPets(scanner, snapshots),

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

export function storedPet([id, version, text]: PetRow): StoredPet {
  return { id, version, text };
}
