import { createTally, DAY_MS, type Tally } from '../../../domain/search/counts.ts';
import { traitsOfText } from '../../../domain/search/tokens.ts';
import { MAX_INT64 } from '../../../domain/int64.ts';
import type { PetAction } from '../../../domain/pets/pet-change.ts';
import { statement, type Ask } from '../engine/statements.ts';
import { writeCounts } from './pet-counts.ts';
import { addSearchRows, type SearchRow } from './pet-search.ts';
import { SOLD_END } from '../../../domain/pets/pet.ts';

const VERSION_BATCH = 2000;

const clearHistoryCounts = statement(`delete from pet_count where kind in ('adopted', 'picture', 'picture-bytes')`);
const endOfVersions = statement(
  `select max(pet_id) from (select pet_id from pet_version where pet_id >= $1 order by pet_id limit ${VERSION_BATCH}) as versions`,
);
const soldBy = (text: string) => `right(${text}, ${SOLD_END.length}) = '${SOLD_END}'`;
// A deleted pet has no text, and so is not sold; its restore is no adoption.
const adoptionsOfBatch = statement(
  `select changed_at_ms / ${DAY_MS} as day, count(*) from pet_version where pet_id >= $1 and pet_id <= $2 and ${soldBy('text')}
     and not exists (select 1 from pet_version as earlier
       where earlier.pet_id = pet_version.pet_id and earlier.version = pet_version.previous
         and (${soldBy('earlier.text')} or (pet_version.action = 'restored' and earlier.action = 'removed')))
   group by changed_at_ms / ${DAY_MS}`,
);
const usedPhotos = statement(
  'select count(*), coalesce(sum(byte_length), 0)::int8 from photo where unused_since_ms is null and doomed = 0',
);

/** Runs work in a transaction, which may be that of the caller. */
export type InBatch = <T>(work: (ask: Ask) => Promise<T>) => Promise<T>;

/** Recounts the adoptions by the history, and the photos of pets, in batches. */
export async function backfillPetCounts(inBatch: InBatch): Promise<void> {
  const tally = createTally();
  for (let startId = -MAX_INT64 - 1n; ;) {
    const [[endId] = []] = await inBatch((ask) => ask<[endId: bigint | null]>(endOfVersions, startId));
    if (endId === undefined || endId === null) break;
    const days = await inBatch((ask) => ask<[day: bigint, times: bigint]>(adoptionsOfBatch, startId, endId));
    for (const [day, times] of days) tally.happened('adopted', Number(day) * DAY_MS, Number(times));
    if (endId === MAX_INT64) break;
    startId = endId + 1n;
  }
  await inBatch(async (ask) => {
    const [[count, bytes] = [0n, 0n]] = await ask<[count: bigint, bytes: bigint]>(usedPhotos);
    tally.pictures(Number(count), Number(bytes));
    await Promise.all([ask(clearHistoryCounts), ...writeCounts(tally, ask)]);
  });
}

const ROW_BATCH = 2000;
const DELETE_BATCH = 10_000;

const clearRows = statement(
  `delete from pet_search where pet_id = any(array(
     select pet_id from pet_search where pet_id >= $1 order by pet_id limit ${DELETE_BATCH})) returning pet_id`,
);
const clearCounts = statement('delete from pet_count');
const clearLabels = statement('delete from label_count');
const endOfBatch = statement(
  `select (select max(pet_id) from (select pet_id from pet_version where pet_id >= $1 order by pet_id limit ${ROW_BATCH}) as versions),
     (select max(id) from (select id from pet where id >= $1 order by id limit ${ROW_BATCH}) as pets)`,
);
const petsOfBatch = statement('select id, version, text from pet where id >= $1 and id <= $2 order by id');
const versionsOfBatch = statement(
  'select pet_id, version, action, changed_at_ms from pet_version where pet_id >= $1 and pet_id <= $2 order by pet_id, version',
);

/** Rebuilds the search tables and the counts from the pets and their history, in batches. */
export async function backfillPetSearch(inBatch: InBatch): Promise<void> {
  await clear(inBatch);
  await inBatch((ask) => Promise.all([ask(clearCounts), ask(clearLabels)]));
  const tally = createTally();
  for (let startId = -MAX_INT64 - 1n; ;) {
    const endId = await inBatch((ask) => backfillFrom(startId, tally, ask));
    if (endId === undefined || endId === MAX_INT64) break;
    startId = endId + 1n;
  }
  await inBatch((ask) => Promise.all(writeCounts(tally, ask)));
  await backfillPetCounts(inBatch);
}

/** By ascending ids: otherwise each batch would first skip the rows that the batches before it have deleted. */
async function clear(inBatch: InBatch): Promise<void> {
  for (let startId: bigint | undefined = -MAX_INT64 - 1n; startId !== undefined;) {
    const from: bigint = startId;
    const cleared = await inBatch((ask) => ask<[petId: bigint]>(clearRows, from));
    const lastId = cleared.reduce((last, [petId]) => (petId > last ? petId : last), from);
    startId = cleared.length < DELETE_BATCH ? undefined : lastId;
  }
}

/** @returns the last id of the batch; undefined after the last batch */
async function backfillFrom(startId: bigint, tally: Tally, ask: Ask): Promise<bigint | undefined> {
  const [ends = []] = await ask<(bigint | null)[]>(endOfBatch, startId);
  const known = ends.filter((end) => end !== null);
  if (known.length === 0) return undefined;
  const endId = known.reduce((least, end) => (end < least ? end : least));
  const pets = await ask<[id: bigint, version: bigint, text: string]>(petsOfBatch, startId, endId);
  const versions = await ask<[petId: bigint, version: bigint, action: PetAction, atMs: bigint]>(
    versionsOfBatch,
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
