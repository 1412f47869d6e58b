import { NEW_PETS, rate, readsOf } from '../tools/load.ts';
import { count, type Bench, type GuardedMeasurement, type Sides } from '../tools/measurement.ts';

/* Durable changes: on the disk before the response. */

export const WRITES: readonly GuardedMeasurement[] = [
  {
    name: 'write',
    title: () => 'durable new pet / bare parse and echo',
    claim: { atLeast: 0.4, reachFor: 0.6 },
    sides: measureWrites,
  },
  {
    name: 'mixed',
    title: ({ medium }) => `90 % reads and 10 % durable writes, ${count(medium)} pets / reads alone`,
    claim: { atLeast: 0.7, reachFor: 0.85 },
    sides: measureMixed,
  },
];

async function measureWrites(bench: Bench): Promise<Sides> {
  const { origin } = await changedServer(bench);
  const { servers, catalogues } = bench;
  return {
    unit: '/s',
    ours: (seconds) => rate(origin, NEW_PETS, seconds),
    theirs: async (seconds) => rate((await servers.bare(catalogues.textBytes())).origin, NEW_PETS, seconds),
  };
}

async function measureMixed(bench: Bench): Promise<Sides> {
  const { origin } = await changedServer(bench);
  const reads = readsOf(bench.scale.medium);
  return {
    unit: '/s',
    ours: (seconds) => rate(origin, { ...reads, writes: 0.1 }, seconds),
    theirs: (seconds) => rate(origin, reads, seconds),
  };
}

async function changedServer({ servers, catalogues, scale }: Bench) {
  return servers.menagerie(await catalogues.own(scale.medium, 'changed'));
}
