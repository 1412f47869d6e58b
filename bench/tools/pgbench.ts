import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { debianBinaries } from '../../test/support/postgres-binaries.ts';
import { isInstalled, Skipped, startProcess } from './processes.ts';

/* The load generator of PostgreSQL (https://www.postgresql.org/docs/current/pgbench.html). */

interface Transactions {
  /** The URL of a database, and a path for the script. */
  database: { url: string; scriptPath: string };
  /** The statements of one transaction, in the language of pgbench. */
  script: string;
  variables?: Readonly<Record<string, string | number>>;
  clients: number;
  seconds: number;
}

const MIN_SECONDS = 2;

/** For instance `pgbench (PostgreSQL) 15.18`; undefined if it is not installed. */
export function pgbenchVersion(): string | undefined {
  const command = findPgbench();
  return command && spawnSync(command, ['--version'], { encoding: 'utf8' }).stdout.trim().split(' (Debian')[0];
}

/** Transactions per second, with prepared statements. @throws if any of them fails */
export async function transactionRate(transactions: Transactions): Promise<number> {
  const { database, script, variables = {}, clients, seconds } = transactions;
  const command = findPgbench();
  if (command === undefined) throw new Skipped('pgbench is not installed: install postgresql-contrib.');
  await writeFile(database.scriptPath, script);
  const threads = Math.min(clients, availableParallelism());
  const defined = Object.entries(variables).flatMap(([name, value]) => ['-D', `${name}=${value}`]);
  // pgbench accepts whole seconds only, and on a busy machine, connecting 64 clients takes more than one.
  const time = ['-T', String(Math.max(MIN_SECONDS, Math.ceil(seconds)))];
  const flags = ['-n', '-M', 'prepared', '-c', String(clients), '-j', String(threads), ...time];
  const place = { cores: 'all cores' } as const;
  const pgbench = startProcess(command, [...flags, ...defined, '-f', database.scriptPath, database.url], place);
  return rateOf((await pgbench.lastLines()).join('\n'));
}

function rateOf(output: string): number {
  const perSecond = /^tps = ([\d.]+)/m.exec(output)?.[1];
  const done = /^number of transactions actually processed: (\d+)/m.exec(output)?.[1] ?? '0';
  const failed = /^number of failed transactions: (\d+)/m.exec(output)?.[1] ?? '0';
  if (done === '0' || failed !== '0') throw new Error(`pgbench: ${done} transactions succeeded, ${failed} failed.`);
  return Number(perSecond);
}

function findPgbench(): string | undefined {
  if (isInstalled('pgbench')) return 'pgbench';
  const debian = debianBinaries();
  const command = debian && join(debian.folder, 'pgbench');
  return command !== undefined && isInstalled(command) ? command : undefined;
}
