import type { DatabaseSync } from 'node:sqlite';
import { createTally, DAY_MS, isLabelKind } from '../../../domain/search/counts.ts';
import { tokensOf, traitsOfText, type PetTraits } from '../../../domain/search/tokens.ts';
import { MAX_INT64 } from '../../../domain/int64.ts';
import { prepare, prepareRows } from '../engine/database.ts';
import { indexed } from './pet-search.ts';
import { SOLD_END } from '../../../domain/pets/pet.ts';

const soldBy = (text: string) => `substr(${text}, -${SOLD_END.length}) = '${SOLD_END}'`;

/** Recounts the adoptions by the history, and the photos of pets. Inside a transaction. */
export function backfillPetCounts(db: DatabaseSync): void {
  db.exec(`delete from pet_count where kind in ('adopted', 'picture', 'picture-bytes')`);
  const tally = createTally();
  const adoptions = prepareRows<[day: bigint, times: bigint]>(
    db,
    // A deleted pet has no text, so it is not sold; its restore is not an adoption.
    `select changed_at_ms / ${DAY_MS} as day, count(*) from pet_version where ${soldBy('text')}
       and not exists (select 1 from pet_version as earlier where earlier.version = pet_version.previous
         and (${soldBy('earlier.text')} or (pet_version.action = 'restored' and earlier.action = 'removed')))
     group by day`,
  );
  for (const [day, times] of adoptions()) tally.happened('adopted', Number(day) * DAY_MS, Number(times));
  const pictures = prepareRows<[count: bigint, bytes: bigint]>(
    db,
    'select count(*), ifnull(sum(byte_length), 0) from photo where unused_since_ms is null and doomed = 0',
  );
  for (const [count, bytes] of pictures()) tally.pictures(Number(count), Number(bytes));
  const addCount = prepare(db, 'insert into pet_count (kind, name, count) values (?, ?, ?)');
  for (const [kind, name, count] of tally.changes()) addCount.run(kind, name, count);
}

const PET_BATCH = 1000;

const KIND_OF_VERSION = `case when action in ('added', 'removed') then action else 'changed' end`;

/** Rebuilds the search tables and the counts from the pets and their history. Inside a transaction. */
export function backfillPetSearch(db: DatabaseSync): void {
  db.exec('delete from pet_search; delete from pet_count; delete from label_count');
  db.exec(`insert into pet_token (pet_token) values ('delete-all')`);
  const tally = createTally();
  backfillRows(db, (traits) => tally.replace(undefined, traits));
  db.exec(
    `update pet_search set added_version = addition.version
     from (select pet_id, max(version) as version from pet_version where action = 'added' group by pet_id) as addition
     where addition.pet_id = pet_search.pet_id`,
  );
  const ofDays = prepareRows<[kind: 'added' | 'changed' | 'removed', day: bigint, times: bigint]>(
    db,
    `select ${KIND_OF_VERSION} as kind, changed_at_ms / ${DAY_MS} as day, count(*) from pet_version group by kind, day`,
  );
  for (const [kind, day, times] of ofDays()) tally.happened(kind, Number(day) * DAY_MS, Number(times));
  const addCount = prepare(db, 'insert into pet_count (kind, name, count) values (?, ?, ?)');
  const addLabel = prepare(db, 'insert into label_count (kind, name, count) values (?, ?, ?)');
  for (const [kind, name, count] of tally.changes()) (isLabelKind(kind) ? addLabel : addCount).run(kind, name, count);
  backfillPetCounts(db);
}

function backfillRows(db: DatabaseSync, notice: (traits: PetTraits) => void): void {
  const next = prepareRows<[id: bigint, text: string, version: bigint, changedAtMs: bigint]>(
    db,
    `select pet.id, pet.text, pet.version, ifnull(pet_version.changed_at_ms, 0) from pet left join pet_version on pet_version.version = pet.version
     where pet.id >= ? order by pet.id limit ${PET_BATCH}`,
  );
  const addRow = prepare(
    db,
    'insert into pet_search (pet_id, name_key, tokens, added_version, changed_at_ms) values (?, ?, ?, ?, ?)',
  );
  const addTokens = prepare(db, 'insert into pet_token (rowid, all_tokens) values (?, ?)');
  for (let startId = -MAX_INT64 - 1n; ;) {
    const rows = next(startId);
    for (const [id, text, version, changedAtMs] of rows) {
      const traits = traitsOfText(text);
      const { nameKey, tokens } = tokensOf(traits);
      const row = ` ${tokens.join(' ')} `;
      addRow.run(id, nameKey, row, version, changedAtMs);
      addTokens.run(id, indexed(nameKey, row));
      notice(traits);
    }
    const lastId = rows.at(-1)?.[0] ?? MAX_INT64;
    if (rows.length < PET_BATCH || lastId === MAX_INT64) return;
    startId = lastId + 1n;
  }
}
