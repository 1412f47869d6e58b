import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { TestContext } from 'node:test';

const EXECUTABLE = fileURLToPath(new URL('../../src/cli/menagerie.js', import.meta.url));

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface MenagerieProcess {
  child: ChildProcess;
  /** What it has written so far. */
  written: { stdout: string; stderr: string };
  /** How it ended, once it has. */
  ended: Promise<Ended>;
}

export interface RunningServer extends MenagerieProcess {
  /** `http://127.0.0.1:43210` */
  origin: string;
  /** `http://127.0.0.1:43210/v2` */
  base: string;
  firstLine: string;
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<Ended>;
}

export interface ProcessOptions {
  environment?: Readonly<Record<string, string>>;
  /** The Node.js that runs it. */
  node?: string;
}

/** Starts the executable, with nothing of this process's environment. Killed when the test is over, if it is still there. */
export function startMenagerie(
  t: Pick<TestContext, 'after'>,
  args: readonly string[],
  { environment = {}, node = process.execPath }: ProcessOptions = {},
): MenagerieProcess {
  const child = spawn(node, [EXECUTABLE, ...args], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  const written = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.stderr += text));
  const ended = once(child, 'close').then(([code, signal]) => {
    return { code: code as number | null, signal: signal as NodeJS.Signals | null, ...written };
  });
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { child, written, ended };
}

/** Runs the executable to its end. */
export function runMenagerie(
  t: Pick<TestContext, 'after'>,
  args: readonly string[],
  options: ProcessOptions = {},
): Promise<Ended> {
  return startMenagerie(t, args, options).ended;
}

/** Starts `menagerie serve` on any free port, and waits until it says where it is. */
export async function startServer(
  t: Pick<TestContext, 'after'>,
  dataDir: string,
  flags: readonly string[] = ['--empty'],
  options: ProcessOptions = {},
): Promise<RunningServer> {
  const server = startMenagerie(t, ['serve', '--port', '0', '--data-dir', dataDir, ...flags], options);
  const firstLine = await firstLineOf(server);
  const base = / (http:\/\/\S+\/v2)/.exec(firstLine)?.[1] ?? '';
  return {
    ...server,
    firstLine,
    base,
    origin: base.slice(0, -'/v2'.length),
    end(signal) {
      server.child.kill(signal);
      return server.ended;
    },
  };
}

async function firstLineOf({ child, written, ended }: MenagerieProcess): Promise<string> {
  const over = ended.then(({ code, stderr }) => {
    throw new Error(`The server ended with ${code}: ${stderr}`);
  });
  while (!written.stdout.includes('\n')) await Promise.race([once(child.stdout ?? child, 'data'), over]);
  // From now on it may end.
  over.catch(() => {});
  return written.stdout.slice(0, written.stdout.indexOf('\n'));
}
