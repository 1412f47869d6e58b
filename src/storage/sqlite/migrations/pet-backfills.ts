import type { DatabaseSync } from 'node:sqlite';
import { createTally, type Tally } from '../../../domain/search/counts.ts';
import { PHOTOS_IN_USE } from '../../rows/photo-use.ts';
import { changeGroups, countGroup, SET_ADDED_VERSIONS, type ChangeGroup } from '../../rows/derived-rows.ts';
import { storedName } from '../../rows/stored-names.ts';
import { prepare, prepareRows } from '../engine/database.ts';
import type { OnBatch } from '../../rows/migration-events.ts';
import { SOLD_END } from '../../../domain/pets/pet.ts';

const soldBy = (text: string) => `substr(${text}, -${SOLD_END.length}) = '${SOLD_END}'`;

/** So that progress can be reported. */
const VERSION_BATCH = 100_000;

/** Derives the versions in which pets were added, and the counts. Inside a transaction. */
export function derivePets(db: DatabaseSync, onBatch?: OnBatch): void {
  for (const update of SET_ADDED_VERSIONS) db.exec(update);
  backfillPetCounts(db, onBatch);
}

/** Counts the events of each day by the history, and the photos of pets. Inside a transaction. */
function backfillPetCounts(db: DatabaseSync, onBatch?: OnBatch): void {
  const [[last] = [0n]] = prepareRows<[version: bigint]>(db, 'select ifnull(max(version), 0) from pet_version')();
  const endOfBatch = prepareRows<[version: bigint | null]>(
    db,
    `select max(version) from (select version from pet_version where version > ? order by version limit ${VERSION_BATCH})`,
  );
  const tallies: Tally[] = [];
  for (let after = 0n; after < last;) {
    const end = endOfBatch(after)[0]?.[0] ?? last;
    tallies.push(countEvents(db, after, end));
    onBatch?.(end, last);
    after = end;
  }
  replaceCounts(db, tallies);
}

/** Counts the events in the history after a version, up to and including another. */
export function countEvents(db: DatabaseSync, after: bigint, upTo: bigint): Tally {
  const tally = createTally();
  const groups = prepareRows<ChangeGroup>(db, changeGroups('?', '?', soldBy));
  for (const group of groups(after, upTo)) countGroup(tally, group);
  return tally;
}

/** Replaces all counts by the sum of these, and counts the photos in use. Inside a transaction. */
export function replaceCounts(db: DatabaseSync, tallies: readonly Tally[]): void {
  db.exec('delete from pet_count');
  const photos = createTally();
  const inUse = prepareRows<[count: bigint, bytes: bigint]>(
    db,
    `select count(*), ifnull(sum(byte_length), 0) ${PHOTOS_IN_USE}`,
  );
  for (const [count, bytes] of inUse()) photos.countPhotos(Number(count), Number(bytes));
  const addCount = prepare(
    db,
    'insert into pet_count (kind, name, count) values (?, ?, ?) on conflict (kind, name) do update set count = ' +
      'count + excluded.count',
  );
  for (const tally of [...tallies, photos])
    for (const [kind, name, count] of tally.changes()) addCount.run(storedName(kind), name, count);
}
