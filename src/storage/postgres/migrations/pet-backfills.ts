import { MAX_INT64 } from '../../../domain/int64.ts';
import { createTally, type Tally } from '../../../domain/search/counts.ts';
import { PHOTOS_IN_USE } from '../../rows/photo-use.ts';
import { changeGroups, countGroup, SET_ADDED_VERSIONS, type ChangeGroup } from '../../rows/derived-rows.ts';
import { statement, type Ask } from '../engine/statements.ts';
import { writeCounts } from '../pets/pet-counts.ts';
import type { OnBatch } from '../../rows/migration-events.ts';
import { SOLD_END } from '../../../domain/pets/pet.ts';

const VERSION_BATCH = 2000;

const clearCounts = statement('delete from pet_count');
const lastVersion = statement('select coalesce(max(version), 0)::int8 from pet_version');
const endOfVersions = statement(
  `select max(version) from (select version from pet_version where version > $1 and version <= $2 order by version limit ${VERSION_BATCH}) as versions`,
);
const soldBy = (text: string) => `right(${text}, ${SOLD_END.length}) = '${SOLD_END}'`;
const groupsOfBatch = statement(changeGroups('$1', '$2', soldBy));
const setAddedVersions = SET_ADDED_VERSIONS.map((update) => statement(update));
const usedPhotos = statement(`select count(*), coalesce(sum(byte_length), 0)::int8 ${PHOTOS_IN_USE}`);

/** Runs work in a transaction, which may be that of the caller. */
type InBatch = <T>(work: (ask: Ask) => Promise<T>) => Promise<T>;

/** Derives the versions in which pets were added, and the counts, in batches. */
export async function derivePets(inBatch: InBatch, onBatch?: OnBatch): Promise<void> {
  for (const update of setAddedVersions) await inBatch((ask) => ask(update));
  await backfillPetCounts(inBatch, onBatch);
}

/** Counts the events of each day by the history, and the photos of pets, in batches. */
async function backfillPetCounts(inBatch: InBatch, onBatch?: OnBatch): Promise<void> {
  const events = await countEvents(inBatch, 0n, MAX_INT64, onBatch);
  await inBatch((ask) => replaceCounts(ask, [events]));
}

/** Counts the events in the history after a version, up to and including another, in batches. */
export async function countEvents(inBatch: InBatch, after: bigint, upTo: bigint, onBatch?: OnBatch): Promise<Tally> {
  const tally = createTally();
  const [[last] = [0n]] = onBatch === undefined ? [] : await inBatch((ask) => ask<[last: bigint]>(lastVersion));
  for (let start = after; ;) {
    const [[end] = []] = await inBatch((ask) => ask<[end: bigint | null]>(endOfVersions, start, upTo));
    if (end === undefined || end === null) return tally;
    const groups = await inBatch((ask) => ask<ChangeGroup>(groupsOfBatch, start, end));
    for (const group of groups) countGroup(tally, group);
    start = end;
    onBatch?.(end, last);
  }
}

/** Replaces all counts by the sum of these, and counts the photos in use. Inside a transaction. */
export async function replaceCounts(ask: Ask, tallies: readonly Tally[]): Promise<void> {
  const photos = createTally();
  const [[count, bytes] = [0n, 0n]] = await ask<[count: bigint, bytes: bigint]>(usedPhotos);
  photos.countPhotos(Number(count), Number(bytes));
  await Promise.all([ask(clearCounts), ...[...tallies, photos].flatMap((tally) => writeCounts(tally, ask))]);
}
