import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

/*
 * Every server and every load is a separate process, on a separate core if the system supports it, so that the load
 * does not slow the server down.
 */

/** Thrown if a measurement is not possible on this machine; the message has the reason. */
export class Skipped extends Error {}

export type Cores = 'server core' | 'load core' | 'all cores';

interface Place {
  cores: Cores;
  /** Lower priority than others on the same core. */
  isNice?: boolean;
}

export interface RunningProcess {
  pid: number;
  /**
   * The first matching line of standard output or standard error.
   * @throws if the process ends first, or after a minute
   */
  lineLike(pattern: RegExp): Promise<RegExpExecArray>;
  onLine(pattern: RegExp, call: (group: string) => void): void;
  /** The JSON of its last line that starts with `RESULT`, after it has ended. */
  result<T>(): Promise<T>;
  /** Its last lines, after it has ended. @throws if it failed */
  lastLines(): Promise<readonly string[]>;
  signal(name: NodeJS.Signals): void;
  /** Sends SIGTERM and waits for its end. */
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

/** Interval at which memory is read. */
const SAMPLE_MS = 25;

export const canPin = isInstalled('taskset') && availableParallelism() > 1;
const canBeNice = isInstalled('nice');
const running = new Set<ChildProcess>();

export function isInstalled(command: string): boolean {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).error === undefined;
}

/** Starts a script, by its absolute path or its path from the root of the working tree. */
export function startScript(script: string, args: readonly string[], place: Place): RunningProcess {
  return startProcess(process.execPath, [resolve(import.meta.dirname, '../..', script), ...args], place);
}

export function startProcess(command: string, args: readonly string[], place: Place): RunningProcess {
  const [first = command, ...others] = [...placing(place), command, ...args];
  // As `npm start` and the image do.
  const env = { MALLOC_ARENA_MAX: '1', ...process.env };
  const child = spawn(first, others, { stdio: ['ignore', 'pipe', 'pipe'], env });
  running.add(child);
  const name = args.find((word) => /\.[jt]s$/.test(word))?.replace(/^.*\//, '') ?? command;
  const lines = keepLines(child);
  // Without a listener, an error event would end this process.
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()).once('error', () => resolve()));
  void ended.then(() => running.delete(child));
  const endedEarly = () => new Error(`${name} ended too early. Its last lines: ${lines.kept.slice(-5).join(' | ')}`);

  async function lineLike(pattern: RegExp): Promise<RegExpExecArray> {
    for (const line of lines.kept) {
      const match = pattern.exec(line);
      if (match !== null) return match;
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${name} was not ready within a minute.`)), LINE_TIMEOUT_MS);
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
    onLine(pattern, call) {
      lines.on('line', (line: string) => {
        const group = pattern.exec(line)?.[1];
        if (group !== undefined) call(group);
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

/** Growth of the resident memory of a process until some work ends, at its peak, in MiB. */
export async function growthMib(pid: number, work: Promise<unknown>): Promise<number> {
  const before = await residentMib(pid);
  let peak = before;
  const ended = work.then(() => true);
  do peak = Math.max(peak, await residentMib(pid));
  while (!(await Promise.race([ended, delay(SAMPLE_MS, false)])));
  return peak - before;
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
