import { createCatalogues } from './tools/catalogue.ts';
import type { Bench } from './tools/measurement.ts';
import { createPostgres } from './tools/postgres.ts';
import { createProgress } from './tools/progress.ts';
import { createServers, WORKING_TREE } from './tools/servers.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killAll } from './tools/processes.ts';

type Settings = Pick<Bench, 'root' | 'scale' | 'rounds' | 'seconds'>;

/** @param checkout folder of the measured code */
export function createBench(settings: Settings, checkout = WORKING_TREE): Bench {
  const { root } = settings;
  const progress = createProgress();
  return {
    ...settings,
    checkout,
    servers: createServers(checkout),
    catalogues: createCatalogues(root, progress, checkout),
    postgres: createPostgres(root, progress),
    progress,
  };
}

/** Creates a folder for the data of this run. It is deleted, and all processes are killed, however the run ends. */
export function createRunFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'menagerie-bench-'));
  process.once('exit', () => {
    killAll();
    // Retries, because a server that is being killed may write another file.
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  // 128 plus the number of the signal, as in shells.
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  return folder;
}
