import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { RunAs } from './postgres-binaries.ts';

const run = promisify(execFile);

export interface Program {
  file: string;
  args: readonly string[];
  folder: string;
  runAs: RunAs;
  environment?: Readonly<Record<string, string>>;
  /** The output that reports readiness. */
  ready: string;
}

/** A running server program with all its child processes. */
export interface ServerProcess {
  isOver(): boolean;
  /** Asks it to end, and waits until it has. */
  end(signal: NodeJS.Signals): Promise<void>;
  /** Kills all its processes, frozen or not. */
  kill(): Promise<void>;
  /** Freezes all its processes: connections stay open without a response. */
  freeze(): Promise<void>;
  thaw(): void;
}

/** Starts the program, waits until it is ready, and adds its output to the log. It does not keep this process alive. */
export async function runServer(program: Program, log: { text: string }): Promise<ServerProcess> {
  const child = spawn(program.file, program.args, {
    ...program.runAs,
    cwd: program.folder,
    env: { LC_ALL: 'C', TZ: 'UTC', ...program.environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const over = once(child, 'close');
  await untilReady(child, over, program, log);
  child.unref();
  if (child.stderr instanceof Socket) child.stderr.unref();
  return processOf(child, over);
}

function processOf(child: ChildProcess, over: Promise<unknown>): ServerProcess {
  const first = child.pid ?? 0;
  let frozen: number[] = [];
  const ended = async () => {
    child.ref();
    if (child.stderr instanceof Socket) child.stderr.ref();
    await over;
  };
  const process: ServerProcess = {
    isOver: () => child.exitCode !== null || child.signalCode !== null,
    async end(signal) {
      if (process.isOver()) return;
      process.thaw();
      child.kill(signal);
      await ended();
    },
    async kill() {
      if (process.isOver()) return;
      await process.freeze();
      send(frozen, 'SIGKILL');
      await ended();
      await untilGone(frozen);
      frozen = [];
    },
    async freeze() {
      // The parent first, so that it starts no others meanwhile.
      send([first], 'SIGSTOP');
      frozen = await processTree(first);
      send(frozen, 'SIGSTOP');
    },
    thaw() {
      send(frozen, 'SIGCONT');
      frozen = [];
    },
  };
  return process;
}

async function untilReady(
  child: ChildProcess,
  over: Promise<unknown>,
  { file, ready }: Program,
  log: { text: string },
) {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    // Only the output until then is searched.
    text += part;
    log.text += part;
  });
  const failed = over.then(() => {
    throw new Error(`${file} ended: ${text}`);
  });
  // From here on, it may end.
  failed.catch(() => {});
  while (!text.includes(ready)) await Promise.race([once(child.stderr ?? child, 'data'), failed]);
}

async function processTree(first: number): Promise<number[]> {
  // Windows cannot freeze a process; there, the children end when they notice that the parent is gone.
  if (process.platform === 'win32') return [first];
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=']);
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  return rows.filter((row) => row.includes(first)).map(([pid]) => pid ?? first);
}

function send(pids: readonly number[], signal: NodeJS.Signals): void {
  if (process.platform === 'win32' && signal !== 'SIGKILL') return;
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}

/** Their shared memory is in use until the last process is gone. */
async function untilGone(pids: readonly number[]): Promise<void> {
  if (process.platform === 'win32') return;
  while ((await livingOf(pids)).length > 0) await sleep(5);
}

async function livingOf(pids: readonly number[]): Promise<string[]> {
  // `ps` fails if none of them exists.
  const { stdout } = await run('ps', ['-o', 'stat=', '-p', pids.join(',')]).catch(() => ({ stdout: '' }));
  return stdout.split('\n').filter((state) => state !== '' && !state.startsWith('Z'));
}
