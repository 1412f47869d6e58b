import { readsOf } from '../tools/load.ts';
import { runScript } from '../tools/servers.ts';
import { whileDisturbed } from './latency.ts';
import type { Bench, Measurement, Sides } from '../tools/measurement.ts';

/* Photos of 12 megapixels, on all cores: a single photo would occupy one core. */

const CONCURRENT_UPLOADS = 4;

export const PHOTOS: readonly Measurement[] = [
  {
    name: 'upload-latency',
    title: () => `p99 of pet by id during uploads of 12-megapixel photos / without`,
    claim: { atMost: 4, reachFor: 2 },
    run: (bench) => measureLatency(bench, false),
  },
  {
    name: 'upload-latency-busy',
    title: () => `the same beside a program that keeps one core busy`,
    claim: { atMost: 4, reachFor: 2 },
    isSlow: true,
    run: (bench) => measureLatency(bench, true),
  },
  {
    name: 'upload-rate',
    title: () => 'uploads/s of 12-megapixel photos / sharp alone',
    claim: { atLeast: 0.75, reachFor: 0.9 },
    sides: measureRate,
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

async function measureLatency(bench: Bench, isBusy: boolean) {
  const { scale, catalogues } = bench;
  const { origin } = await serverOnAllCores(bench);
  const photos = await catalogues.photos(scale.photos);
  const args = () => [origin, String(scale.medium), photos, String(CONCURRENT_UPLOADS), '0', firstPhoto()];
  return whileDisturbed(bench, {
    origin,
    what: readsOf(scale.medium),
    cores: 'all cores',
    client: () => ['upload-client.ts', args()],
    isBusy,
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

function perSecond({ count, ms }: UploadResult): number {
  return count / (ms / 1000);
}
