import type { Stamp } from '../../../domain/audit.ts';
import { createTally } from '../../../domain/search/counts.ts';
import { tokensOf, type PetTraits } from '../../../domain/search/tokens.ts';
import { isSold } from '../../../domain/pets/pet.ts';
import type { PetAction } from '../../../domain/pets/pet-change.ts';
import type { Ask } from '../engine/statements.ts';
import { statement } from '../engine/statements.ts';
import type { Transaction } from '../engine/transactions.ts';
import { writeCounts } from './pet-counts.ts';

// A restored pet returns to its place in the order of addition: that of its last version with this action.
const addRows = statement(
  `insert into pet_search (pet_id, name_key, tokens, added_version, changed_at_ms)
   select id, name_key, tokens::tsvector, coalesce(added.version,
     (select max(past.version) from pet_version as past where past.pet_id = added.id and past.action = 'added')), at_ms
   from unnest($1::int8[], $2::text[], $3::text[], $4::int8[], $5::int8[]) as added (id, name_key, tokens, version, at_ms)`,
);
const updateRows = statement(
  `update pet_search set name_key = changed.new_key, tokens = changed.new_tokens::tsvector,
     added_version = coalesce(changed.version, added_version), changed_at_ms = changed.at_ms
   from unnest($1::int8[], $2::text[], $3::text[], $4::int8[], $5::int8[]) as changed (id, new_key, new_tokens, version, at_ms)
   where pet_id = changed.id`,
);
const removeRows = statement('delete from pet_search where pet_id = any($1::int8[])');

interface Change {
  id: bigint;
  version: bigint;
  action: PetAction;
  stamp: Stamp;
  text: string | null;
}

type Pets = ReadonlyMap<bigint, { record: PetTraits }>;

/** The search row of a pet. */
export interface SearchRow {
  id: bigint;
  traits: PetTraits;
  /** The version that added it; null if that was in an earlier transaction. */
  addedVersion: bigint | null;
  atMs: number;
}

/** Keeps the search tables consistent with the pets: the result of all versions of a transaction, with one statement per table. */
export function writeSearch(
  versions: readonly Change[],
  before: Pets,
  now: Pets,
  { ask }: Transaction,
): Promise<unknown>[] {
  const tally = createTally();
  const traces = new Map<bigint, Omit<SearchRow, 'traits'> & { text: string | null }>();
  for (const { id, version, action, stamp, text } of versions) {
    const known = traces.get(id);
    const wasThere = known === undefined ? before.has(id) : known.text !== null;
    tally.happened(action === 'added' || action === 'removed' ? action : 'changed', stamp.atMs);
    const wasSold = known === undefined ? before.get(id)?.record.status === 'sold' : isSold(known.text);
    const isRestoreOfDeleted = action === 'restored' && !wasThere;
    if (isSold(text) && !wasSold && !isRestoreOfDeleted) tally.happened('adopted', stamp.atMs);
    const addedVersion = action === 'added' ? version : (known?.addedVersion ?? null);
    traces.set(id, { id, addedVersion, atMs: stamp.atMs, text });
  }
  const ids = [...traces.keys()];
  for (const id of ids) tally.replace(before.get(id)?.record, now.get(id)?.record);
  const there = [...traces.values()].flatMap(({ id, addedVersion, atMs }): SearchRow[] => {
    const traits = now.get(id)?.record;
    return traits === undefined ? [] : [{ id, traits, addedVersion, atMs }];
  });
  const added = there.filter(({ id }) => !before.has(id));
  const changed = there.filter(({ id }) => before.has(id));
  const gone = ids.filter((id) => before.has(id) && !now.has(id));
  return [
    ...(added.length > 0 ? [addSearchRows(added, ask)] : []),
    ...(changed.length > 0 ? [ask(updateRows, ...columnsOf(changed))] : []),
    ...(gone.length > 0 ? [ask(removeRows, gone)] : []),
    ...writeCounts(tally, ask),
  ];
}

export function addSearchRows(rows: readonly SearchRow[], ask: Ask): Promise<unknown> {
  return ask(addRows, ...columnsOf(rows));
}

function columnsOf(rows: readonly SearchRow[]) {
  const found = rows.map(({ traits }) => tokensOf(traits));
  return [
    rows.map(({ id }) => id),
    found.map(({ nameKey }) => nameKey),
    found.map(({ tokens }) => tokens.map((token) => `'${token}'`).join(' ')),
    rows.map(({ addedVersion }) => addedVersion),
    rows.map(({ atMs }) => atMs),
  ] as const;
}
