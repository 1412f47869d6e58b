import type { PetStatus, StoredPet } from '../domain/pets/pet.ts';
import type { PetStore } from '../domain/pets/ports.ts';
import type { Ask } from './engine/connections.ts';
import { statement } from './engine/statements.ts';
import type { Writer } from './engine/writer.ts';

type PetRow = [id: bigint, version: bigint, text: string];

const byIds = statement('select id, version, text from pet where id = any($1::int8[])');
const firstEver = statement('select 1 from pet_version limit 1');

// One ordered walk of the index for each status, merged: sorting all pets of two statuses for every part of a list would cost too much.
const ofStatus = (place: number) =>
  `(select id, version, text from pet where status = $${place} and id > $1 order by id limit $2)`;
const byStatuses = [1, 2, 3].map((count) => {
  const walks = Array.from({ length: count }, (_, index) => ofStatus(3 + index)).join(' union all ');
  return statement(`select id, version, text from (${walks}) as walks order by id limit $2`);
});

// The same for tags; a pet may have several of them.
const byTags = statement(
  `select id, version, text from pet where id in
     (select distinct pet_id from unnest($3::text[]) as wanted (tag),
        lateral (select pet_id from pet_tag where name = wanted.tag and pet_id > $1 order by pet_id limit $2) as tagged
      order by pet_id limit $2)
   order by id`,
);

export function openPetStore(ask: Ask, writer: Writer): PetStore {
  return {
    // What another node did a moment ago counts: the database has to be asked.
    peek: () => undefined,

    findMany: async (ids) => {
      const found = new Map<bigint, StoredPet>();
      for (const row of await ask<PetRow>(byIds, ids)) found.set(row[0], storedPet(row));
      return ids.map((id) => found.get(id));
    },

    applyAll: (changes) => writer.apply('pet', changes),

    listByStatus: async (statuses, { afterId, limit }) => {
      const distinct = [...new Set<PetStatus>(statuses)];
      const list = byStatuses[distinct.length - 1];
      return list === undefined ? [] : (await ask<PetRow>(list, afterId, limit, ...distinct)).map(storedPet);
    },

    listByTags: async (tagNames, { afterId, limit }) => {
      // PostgreSQL keeps no text with U+0000, so no tag has one.
      const names = tagNames.filter((name) => !name.includes('\0'));
      return (await ask<PetRow>(byTags, afterId, limit, names)).map(storedPet);
    },

    isUnused: async () => (await ask(firstEver)).length === 0,
  };
}

export function storedPet([id, version, text]: PetRow): StoredPet {
  return { id, version, text };
}
