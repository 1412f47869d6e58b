import { rate, readsOf } from '../load.ts';
import { count, inTurn, type Bench, type Measurement } from './measurement.ts';

export const GROWTH: readonly Measurement[] = [
  {
    name: 'growth',
    title: ({ large, small }) => `pet by id at ${count(large)} pets / at ${count(small)}`,
    claim: { atLeast: 0.85, reachFor: 0.95 },
    run: measureGrowth,
  },
];

async function measureGrowth(bench: Bench) {
  const { servers, catalogues, scale } = bench;
  const large = await servers.menagerie(await catalogues.readOnly(scale.large));
  const small = await servers.menagerie(await catalogues.readOnly(scale.small));
  return inTurn(bench, {
    unit: '/s',
    ours: (seconds) => rate(large.origin, readsOf(scale.large), seconds),
    theirs: (seconds) => rate(small.origin, readsOf(scale.small), seconds),
  });
}
