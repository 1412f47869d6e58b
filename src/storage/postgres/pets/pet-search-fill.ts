import { createTally, type Tally } from '../../../domain/search/counts.ts';
import { traitsOfText } from '../../../domain/search/tokens.ts';
import { MAX_INT64 } from '../../../domain/int64.ts';
import type { PetAction } from '../../../domain/pets/pet-change.ts';
import type { Ask } from '../engine/statements.ts';
import { statement } from '../engine/statements.ts';
import { fillPetCounts, type InPortion } from './pet-count-fill.ts';
import { writeCounts } from './pet-counts.ts';
import { addSearchRows, type SearchRow } from './pet-search.ts';

const ROWS_AT_ONCE = 2000;
const CLEARED_AT_ONCE = 10_000;

const clearRows = statement(
  `delete from pet_search where pet_id = any(array(
     select pet_id from pet_search where pet_id >= $1 order by pet_id limit ${CLEARED_AT_ONCE})) returning pet_id`,
);
const clearCounts = statement('delete from pet_count');
const clearLabels = statement('delete from label_count');
const endOfPortion = statement(
  `select (select max(pet_id) from (select pet_id from pet_version where pet_id >= $1 order by pet_id limit ${ROWS_AT_ONCE}) as versions),
     (select max(id) from (select id from pet where id >= $1 order by id limit ${ROWS_AT_ONCE}) as pets)`,
);
const petsOfPortion = statement('select id, version, text from pet where id >= $1 and id <= $2 order by id');
const versionsOfPortion = statement(
  'select pet_id, version, action, changed_at_ms from pet_version where pet_id >= $1 and pet_id <= $2 order by pet_id, version',
);

/** Rebuilds the search tables and the counts from the pets and their history, in batches. */
export async function fillPetSearch(inPortion: InPortion): Promise<void> {
  await clear(inPortion);
  await inPortion((ask) => Promise.all([ask(clearCounts), ask(clearLabels)]));
  const tally = createTally();
  for (let startId = -MAX_INT64 - 1n; ;) {
    const endId = await inPortion((ask) => fillFrom(startId, tally, ask));
    if (endId === undefined || endId === MAX_INT64) break;
    startId = endId + 1n;
  }
  await inPortion((ask) => Promise.all(writeCounts(tally, ask)));
  await fillPetCounts(inPortion);
}

/** By ascending ids: otherwise each batch would first skip the rows that the batches before it have deleted. */
async function clear(inPortion: InPortion): Promise<void> {
  for (let startId: bigint | undefined = -MAX_INT64 - 1n; startId !== undefined;) {
    const from: bigint = startId;
    const cleared = await inPortion((ask) => ask<[petId: bigint]>(clearRows, from));
    const lastId = cleared.reduce((last, [petId]) => (petId > last ? petId : last), from);
    startId = cleared.length < CLEARED_AT_ONCE ? undefined : lastId;
  }
}

/** @returns the last id of the batch; undefined after the last batch */
async function fillFrom(startId: bigint, tally: Tally, ask: Ask): Promise<bigint | undefined> {
  const [ends = []] = await ask<(bigint | null)[]>(endOfPortion, startId);
  const known = ends.filter((end) => end !== null);
  if (known.length === 0) return undefined;
  const endId = known.reduce((least, end) => (end < least ? end : least));
  const pets = await ask<[id: bigint, version: bigint, text: string]>(petsOfPortion, startId, endId);
  const versions = await ask<[petId: bigint, version: bigint, action: PetAction, atMs: bigint]>(
    versionsOfPortion,
    startId,
    endId,
  );
  const rows = new Map<bigint, SearchRow>(
    pets.map(([id, version, text]) => [id, { id, traits: traitsOfText(text), addedVersion: version, atMs: 0 }]),
  );
  for (const [id, version, action, atMs] of versions) {
    const row = rows.get(id);
    tally.happened(action === 'added' || action === 'removed' ? action : 'changed', Number(atMs));
    if (row === undefined) continue;
    row.atMs = Number(atMs);
    if (action === 'added') row.addedVersion = version;
  }
  for (const { traits } of rows.values()) tally.replace(undefined, traits);
  if (rows.size > 0) await addSearchRows([...rows.values()], ask);
  return endId;
}
