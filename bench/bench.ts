import { createCatalogues } from './tools/catalogue.ts';
import type { Bench } from './tools/measurement.ts';
import { createPostgres } from './tools/postgres.ts';
import { createProgress } from './tools/progress.ts';
import { createServers, WORKING_TREE } from './tools/servers.ts';

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
