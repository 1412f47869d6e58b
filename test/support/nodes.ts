import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import type { Config } from '../../src/main/config.ts';
import { startService, type Service } from '../../src/main/service.ts';
import { checkAnswers } from './documented-answers.ts';
import { openFront } from './front.ts';
import { patiently, startPostgres, type PostgresServer } from './postgres-server.ts';
import { openPostgresStoresAt } from './postgres-stores.ts';
import type { Lifetime } from './service.ts';

/*
 * What the tests of the service run on: the embedded database, as long as the environment says nothing; with MENAGERIE_TEST_NODES=memory everything
 * in memory (as far as a test does not look at what is on the disk); with MENAGERIE_TEST_NODES=1 one node on
 * PostgreSQL; with a greater number so many nodes on one database of PostgreSQL, behind a front that gives each the next request.
 */

const WANTED = process.env['MENAGERIE_TEST_NODES'] ?? '';
if (!/^(?:[1-9]|memory)?$/.test(WANTED))
  throw new Error('MENAGERIE_TEST_NODES is a number from 1 to 9, or memory, or left out.');

const IS_IN_MEMORY = WANTED === 'memory';

checkAnswers();

/** How many nodes a service is made of. */
export const NODE_COUNT = IS_IN_MEMORY ? 1 : Number(WANTED || 1);

export const IS_ON_POSTGRES = WANTED !== '' && !IS_IN_MEMORY;

/** For a test that is about the embedded database itself. */
export const skipOnPostgres = IS_ON_POSTGRES && 'it is about the file of the embedded database';

/** In a data folder: which database belongs to it. */
const NOTE = 'test-database.json';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

interface Note {
  /** Where the note was written: elsewhere, it is in a copy of the folder. */
  dataDir: string;
  url: string;
}

let postgres: Promise<PostgresServer> | undefined;
let template: Promise<string> | undefined;

/** One server for this test process. It ends with the process. Nothing here pulls the plug: it need not wait for the disk. */
export function testPostgres(): Promise<PostgresServer> {
  return (postgres ??= startPostgres({ after() {} }, { fsync: false }));
}

async function makeTemplate(): Promise<string> {
  const url = await (await testPostgres()).createDatabase();
  await (await openPostgresStoresAt(url)).close();
  return url;
}

/**
 * The flags that say where the database of a data folder is. Where it is on PostgreSQL and there is none yet, one is made; in a copy of a folder, a
 * copy of its database.
 */
export async function databaseFlags(dataDir: string): Promise<readonly string[]> {
  if (IS_IN_MEMORY) return ['--ephemeral'];
  const note = await readNote(dataDir);
  if (note === undefined && !IS_ON_POSTGRES) return [];
  const url = note?.dataDir === dataDir ? note.url : await newDatabase(dataDir, note?.url);
  return ['--database-url', url, '--database-connections', '5', '--database-timeout-seconds', '60'];
}

/** Gives a data folder a database of PostgreSQL, whatever the environment says: as the service leaves a new one, or a copy of another. */
export async function newDatabase(dataDir: string, copied?: string): Promise<string> {
  const server = await testPostgres();
  const url = patiently(await server.createDatabase({ template: copied ?? (await (template ??= makeTemplate())) }));
  await writeNote(dataDir, { dataDir, url });
  return url;
}

/** The same, with nothing in it. */
export async function newEmptyDatabase(dataDir: string): Promise<string> {
  const url = patiently(await (await testPostgres()).createDatabase());
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
  if (url !== undefined) await (await testPostgres()).dropDatabase(url);
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
  count = NODE_COUNT,
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
    gallery: {
      ...first.gallery,
      async clearUnused(isStopping) {
        const removed = await Promise.all(nodes.map(({ gallery }) => gallery.clearUnused(isStopping)));
        return removed.reduce((sum, count) => sum + count, 0);
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

/** Runs a file of tests in a process of its own, with so many nodes, or with everything in memory. */
export async function runOnNodes(
  t: Lifetime,
  file: string,
  nodes: number | 'memory',
): Promise<{ code: number | null; output: string }> {
  const environment: NodeJS.ProcessEnv = { ...process.env, MENAGERIE_TEST_NODES: String(nodes) };
  // By this one, Node.js tells whoever it runs for in a language of its own.
  delete environment['NODE_TEST_CONTEXT'];
  const child = spawn(process.execPath, ['--test-reporter=tap', file], {
    cwd: ROOT,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const [code] = await ended;
  return { code: code as number | null, output };
}
