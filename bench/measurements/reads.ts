import { againstBare, rates, readsOf } from '../tools/load.ts';
import { logIn, createReader } from '../tools/reader.ts';
import type { RunningServer } from '../tools/servers.ts';
import { count, type Bench, type GuardedMeasurement, type Sides } from '../tools/measurement.ts';

/* Single pets, at random over the whole catalogue. */

export const READS: readonly GuardedMeasurement[] = [
  {
    name: 'read',
    title: ({ medium }) => `pet by id, ${count(medium)} pets / bare node:http`,
    claim: { atLeast: 0.65, reachFor: 0.85 },
    sides: async (bench) => againstBare(bench, (await catalogueServer(bench)).origin, readsOf(bench.scale.medium)),
  },
  {
    name: 'not-modified',
    title: () => 'pet by id, not modified (304) / bare node:http',
    claim: { atLeast: 0.7, reachFor: 0.9 },
    sides: measureNotModified,
  },
  {
    name: 'session',
    title: () => 'pet by id with a session, secured / without',
    claim: { atLeast: 0.85, reachFor: 0.95 },
    sides: measureSession,
  },
];

async function catalogueServer({ servers, catalogues, scale }: Bench): Promise<RunningServer> {
  return servers.menagerie(await catalogues.readOnly(scale.medium));
}

async function measureNotModified(bench: Bench): Promise<Sides> {
  const server = await catalogueServer(bench);
  const sides = await againstBare(bench, server.origin, { ...readsOf(bench.scale.medium), etag: '"{id}"' });
  return {
    ...sides,
    ours: async (seconds) => {
      await requireNotModified(bench, server);
      return sides.ours(seconds);
    },
  };
}

/**
 * Necessary because a load would count a 200 as a success as well. Each pet was written once, in the order of IDs, so
 * its version is its ID.
 */
async function requireNotModified({ scale }: Bench, { origin }: RunningServer): Promise<void> {
  for (const fraction of [0, 0.25, 0.5, 0.75, 1]) {
    const id = Math.max(1, Math.floor(scale.medium * fraction));
    const { status } = await fetch(`${origin}/v2/pet/${id}`, { headers: { 'if-none-match': `"${id}"` } });
    if (status !== 304) throw new Error(`Pet ${id} with its ETag got status ${status} instead of 304.`);
  }
}

async function measureSession(bench: Bench): Promise<Sides> {
  const folder = await bench.catalogues.own(bench.scale.medium, 'secured');
  createReader(folder, bench.checkout);
  const { origin } = await bench.servers.menagerie(folder, ['--access', 'secured']);
  const reads = readsOf(bench.scale.medium);
  const cookie = await logIn(origin);
  return rates([origin, { ...reads, cookie }], [origin, reads]);
}
