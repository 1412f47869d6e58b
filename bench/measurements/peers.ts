import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { load, NEW_PETS, readsOf, type Load } from '../tools/load.ts';
import { NEW_PET } from '../tools/new-pet.ts';
import { median } from '../tools/results.ts';
import type { RunningServer } from '../tools/servers.ts';
import type { Bench } from '../tools/measurement.ts';

/*
 * Other servers, each on one core and with the same thousand pets, as multiples of the bare server in the same round.
 */

export interface PeerFigure {
  name: string;
  /** Medians of the rounds. */
  reads: PeerRate;
  /** Undefined if it does not store pets. */
  writes?: PeerRate;
}

interface PeerRate {
  perSecond: number;
  /** Multiple of the bare server. */
  multiple: number;
}

interface Peer {
  name: string;
  start: () => Promise<RunningServer>;
  /** False for a mock, which stores nothing. */
  takesWrites: boolean;
}

export async function measurePeers(bench: Bench): Promise<PeerFigure[]> {
  const peers = await listPeers(bench);
  const started = [];
  for (const { start, ...peer } of peers) {
    bench.progress.say(`peers: starting ${peer.name}`);
    started.push({ ...peer, origin: (await start()).origin });
  }
  const reads = await measureAll(bench, started, readsOf(bench.scale.small));
  const writing = started.filter(({ takesWrites }) => takesWrites);
  const writes = await measureAll(bench, writing, NEW_PETS);
  return started.map(({ name }) => {
    const [read, written] = [reads.get(name), writes.get(name)];
    if (read === undefined) throw new Error(`${name} was not measured.`);
    return { name, reads: read, ...(written !== undefined && { writes: written }) };
  });
}

async function measureAll(bench: Bench, peers: readonly { name: string; origin: string }[], what: Load) {
  const rates = new Map(peers.map(({ name }) => [name, [] as number[]]));
  const multiples = new Map(peers.map(({ name }) => [name, [] as number[]]));
  for (const { origin } of peers) await load(origin, what, { seconds: Math.min(1, bench.seconds), cores: 'load core' });
  for (let round = 0; round < bench.rounds; round++) {
    bench.progress.say(`peers: round ${round + 1} of ${bench.rounds}`);
    let bare: number | undefined;
    for (const { name, origin } of peers) {
      const { perSecond } = await load(origin, what, { seconds: bench.seconds, cores: 'load core' });
      bare ??= perSecond;
      rates.get(name)?.push(perSecond);
      multiples.get(name)?.push(perSecond / bare);
    }
  }
  return new Map(
    peers.map(({ name }): [string, PeerRate] => [
      name,
      { perSecond: median(rates.get(name) ?? []), multiple: median(multiples.get(name) ?? []) },
    ]),
  );
}

/** The bare server must be the first: the others are multiples of it. */
async function listPeers({ root, servers, catalogues, scale }: Bench): Promise<Peer[]> {
  const folder = await mkdtemp(join(root, 'peers-'));
  const ours = await catalogues.own(scale.small, 'peers');
  const db = await writePets(join(folder, 'db.json'), scale.small);
  const pets = await writePets(join(folder, 'pets.json'), scale.small);
  const express = { script: 'bench/peers/express-sqlite.js', args: [join(folder, 'express.db'), pets] };
  return [
    { name: 'bare node:http', start: () => servers.bare(catalogues.textBytes()), takesWrites: true },
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

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

async function writePets(path: string, pets: number): Promise<string> {
  const pet: unknown = JSON.parse(NEW_PET);
  const list = Array.from({ length: pets }, (_, index) => ({ id: index + 1, ...(pet as object) }));
  await writeFile(path, JSON.stringify({ pet: list }));
  return path;
}
