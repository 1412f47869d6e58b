import { readsOf } from '../tools/load.ts';
import { growthMib } from '../tools/processes.ts';
import { searchUntilReady } from '../tools/searching.ts';
import { runScript } from '../tools/servers.ts';
import { whileDisturbed } from './latency.ts';
import type { Bench, Measurement, Rounds, Sides } from '../tools/measurement.ts';

/* Photos of 12 megapixels, on all cores: a single photo would occupy one core. */

const CONCURRENT_UPLOADS = 4;
const UPLOADS_FOR_MEMORY = 80;
const MEMORY_RUNS = 3;

export const PHOTOS: readonly Measurement[] = [
  {
    name: 'upload-latency',
    title: () => `p99 of pet by id during uploads of 12-megapixel photos / without`,
    claim: { atMost: 4, reachFor: 2 },
    run: measureLatency,
  },
  {
    name: 'upload-rate',
    title: () => 'uploads/s of 12-megapixel photos / sharp alone',
    claim: { atLeast: 0.75, reachFor: 0.9 },
    sides: measureRate,
  },
  {
    name: 'upload-memory',
    title: () => `memory growth during ${UPLOADS_FOR_MEMORY} uploads of 12-megapixel photos`,
    claim: { atMost: 400, reachFor: 200 },
    run: measureMemory,
  },
];

/** On all cores, as in production. */
export async function serverOnAllCores({ servers, catalogues, scale }: Bench) {
  return servers.menagerie(await catalogues.own(scale.medium, 'all-cores'), [], 'all cores');
}

/** Each photo is uploaded once in a run, because a second upload of the same photo stores nothing. */
let nextPhoto = 0;
const PHOTOS_PER_CLIENT = 100;

function firstPhoto(): string {
  nextPhoto += PHOTOS_PER_CLIENT;
  return String(nextPhoto - PHOTOS_PER_CLIENT);
}

async function measureLatency(bench: Bench): Promise<Rounds> {
  const { scale, catalogues } = bench;
  const { origin } = await serverOnAllCores(bench);
  const photos = await catalogues.photos(scale.photos);
  const args = () => [origin, String(scale.medium), photos, String(CONCURRENT_UPLOADS), '0', firstPhoto()];
  return whileDisturbed(bench, {
    origin,
    what: readsOf(scale.medium),
    cores: 'all cores',
    client: () => ['upload-client.ts', args()],
  });
}

interface UploadResult {
  count: number;
  ms: number;
}

async function measureRate(bench: Bench): Promise<Sides> {
  const { scale, catalogues } = bench;
  const { origin } = await serverOnAllCores(bench);
  const photos = await catalogues.photos(scale.photos);
  const [lanes, count] = [String(CONCURRENT_UPLOADS), String(scale.photosPerRound)];
  return {
    unit: '/s',
    isFresh: true,
    ours: async () => {
      const args = [origin, String(scale.medium), photos, lanes, count, firstPhoto()];
      return perSecond(await runScript<UploadResult>('bench/clients/upload-client.ts', args, 'all cores'));
    },
    theirs: async () =>
      perSecond(await runScript<UploadResult>('bench/bare/bare-imaging.ts', [photos, lanes, count], 'all cores')),
  };
}

/** On a new server for each run: memory that earlier uploads have allocated would hide the growth. */
async function measureMemory({ servers, catalogues, scale }: Bench): Promise<Rounds> {
  const photos = await catalogues.photos(scale.photos);
  const folder = await catalogues.own(scale.medium, 'photo-memory');
  const growth: number[] = [];
  for (let run = 0; run < MEMORY_RUNS; run++) {
    const { origin, pid } = await servers.fresh(folder, 'all cores');
    // The index is loaded in the background, and would count as growth.
    await searchUntilReady(origin);
    const [lanes, count] = [String(CONCURRENT_UPLOADS), String(UPLOADS_FOR_MEMORY)];
    const args = [origin, String(scale.medium), photos, lanes, count, firstPhoto()];
    growth.push(await growthMib(pid, runScript<UploadResult>('bench/clients/upload-client.ts', args, 'all cores')));
  }
  return { unit: 'MiB', ours: growth };
}

function perSecond({ count, ms }: UploadResult): number {
  return count / (ms / 1000);
}
