import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { debianBinaries } from '../test/support/postgres-binaries.ts';
import { Skipped } from './measurements/measurement.ts';
import type { Database } from './postgres.ts';
import { isThere, startProcess } from './processes.ts';

/* The load that PostgreSQL brings along (https://www.postgresql.org/docs/current/pgbench.html). */

export interface Transactions {
  database: Pick<Database, 'url' | 'scriptPath'>;
  /** The statements of one transaction, as pgbench has them. */
  script: string;
  variables?: Readonly<Record<string, string | number>>;
  clients: number;
  seconds: number;
}

const FEWEST_SECONDS = 2;

/** `pgbench (PostgreSQL) 15.18`; undefined where there is none. */
export function pgbenchVersion(): string | undefined {
  const command = findPgbench();
  return command && spawnSync(command, ['--version'], { encoding: 'utf8' }).stdout.trim().split(' (Debian')[0];
}

/** How many transactions a second are done, of prepared statements. @throws when a single one failed */
export async function transactionRate(transactions: Transactions): Promise<number> {
  const { database, script, variables = {}, clients, seconds } = transactions;
  const command = findPgbench();
  if (command === undefined) throw new Skipped('There is no pgbench: install postgresql-contrib.');
  await writeFile(database.scriptPath, script);
  const threads = Math.min(clients, availableParallelism());
  const defined = Object.entries(variables).flatMap(([name, value]) => ['-D', `${name}=${value}`]);
  // It takes whole seconds only, and on a busy machine sixty-four of its clients are no sooner connected than after one.
  const time = ['-T', String(Math.max(FEWEST_SECONDS, Math.ceil(seconds)))];
  const flags = ['-n', '-M', 'prepared', '-c', String(clients), '-j', String(threads), ...time];
  const place = { cores: 'all cores' } as const;
  const pgbench = startProcess(command, [...flags, ...defined, '-f', database.scriptPath, database.url], place);
  return rateOf((await pgbench.lastLines()).join('\n'));
}

function rateOf(output: string): number {
  const perSecond = /^tps = ([\d.]+)/m.exec(output)?.[1];
  const done = /^number of transactions actually processed: (\d+)/m.exec(output)?.[1] ?? '0';
  const failed = /^number of failed transactions: (\d+)/m.exec(output)?.[1] ?? '0';
  if (done === '0' || failed !== '0') throw new Error(`pgbench did ${done} transactions, and ${failed} failed.`);
  return Number(perSecond);
}

function findPgbench(): string | undefined {
  if (isThere('pgbench')) return 'pgbench';
  const debian = debianBinaries();
  const command = debian && join(debian.folder, 'pgbench');
  return command !== undefined && isThere(command) ? command : undefined;
}
