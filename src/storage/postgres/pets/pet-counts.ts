import { isLabelKind, type CountKind, type LabelCount, type Tally } from '../../../domain/search/counts.ts';
import type { PetFindStore, PetIndex } from '../../../domain/search/ports.ts';
import type { Ask } from '../engine/statements.ts';
import { statement } from '../engine/statements.ts';

const [addCounts, addLabels] = (['pet_count', 'label_count'] as const).map((table) =>
  statement(
    `insert into ${table} (kind, name, count) select * from unnest($1::text[], $2::text[], $3::int8[])
     on conflict (kind, name) do update set count = ${table}.count + excluded.count`,
  ),
) as [ReturnType<typeof statement>, ReturnType<typeof statement>];
const forgetUnused = statement(
  `delete from label_count using unnest($1::text[], $2::text[]) as used (label_kind, label)
   where kind = used.label_kind and name = used.label and count = 0`,
);
const countsOf = [
  statement(
    'select kind, name, count from pet_count join unnest($1::text[], $2::text[]) as asked (count_kind, label) on kind = count_kind and name = label',
  ),
  statement(
    'select kind, name, count from label_count join unnest($1::text[], $2::text[]) as asked (count_kind, label) on kind = count_kind and name = label',
  ),
];
const mostUsed = statement(
  'select name, count from label_count where kind = $1 order by count desc, name collate "C" limit $2',
);
const asOften = statement(
  'select name, count from label_count where kind = $1 and count = $2 and name > $3 order by name collate "C" limit $4',
);
const lessOften = statement(
  'select name, count from label_count where kind = $1 and count < $2 order by count desc, name collate "C" limit $3',
);
const ofDays = statement(
  `select kind, name, count from pet_count where kind in ('added', 'changed', 'removed', 'adopted') and name between $1 and $2`,
);

/** Writes the counts that a transaction changes, each once. */
export function writeCounts(tally: Tally, ask: Ask): Promise<unknown>[] {
  const changes = tally.changes();
  const labels = changes.filter(([kind]) => isLabelKind(kind));
  const others = changes.filter(([kind]) => !isLabelKind(kind));
  const less = labels.filter(([, , by]) => by < 0);
  return [
    ...(others.length > 0 ? [ask(addCounts, ...columnsOf(others))] : []),
    ...(labels.length > 0 ? [ask(addLabels, ...columnsOf(labels))] : []),
    ...(less.length > 0
      ? [
          ask(
            forgetUnused,
            less.map(([kind]) => kind),
            less.map(([, name]) => name),
          ),
        ]
      : []),
  ];
}

export function openPetCounts(ask: Ask): Pick<PetFindStore, 'listLabels' | 'listDays'> & Pick<PetIndex, 'countsOf'> {
  return {
    countsOf: async (keys) => {
      const kinds = keys.map(([kind]) => kind);
      const names = keys.map(([, name]) => name);
      const isOfLabels = keys.some(([kind]) => isLabelKind(kind));
      const asked = isOfLabels ? countsOf : countsOf.slice(0, 1);
      const rows = await Promise.all(
        asked.map((one) => ask<[kind: CountKind, name: string, count: bigint]>(one, kinds, names)),
      );
      const known = new Map(rows.flat().map(([kind, name, count]) => [`${kind} ${name}`, Number(count)]));
      return keys.map(([kind, name]) => known.get(`${kind} ${name}`) ?? 0);
    },

    listLabels: async (kind, after, limit) => {
      if (after === undefined) return labelsOf(await ask(mostUsed, kind, limit));
      const same = labelsOf(await ask(asOften, kind, after.count, after.name, limit));
      if (same.length === limit) return same;
      return [...same, ...labelsOf(await ask(lessOften, kind, after.count, limit - same.length))];
    },

    listDays: async (firstDay, lastDay) => {
      const rows = await ask<[kind: CountKind, day: string, count: bigint]>(ofDays, firstDay, lastDay);
      return rows.map(([kind, day, count]) => [kind, day, Number(count)] as const);
    },
  };
}

function columnsOf(changes: ReturnType<Tally['changes']>) {
  return [changes.map(([kind]) => kind), changes.map(([, name]) => name), changes.map(([, , by]) => by)] as const;
}

function labelsOf(rows: readonly [name: string, count: bigint][]): readonly LabelCount[] {
  return rows.map(([name, count]) => ({ name, count: Number(count) }));
}
