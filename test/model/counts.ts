import { differs, type WayOut } from './way.ts';
import { countNames, eventsFor, NAMES_OF } from './views.ts';

/* The ways out that count pets. */

type Counted = readonly { name?: string; status?: string; count: number }[];

/** The counts that are not 0. */
function counts(list: Counted): object {
  return Object.fromEntries(
    list.filter(({ count }) => count > 0).map(({ name, status, count }) => [name ?? status, count]),
  );
}

function sameCounts(path: string, found: object, expected: object): string | undefined {
  return differs(path, textsOf(found), textsOf(expected));
}

function textsOf(counted: object): readonly string[] {
  return Object.entries(counted)
    .map((each) => each.join(' '))
    .toSorted();
}

export async function facets(way: WayOut): Promise<string | undefined> {
  const text = (await way.read('/v2/facets')).text;
  const found = JSON.parse(text) as Record<keyof typeof NAMES_OF, Counted> & {
    published?: Counted;
  };
  for (const [name, namesOf] of Object.entries(NAMES_OF)) {
    const wrong = sameCounts(
      `/v2/facets ${name}`,
      counts(found[name as keyof typeof NAMES_OF]),
      countNames(way.pets, namesOf),
    );
    if (wrong !== undefined) return wrong;
  }
  const { false: drafts = 0 } = counts(found.published ?? []) as Record<string, number>;
  return differs('/v2/facets published', drafts, way.pets.length - way.published.length);
}

export async function lists(way: WayOut): Promise<string | undefined> {
  for (const name of ['tags', 'categories'] as const) {
    const found = counts(JSON.parse((await way.read(`/v2/${name}`)).text) as Counted);
    const wrong = sameCounts(`/v2/${name}`, found, countNames(way.pets, NAMES_OF[name]));
    if (wrong !== undefined) return wrong;
  }
  const path = '/v2/suggestions?text=zqzq';
  const found = JSON.parse((await way.read(path)).text) as Record<'categories' | 'tags' | 'breeds', Counted>;
  for (const name of ['categories', 'tags', 'breeds'] as const) {
    const expected = countNames(way.pets, NAMES_OF[name]);
    for (const { name: suggested = '', count } of found[name])
      if (expected[suggested] !== count) return `${path}: ${suggested} has ${expected[suggested]} pets, not ${count}`;
  }
  return undefined;
}

interface Statistics {
  total: number;
  statuses: Counted;
  categories: Counted;
  tags: Counted;
  days: readonly { added: number; changed: number; deleted: number }[];
}

export async function statistics(way: WayOut): Promise<string | undefined> {
  const path = '/v2/statistics';
  const { total, statuses, categories, tags, days } = JSON.parse((await way.read(path)).text) as Statistics;
  const events = eventsFor(way.model, way.isStaff).map(({ action }) => action);
  const sum = (kind: 'added' | 'changed' | 'deleted') => days.reduce((all, day) => all + day[kind], 0);
  const expected = { added: 0, changed: 0, deleted: 0 };
  for (const action of events) expected[action === 'added' || action === 'deleted' ? action : 'changed'] += 1;
  const { none: _without, ...withStatus } = countNames(way.pets, NAMES_OF.statuses);
  return (
    differs(path, total, way.pets.length) ??
    sameCounts(path, counts(statuses), withStatus) ??
    sameCounts(path, counts(categories), countNames(way.pets, NAMES_OF.categories)) ??
    sameCounts(path, counts(tags), countNames(way.pets, NAMES_OF.tags)) ??
    differs(path, { added: sum('added'), changed: sum('changed'), deleted: sum('deleted') }, expected)
  );
}
