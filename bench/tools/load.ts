import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Bench, Sides } from './measurement.ts';
import { NEW_PET } from './sample-pets.ts';
import { isInstalled, Skipped, startProcess, type Cores } from './processes.ts';

/** The requests of a load. The defaults are for GET by ID. */
export interface Load {
  /** `{id}` is replaced by a random ID up to `highestId`. */
  path: string;
  highestId?: number;
  /** Each request has one of these in place of `{part}`. */
  parts?: readonly string[];
  cookie?: string;
  /** Fraction of requests that add a pet. */
  writes?: number;
  /** The address of the client for a server behind a trusted proxy. */
  forwardedFor?: string;
  /** Every added pet has an idempotency key. */
  isKeyed?: boolean;
}

export interface LoadResult {
  perSecond: number;
  p99Ms: number;
}

interface LoadSettings {
  seconds: number;
  cores: Exclude<Cores, 'server core'>;
  connections?: number;
  /** Whether a load without any response is valid. Each request has then waited for the whole time. */
  mayStarve?: boolean;
}

const hasWrk = isInstalled('wrk');
const CONNECTIONS = 64;

let seed = Date.now() % 1_000_000;

export function readsOf(highestId: number): Load {
  return { path: '/v2/pet/{id}', highestId };
}

export const NEW_PETS: Load = { path: '/', writes: 1 };

/**
 * A new server first compiles its hot code: measured, from 18,000 to 74,000 responses per second, and from 3,000 to
 * 5,300 new pets. The warm-up depends on the number of requests, so slower requests need more time.
 */
const FIRST_LOAD_SECONDS = 1.5;
const FIRST_REQUESTS = 25_000;
const MAX_FIRST_LOADS = 5;
const loaded = new Set<string>();

/** Measures a server under load. @throws if any response is an error, or there is none */
export async function load(origin: string, what: Load, settings: LoadSettings): Promise<LoadResult> {
  if (!hasWrk) throw new Skipped('wrk is not installed.');
  // Reads do not warm up writes.
  const key = `${origin} ${what.writes ?? 0}`;
  if (!loaded.has(key)) {
    loaded.add(key);
    await warmUp(origin, what, settings);
  }
  const { requests, durationUs, errors, p99Us } = await runWrk(origin, wordsOf(what), settings);
  if (errors > 0) throw new Error(`${errors} of ${requests} requests failed.`);
  if (requests === 0 && settings.mayStarve === true) return { perSecond: 0, p99Ms: settings.seconds * 1000 };
  if (requests === 0) throw new Error('There was no response.');
  return { perSecond: requests / (durationUs / 1e6), p99Ms: p99Us / 1000 };
}

async function warmUp(origin: string, what: Load, settings: LoadSettings): Promise<void> {
  let requests = 0;
  for (let loads = 0; loads < MAX_FIRST_LOADS && requests < FIRST_REQUESTS; loads++) {
    const { perSecond } = await load(origin, what, { ...settings, seconds: FIRST_LOAD_SECONDS, mayStarve: true });
    requests += perSecond * FIRST_LOAD_SECONDS;
  }
}

/** Requests per second. */
export async function rate(
  origin: string,
  what: Load,
  seconds: number,
  cores: LoadSettings['cores'] = 'load core',
): Promise<number> {
  return (await load(origin, what, { seconds, cores })).perSecond;
}

type Side = readonly [origin: string, what: Load];

/** Both sides of a ratio of rates. */
export function rates(ours: Side, theirs: Side, cores?: LoadSettings['cores']): Sides {
  return {
    unit: '/s',
    ours: (seconds) => rate(...ours, seconds, cores),
    theirs: (seconds) => rate(...theirs, seconds, cores),
  };
}

/** The rates of a server and of the bare one. */
export async function againstBare({ servers, catalogues }: Bench, origin: string, what: Load): Promise<Sides> {
  const bare = await servers.bare(catalogues.textBytes());
  return rates([origin, what], [bare.origin, what]);
}

interface Counted {
  requests: number;
  durationUs: number;
  errors: number;
  p99Us: number;
}

function wordsOf({ path, highestId = 1, parts, cookie, writes = 0, forwardedFor, isKeyed }: Load): string[] {
  const settings = {
    path,
    highest: highestId,
    parts: parts?.join(),
    cookie,
    writes,
    forwardedFor,
    keyed: isKeyed,
    body: NEW_PET,
    seed: seed++,
  };
  return Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
}

async function runWrk(origin: string, words: string[], { seconds, cores, connections = CONNECTIONS }: LoadSettings) {
  const flags = ['-t1', `-c${connections}`, `-d${Math.ceil(seconds) + 5}s`, '--latency'];
  const script = ['-s', join(import.meta.dirname, 'load.lua')];
  const wrk = startProcess('wrk', [...flags, ...script, origin, '--', ...words], { cores });
  await wrk.lineLike(/^READY$/);
  // wrk accepts whole seconds only. After an interrupt, it prints the result and the duration so far.
  await delay(seconds * 1000);
  wrk.signal('SIGINT');
  return wrk.result<Counted>();
}
