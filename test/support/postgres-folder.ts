import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFile, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unprivilegedUser, type PostgresBinaries, type RunAs } from './postgres-binaries.ts';
import { watchFolder } from './postgres-watch.ts';

const run = promisify(execFile);

/** The superuser. */
export const ADMIN = 'postgres';

export interface PostgresOptions {
  /** Lines of postgresql.conf. */
  settings?: Readonly<Record<string, string>>;
  /** Whether commits are flushed to the disk. Default: true. */
  fsync?: boolean;
}

/** The data folder and options of a server that is not started yet. */
export interface PostgresFolder {
  binaries: PostgresBinaries;
  runAs: RunAs;
  dataFolder: string;
  /** Random for each server, and the same for all its users. */
  password: string;
  port: number;
}

/** Initializes the data folder of a new server. */
export async function initializeFolder(binaries: PostgresBinaries, options: PostgresOptions): Promise<PostgresFolder> {
  const runAs = await unprivilegedUser();
  const dataFolder = await serverFolder(runAs);
  const password = randomBytes(24).toString('base64url');
  const passwordFile = `${dataFolder}.password`;
  try {
    await writeFile(passwordFile, password, { mode: 0o600, flag: 'wx' });
    await give(passwordFile, runAs);
    const flags = ['--no-sync', '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', `--username=${ADMIN}`];
    await run(join(binaries.folder, 'initdb'), [...flags, `--pgdata=${dataFolder}`, `--pwfile=${passwordFile}`], {
      ...runAs,
      cwd: dataFolder,
      env: { LC_ALL: 'C', TZ: 'UTC', PATH: process.env['PATH'] },
    });
  } finally {
    await rm(passwordFile, { force: true });
  }
  const folder = { binaries, runAs, dataFolder, password, port: await freePort() };
  const fsync = options.fsync === false ? 'off' : 'on';
  await addSettings(folder, { max_connections: '200', fsync, ...options.settings });
  return folder;
}

/** An empty folder of the server's user. */
export async function serverFolder(runAs: RunAs): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'menagerie-postgres-'));
  watchFolder(folder);
  await give(folder, runAs);
  return folder;
}

export async function give(path: string, { uid, gid }: RunAs): Promise<void> {
  if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
}

export async function addSettings({ dataFolder, port }: PostgresFolder, settings: Readonly<Record<string, string>>) {
  const all = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    // Inside the data folder, so that it is deleted with it, even after a kill.
    ...(process.platform === 'win32' ? {} : { dynamic_shared_memory_type: 'mmap' }),
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`);
  await appendFile(join(dataFolder, 'postgresql.conf'), lines.join(''));
}

/** Deletes the folder, and the few bytes of System V memory that a killed server leaves. */
export async function removeFolder(dataFolder: string): Promise<void> {
  const lines = await readFile(join(dataFolder, 'postmaster.pid'), 'utf8').catch(() => '');
  // "key id", on the seventh line.
  const memory = lines.split('\n')[6]?.trim().split(/\s+/)[1];
  if (memory !== undefined) await run('ipcrm', ['-m', memory]).catch(() => {});
  await rm(dataFolder, { recursive: true, force: true, maxRetries: 5 });
}

/** Below the ephemeral ports, so that it is still free when the server restarts. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
      .once('error', () => resolve(false))
      .listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
