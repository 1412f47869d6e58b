import type { PetStatus, StoredPet } from '../../../domain/pets/pet.ts';
import type { BatchedPetStore } from '../../../domain/pets/ports.ts';
import type { Ask } from '../engine/statements.ts';
import { copyRead, type CopyReads } from '../engine/standby.ts';
import { statement } from '../engine/statements.ts';
import type { Writer } from '../engine/writer.ts';
import { openPetHistory } from './pet-history.ts';
import { openRemovedPets } from './removed-pets.ts';

type PetRow = [id: bigint, version: bigint, text: string];

const COLUMNS = 'id, version, text';
// One text for all, so that the driver has one value to take in and not three for each pet. A pet's text has no line break, for JSON escapes it.
const byIds = copyRead(
  `select string_agg(id::text || ' ' || version::text || ' ' || text, chr(10)) as found from pet where id = any($1::int8[])`,
  'found',
);
const firstEver = statement('select 1 from pet_version limit 1');

// One ordered walk of the index for each status, merged: sorting all pets of two statuses for every part of a list would cost too much.
const ofStatus = (place: number) =>
  `(select ${COLUMNS} from pet where status = $${place} and id > $1 order by id limit $2)`;
const byStatuses = [1, 2, 3].map((count) => {
  const walks = Array.from({ length: count }, (_, index) => ofStatus(3 + index)).join(' union all ');
  return copyRead(`select ${COLUMNS} from (${walks}) as walks order by id limit $2`, COLUMNS);
});

const ofTag = (place: number) =>
  `(select id, version, text from pet_tag join pet on id = pet_id where name = $${place} and pet_id > $1 order by pet_id limit $2)`;
/** The same for tags; a pet may have several of them. There is a statement for so many tags; where there are fewer, the last one is named again. */
const byTags = [1, 2, 4, 8, 16, 32].map((count) => {
  const walks = Array.from({ length: count }, (_, index) => ofTag(3 + index)).join(' union all ');
  const text = `select distinct ${COLUMNS} from (${walks}) as walks order by id limit $2`;
  return { count, read: copyRead(text, COLUMNS) };
});
// For more than anybody asks for. It has to sort all pets with any of them.
const byManyTags = copyRead(
  `select ${COLUMNS} from pet where id in
     (select distinct pet_id from pet_tag where name = any($3::text[]) and pet_id > $1 order by pet_id limit $2)
   order by id`,
  COLUMNS,
);

export function openPetStore(ask: Ask, writer: Writer, copies: CopyReads): BatchedPetStore {
  return {
    // What another node did a moment ago counts: the database has to be asked.
    peek: () => undefined,

    findMany: async (ids, noOlderThan) => {
      const [row] = await copies.rows<[found: string | null]>(byIds, noOlderThan, ids);
      const lines = new Map<string, string>();
      for (const line of row?.[0]?.split('\n') ?? []) lines.set(line.slice(0, line.indexOf(' ')), line);
      return ids.map((id) => petOfLine(id, lines.get(id.toString())));
    },

    applyAll: (changes) => writer.apply('pet', changes),

    listByStatus: async (statuses, { afterId, limit, noOlderThan }) => {
      const distinct = [...new Set<PetStatus>(statuses)];
      const list = byStatuses[distinct.length - 1];
      if (list === undefined) return [];
      return inOrder(await copies.rows<PetRow>(list, noOlderThan, afterId, limit, ...distinct));
    },

    listByTags: async (tagNames, { afterId, limit, noOlderThan }) => {
      // PostgreSQL keeps no text with U+0000, so no tag has one.
      const names = [...new Set(tagNames)].filter((name) => !name.includes('\0'));
      const last = names.at(-1);
      if (last === undefined) return [];
      const some = byTags.find(({ count }) => count >= names.length);
      if (some === undefined) return inOrder(await copies.rows<PetRow>(byManyTags, noOlderThan, afterId, limit, names));
      const places = Array.from({ length: some.count }, (_, index) => names[index] ?? last);
      return inOrder(await copies.rows<PetRow>(some.read, noOlderThan, afterId, limit, ...places));
    },

    listVersions: openPetHistory(ask),
    listRemoved: openRemovedPets(ask),

    isUnused: async () => (await ask(firstEver)).length === 0,
  };
}

/** From its id, its version and its text, with a space between. */
function petOfLine(id: bigint, line: string | undefined): StoredPet | undefined {
  if (line === undefined) return undefined;
  const beforeVersion = line.indexOf(' ') + 1;
  const beforeText = line.indexOf(' ', beforeVersion) + 1;
  return { id, version: BigInt(line.slice(beforeVersion, beforeText - 1)), text: line.slice(beforeText) };
}

/** A join promises no order. */
function inOrder(rows: readonly PetRow[]): readonly StoredPet[] {
  return rows.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(storedPet);
}

export function storedPet([id, version, text]: PetRow): StoredPet {
  return { id, version, text };
}
