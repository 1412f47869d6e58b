import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { NEW_PET } from './new-pet.ts';
import { isThere, startProcess, startScript, type Cores } from './processes.ts';

/** What a server is loaded with. The defaults are for GET by id. */
export interface Load {
  /** `{id}` in it stands for a random id up to the highest. */
  path: string;
  highestId?: number;
  cookie?: string;
  /** The If-None-Match header, where `{id}` is the same id as in the path. */
  etag?: string;
  /** So large a part of the requests add a pet. */
  writes?: number;
  postPath?: string;
}

export interface LoadResult {
  perSecond: number;
  p99Ms: number;
}

export interface LoadSettings {
  seconds: number;
  cores: Exclude<Cores, 'server core'>;
  connections?: number;
  /** Whether it may be that nothing at all is answered. Then each request has waited for all that time, at least. */
  mayStarve?: boolean;
}

export const hasWrk = isThere('wrk');
const CONNECTIONS = 64;

let seed = Date.now() % 1_000_000;

export function readsOf(highestId: number): Load {
  return { path: '/v2/pet/{id}', highestId };
}

export const NEW_PETS: Load = { path: '/', writes: 1 };

/**
 * A server that has just started compiles what is hot: measured, from 18,000 to 74,000 answers a second, and from 3,000 to 5,300 new pets. What takes
 * longer for each request takes longer to be warm: it is not the time that counts, but the requests.
 */
const FIRST_LOAD_SECONDS = 1.5;
const FIRST_REQUESTS = 25_000;
const MOST_FIRST_LOADS = 5;
const loaded = new Set<string>();

/** Loads a server for so long, and counts. @throws when a single answer was an error, or none came */
export async function load(origin: string, what: Load, settings: LoadSettings): Promise<LoadResult> {
  // Reading does not make a server warm for writing.
  const kind = `${origin} ${what.writes ?? 0}`;
  if (!loaded.has(kind)) {
    loaded.add(kind);
    await warmUp(origin, what, settings);
  }
  const counted = await (hasWrk ? runWrk : runAutocannon)(origin, wordsOf(what), settings);
  const { requests, durationUs, errors, p99Us } = counted;
  if (errors > 0) throw new Error(`${errors} of ${requests} requests failed.`);
  if (requests === 0 && settings.mayStarve === true) return { perSecond: 0, p99Ms: settings.seconds * 1000 };
  if (requests === 0) throw new Error('Not a single request was answered.');
  return { perSecond: requests / (durationUs / 1e6), p99Ms: p99Us / 1000 };
}

async function warmUp(origin: string, what: Load, settings: LoadSettings): Promise<void> {
  let requests = 0;
  for (let loads = 0; loads < MOST_FIRST_LOADS && requests < FIRST_REQUESTS; loads++) {
    const { perSecond } = await load(origin, what, { ...settings, seconds: FIRST_LOAD_SECONDS, mayStarve: true });
    requests += perSecond * FIRST_LOAD_SECONDS;
  }
}

/** Requests a second, from the core of the load. */
export async function rate(origin: string, what: Load, seconds: number): Promise<number> {
  return (await load(origin, what, { seconds, cores: 'load core' })).perSecond;
}

interface Counted {
  requests: number;
  durationUs: number;
  errors: number;
  p99Us: number;
}

function wordsOf({ path, highestId = 1, cookie, etag, writes = 0, postPath = '/v2/pet' }: Load): string[] {
  const settings = { path, highest: highestId, cookie, etag, writes, postPath, body: NEW_PET, seed: seed++ };
  return Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
}

async function runWrk(origin: string, words: string[], { seconds, cores, connections = CONNECTIONS }: LoadSettings) {
  const flags = ['-t1', `-c${connections}`, `-d${Math.ceil(seconds) + 5}s`, '--latency'];
  const script = ['-s', join(import.meta.dirname, 'load.lua')];
  const wrk = startProcess('wrk', [...flags, ...script, origin, '--', ...words], { cores });
  await wrk.lineLike(/^READY$/);
  // wrk takes whole seconds only; interrupted, it tells what it has until then, and how long that was.
  await delay(seconds * 1000);
  wrk.signal('SIGINT');
  return wrk.result<Counted>();
}

function runAutocannon(origin: string, words: string[], { seconds, cores, connections = CONNECTIONS }: LoadSettings) {
  const args = [origin, String(seconds), String(connections), ...words];
  return startScript('bench/autocannon-load.ts', args, { cores }).result<Counted>();
}
