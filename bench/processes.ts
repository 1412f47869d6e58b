import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

/*
 * The servers and the load, each in a process of its own and, where the system can do it, on a core of its own: what the load takes is then
 * not taken from the server.
 */

const run = promisify(execFile);

export interface RunningServer {
  origin: string;
  pid: number;
  stop(): Promise<void>;
}

export interface LoadResult {
  perSecond: number;
  p99Ms: number;
  errors: number;
}

export type Load = { kind: 'get'; highestId: number; cookie?: string } | { kind: 'post' };

/** On one core each, server and load; or on all cores, as the system spreads them. */
export type Cores = 'one' | 'all';

export const CONNECTIONS = 64;

const SERVER_CORE = '0';
const LOAD_CORE = '1';
const canPin = isThere('taskset') && spawnSync('nproc', { encoding: 'utf8' }).stdout.trim() !== '1';
export const hasWrk = isThere('wrk');

/** Starts a server from a script of this repository, and waits for the line that says where it is. */
export async function startServer(script: string, args: readonly string[], cores: Cores): Promise<RunningServer> {
  const command = [process.execPath, [join(import.meta.dirname, '..', script), ...args]] as const;
  const child = spawn(...(cores === 'one' ? pinned(SERVER_CORE, ...command) : plain(...command)), {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (origin !== undefined) return { origin, pid: child.pid ?? 0, stop: () => stop(child) };
  }
  throw new Error(`${script} ended before it listened.`);
}

/** Runs a command of Menagerie's to its end, with this for its standard input. */
export function runMenagerie(args: readonly string[], input: string): void {
  const script = join(import.meta.dirname, '..', 'src/cli/menagerie.js');
  const { status, stderr } = spawnSync(process.execPath, [script, ...args], { input, encoding: 'utf8' });
  if (status !== 0) throw new Error(`menagerie ${args[0]} failed: ${stderr}`);
}

/** Loads a server for so long, and counts. */
export async function load(origin: string, seconds: number, what: Load, cores: Cores): Promise<LoadResult> {
  const words =
    what.kind === 'get'
      ? ['get', String(what.highestId), ...(what.cookie === undefined ? [] : [what.cookie])]
      : ['post'];
  const [command, args] = hasWrk
    ? ([
        'wrk',
        [
          '-t1',
          `-c${CONNECTIONS}`,
          `-d${seconds}s`,
          '-s',
          join(import.meta.dirname, 'load.lua'),
          origin,
          '--',
          ...words,
        ],
      ] as const)
    : ([
        process.execPath,
        [join(import.meta.dirname, 'autocannon-load.ts'), origin, String(seconds), String(CONNECTIONS), ...words],
      ] as const);
  const { stdout } = await run(...(cores === 'one' ? pinned(LOAD_CORE, command, args) : plain(command, args)));
  const line = /^RESULT (\{.*\})$/m.exec(stdout)?.[1];
  if (line === undefined) throw new Error(`The load gave no result: ${stdout}`);
  const { requests, durationUs, errors, p99Us } = JSON.parse(line) as Record<
    'requests' | 'durationUs' | 'errors' | 'p99Us',
    number
  >;
  return { perSecond: requests / (durationUs / 1e6), p99Ms: p99Us / 1000, errors };
}

/** Resident memory of a process, in bytes. */
export async function residentBytes(pid: number): Promise<number> {
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout.trim()) * 1024;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

function pinned(core: string, command: string, args: readonly string[]): [string, string[]] {
  return canPin ? ['taskset', ['-c', core, command, ...args]] : plain(command, args);
}

function plain(command: string, args: readonly string[]): [string, string[]] {
  return [command, [...args]];
}

function isThere(command: string): boolean {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).error === undefined;
}
