import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openOperatorDesk, type OperatorDesk } from '../../src/server/operator.ts';
import type { CommandCall, CommandEnd } from './command-process.ts';
import type { Ended } from './menagerie-process.ts';
import type { Lifetime } from './lifetime.ts';
import { testConfig } from './service.ts';
import { atProcessEnd } from './shared-services.ts';

/*
 * The operator commands, in a process that all files of a lane share; and the same operations without a process, for
 * preparing and checking. `runMenagerie` runs a command in a separate process.
 */

export interface CommandOptions {
  environment?: Readonly<Record<string, string>>;
  /** Standard input; empty by default. */
  input?: string;
}

export type Run = (args: readonly string[], options?: CommandOptions | string) => Promise<Ended>;

let commandProcess: ChildProcess | undefined;
let calls = 0;

/** Runs `menagerie` without this process's environment; calls run one by one. */
export async function runCommand(
  args: readonly string[],
  { environment = {}, input = '' }: CommandOptions = {},
): Promise<Ended> {
  const child = (commandProcess ??= startCommandProcess());
  const id = ++calls;
  const ended = new Promise<CommandEnd>((resolve, reject) => {
    const onMessage = (end: CommandEnd) => {
      if (end.id !== id) return;
      child.off('message', onMessage).off('exit', onExit);
      resolve(end);
    };
    const onExit = () => reject(new Error(`The command process ended during "menagerie ${args.join(' ')}".`));
    child.on('message', onMessage).on('exit', onExit);
  });
  child.send({ id, args, environment, input } satisfies CommandCall);
  const { code, stdout, stderr } = await ended;
  return { code, signal: null, stdout, stderr };
}

function startCommandProcess(): ChildProcess {
  const child = fork(new URL('command-process.ts', import.meta.url), { execArgv: [] });
  child.setMaxListeners(0);
  const exited = once(child, 'exit');
  atProcessEnd('the command process', async () => {
    child.disconnect();
    await exited;
  });
  return child;
}

/** Runs commands on a data folder: `run(['user', 'list'])`. A string instead of the options is standard input. */
export function commandsOn(dataDir: string): Run {
  return ([group = '', name = '', ...rest], options = {}) =>
    runCommand(
      // Before the other arguments, which may contain `--`.
      [group, name, '--data-dir', dataDir, ...rest],
      typeof options === 'string' ? { input: options } : options,
    );
}

/** Operator access to a data folder, also while a server runs on it. */
export async function deskOn(t: Lifetime, dataDir: string, isNew = false): Promise<OperatorDesk> {
  const desk = await openOperatorDesk(testConfig(dataDir), isNew);
  t.after(() => desk.close());
  return desk;
}

/**
 * Asserts success without complaints.
 * @returns standard output
 */
export function outputOf({ code, stdout, stderr }: Ended): string {
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  return stdout;
}

/** The same for a command that prints JSON. */
export function jsonOf(ended: Ended): unknown {
  const stdout = outputOf(ended);
  assert.match(stdout, /^[^\n]+\n$/, 'one line');
  return JSON.parse(stdout) as unknown;
}

/** Asserts a readable refusal: on standard error, without a stack, and nothing on standard output. */
export function assertRefusal({ code, stdout, stderr }: Ended, expected: { code: 1 | 2; says: RegExp }): void {
  assert.equal(stdout, '');
  assert.match(stderr, expected.says);
  assert.equal(code, expected.code, stderr);
  assert.doesNotMatch(stderr, /\n {4}at |node:|\w+Error:|undefined|SQLITE/);
  // No control characters except line ends.
  assert.doesNotMatch(stderr, /(?!\n)\p{Cc}/u);
}

/** Occurs in help texts only. */
export const HELP = /^[^\n]+ Works on the database itself[^]*--data-dir FOLDER[^]*--json/;
