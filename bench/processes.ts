import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/*
 * Every server and every load is a process of its own and, where the system can do it, on a core of its own: what the load takes is then
 * not taken from the server.
 */

export type Cores = 'server core' | 'load core' | 'all cores';

export interface Place {
  cores: Cores;
  /** Gives way to others on the same core. */
  isNice?: boolean;
}

export interface RunningProcess {
  pid: number;
  /** The first line that fits, of standard output or standard error. @throws when the process ends, or a minute passes, without it */
  lineLike(pattern: RegExp): Promise<RegExpExecArray>;
  onLine(pattern: RegExp, tell: (group: string) => void): void;
  /** What the process says behind `RESULT`, as its last word. */
  result<T>(): Promise<T>;
  /** The last lines that it said, when it has ended by itself. @throws when that was with an error */
  lastLines(): Promise<readonly string[]>;
  signal(name: NodeJS.Signals): void;
  /** Asks it to end, and waits until it has. */
  stop(): Promise<void>;
}

const KEPT_LINES = 50;
const LINE_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;
const CORE_OF: Readonly<Record<Cores, string | undefined>> = {
  'server core': '0',
  'load core': '1',
  'all cores': undefined,
};

export const canPin = isThere('taskset') && availableParallelism() > 1;
const canBeNice = isThere('nice');
const running = new Set<ChildProcess>();

export function isThere(command: string): boolean {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).error === undefined;
}

/** Starts a script of this repository, by its path from the root. */
export function startScript(script: string, args: readonly string[], place: Place): RunningProcess {
  return startProcess(process.execPath, [join(import.meta.dirname, '..', script), ...args], place);
}

export function startProcess(command: string, args: readonly string[], place: Place): RunningProcess {
  const [first = command, ...others] = [...placing(place), command, ...args];
  const child = spawn(first, others, { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  const name = args.find((word) => /\.[jt]s$/.test(word))?.replace(/^.*\//, '') ?? command;
  const lines = keepLines(child);
  // Without its own listener, an error of one process would end all.
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()).once('error', () => resolve()));
  void ended.then(() => running.delete(child));
  const endedEarly = () => new Error(`${name} ended too early. It said: ${lines.kept.slice(-5).join(' | ')}`);

  async function lineLike(pattern: RegExp): Promise<RegExpExecArray> {
    for (const line of lines.kept) {
      const match = pattern.exec(line);
      if (match !== null) return match;
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${name} did not get ready in a minute.`)), LINE_TIMEOUT_MS);
      lines.on('line', (line: string) => {
        const match = pattern.exec(line);
        if (match !== null) resolve(match);
        if (match !== null) clearTimeout(timer);
      });
      void ended.then(() => {
        clearTimeout(timer);
        reject(endedEarly());
      });
    });
  }

  return {
    pid: child.pid ?? 0,
    lineLike,
    onLine(pattern, tell) {
      lines.on('line', (line: string) => {
        const group = pattern.exec(line)?.[1];
        if (group !== undefined) tell(group);
      });
    },
    async result<T>() {
      await ended;
      const words = lines.kept.findLast((line) => line.startsWith('RESULT '));
      if (words === undefined || child.exitCode !== 0) throw endedEarly();
      return JSON.parse(words.slice('RESULT '.length)) as T;
    },
    async lastLines() {
      await ended;
      if (child.exitCode !== 0) throw endedEarly();
      return lines.kept;
    },
    signal: (signal) => void child.kill(signal),
    async stop() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** The last word to all that were started here and still run. */
export function killAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Resident memory of a process, in MiB. */
export async function residentMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => undefined);
  const kib =
    status === undefined
      ? spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).stdout
      : /^VmRSS:\s*(\d+)/m.exec(status)?.[1];
  return Number(kib) / 1024;
}

function placing({ cores, isNice = false }: Place): string[] {
  const core = CORE_OF[cores];
  return [
    ...(canPin && core !== undefined ? ['taskset', '-c', core] : []),
    ...(canBeNice && isNice ? ['nice', '-n', '19'] : []),
  ];
}

interface Lines extends EventEmitter {
  kept: string[];
}

function keepLines(child: ChildProcess): Lines {
  const kept: string[] = [];
  const lines = Object.assign(new EventEmitter(), { kept });
  lines.setMaxListeners(0);
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on('line', (line) => {
      kept.push(line);
      if (kept.length > KEPT_LINES) kept.shift();
      lines.emit('line', line);
    });
  }
  return lines;
}
