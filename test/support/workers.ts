import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { HttpResponse } from './client.ts';
import { openConnection, type Connection } from './connection.ts';
import { startServer, type RunningServer } from './menagerie-process.ts';
import type { Lifetime } from './lifetime.ts';
import { until } from './until.ts';

/* A service of several processes: their ids, and connections to a known process. */

/** The child processes of a process, from Linux's /proc. */
export async function childrenOf(pid: number): Promise<readonly number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return text.split(' ').filter(Boolean).map(Number);
}

/** A zombie, which has ended but was not reaped, does not count as running. */
export async function isRunning(pid: number): Promise<boolean> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return text !== '' && !/\) [ZX] /.test(text);
}

const PATIENCE_MS = 30_000;

export function untilGone(pids: readonly number[]): Promise<void> {
  return until('all processes have ended', async () => !(await Promise.all(pids.map(isRunning))).includes(true));
}

export interface ServerOfWorkers extends RunningServer {
  pid: number;
  /** The process ids of the workers that currently respond. */
  workers(): Promise<readonly number[]>;
}

/** `menagerie serve` with two workers; all processes are killed after the test. */
export async function startTwoWorkers(
  t: Lifetime,
  dataDir: string,
  flags: readonly string[] = [],
): Promise<ServerOfWorkers> {
  const seen = new Set<number>();
  let server: RunningServer | undefined;
  // Registered before the hook of the server, which waits until its streams are closed: an orphaned worker keeps them
  // open.
  t.after(async () => {
    if (server?.child.pid !== undefined) for (const worker of await childrenOf(server.child.pid)) seen.add(worker);
    server?.child.kill('SIGKILL');
    // The id may have been reused by another program.
    for (const worker of seen) if (await isWorker(worker)) process.kill(worker, 'SIGKILL');
  });
  const running = (server = await startServer(t, dataDir, ['--empty', '--workers', '2', ...flags]));
  const pid = running.child.pid ?? assert.fail();
  const workers = async () => {
    const found = await childrenOf(pid);
    for (const worker of found) seen.add(worker);
    return found;
  };
  assert.equal((await workers()).length, 2);
  return { ...running, pid, workers };
}

async function isWorker(pid: number): Promise<boolean> {
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).includes('worker-entry');
}

/** The process that sent a response: its request ids have a prefix of their own. */
export function processOf({ headers }: HttpResponse): string {
  return /^([0-9a-f]{8})-/.exec(headers.get('x-request-id') ?? '')?.[1] ?? assert.fail('no x-request-id header');
}

/**
 * A connection to one process. A request fails if another process responds to it, because then the connection was
 * replaced.
 */
export interface KnownConnection extends Connection {
  process: string;
}

export async function openKnown(base: string, patienceMs = PATIENCE_MS): Promise<KnownConnection> {
  const connection = openConnection(base, { patienceMs });
  const process = processOf(await connection.call('GET', 'pet/1'));
  return {
    ...connection,
    process,
    async call(method, path, sent) {
      const response = await connection.call(method, path, sent);
      assert.equal(processOf(response), process, 'a connection stays with its process');
      return response;
    },
  };
}

/** This many connections to each of the two processes. */
export async function openToBoth(
  t: Lifetime,
  base: string,
  count: number,
): Promise<readonly [readonly KnownConnection[], readonly KnownConnection[]]> {
  const opened: KnownConnection[] = [];
  t.after(async () => opened.forEach(({ close }) => close()));
  const byProcess = () => [...Map.groupBy(opened, ({ process }) => process).values()];
  // Connections are distributed in turn, but others may interfere.
  for (let tries = 0; tries < 20 * count; tries++) {
    opened.push(await openKnown(base));
    const [one, other, ...more] = byProcess();
    assert.equal(more.length, 0, 'expected two processes');
    if (one !== undefined && other !== undefined && Math.min(one.length, other.length) >= count)
      return [one.slice(0, count), other.slice(0, count)];
  }
  return assert.fail(`all connections came to ${byProcess().length} process`);
}
