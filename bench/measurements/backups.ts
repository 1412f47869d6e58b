import { join } from 'node:path';
import { readsOf } from '../tools/load.ts';
import { createReader, logIn } from '../tools/reader.ts';
import { runScript } from '../tools/servers.ts';
import { whileDisturbed } from './latency.ts';
import { count, type Bench, type Measurement, type Rounds } from '../tools/measurement.ts';

/* Backups of a running service, one after another, on all cores. */

const CONCURRENT_UPLOADS = 4;

/** Rounds begin with a backup, and have most of it. */
const MIN_SECONDS = 3;

export const BACKUPS: readonly Measurement[] = [
  {
    name: 'backup-latency',
    title: ({ medium }) => `p99 of pet by id during backups of ${count(medium)} pets / without`,
    claim: { atMost: 2, reachFor: 1.5 },
    run: whileBackingUp,
  },
];

async function whileBackingUp(bench: Bench): Promise<Rounds> {
  const { servers, catalogues, scale, root } = bench;
  const folder = await catalogues.own(scale.medium, 'backup');
  createReader(folder, bench.checkout);
  const flags = ['--backup-to', join(root, 'backup-place'), '--backup-keep', '2'];
  const { origin } = await servers.menagerie(folder, flags, 'all cores');
  const photos = await catalogues.photos(scale.photos);
  const upload = [origin, String(scale.medium), photos, String(CONCURRENT_UPLOADS), String(scale.photosPerRound), '0'];
  await runScript('bench/clients/upload-client.ts', upload, 'all cores');
  const cookie = await logIn(origin);
  return whileDisturbed(bench, {
    origin,
    what: readsOf(scale.medium),
    cores: 'all cores',
    client: () => ['backup-client.ts', [origin, cookie]],
    seconds: Math.max(MIN_SECONDS, bench.seconds),
  });
}
