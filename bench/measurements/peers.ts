import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../test/support/postgres-folder.ts';
import { inTurn, type Bench } from '../tools/measurement.ts';
import { againstBare, NEW_PETS, readsOf, type Load } from '../tools/load.ts';
import { NEW_PET } from '../tools/sample-pets.ts';
import { summarise, type Measured } from '../tools/results.ts';
import type { RunningServer } from '../tools/servers.ts';

/*
 * Other servers, each on one core and with the same thousand pets, as multiples of the bare server in the same round.
 */

export interface PeerFigure {
  name: string;
  reads: Measured;
  /** Undefined if it does not store pets. */
  writes?: Measured;
}

/** Some store a few pets per second, and would not respond during a short warm-up. */
const MIN_SECONDS = 2;

interface Peer {
  name: string;
  start: () => Promise<RunningServer>;
  /** False for a mock, which stores nothing. */
  takesWrites: boolean;
}

export async function measurePeers(bench: Bench): Promise<PeerFigure[]> {
  const figures: PeerFigure[] = [];
  for (const { name, start, takesWrites } of await listPeers(bench)) {
    bench.progress.say(`peers: ${name}`);
    const { origin } = await start();
    const seconds = Math.max(MIN_SECONDS, bench.seconds);
    const measure = async (what: Load) =>
      summarise(await inTurn(bench, { ...(await againstBare(bench, origin, what)), seconds, isFresh: true }));
    const reads = await measure(readsOf(bench.scale.small));
    figures.push({ name, reads, ...(takesWrites && { writes: await measure(NEW_PETS) }) });
  }
  return figures;
}

async function listPeers({ root, servers, catalogues, scale }: Bench): Promise<Peer[]> {
  const folder = await mkdtemp(join(root, 'peers-'));
  const ours = await catalogues.own(scale.small, 'peers');
  const db = await writePets(join(folder, 'db.json'), scale.small);
  const pets = await writePets(join(folder, 'pets.json'), scale.small);
  const express = { script: 'bench/peers/express-sqlite.js', args: [join(folder, 'express.db'), pets] };
  return [
    { name: 'Menagerie', start: () => servers.menagerie(ours), takesWrites: true },
    { name: 'Express 5 + SQLite', start: () => servers.start(express), takesWrites: true },
    {
      name: 'json-server 0.17',
      start: () => servers.start({ script: 'bench/peers/json-server.js', args: [db] }),
      takesWrites: true,
    },
    { name: 'Prism mock', start: async () => servers.start(await prismSpec()), takesWrites: false },
  ];
}

/** Prism cannot select a free port itself. */
async function prismSpec() {
  const script = 'bench/node_modules/@stoplight/prism-cli/dist/index.js';
  const document = join(import.meta.dirname, '../peers/petstore.json');
  return { script, args: ['mock', '--host', '127.0.0.1', '--port', String(await freePort()), document] };
}

async function writePets(path: string, pets: number): Promise<string> {
  const pet: unknown = JSON.parse(NEW_PET);
  const list = Array.from({ length: pets }, (_, index) => ({ id: index + 1, ...(pet as object) }));
  await writeFile(path, JSON.stringify({ pet: list }));
  return path;
}
