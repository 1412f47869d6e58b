import { createTally, DAY_MS } from '../../../domain/search/counts.ts';
import { MAX_INT64 } from '../../../domain/int64.ts';
import { SOLD_END } from '../../../domain/pets/pet.ts';
import type { Ask } from '../engine/statements.ts';
import { statement } from '../engine/statements.ts';
import { writeCounts } from './pet-counts.ts';

const VERSIONS_AT_ONCE = 2000;

const clearCounts = statement(`delete from pet_count where kind in ('adopted', 'picture', 'picture-bytes')`);
const endOfPortion = statement(
  `select max(pet_id) from (select pet_id from pet_version where pet_id >= $1 order by pet_id limit ${VERSIONS_AT_ONCE}) as versions`,
);
const soldBy = (text: string) => `right(${text}, ${SOLD_END.length}) = '${SOLD_END}'`;
// A deleted pet has no text, and so is not sold; its restore is no adoption.
const adoptionsOfPortion = statement(
  `select changed_at_ms / ${DAY_MS} as day, count(*) from pet_version where pet_id >= $1 and pet_id <= $2 and ${soldBy('text')}
     and not exists (select 1 from pet_version as earlier
       where earlier.pet_id = pet_version.pet_id and earlier.version = pet_version.previous
         and (${soldBy('earlier.text')} or (pet_version.action = 'restored' and earlier.action = 'removed')))
   group by changed_at_ms / ${DAY_MS}`,
);
const usedPictures = statement(
  'select count(*), coalesce(sum(byte_length), 0)::int8 from photo where unused_since_ms is null and doomed = 0',
);

/** Runs work in a transaction, which may be that of the caller. */
export type InPortion = <T>(work: (ask: Ask) => Promise<T>) => Promise<T>;

/** Recounts the adoptions by the history, and the photos of pets, in batches. */
export async function fillPetCounts(inPortion: InPortion): Promise<void> {
  const tally = createTally();
  for (let startId = -MAX_INT64 - 1n; ;) {
    const [[endId] = []] = await inPortion((ask) => ask<[endId: bigint | null]>(endOfPortion, startId));
    if (endId === undefined || endId === null) break;
    const days = await inPortion((ask) => ask<[day: bigint, times: bigint]>(adoptionsOfPortion, startId, endId));
    for (const [day, times] of days) tally.happened('adopted', Number(day) * DAY_MS, Number(times));
    if (endId === MAX_INT64) break;
    startId = endId + 1n;
  }
  await inPortion(async (ask) => {
    const [[count, bytes] = [0n, 0n]] = await ask<[count: bigint, bytes: bigint]>(usedPictures);
    tally.pictures(Number(count), Number(bytes));
    await Promise.all([ask(clearCounts), ...writeCounts(tally, ask)]);
  });
}
