import { chmod, copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, escapeLiteral } from 'pg';
import { ADMIN, addSettings, freePort, give, serverFolder, type PostgresFolder } from './postgres-folder.ts';
import { startOn, type PostgresServer } from './postgres-server.ts';
import type { Lifetime } from './lifetime.ts';

/** Folders whose contents belong to the running server, not to its data. */
const EMPTY_IN_A_COPY = new Set(
  'pg_wal pg_replslot pg_dynshmem pg_notify pg_serial pg_snapshots pg_stat_tmp pg_subtrans'.split(' '),
);
const NOT_IN_A_COPY = new Set(['postmaster.pid', 'postmaster.opts', 'pg_internal.init']);
const PATIENCE_MS = 30_000;

export interface StandbyOptions {
  /** Its application name on the primary. */
  name?: string;
  settings?: Readonly<Record<string, string>>;
}

export interface PostgresStandby extends PostgresServer {
  /** Makes commits on the primary wait for this standby's disk. */
  makeSynchronous(): Promise<void>;
  /** Waits until the primary counts it as synchronous. */
  awaitSync(): Promise<void>;
  /** Waits until it has replayed all commits of the primary up to now. */
  awaitReplay(): Promise<void>;
  /** Promotes it to a primary. The old one does not notice. */
  promote(): Promise<void>;
}

/**
 * A streaming standby. The primary must belong to this test alone: it keeps the WAL that the standby has not received.
 */
export async function startStandby(
  t: Lifetime,
  primary: PostgresServer,
  { name = 'standby', settings = {} }: StandbyOptions = {},
): Promise<PostgresStandby> {
  const { binaries, runAs, password } = primary;
  const folder = { binaries, runAs, password, dataFolder: await serverFolder(runAs), port: await freePort() };
  await primary.query('select pg_create_physical_replication_slot($1, true)', [name]);
  await copyRunning(primary, folder);
  const host = `host=127.0.0.1 port=${primary.port} user=${ADMIN} password=${password} application_name=${name}`;
  await addSettings(folder, { primary_conninfo: host, primary_slot_name: name, ...settings });
  const server = await startOn(t, folder);
  const awaitSync = () => untilTrue(primary, "sync_state in ('sync', 'quorum')", name);
  return {
    ...server,
    awaitSync,
    async makeSynchronous() {
      await primary.query(`alter system set synchronous_standby_names = ${escapeLiteral(name)}`);
      await primary.query('select pg_reload_conf()');
      await awaitSync();
    },
    async awaitReplay() {
      const { rows } = await primary.query('select pg_current_wal_lsn()::text as position');
      const position = escapeLiteral(String(rows[0]?.['position']));
      await untilTrue(primary, `replay_lsn >= ${position}`, name);
    },
    async promote() {
      await server.query('select pg_promote()');
    },
  };
}

async function untilTrue(primary: PostgresServer, condition: string, name: string): Promise<void> {
  const sql = `select 1 from pg_stat_replication where application_name = $1 and ${condition}`;
  const deadline = Date.now() + PATIENCE_MS;
  while ((await primary.query(sql, [name])).rowCount === 0) {
    if (Date.now() > deadline) throw new Error(`The standby ${name} is not ready: ${condition}`);
    await sleep(20);
  }
}

/** The same as pg_basebackup, which not every package of PostgreSQL has. */
async function copyRunning(primary: PostgresServer, folder: PostgresFolder): Promise<void> {
  const client = new Client({ connectionString: primary.adminUrl });
  await client.connect();
  try {
    await client.query("select pg_backup_start('standby', true)");
    await copyFolder(primary.dataFolder, folder);
    const sql = 'select labelfile from pg_backup_stop(false)';
    const { rows } = await client.query<{ labelfile: string }>(sql);
    await writeFor(folder, 'backup_label', rows[0]?.labelfile ?? '');
  } finally {
    await client.end();
  }
  await writeFor(folder, 'standby.signal', '');
  // Settings of the primary that do not apply to a standby, such as its own standbys.
  await writeFor(folder, 'postgresql.auto.conf', '');
}

async function copyFolder(source: string, { dataFolder, runAs }: PostgresFolder): Promise<void> {
  const entries = await readdir(source, { recursive: true, withFileTypes: true });
  const paths = entries
    .map((entry) => ({ entry, path: join(entry.parentPath, entry.name).slice(source.length + 1) }))
    .filter(({ entry, path }) => !isOfTheRun(entry.name, path));
  // Sorted, a folder precedes its contents.
  for (const { path } of paths
    .filter(({ entry }) => entry.isDirectory())
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    await mkdir(join(dataFolder, path), { mode: 0o700 });
    await give(join(dataFolder, path), runAs);
  }
  const files = paths.filter(({ entry }) => entry.isFile());
  await Promise.all(files.map(({ path }) => copyOne(join(source, path), join(dataFolder, path), runAs)));
  await chmod(dataFolder, 0o700);
}

function isOfTheRun(name: string, path: string): boolean {
  const [top = '', ...below] = path.split(/[\\/]/);
  return NOT_IN_A_COPY.has(name) || (EMPTY_IN_A_COPY.has(top) && below.length > 0);
}

async function copyOne(source: string, target: string, runAs: PostgresFolder['runAs']): Promise<void> {
  try {
    await copyFile(source, target);
  } catch (error) {
    // The server has deleted it since; the WAL contains the deletion.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
    throw error;
  }
  await give(target, runAs);
}

async function writeFor({ dataFolder, runAs }: PostgresFolder, name: string, text: string): Promise<void> {
  const path = join(dataFolder, name);
  await writeFile(path, text, { mode: 0o600 });
  await give(path, runAs);
}
