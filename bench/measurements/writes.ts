import { againstBare, NEW_PETS, rates, readsOf } from '../tools/load.ts';
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
  {
    name: 'keyed',
    title: () => 'durable new pet with an idempotency key / without',
    sides: async (bench) => {
      const { origin } = await changedServer(bench);
      return rates([origin, { ...NEW_PETS, isKeyed: true }], [origin, NEW_PETS]);
    },
  },
];

async function measureWrites(bench: Bench): Promise<Sides> {
  const { origin } = await changedServer(bench);
  return againstBare(bench, origin, NEW_PETS);
}

async function measureMixed(bench: Bench): Promise<Sides> {
  const { origin } = await changedServer(bench);
  const reads = readsOf(bench.scale.medium);
  return rates([origin, { ...reads, writes: 0.1 }], [origin, reads]);
}

async function changedServer({ servers, catalogues, scale }: Bench) {
  return servers.menagerie(await catalogues.own(scale.medium, 'changed'));
}
