import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { isBundled } from '../../src/cli/build-stamp.js';
import { checkedEnvironment } from './documented-responses.ts';
import type { Lifetime } from './lifetime.ts';

export const EXECUTABLE = fileURLToPath(new URL('../../src/cli/menagerie.js', import.meta.url));

const BUILD = fileURLToPath(new URL('../../scripts/build-bundle.ts', import.meta.url));

let isCurrent = false;

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface MenagerieProcess {
  child: ChildProcess;
  /** Its output so far. */
  written: { stdout: string; stderr: string };
  /** How it ended, if it has. */
  ended: Promise<Ended>;
}

export interface RunningServer extends MenagerieProcess {
  /** `http://127.0.0.1:43210` */
  origin: string;
  /** `http://127.0.0.1:43210/v2` */
  base: string;
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<Ended>;
}

export interface ProcessOptions {
  environment?: Readonly<Record<string, string>>;
  /** The Node.js binary. */
  node?: string;
  /** Of another version of the service. Its responses are not checked. */
  executable?: string;
  /** The working directory. */
  cwd?: string;
  /** Standard input, which ends after this text; empty by default. */
  input?: string;
  /** Never ends standard input, as at a terminal. */
  leavesInputOpen?: boolean;
}

/**
 * Starts the executable without this process's environment. The responses of a server are checked. It is killed after
 * the test if it still runs.
 */
export function startMenagerie(
  t: Lifetime,
  args: readonly string[],
  {
    environment = {},
    node = process.execPath,
    executable = EXECUTABLE,
    cwd,
    input,
    leavesInputOpen = false,
  }: ProcessOptions = {},
): MenagerieProcess {
  const stdin = input === undefined ? 'ignore' : 'pipe';
  const isOwn = node === process.execPath && executable === EXECUTABLE;
  if (executable === EXECUTABLE) ensureBundled();
  const checked = args[0] === 'serve' && isOwn ? checkedEnvironment() : {};
  const child = spawn(node, [executable, ...args], {
    env: { ...checked, ...environment },
    cwd,
    stdio: [stdin, 'pipe', 'pipe'],
  });
  const written = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (written.stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (written.stderr += text));
  // It may end before it has read everything.
  child.stdin?.on('error', () => {}).write(input ?? '');
  if (!leavesInputOpen) child.stdin?.end();
  const ended = once(child, 'close').then(([code, signal]) => {
    return { code: code as number | null, signal: signal as NodeJS.Signals | null, ...written };
  });
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { child, written, ended };
}

/** Builds the bundle if it is missing or outdated, so that processes run it, as after `npm start`. */
export function ensureBundled(): void {
  if (isCurrent) return;
  if (!isBundled()) {
    const { status, stderr } = spawnSync(process.execPath, [BUILD, '--if-stale'], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  }
  isCurrent = true;
}

/** Runs the executable to its end. */
export function runMenagerie(t: Lifetime, args: readonly string[], options: ProcessOptions = {}): Promise<Ended> {
  return startMenagerie(t, args, options).ended;
}

/** Starts `menagerie serve` on a free port, and waits until it prints its address. */
export async function startServer(
  t: Lifetime,
  dataDir: string,
  flags: readonly string[] = ['--empty'],
  options: ProcessOptions = {},
): Promise<RunningServer> {
  const server = startMenagerie(t, ['serve', '--port', '0', '--data-dir', dataDir, ...flags], options);
  const base = await printed(server, API_LINE);
  return {
    ...server,
    base,
    origin: base.slice(0, -'/v2'.length),
    end(signal) {
      server.child.kill(signal);
      return server.ended;
    },
  };
}

export interface PendingServer extends MenagerieProcess {
  /** `http://127.0.0.1:43210` */
  origin: string;
  /** Of the setup page. */
  token: string;
  /** The base of the API, once the service has started. */
  started: () => Promise<string>;
}

/**
 * Starts `menagerie serve` in secured access without an administrator, and waits until it prints the address of the
 * setup page.
 */
export async function startPendingServer(
  t: Lifetime,
  dataDir: string,
  flags: readonly string[] = [],
  { isSecuredByFile = false, ...options }: ProcessOptions & { isSecuredByFile?: boolean } = {},
): Promise<PendingServer> {
  const access = isSecuredByFile ? [] : ['--access', 'secured'];
  const args = ['serve', '--port', '0', '--data-dir', dataDir, ...access, ...flags];
  const server = startMenagerie(t, args, options);
  const url = new URL(await printed(server, / (http:\/\/\S+\/setup#\S+)\n/));
  return {
    ...server,
    origin: url.origin,
    token: url.hash.slice(1),
    started: () => printed(server, API_LINE),
  };
}

const API_LINE = / (http:\/\/\S+\/v2)\n/;

/** The first group of the pattern, once the process has printed it. */
async function printed({ child, written, ended }: MenagerieProcess, pattern: RegExp): Promise<string> {
  const over = ended.then(({ code, stderr }) => {
    throw new Error(`The server ended with ${code}: ${stderr}`);
  });
  const find = () => pattern.exec(written.stdout)?.[1];
  while (find() === undefined) await Promise.race([once(child.stdout ?? child, 'data'), over]);
  // From here on, it may end.
  over.catch(() => {});
  return find() ?? '';
}

/** A refused start: one line on standard error, and exit code 1. */
export function assertNotStarted({ code, stdout, stderr }: Ended, says: RegExp): void {
  assert.equal(code, 1, stderr);
  assert.equal(stdout, '');
  assert.match(stderr, /^Menagerie cannot start: [^\n]+\.\n$/);
  assert.match(stderr, says);
}
