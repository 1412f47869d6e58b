import { setTimeout as delay } from 'node:timers/promises';
import { count, type Scale } from './measurement.ts';
import { LONG_LIST, PAGE, searches, type Search } from './searches.ts';
import { launch, runScript, type RunningServer, type Servers } from './servers.ts';

/* Servers that search, and the searches of a client. */

const MAX_PAGE = 1000;

interface SearchServer extends RunningServer {
  mix: readonly Search[];
}

/** A search library behind the same two operations, with the same pets. */
export interface SearchEngine extends SearchServer {
  buildMs: number;
  diskBytes: number;
}

export interface SearchTimes {
  count: number;
  ms: number;
  /** Of each kind of search. */
  medians: Readonly<Record<string, number>>;
  /** Of all searches. */
  p99Ms: number;
  /** Total or facets of each search; null if it was not reached. */
  counts: readonly (string | null)[];
}

const RETRY_MS = 20;

/** Shorter than the timeout of fetch. */
const MAX_BUILD_MS = 240_000;
const MAX_RESPONSE_MS = 60_000;

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

/** @param place the file or the URL of its database */
export async function startSearchEngine(engine: string, scale: Scale, place = ''): Promise<SearchEngine> {
  const args = [engine, String(scale.large), place];
  const server = await launch({ script: 'bench/peers/search/server.js', args, cores: 'all cores' });
  try {
    const built = await getJson<{ ms: number; diskBytes: number }>(server.origin, '/built', MAX_BUILD_MS);
    const mix = searches(`${LONG_LIST}&cursor=${(scale.deepPage - 1) * PAGE}`);
    return { ...server, mix, buildMs: built.ms, diskBytes: built.diskBytes };
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

export async function getJson<T>(origin: string, path: string, timeoutMs = MAX_RESPONSE_MS): Promise<T> {
  const response = await fetch(origin + path, { signal: AbortSignal.timeout(timeoutMs) });
  if (!response.ok) throw new Error(`${path} got status ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
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
