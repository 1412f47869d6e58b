import { join } from 'node:path';
import { readsOf } from '../tools/load.ts';
import { growthMib, startScript } from '../tools/processes.ts';
import { searchUntilReady } from '../tools/searching.ts';
import { runScript } from '../tools/servers.ts';
import { whileDisturbed } from './latency.ts';
import { count, type Bench, type Measurement, type Rounds, type Sides } from '../tools/measurement.ts';

/* Complete lists of the pets with one status: a third of all. */

const CONCURRENT_LISTS = 8;
const MEMORY_RUNS = 3;

export const LISTS: readonly Measurement[] = [
  {
    name: 'full-list',
    title: ({ large }) => `bytes/s of a complete list of ${count(Math.floor(large / 3))} pets / a bare script`,
    claim: { atLeast: 0.5, reachFor: 0.8 },
    sides: measureFullList,
  },
  {
    name: 'list-latency',
    title: () => 'p99 of pet by id while a complete list runs / without',
    claim: { atMost: 4, reachFor: 2 },
    run: async (bench) => {
      const { origin } = await bench.servers.menagerie(await bench.catalogues.readOnly(bench.scale.large));
      return whileDisturbed(bench, {
        origin,
        what: readsOf(bench.scale.large),
        cores: 'load core',
        client: () => ['list-client.ts', [origin, '1', 'repeat']],
      });
    },
  },
  {
    name: 'list-memory',
    title: () => `memory growth during ${CONCURRENT_LISTS} concurrent complete lists`,
    claim: { atMost: 96, reachFor: 48 },
    run: measureMemory,
  },
];

interface ListResult {
  bytes: number;
  ms: number;
}

async function measureFullList(bench: Bench): Promise<Sides> {
  const folder = await bench.catalogues.readOnly(bench.scale.large);
  const { origin } = await bench.servers.menagerie(folder);
  return {
    unit: 'MiB/s',
    ours: async () =>
      mibPerSecond(await runScript<ListResult>('bench/clients/list-client.ts', [origin, '1'], 'load core')),
    theirs: async () =>
      mibPerSecond(
        await runScript<ListResult>('bench/bare/bare-list.ts', [join(folder, 'menagerie.db')], 'server core'),
      ),
  };
}

function mibPerSecond({ bytes, ms }: ListResult): number {
  return bytes / 2 ** 20 / (ms / 1000);
}

/** On a new server for each run: memory that an earlier list has allocated would hide the growth. */
async function measureMemory({ servers, catalogues, scale }: Bench): Promise<Rounds> {
  const folder = await catalogues.readOnly(scale.large);
  const growth: number[] = [];
  for (let run = 0; run < MEMORY_RUNS; run++) {
    const server = await servers.fresh(folder);
    // The index is loaded in the background, and would count as growth.
    await searchUntilReady(server.origin);
    growth.push(await growthDuringLists(server.origin, server.pid));
  }
  return { unit: 'MiB', ours: growth };
}

function growthDuringLists(origin: string, pid: number): Promise<number> {
  const client = startScript('bench/clients/list-client.ts', [origin, String(CONCURRENT_LISTS)], {
    cores: 'load core',
  });
  return growthMib(pid, client.result<ListResult>());
}
