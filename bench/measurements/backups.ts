import { join } from 'node:path';
import { NEW_PETS, readsOf, type Load } from '../tools/load.ts';
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
    run: (bench) => whileBackingUp(bench, readsOf(bench.scale.medium)),
  },
  {
    name: 'backup-write-latency',
    title: ({ medium }) => `p99 of durable new pets during backups of ${count(medium)} pets / without`,
    claim: { atMost: 2, reachFor: 1.5 },
    run: (bench) => whileBackingUp(bench, NEW_PETS),
  },
];

async function whileBackingUp(bench: Bench, what: Load): Promise<Rounds> {
  const { servers, catalogues, scale, root } = bench;
  const purpose = what === NEW_PETS ? 'backup-writes' : 'backup';
  const folder = await catalogues.own(scale.medium, purpose);
  createReader(folder, bench.checkout);
  const flags = ['--backup-to', join(root, `${purpose}-place`), '--backup-keep', '2'];
  const { origin } = await servers.menagerie(folder, flags, 'all cores');
  const photos = await catalogues.photos(scale.photos);
  const upload = [origin, String(scale.medium), photos, String(CONCURRENT_UPLOADS), String(scale.photosPerRound), '0'];
  await runScript('bench/clients/upload-client.ts', upload, 'all cores');
  const cookie = await logIn(origin);
  return whileDisturbed(bench, {
    origin,
    what,
    cores: 'all cores',
    client: () => ['backup-client.ts', [origin, cookie]],
    seconds: Math.max(MIN_SECONDS, bench.seconds),
  });
}
