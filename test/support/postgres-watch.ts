import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/*
 * A test process may end in any way, even by SIGKILL. This program outlives it briefly: when its standard input ends,
 * it stops the servers on the folders that were registered, and deletes the folders.
 */

let watch: ChildProcess | undefined;

/** Registers a folder: neither it nor a server on it outlives this process by more than a moment. */
export function watchFolder(folder: string): void {
  watch ??= startWatch();
  watch.stdin?.write(`${folder}\n`);
}

function startWatch(): ChildProcess {
  const child = spawn(process.execPath, [import.meta.filename], {
    // Signals that a terminal sends to the test do not reach it.
    detached: true,
    env: { PATH: process.env['PATH'] },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return child;
}

async function watchUntilTheEnd(): Promise<void> {
  const folders: string[] = [];
  for await (const folder of createInterface({ input: process.stdin })) folders.push(folder);
  if (process.platform !== 'win32') await endServersOn(folders);
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}

/** SIGQUIT: PostgreSQL ends immediately, but leaves no shared memory behind. */
async function endServersOn(folders: readonly string[]): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const { servers, children } = processesOn(folders);
    if (servers.length === 0) return;
    if (attempt === 0) send(servers, 'SIGQUIT');
    // They may be frozen.
    send([...servers, ...children], attempt < 99 ? 'SIGCONT' : 'SIGKILL');
    await sleep(50);
  }
}

function processesOn(folders: readonly string[]): { servers: number[]; children: number[] } {
  const output = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  const processes = output.split('\n').map((line) => {
    const [, pid, parent, args = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return { pid: Number(pid), parent: Number(parent), args };
  });
  const servers = processes.filter(({ args }) => folders.some((folder) => args.includes(folder))).map(({ pid }) => pid);
  return { servers, children: processes.filter(({ parent }) => servers.includes(parent)).map(({ pid }) => pid) };
}

function send(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has already ended.
    }
  }
}

if (import.meta.main) await watchUntilTheEnd();
