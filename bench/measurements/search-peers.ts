import { join } from 'node:path';
import { residentMib } from '../tools/processes.ts';
import { getJson, runSearches, startSearchEngine, type SearchEngine, type SearchTimes } from '../tools/searching.ts';
import { TYPING_ERROR, type SearchResponse } from '../tools/searches.ts';
import type { Bench } from '../tools/measurement.ts';
import { serverAt, timeToSearch, type Place } from './search.ts';

/* Search libraries, one after the other. They respond with IDs only, and build their indexes from generated pets. */

export interface SearchPeerFigure {
  name: string;
  /** Undefined if it cannot hold the pets. */
  measured?: MeasuredSearchPeer;
  reason?: string;
}

export interface MeasuredSearchPeer {
  /** The median of each kind of search. */
  medians: Readonly<Record<string, number>>;
  buildMs: number;
  /** Of the process. */
  memoryMib: number;
  diskMib: number;
  /** Whether totals and facets are those that SQLite counts. */
  isExact: boolean;
  findsTypingErrors: boolean;
}

type Measured = Omit<MeasuredSearchPeer, 'isExact'> & Pick<SearchTimes, 'counts'>;

const MIB = 2 ** 20;

/** Its counts are those that the others are compared with. */
const EXACT = 'SQLite FTS5';

export async function measureSearchPeers(bench: Bench, place: Place, isPostgres: boolean): Promise<SearchPeerFigure[]> {
  const engine = (name: string, of = 'memory') => startSearchEngine(name, bench.scale, of);
  const peers: readonly (readonly [name: string, start: () => Promise<SearchEngine>])[] = [
    ['Menagerie', () => startMenagerie(bench, place)],
    [EXACT, () => engine('fts5', join(bench.root, 'fts5.db'))],
    ...(isPostgres
      ? ([
          ['PostgreSQL tsvector', async () => engine('tsvector', (await bench.postgres.database(0, 'tsvector')).url)],
        ] as const)
      : ([
          ['MiniSearch 7.2', () => engine('minisearch')],
          ['Orama 3.1', () => engine('orama')],
        ] as const)),
  ];
  const measured = new Map<string, Measured | Error>();
  for (const [name, start] of peers) {
    bench.progress.say(`search-peers: ${name}`);
    measured.set(name, await measure(bench, start).catch((error: unknown) => error as Error));
  }
  const exact = measured.get(EXACT);
  return Array.from(measured, ([name, figures]): SearchPeerFigure => {
    if (figures instanceof Error) return { name, reason: figures.message };
    const { counts, ...others } = figures;
    return { name, measured: { ...others, isExact: !(exact instanceof Error) && areEqual(counts, exact?.counts) } };
  });
}

async function startMenagerie(bench: Bench, place: Place): Promise<SearchEngine> {
  let buildMs = Number.NaN;
  await timeToSearch(bench, place, false, async ({ origin }) => {
    buildMs = (await getJson<{ search: { ms: number } }>(origin, '/readyz')).search.ms;
  });
  // The server is shared with other measurements.
  return { ...(await serverAt(bench, place)), buildMs, diskBytes: 0, stop: async () => {} };
}

async function measure(bench: Bench, start: () => Promise<SearchEngine>): Promise<Measured> {
  const engine = await start();
  const { origin, pid, buildMs, diskBytes } = engine;
  try {
    const memoryMib = await residentMib(pid);
    const kinds = new Set(engine.mix.map(({ kind }) => kind)).size;
    const { medians, counts } = await runSearches(engine, bench.seconds * bench.rounds, kinds);
    const findsTypingErrors = ((await getJson<SearchResponse>(origin, TYPING_ERROR)).total ?? 0) > 0;
    return { medians, buildMs, memoryMib, diskMib: diskBytes / MIB, findsTypingErrors, counts };
  } finally {
    await engine.stop();
  }
}

/** Compares the searches that both have reached. */
function areEqual(counts: SearchTimes['counts'], exact: SearchTimes['counts'] = []): boolean {
  return counts.every((count, index) => count === null || exact[index] === null || count === exact[index]);
}
