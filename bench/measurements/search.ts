import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { load, readsOf } from '../tools/load.ts';
import { residentMib, startScript } from '../tools/processes.ts';
import {
  runSearches,
  searchArgs,
  searchRate,
  searchServer,
  searchUntilReady,
  startFts5,
  type SearchTimes,
} from '../tools/searching.ts';
import { launch, menagerieSpec, runScript, type RunningServer } from '../tools/servers.ts';
import type { UnknownWordTimes } from '../tools/unknown-words.ts';
import { whileDisturbed } from './latency.ts';
import {
  count,
  inTurn,
  type Bench,
  type Measurement,
  type Rounds,
  type Scale,
  type Sides,
} from '../tools/measurement.ts';

/* Search in a large catalogue, on all cores, because it has a thread of its own. */

/** A data folder with the catalogue, and the flags of a server on it. */
export type Place = (
  bench: Bench,
  purpose: 'read' | 'started',
) => Promise<readonly [folder: string, flags: readonly string[]]>;

const CLIENTS = 2;
const STARTS = 3;
const IDLE_MS = 5000;
/** FTS5 takes up to a minute for all searches. */
const MAX_SLOW_ROUNDS = 3;

export const SQLITE_PLACE: Place = async ({ catalogues, scale }, purpose) => [
  await (purpose === 'read' ? catalogues.readOnly(scale.large) : catalogues.own(scale.large, purpose)),
  [],
];

export const POSTGRES_PLACE: Place = async ({ postgres, scale }, purpose) =>
  (await postgres.database(scale.large, 'search')).node(purpose);

const pets = ({ large }: Scale) => `${count(large)} pets`;

/** Misspelled words. They do not depend on the engine. */
export const UNKNOWN_WORDS: readonly Measurement[] = [
  {
    name: 'search-unknown',
    title: ({ large }) => `median for an unknown word, ${count(large)} distinct words`,
    claim: { atMost: 5, reachFor: 2 },
    run: async (bench) => ({ unit: 'ms', ours: (await unknownWordsOf(bench)).map(({ medianMs }) => medianMs) }),
  },
  {
    name: 'search-unknown-memory',
    title: () => 'memory that the first of these words adds',
    claim: { atMost: 40, reachFor: 30 },
    run: async (bench) => ({ unit: 'MiB', ours: (await unknownWordsOf(bench)).map(({ addedMib }) => addedMib) }),
  },
  {
    name: 'search-unknown-first',
    title: () => 'time for the first of these words',
    claim: { atMost: 2000, reachFor: 1000 },
    run: async (bench) => ({ unit: 'ms', ours: (await unknownWordsOf(bench)).map(({ firstMs }) => firstMs) }),
  },
];

/** @param prefix of the names */
export function searchMeasurements(prefix: string, place: Place): readonly Measurement[] {
  return [
    {
      name: `${prefix}search-fts5`,
      title: (scale) => `searches and facets/s of one client, ${pets(scale)} / SQLite FTS5`,
      claim: { atLeast: 10, reachFor: 30 },
      run: (bench) => againstFts5(bench, place),
    },
    {
      name: `${prefix}search-median`,
      title: () => 'slowest median of the same searches and facets',
      claim: { atMost: 20, reachFor: 10 },
      run: (bench) => timesOf(bench, place, ({ medians }) => Math.max(...Object.values(medians))),
    },
    {
      name: `${prefix}search-p99`,
      title: () => 'p99 of the same searches and facets',
      claim: { atMost: 50, reachFor: 25 },
      run: (bench) => timesOf(bench, place, ({ p99Ms }) => p99Ms),
    },
    {
      name: `${prefix}search-rate`,
      title: () => `searches and facets/s of ${CLIENTS} clients while pets are read by id`,
      claim: { atLeast: 200, reachFor: 400 },
      sides: (bench) => measureRate(bench, place),
    },
    {
      name: `${prefix}search-reads`,
      title: () => `pet by id while ${CLIENTS} clients search / without`,
      claim: { atLeast: 0.5, reachFor: 0.7 },
      run: (bench) => whileSearching(bench, place, 'perSecond'),
    },
    {
      name: `${prefix}search-latency`,
      title: () => `p99 of pet by id while ${CLIENTS} clients search / without`,
      claim: { atMost: 4, reachFor: 2 },
      run: (bench) => whileSearching(bench, place, 'p99Ms'),
    },
    {
      name: `${prefix}search-ready`,
      title: (scale) => `first search after a start, saved index of ${pets(scale)}`,
      claim: { atMost: 3000, reachFor: 1500 },
      run: (bench) => measureStarts(bench, place, true),
    },
    {
      name: `${prefix}search-built`,
      title: (scale) => `first search after a start without an index, ${pets(scale)}`,
      claim: { atMost: 10_000, reachFor: 5000 },
      run: (bench) => measureStarts(bench, place, false),
    },
    {
      name: `${prefix}idle-memory`,
      title: (scale) => `resident memory, idle, ${pets(scale)}`,
      claim: { atMost: 230, reachFor: 180 },
      run: (bench) => measureIdle(bench, place),
    },
  ];
}

