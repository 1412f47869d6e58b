import { existsSync } from 'node:fs';
import { mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../../src/server/config.ts';
import { startService, type Service } from '../../src/server/service.ts';
import { checkAnswers } from './documented-answers.ts';
import { openFront } from './front.ts';
import { patiently } from './postgres-server.ts';
import { sharedPostgres } from './shared-postgres.ts';
import type { Lifetime } from './service.ts';

/*
 * What the tests of the service run on: one process with the embedded database, unless `runOn` or MENAGERIE_TEST_NODES says otherwise: `memory`, or a
 * number of nodes on one database of PostgreSQL, behind a proxy that gives each node the next request.
 */

/** `memory`, or the number of nodes on PostgreSQL. */
export type Setup = 'memory' | number;

checkAnswers();

const FROM_ENVIRONMENT = readSetup(process.env['MENAGERIE_TEST_NODES'] ?? '');
let current = FROM_ENVIRONMENT;

/** How many nodes a service consists of. */
export const nodeCount = () => (typeof current === 'number' ? current : 1);

const isOnPostgres = () => typeof current === 'number';

/** For a test that is about the file of the embedded database. */
export const skipOnPostgres = () => isOnPostgres() && 'it is about the file of the embedded database';

/** For a test of many requests to which every node gives the answer that one gives. */
export const skipOnNodes = () => nodeCount() > 1 && 'each node answers as one does';

/** Services that start from now until the end of the test run like this. */
export function runOn(t: Lifetime, setup: Setup): void {
  current = setup;
  t.after(() => {
    current = FROM_ENVIRONMENT;
    return Promise.resolve();
  });
}

function readSetup(text: string): Setup | undefined {
  if (!/^(?:[1-9]|memory)?$/.test(text))
    throw new Error('MENAGERIE_TEST_NODES is a number from 1 to 9, or memory, or left out.');
  if (text === '') return undefined;
  return text === 'memory' ? text : Number(text);
}

/** In a data folder: which database belongs to it. */
const NOTE = 'test-database.json';

interface Note {
  /** Where the note was written: elsewhere, it is in a copy of the folder. */
  dataDir: string;
  url: string;
}

/**
 * The flags that say where the database of a data folder is. Where it is on PostgreSQL and there is none yet, one is made; in a copy of a folder, a
 * copy of its database.
 */
export async function databaseFlags(dataDir: string): Promise<readonly string[]> {
  if (current === 'memory') return ['--ephemeral'];
  const note = await readNote(dataDir);
  if (note === undefined && !isOnPostgres()) return [];
  const url = note?.dataDir === dataDir ? note.url : await newDatabase(dataDir, note?.url);
  return ['--database-url', url, '--database-connections', '5', '--database-timeout-seconds', '60'];
}

/** Gives a data folder a database of PostgreSQL, whatever the environment says: as the service leaves a new one, or a copy of another. */
export async function newDatabase(dataDir: string, copied?: string): Promise<string> {
  const server = await sharedPostgres();
  const url = patiently(await server.createDatabase({ template: copied ?? server.template }));
  await writeNote(dataDir, { dataDir, url });
  return url;
}

/** The same, with nothing in it. */
export async function newEmptyDatabase(dataDir: string): Promise<string> {
  const url = patiently(await (await sharedPostgres()).createDatabase());
  await writeNote(dataDir, { dataDir, url });
  return url;
}

/** The address of the database that belongs to a data folder; undefined for the embedded one. */
export async function databaseOf(dataDir: string): Promise<string | undefined> {
  const note = await readNote(dataDir);
  return note?.dataDir === dataDir ? note.url : undefined;
}

/** With every connection to it. */
export async function dropDatabaseOf(dataDir: string): Promise<void> {
  const url = await databaseOf(dataDir);
  if (url !== undefined) await (await sharedPostgres()).dropDatabase(url);
}

/** A data folder of its own for another server on the same database; each folder has a lock of its own. */
export async function newFolderOnDatabaseOf(dataDir: string): Promise<string> {
  const other = await mkdtemp(join(tmpdir(), 'menagerie-test-'));
  const url = await databaseOf(dataDir);
  if (url === undefined) await symlink(join(dataDir, 'menagerie.db'), join(other, 'menagerie.db'));
  else await writeNote(other, { dataDir: other, url });
  return other;
}

async function readNote(dataDir: string): Promise<Note | undefined> {
  const path = join(dataDir, NOTE);
  return existsSync(path) ? (JSON.parse(await readFile(path, 'utf8')) as Note) : undefined;
}

function writeNote(dataDir: string, note: Note): Promise<void> {
  return writeFile(join(dataDir, NOTE), JSON.stringify(note));
}

export interface Nodes extends Service {
  /** Each by itself; the service is one of them where there is but one. */
  nodes: readonly Service[];
}

/** A service of so many nodes, all started at the same moment. */
export async function startNodes(
  config: Config,
  log: Logger,
  clock?: () => number,
  count = nodeCount(),
): Promise<Nodes> {
  const starting = Array.from({ length: count }, () => startService(config, log, clock));
  const [first, ...others] = await allOrNone(starting);
  if (first === undefined) throw new Error('There is no service without a node.');
  if (others.length === 0) return { ...first, nodes: [first] };
  const nodes = [first, ...others];
  const front = await openFront(nodes.map(({ origin }) => origin));
  return {
    origin: front.origin,
    nodes,
    samples: nodes.find(({ samples }) => samples !== undefined)?.samples,
    photoFiles: {
      async clearUnused(isStopping) {
        // One node after the other: the sum is exact only then.
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
