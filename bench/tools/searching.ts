import { setTimeout as delay } from 'node:timers/promises';
import { count, type Scale } from './measurement.ts';
import { LONG_LIST, PAGE, searches, type Search } from './searches.ts';
import { launch, runScript, type RunningServer, type Servers } from './servers.ts';

/* Servers that search, and the searches of a client. */

const MAX_PAGE = 1000;

interface SearchServer extends RunningServer {
  mix: readonly Search[];
}

export interface SearchTimes {
  count: number;
  ms: number;
  /** Of each kind of search. */
  medians: Readonly<Record<string, number>>;
  /** Of all searches. */
  p99Ms: number;
  /** Total or facets of each search. */
  counts: readonly string[];
}

const RETRY_MS = 20;

/** Shorter than the timeout of fetch. */
const MAX_BUILD_MS = 240_000;

/** Menagerie, on all cores, because search has a thread of its own. */
export async function searchServer(
  servers: Servers,
  [folder, flags]: readonly [folder: string, flags: readonly string[]],
  deepPage: number,
): Promise<SearchServer> {
  const server = await servers.menagerie(folder, flags, 'all cores');
  await searchUntilReady(server.origin);
  const cursor = await findCursor(server.origin, LONG_LIST, deepPage);
  return { ...server, mix: searches(`${LONG_LIST}&cursor=${cursor}`) };
}

export async function searchUntilReady(origin: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${origin}/v2/pet?text=s`);
    await response.arrayBuffer();
    if (response.ok) return;
    if (response.status !== 503) throw new Error(`A search got status ${response.status}.`);
    await delay(RETRY_MS);
  }
}

/** SQLite FTS5 behind the same two operations, with the same pets. */
export async function startFts5(scale: Scale, database: string): Promise<SearchServer> {
  const args = [String(scale.large), database];
  const server = await launch({ script: 'bench/peers/fts5-server.js', args, cores: 'all cores' });
  try {
    await fetch(`${server.origin}/built`, { signal: AbortSignal.timeout(MAX_BUILD_MS) });
    return { ...server, mix: searches(`${LONG_LIST}&cursor=${(scale.deepPage - 1) * PAGE}`) };
  } catch (error) {
    await server.stop();
    const seconds = MAX_BUILD_MS / 1000;
    throw new Error(`${count(scale.large)} pets were not indexed within ${seconds} s.`, { cause: error });
  }
}

/** Searches of one client. @param minimum by default, the whole mix once */
export function runSearches(server: SearchServer, seconds: number, minimum = server.mix.length): Promise<SearchTimes> {
  const args = searchArgs(server, { lanes: 1, seconds, minimum });
  return runScript('bench/clients/search-client.ts', args, 'all cores');
}

/** The arguments of the client; by default, it searches until it is stopped. */
export function searchArgs({ origin, mix }: SearchServer, { lanes = 1, seconds = 0, minimum = 0 }): readonly string[] {
  return [origin, JSON.stringify(mix), String(lanes), String(seconds), String(minimum)];
}

export function searchRate({ count, ms }: SearchTimes): number {
  return count / (ms / 1000);
}

/** Finds the cursor of a page as a client does, from page to page, but with the largest pages. */
export async function findCursor(origin: string, list: string, number: number): Promise<string> {
  let cursor = '';
  for (let left = (number - 1) * PAGE; left > 0; left -= MAX_PAGE) {
    const url = new URL(list, origin);
    url.searchParams.set('limit', String(Math.min(left, MAX_PAGE)));
    if (cursor !== '') url.searchParams.set('cursor', cursor);
    cursor = await cursorAfter(url);
  }
  return cursor;
}

async function cursorAfter(url: URL): Promise<string> {
  const response = await fetch(url);
  await response.arrayBuffer();
  const next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  const cursor = next === undefined ? null : new URL(next).searchParams.get('cursor');
  if (cursor === null) throw new Error('The list ended before the requested page.');
  return cursor;
}
