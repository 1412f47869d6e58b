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
  /** What it writes when it takes connections. */
  ready: string;
}

/** One run of a server program, with all the processes that it starts. */
export interface ServerProcess {
  isOver(): boolean;
  /** Asks it to end, and waits until it has. */
  end(signal: NodeJS.Signals): Promise<void>;
  /** Ends all its processes at once, frozen or not. */
  kill(): Promise<void>;
  /** Stops all its processes where they are: connections stay open, and nothing answers. */
  freeze(): Promise<void>;
  thaw(): void;
}

/** Starts the program, and waits until it takes connections; what it writes is added to the log. It does not keep this process from ending. */
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
      // The first one alone, so that no others begin while they are counted.
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
    // Only what it writes until then is searched.
    text += part;
    log.text += part;
  });
  const failed = over.then(() => {
    throw new Error(`${file} ended: ${text}`);
  });
  // From the time that it is ready, it may end.
  failed.catch(() => {});
  while (!text.includes(ready)) await Promise.race([once(child.stderr ?? child, 'data'), failed]);
}

async function processTree(first: number): Promise<number[]> {
  // Windows can not stop a process where it is; there, the others end when they notice that the first is gone.
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

/** The memory that they share is in use until the last of them is gone. */
async function untilGone(pids: readonly number[]): Promise<void> {
  if (process.platform === 'win32') return;
  while ((await livingOf(pids)).length > 0) await sleep(5);
}

async function livingOf(pids: readonly number[]): Promise<string[]> {
  // It fails when there is none.
  const { stdout } = await run('ps', ['-o', 'stat=', '-p', pids.join(',')]).catch(() => ({ stdout: '' }));
  return stdout.split('\n').filter((state) => state !== '' && !state.startsWith('Z'));
}
