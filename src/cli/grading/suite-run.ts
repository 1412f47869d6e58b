import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { ownEnvironment } from '../../server/configuration/config.ts';

/** The suite cannot be graded. The message says why. */
export class UnusableSuite extends Error {}

export interface SuiteRun {
  outcome: 'passed' | 'failed' | 'timed out';
  seconds: number;
  /** The end of standard output and standard error. */
  output: string;
}

interface RunOptions {
  environment: Readonly<Record<string, string>>;
  timeoutMs: number;
  signal: AbortSignal;
}

/** Longer output is cut off at its beginning. */
const MAX_OUTPUT_LENGTH = 65_536;

/** Time for a process to end after its signal. */
const GRACE_MS = 2000;

const IS_WINDOWS = process.platform === 'win32';

/** Runs a suite to its end. Processes that it has started end with it. @throws UnusableSuite if it cannot be run */
export async function runSuite([program = '', ...args]: readonly string[], options: RunOptions): Promise<SuiteRun> {
  const { environment, timeoutMs, signal } = options;
  const startedAtMs = performance.now();
  // In a process group of its own, so that a signal also reaches what npx starts.
  const child = spawn(program, args, {
    env: { ...ownEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: !IS_WINDOWS,
    // npx is a script there.
    shell: IS_WINDOWS,
  });
  const output = collect(child);
  const killAll = () => signalGroup(child, 'SIGKILL');
  let hasTimedOut = false;
  let grace: NodeJS.Timeout | undefined;
  const end = () => {
    signalGroup(child, 'SIGTERM');
    grace = setTimeout(killAll, GRACE_MS);
  };
  const timeout = setTimeout(() => {
    hasTimedOut = true;
    end();
  }, timeoutMs);
  process.once('exit', killAll);
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  try {
    const closed = once(child, 'close') as Promise<[code: number | null]>;
    // A process that the suite has left running would keep the output open.
    child.once('exit', killAll);
    const [code] = await closed;
    signal.throwIfAborted();
    const outcome = hasTimedOut ? 'timed out' : code === 0 ? 'passed' : 'failed';
    return { outcome, seconds: (performance.now() - startedAtMs) / 1000, output: output() };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new UnusableSuite(`The command cannot be run: ${program} does not exist.`);
    if (code === 'EACCES') throw new UnusableSuite(`The command cannot be run: ${program} is not executable.`);
    throw error;
  } finally {
    clearTimeout(timeout);
    clearTimeout(grace);
    process.off('exit', killAll);
    signal.removeEventListener('abort', end);
  }
}

function collect(child: ChildProcess): () => string {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-MAX_OUTPUT_LENGTH);
    });
  return () => output;
}

function signalGroup(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (IS_WINDOWS) child.kill(name);
    else process.kill(-child.pid, name);
  } catch {
    // All of them have ended.
  }
}
