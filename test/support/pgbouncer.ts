import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unpackedPackages } from './debian-packages.ts';
import { ADMIN, freePort, give, serverFolder } from './postgres-folder.ts';
import { runServer } from './postgres-process.ts';
import { OWNER, type PostgresServer } from './postgres-server.ts';
import type { Lifetime } from './lifetime.ts';

const run = promisify(execFile);
const INSTALLED = '/usr/sbin/pgbouncer';

export interface PgbouncerOptions {
  poolMode?: 'session' | 'transaction' | 'statement';
  /** Lines of its section [pgbouncer]. */
  settings?: Readonly<Record<string, string>>;
}

export interface Pgbouncer {
  /** The server's `url` through PgBouncer. */
  url: string;
  port: number;
  /** The URL of a database of the server through PgBouncer. */
  urlOf(databaseUrl: string): string;
  log(): string;
  kill(): Promise<void>;
}

interface Program {
  file: string;
  environment: Record<string, string>;
}

type ServerBehind = Pick<PostgresServer, 'password' | 'port' | 'runAs' | 'url'>;

/** PgBouncer before this server, or the reason why it is not available. */
export async function startPgbouncer(
  t: Lifetime,
  postgres: ServerBehind,
  options: PgbouncerOptions = {},
): Promise<Pgbouncer | { missing: string }> {
  const program = await findPgbouncer();
  if ('missing' in program) return program;
  const folder = await serverFolder(postgres.runAs);
  const port = await freePort();
  const configuration = await configure(folder, port, postgres, options);
  const log = { text: '' };
  const { runAs } = postgres;
  const process = await runServer({ ...program, args: [configuration], folder, runAs, ready: 'process up' }, log);
  t.after(async () => {
    await process.kill();
    await rm(folder, { recursive: true, force: true });
  });
  const urlOf = (databaseUrl: string) => Object.assign(new URL(databaseUrl), { port: String(port) }).href;
  return { url: urlOf(postgres.url), port, urlOf, log: () => log.text, kill: () => process.kill() };
}

async function configure(
  folder: string,
  port: number,
  { password, port: serverPort, runAs }: ServerBehind,
  { poolMode = 'transaction', settings = {} }: PgbouncerOptions,
): Promise<string> {
  const users = join(folder, 'users.txt');
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: users,
    admin_users: ADMIN,
    pool_mode: poolMode,
    max_client_conn: '1000',
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  const file = join(folder, 'pgbouncer.ini');
  const text = ['[databases]', `* = host=127.0.0.1 port=${serverPort}`, '[pgbouncer]', ...lines, ''].join('\n');
  await writeFile(file, text, { mode: 0o600 });
  await writeFile(users, `"${OWNER}" "${password}"\n"${ADMIN}" "${password}"\n`, { mode: 0o600 });
  await Promise.all([file, users].map((path) => give(path, runAs)));
  return file;
}

/** The installed one, or Debian's package unpacked beside the other packages of the project. */
async function findPgbouncer(): Promise<Program | { missing: string }> {
  if (existsSync(INSTALLED)) return { file: INSTALLED, environment: {} };
  if (process.platform !== 'linux') return { missing: 'PgBouncer is not installed' };
  try {
    const root = await unpackedPackages('pgbouncer', findPackages);
    const libraries = (await readdir(join(root, 'usr', 'lib'))).map((name) => join(root, 'usr', 'lib', name));
    return { file: join(root, INSTALLED), environment: { LD_LIBRARY_PATH: libraries.join(':') } };
  } catch (error) {
    return { missing: `PgBouncer is not installed, and apt-get could not fetch it: ${String(error)}` };
  }
}

async function findPackages(): Promise<string[]> {
  const { stdout } = await run('apt-cache', ['depends', 'pgbouncer']);
  // Every Debian has the other libraries.
  const libraries = [...stdout.matchAll(/Depends: (lib(?:c-?ares|event)\S*)/g)].map((match) => match[1] ?? '');
  return ['pgbouncer', ...libraries];
}
