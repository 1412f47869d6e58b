import type { DatabaseSync } from 'node:sqlite';
import {
  createTally,
  type DayCount,
  type PhotoCounts,
  type Tally,
  type StatisticsStore,
} from '../../../domain/search/counts.ts';
import { DAY_KINDS } from '../../rows/derived-rows.ts';
import { nameOfStored, storedName } from '../../rows/stored-names.ts';
import { prepareChange, prepareRow, prepareRows } from '../engine/database.ts';

/** The stored counts. The changes of a transaction are summed up, and written once at its end. */
export class PetCounts {
  tally: Tally = createTally();
  readonly #add;

  constructor(db: DatabaseSync) {
    this.#add = prepareChange(
      db,
      'insert into pet_count (kind, name, count) values (?, ?, ?) on conflict (kind, name) do update set count = ' +
        'count + excluded.count',
    );
  }

  begin(): void {
    this.tally = createTally();
  }

  save(): void {
    for (const [kind, name, by] of this.tally.changes()) this.#add(storedName(kind), name, by);
  }
}

export class SqliteStatisticsStore implements StatisticsStore {
  readonly #count;
  readonly #days;

  constructor(reader: DatabaseSync) {
    this.#count = prepareRow(reader, `select count from pet_count where kind = ? and name = ''`);
    this.#days = prepareRows<[kind: string, day: string, count: bigint]>(
      reader,
      `select kind, name, count from pet_count where kind in (${DAY_KINDS}) and name between ? and ?`,
    );
  }

  async listDays(firstDay: string, lastDay: string) {
    const rows = this.#days(firstDay, lastDay);
    return rows.map(([kind, day, count]) => [nameOfStored(kind) as DayCount[0], day, Number(count)] as const);
  }

  async countPhotos(): Promise<PhotoCounts> {
    const [count, bytes] = ['picture', 'picture-bytes'].map((kind) => Number(this.#count(kind)?.[0] ?? 0n));
    return { count: count ?? 0, bytes: bytes ?? 0 };
  }
}
