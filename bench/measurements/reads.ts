import { againstBare, rates, readsOf } from '../tools/load.ts';
import { logIn, createReader } from '../tools/reader.ts';
import { count, type Bench, type GuardedMeasurement, type Sides } from '../tools/measurement.ts';

/* Single pets, at random over the whole catalogue. */

export const READS: readonly GuardedMeasurement[] = [
  {
    name: 'read',
    title: ({ medium }) => `pet by id, ${count(medium)} pets / bare node:http`,
    claim: { atLeast: 0.65, reachFor: 0.85 },
    sides: measureReads,
  },
  {
    name: 'session',
    title: () => 'pet by id with a session, secured / without',
    claim: { atLeast: 0.85, reachFor: 0.95 },
    sides: measureSession,
  },
  {
    name: 'growth',
    title: ({ large, small }) => `pet by id at ${count(large)} pets / at ${count(small)}`,
    claim: { atLeast: 0.85, reachFor: 0.95 },
    sides: measureGrowth,
  },
];

async function measureReads(bench: Bench): Promise<Sides> {
  const { servers, catalogues, scale } = bench;
  const { origin } = await servers.menagerie(await catalogues.readOnly(scale.medium));
  return againstBare(bench, origin, readsOf(scale.medium));
}

async function measureSession(bench: Bench): Promise<Sides> {
  const folder = await bench.catalogues.own(bench.scale.medium, 'secured');
  createReader(folder, bench.checkout);
  const { origin } = await bench.servers.menagerie(folder, ['--access', 'secured']);
  const reads = readsOf(bench.scale.medium);
  const cookie = await logIn(origin);
  return rates([origin, { ...reads, cookie }], [origin, reads]);
}

async function measureGrowth({ servers, catalogues, scale }: Bench): Promise<Sides> {
  const large = await servers.menagerie(await catalogues.readOnly(scale.large));
  const small = await servers.menagerie(await catalogues.readOnly(scale.small));
  return rates([large.origin, readsOf(scale.large)], [small.origin, readsOf(scale.small)]);
}
