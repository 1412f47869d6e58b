import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { rates, readsOf } from '../tools/load.ts';
import { count, inTurn, type Bench, type Measurement } from '../tools/measurement.ts';
import { Skipped } from '../tools/processes.ts';

export const WORKERS: readonly Measurement[] = [
  {
    name: 'workers',
    title: ({ medium }) => `pet by id, ${count(medium)} pets, --workers 2 / one, on all cores`,
    run: measureWorkers,
  },
];

async function measureWorkers(bench: Bench) {
  const { servers, catalogues, scale } = bench;
  if (!hasFlag()) throw new Skipped('This version does not have --workers.');
  const two = await servers.menagerie(await catalogues.own(scale.medium, 'two'), ['--workers', '2'], 'all cores');
  const one = await servers.menagerie(await catalogues.own(scale.medium, 'one'), [], 'all cores');
  const reads = readsOf(scale.medium);
  return inTurn(bench, rates([two.origin, reads], [one.origin, reads], 'all cores'));
}

function hasFlag(): boolean {
  const script = join(import.meta.dirname, '../../src/cli/menagerie.js');
  return spawnSync(process.execPath, [script, 'serve', '--help'], { encoding: 'utf8' }).stdout.includes('--workers');
}
