import { existsSync } from 'node:fs';
import { mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../../src/server/configuration/config.ts';
import { startService, type Service } from '../../src/server/service.ts';
import { checkResponses } from './documented-responses.ts';
import { openFront } from './front.ts';
import { patiently } from './postgres-server.ts';
import { sharedPostgres } from './shared-postgres.ts';
import type { Lifetime } from './lifetime.ts';

/*
 * The setups that tests of the service run on: one process with the embedded database, unless `runOn` or
 * MENAGERIE_TEST_NODES sets `memory` or a number of nodes on one PostgreSQL database, behind a proxy that gives each
 * node the next request.
 */

/** `memory`, or the number of nodes on PostgreSQL. */
export type Setup = 'memory' | number;

checkResponses();

const FROM_ENVIRONMENT = readSetup(process.env['MENAGERIE_TEST_NODES'] ?? '');
let current = FROM_ENVIRONMENT;

/** The number of nodes of a service. */
export const nodeCount = () => (typeof current === 'number' ? current : 1);

const isOnPostgres = () => typeof current === 'number';

/** For tests of the file of the embedded database. */
export const skipOnPostgres = () => isOnPostgres() && 'concerns the file of the embedded database';

/** For tests of playgrounds, which are in the memory of one process. */
export const skipWithoutPlaygrounds = () => isOnPostgres() && 'a service on PostgreSQL has no playgrounds';

/** For a test of one operation, by its ID. */
export const skipOperation = (operation: string) => operation.includes('Playground') && skipWithoutPlaygrounds();

/** For tests of many requests whose responses are the same from every node. */
export const skipOnNodes = () => nodeCount() > 1 && 'every node gives the same responses';

/** Uses this setup for services that start before the end of the test. */
export function runOn(t: Lifetime, setup: Setup): void {
  current = setup;
  t.after(() => {
    current = FROM_ENVIRONMENT;
    return Promise.resolve();
  });
}

function readSetup(text: string): Setup | undefined {
  if (!/^(?:[1-9]|memory)?$/.test(text))
    throw new Error('MENAGERIE_TEST_NODES must be a number from 1 to 9, memory, or empty.');
  if (text === '') return undefined;
  return text === 'memory' ? text : Number(text);
}

/** In a data folder: the database that belongs to it. */
const RECORD_FILE = 'test-database.json';

interface NodesRecord {
  /** The folder of this record: another one means that the folder is a copy. */
  dataDir: string;
  url: string;
}

/**
 * The database flags for a data folder. On PostgreSQL, a database is created for a new folder, and a copy of the
 * database for a copied folder.
 */
export async function databaseFlags(dataDir: string): Promise<readonly string[]> {
  if (current === 'memory') return ['--ephemeral'];
  const record = await readRecord(dataDir);
  if (record === undefined && !isOnPostgres()) return [];
  const url = record?.dataDir === dataDir ? record.url : await newDatabase(dataDir, record?.url);
  return ['--database-url', url, '--database-connections', '5'];
}

/**
 * Creates a PostgreSQL database for a data folder, whatever the environment says: migrated like that of a new service,
 * or a copy of another.
 */
export async function newDatabase(dataDir: string, copied?: string): Promise<string> {
  const server = await sharedPostgres();
  const url = patiently(await server.createDatabase({ template: copied ?? server.template }));
  await writeRecord(dataDir, { dataDir, url });
  return url;
}

/** The same, without a schema. */
export async function newEmptyDatabase(dataDir: string): Promise<string> {
  const url = patiently(await (await sharedPostgres()).createDatabase());
  await writeRecord(dataDir, { dataDir, url });
  return url;
}

/** The database URL of a data folder; undefined for the embedded database. */
export async function databaseOf(dataDir: string): Promise<string | undefined> {
  const record = await readRecord(dataDir);
  return record?.dataDir === dataDir ? record.url : undefined;
}

/** Closes all connections to it as well. */
export async function dropDatabaseOf(dataDir: string): Promise<void> {
  const url = await databaseOf(dataDir);
  if (url !== undefined) await (await sharedPostgres()).dropDatabase(url);
}

/** A data folder for another server on the same database; each folder has its own lock. */
export async function newFolderOnDatabaseOf(dataDir: string): Promise<string> {
  const other = await mkdtemp(join(tmpdir(), 'menagerie-test-'));
  const url = await databaseOf(dataDir);
  if (url === undefined) await symlink(join(dataDir, 'menagerie.db'), join(other, 'menagerie.db'));
  else await writeRecord(other, { dataDir: other, url });
  return other;
}

async function readRecord(dataDir: string): Promise<NodesRecord | undefined> {
  const path = join(dataDir, RECORD_FILE);
  return existsSync(path) ? (JSON.parse(await readFile(path, 'utf8')) as NodesRecord) : undefined;
}

function writeRecord(dataDir: string, record: NodesRecord): Promise<void> {
  return writeFile(join(dataDir, RECORD_FILE), JSON.stringify(record));
}

export interface Nodes extends Service {
  /** One data folder per node; the first is that of the service. */
  nodes: readonly Service[];
}

/** Starts all nodes of a service at the same moment. */
export async function startNodes(
  config: Config,
  log: Logger,
  clock?: () => number,
  count = nodeCount(),
): Promise<Nodes> {
  const starting = Array.from({ length: count }, () => startService(config, log, clock));
  const [first, ...others] = await allOrNone(starting);
  if (first === undefined) throw new Error('A service needs at least one node.');
  if (others.length === 0) return { ...first, nodes: [first] };
  const nodes = [first, ...others];
  const front = await openFront(nodes.map(({ origin }) => origin));
  return {
    origin: front.origin,
    nodes,
    restartRequested: Promise.race(nodes.map((node) => node.restartRequested)),
    samples: nodes.find(({ samples }) => samples !== undefined)?.samples,
    photoFiles: {
      async clearUnused(isStopping) {
        // One node at a time, so that the sum is exact.
        let removed = 0;
        for (const { photoFiles } of nodes) removed += await photoFiles.clearUnused(isStopping);
        return removed;
      },
    },
    async stop() {
      front.refuse();
      await Promise.all(nodes.map((node) => node.stop()));
      await front.close();
    },
  };
}

async function allOrNone(starting: readonly Promise<Service>[]): Promise<readonly Service[]> {
  const outcomes = await Promise.allSettled(starting);
  const started = outcomes.filter((outcome) => outcome.status === 'fulfilled').map(({ value }) => value);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed === undefined) return started;
  await Promise.all(started.map((node) => node.stop()));
  throw failed.reason;
}
