import type { DatabaseSync } from 'node:sqlite';
import {
  createTally,
  isLabelKind,
  type CountKind,
  type LabelCount,
  type Tally,
} from '../../../domain/search/counts.ts';
import type { PetFindStore, PetIndex } from '../../../domain/search/ports.ts';
import { prepareChange, prepareRow, prepareRows } from '../engine/database.ts';

export type PetCounts = ReturnType<typeof createPetCounts>;

/** The stored counts. The changes of a transaction are summed up, and written once at its end. */
export function createPetCounts(db: DatabaseSync) {
  const [addCount, addLabel] = (['pet_count', 'label_count'] as const).map((table) =>
    prepareChange(
      db,
      `insert into ${table} (kind, name, count) values (?, ?, ?) on conflict (kind, name) do update set count = count + excluded.count`,
    ),
  );
  const forgetUnused = prepareChange(db, 'delete from label_count where kind = ? and name = ? and count = 0');
  const counts = {
    tally: createTally(),
    begin(): void {
      counts.tally = createTally();
    },
    save(): void {
      for (const [kind, name, by] of counts.tally.changes()) {
        (isLabelKind(kind) ? addLabel : addCount)?.(kind, name, by);
        if (isLabelKind(kind) && by < 0) forgetUnused(kind, name);
      }
    },
  } satisfies { tally: Tally; begin(): void; save(): void };
  return counts;
}

export function openPetCounts(
  reader: DatabaseSync,
): Pick<PetFindStore, 'listLabels' | 'listDays'> & Pick<PetIndex, 'countsOf'> {
  const countOf = prepareRow(reader, 'select count from pet_count where kind = ? and name = ?');
  const labelCountOf = prepareRow(reader, 'select count from label_count where kind = ? and name = ?');
  const mostUsed = prepareRows<[name: string, count: bigint]>(
    reader,
    'select name, count from label_count where kind = ? order by count desc, name limit ?',
  );
  const asOften = prepareRows<[name: string, count: bigint]>(
    reader,
    'select name, count from label_count where kind = ? and count = ? and name > ? order by name limit ?',
  );
  const lessOften = prepareRows<[name: string, count: bigint]>(
    reader,
    'select name, count from label_count where kind = ? and count < ? order by count desc, name limit ?',
  );
  const ofDays = prepareRows<[kind: CountKind, day: string, count: bigint]>(
    reader,
    `select kind, name, count from pet_count where kind in ('added', 'changed', 'removed', 'adopted') and name between ? and ?`,
  );

  return {
    countsOf: async (keys) =>
      keys.map(([kind, name]) => Number((isLabelKind(kind) ? labelCountOf : countOf)(kind, name)?.[0] ?? 0n)),

    listLabels: async (kind, after, limit) => {
      if (after === undefined) return mostUsed(kind, limit).map(toLabel);
      const same = asOften(kind, after.count, after.name, limit);
      return [...same, ...lessOften(kind, after.count, limit - same.length)].map(toLabel);
    },

    listDays: async (firstDay, lastDay) =>
      ofDays(firstDay, lastDay).map(([kind, day, count]) => [kind, day, Number(count)] as const),
  };
}

function toLabel([name, count]: [name: string, count: bigint]): LabelCount {
  return { name, count: Number(count) };
}
