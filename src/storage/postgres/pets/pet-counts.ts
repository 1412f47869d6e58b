import {
  createTally,
  type DayCount,
  type PhotoCounts,
  type Tally,
  type StatisticsStore,
} from '../../../domain/search/counts.ts';
import type { PetState } from '../../../domain/pets/pet-change.ts';
import { DAY_KINDS } from '../../rows/derived-rows.ts';
import { nameOfStored, storedName } from '../../rows/stored-names.ts';
import { statement, type Ask } from '../engine/statements.ts';
import type { Pets, Version } from './pet-tables.ts';

const addCounts = statement(
  `insert into pet_count (kind, name, count) select * from unnest($1::text[], $2::text[], $3::int8[])
   on conflict (kind, name) do update set count = pet_count.count + excluded.count`,
);
const ofPhotos = statement(
  `select kind, count from pet_count where kind in ('picture', 'picture-bytes') and name = ''`,
);
const ofDays = statement(
  `select kind, name, count from pet_count where kind in (${DAY_KINDS}) and name between $1 and $2`,
);

/** Counts the versions of a batch as events of their days. */
export function tallyOf(versions: readonly Version[], before: Pets): Tally {
  const tally = createTally();
  const latest = new Map<bigint, Pick<PetState, 'text' | 'isDraft'> | undefined>();
  for (const { id, action, stamp, text, isDraft } of versions) {
    const earlier = latest.has(id) ? latest.get(id) : before.get(id)?.pet;
    const now = text === null ? undefined : { text, isDraft };
    tally.countChange({ action, atMs: stamp.atMs, before: earlier, after: now });
    latest.set(id, now);
  }
  return tally;
}

/** Writes the counts that a transaction changes, each once. */
export function writeCounts(tally: Tally, ask: Ask): Promise<unknown>[] {
  const changes = tally.changes();
  if (changes.length === 0) return [];
  return [
    ask(
      addCounts,
      changes.map(([kind]) => storedName(kind)),
      changes.map(([, name]) => name),
      changes.map(([, , by]) => by),
    ),
  ];
}

export class PostgresStatisticsStore implements StatisticsStore {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  async listDays(firstDay: string, lastDay: string) {
    const rows = await this.#ask<[kind: string, day: string, count: bigint]>(ofDays, firstDay, lastDay);
    return rows.map(([kind, day, count]) => [nameOfStored(kind) as DayCount[0], day, Number(count)] as const);
  }

  async countPhotos(): Promise<PhotoCounts> {
    const counts = new Map(await this.#ask<[kind: string, count: bigint]>(ofPhotos));
    return { count: Number(counts.get('picture') ?? 0n), bytes: Number(counts.get('picture-bytes') ?? 0n) };
  }
}
