import { rates, readsOf } from '../tools/load.ts';
import { runSearches, searchRate, searchServer } from '../tools/searching.ts';
import { count, inTurn, type Bench, type Measurement } from '../tools/measurement.ts';

/** There are eleven. */
const SMALL_DEEP_PAGE = 5;

export const GROWTH: readonly Measurement[] = [
  {
    name: 'growth',
    title: ({ large, small }) => `pet by id at ${count(large)} pets / at ${count(small)}`,
    claim: { atLeast: 0.85, reachFor: 0.95 },
    run: measureGrowth,
  },
  {
    name: 'search-growth',
    title: ({ large, small }) => `searches and facets/s at ${count(large)} pets / at ${count(small)}`,
    claim: { atLeast: 0.1, reachFor: 0.3 },
    run: measureSearchGrowth,
  },
];

async function measureSearchGrowth(bench: Bench) {
  const { servers, catalogues, scale } = bench;
  const large = await searchServer(servers, [await catalogues.readOnly(scale.large), []], scale.deepPage);
  const small = await searchServer(servers, [await catalogues.readOnly(scale.small), []], SMALL_DEEP_PAGE);
  return inTurn(bench, {
    unit: '/s',
    ours: async (seconds) => searchRate(await runSearches(large, seconds)),
    theirs: async (seconds) => searchRate(await runSearches(small, seconds)),
  });
}

async function measureGrowth(bench: Bench) {
  const { servers, catalogues, scale } = bench;
  const large = await servers.menagerie(await catalogues.readOnly(scale.large));
  const small = await servers.menagerie(await catalogues.readOnly(scale.small));
  return inTurn(bench, rates([large.origin, readsOf(scale.large)], [small.origin, readsOf(scale.small)]));
}
