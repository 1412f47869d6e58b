import { rates, readsOf, type Load } from '../tools/load.ts';
import type { RunningServer } from '../tools/servers.ts';
import type { Bench, GuardedMeasurement, Sides } from '../tools/measurement.ts';

/* Playgrounds beside their service, with the sample pets. */

const SAMPLE_PETS = 20;

/** A service keeps 100 in memory without compressing them. */
const SPREAD = 90;

export const PLAYGROUNDS: readonly GuardedMeasurement[] = [
  {
    name: 'playground-read',
    title: () => 'pet by id in a playground / in the service',
    claim: { atLeast: 0.7, reachFor: 0.9 },
    sides: (bench) => measureReads(bench, 1),
  },
  {
    name: 'playground-recorder',
    title: () => 'pet by id in a playground that records requests / in one that does not',
    claim: { atLeast: 0.8, reachFor: 0.9 },
    sides: measureRecorder,
  },
  {
    name: 'playground-spread',
    title: () => `pet by id, spread over ${SPREAD} playgrounds / in the service`,
    claim: { atLeast: 0.4, reachFor: 0.6 },
    sides: (bench) => measureReads(bench, SPREAD),
  },
];

async function startServer({ servers, catalogues }: Bench): Promise<RunningServer> {
  return servers.menagerie(await catalogues.own(SAMPLE_PETS, 'playgrounds'));
}

async function measureReads(bench: Bench, playgrounds: number): Promise<Sides> {
  const { origin } = await startServer(bench);
  const parts: string[] = [];
  while (parts.length < playgrounds) parts.push(await create(origin));
  return rates([origin, readsIn(parts)], [origin, readsOf(SAMPLE_PETS)]);
}

async function measureRecorder(bench: Bench): Promise<Sides> {
  const { origin } = await startServer(bench);
  const [recording, other] = [await create(origin), await create(origin, { recordRequests: false })];
  return rates([origin, readsIn([recording])], [origin, readsIn([other])]);
}

function readsIn(parts: readonly string[]): Load {
  return { path: '/s/{part}/v2/pet/{id}', highestId: SAMPLE_PETS, parts };
}

/** @returns its token */
async function create(origin: string, options: object = {}): Promise<string> {
  const limits = { requestsPerMinute: 10_000_000 };
  const { token } = (await post(`${origin}/v2/playgrounds`, { limits, ...options })) as { token: string };
  return token;
}

async function post(url: string, body: object = {}): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response.json();
}
