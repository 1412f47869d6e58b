import { rate, readsOf, type Load } from '../load.ts';
import { logIn, createReader } from '../reader.ts';
import type { RunningServer } from '../servers.ts';
import { count, inTurn, type Bench, type Measurement } from './measurement.ts';

/* Single pets, at random over the whole catalogue. */

export const READS: readonly Measurement[] = [
  {
    name: 'read',
    title: ({ medium }) => `pet by id, ${count(medium)} pets / bare node:http`,
    claim: { atLeast: 0.65, reachFor: 0.85 },
    run: async (bench) => againstBare(bench, await catalogueServer(bench), readsOf(bench.scale.medium)),
  },
  {
    name: 'not-modified',
    title: () => 'pet by id, not modified (304) / bare node:http',
    claim: { atLeast: 0.7, reachFor: 0.9 },
    run: measureNotModified,
  },
  {
    name: 'session',
    title: () => 'pet by id with a session, secured / without',
    claim: { atLeast: 0.85, reachFor: 0.95 },
    run: measureSession,
  },
];

async function catalogueServer({ servers, catalogues, scale }: Bench): Promise<RunningServer> {
  return servers.menagerie(await catalogues.readOnly(scale.medium));
}

async function againstBare(bench: Bench, { origin }: RunningServer, reads: Load) {
  const bare = await bench.servers.bare(bench.catalogues.textBytes());
  return inTurn(bench, {
    unit: '/s',
    ours: (seconds) => rate(origin, reads, seconds),
    theirs: (seconds) => rate(bare.origin, reads, seconds),
  });
}

async function measureNotModified(bench: Bench) {
  const server = await catalogueServer(bench);
  // Each pet was written once, in the order of IDs, so its version is its ID.
  await requireNotModified(bench, server);
  const rounds = await againstBare(bench, server, { ...readsOf(bench.scale.medium), etag: '"{id}"' });
  await requireNotModified(bench, server);
  return rounds;
}

/** Necessary because a load would count a 200 as a success as well. */
async function requireNotModified({ scale }: Bench, { origin }: RunningServer): Promise<void> {
  for (const fraction of [0, 0.25, 0.5, 0.75, 1]) {
    const id = Math.max(1, Math.floor(scale.medium * fraction));
    const { status } = await fetch(`${origin}/v2/pet/${id}`, { headers: { 'if-none-match': `"${id}"` } });
    if (status !== 304) throw new Error(`Pet ${id} with its ETag got status ${status} instead of 304.`);
  }
}

async function measureSession(bench: Bench) {
  const folder = await bench.catalogues.own(bench.scale.medium, 'secured');
  createReader(folder);
  const { origin } = await bench.servers.menagerie(folder, ['--access', 'secured']);
  const reads = readsOf(bench.scale.medium);
  const cookie = await logIn(origin);
  return inTurn(bench, {
    unit: '/s',
    ours: (seconds) => rate(origin, { ...reads, cookie }, seconds),
    theirs: (seconds) => rate(origin, reads, seconds),
  });
}