async function serverAt(bench: Bench, place: Place) {
  return searchServer(bench.servers, await place(bench, 'read'), bench.scale.deepPage);
}

/** The time from the start of a server to its first search. @param use called then */
async function timeToSearch(
  bench: Bench,
  place: Place,
  isSaved: boolean,
  use?: (server: RunningServer) => Promise<void>,
): Promise<number> {
  const [folder, flags] = await place(bench, 'started');
  if (!isSaved) await rm(join(folder, 'search-index'), { force: true });
  const startedMs = performance.now();
  const server = await launch({ ...menagerieSpec(folder, flags), cores: 'all cores' });
  await searchUntilReady(server.origin);
  const ms = performance.now() - startedMs;
  await use?.(server);
  await server.stop();
  return ms;
}

const unknownWords = new WeakMap<Bench, Promise<readonly UnknownWordTimes[]>>();

/** Shared by the measurements of a run. */
function unknownWordsOf(bench: Bench): Promise<readonly UnknownWordTimes[]> {
  const known = unknownWords.get(bench) ?? runUnknownWords(bench);
  unknownWords.set(bench, known);
  return known;
}

async function runUnknownWords({ scale }: Bench): Promise<readonly UnknownWordTimes[]> {
  const times: UnknownWordTimes[] = [];
  while (times.length < STARTS)
    times.push(await runScript<UnknownWordTimes>('bench/tools/unknown-words.ts', [String(scale.large)], 'all cores'));
  return times;
}

async function againstFts5(bench: Bench, place: Place): Promise<Rounds> {
  const ours = await serverAt(bench, place);
  const theirs = await startFts5(bench.scale, join(bench.root, 'fts5.db'));
  try {
    const counts: SearchTimes['counts'][] = [];
    const search = async (server: typeof ours, seconds: number) => {
      const times = await runSearches(server, seconds);
      counts.push(times.counts);
      return searchRate(times);
    };
    const rounds = await inTurn(bench, {
      unit: '/s',
      rounds: Math.min(bench.rounds, MAX_SLOW_ROUNDS),
      ours: (seconds) => search(ours, seconds),
      theirs: (seconds) => search(theirs, seconds),
    });
    if (new Set(counts.map(String)).size > 1) throw new Error('FTS5 counts other pets.');
    return rounds;
  } finally {
    await theirs.stop();
  }
}

async function timesOf(bench: Bench, place: Place, figure: (times: SearchTimes) => number): Promise<Rounds> {
  const server = await serverAt(bench, place);
  return inTurn(bench, { unit: 'ms', ours: async (seconds) => figure(await runSearches(server, seconds)) });
}

async function whileSearching(bench: Bench, place: Place, figure: 'perSecond' | 'p99Ms'): Promise<Rounds> {
  const server = await serverAt(bench, place);
  return whileDisturbed(bench, {
    origin: server.origin,
    what: readsOf(bench.scale.large),
    cores: 'all cores',
    client: () => ['search-client.ts', searchArgs(server, { lanes: CLIENTS })],
    figure,
  });
}

/** The clients have the priority of the load: unlike above, their own speed is measured. */
async function measureRate(bench: Bench, place: Place): Promise<Sides> {
  const server = await serverAt(bench, place);
  const reads = readsOf(bench.scale.large);
  return {
    unit: '/s',
    ours: async (seconds) => {
      const args = searchArgs(server, { lanes: CLIENTS });
      const client = startScript('bench/clients/search-client.ts', args, { cores: 'all cores' });
      await client.lineLike(/^STARTED$/);
      await load(server.origin, reads, { seconds, cores: 'all cores', mayStarve: true });
      await client.stop();
      return searchRate(await client.result<SearchTimes>());
    },
  };
}

async function measureStarts(bench: Bench, place: Place, isSaved: boolean): Promise<Rounds> {
  // The first start saves an index, if there is none.
  if (isSaved) await timeToSearch(bench, place, isSaved);
  const ours: number[] = [];
  while (ours.length < STARTS) ours.push(await timeToSearch(bench, place, isSaved));
  return { unit: 'ms', ours };
}

/** With a saved index, as after most starts: building one leaves memory behind. */
async function measureIdle(bench: Bench, place: Place): Promise<Rounds> {
  await timeToSearch(bench, place, true);
  const ours: number[] = [];
  await timeToSearch(bench, place, true, async ({ pid }) => {
    await delay(IDLE_MS);
    ours.push(await residentMib(pid));
  });
  return { unit: 'MiB', ours };
}
