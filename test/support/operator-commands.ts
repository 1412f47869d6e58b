import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openOperatorDesk, type OperatorDesk } from '../../src/server/operator.ts';
import type { CommandCall, CommandEnd } from './command-process.ts';
import type { Ended } from './menagerie-process.ts';
import { testConfig, type Lifetime } from './service.ts';
import { atProcessEnd } from './shared-services.ts';

/*
 * The commands for operators, in a process that all files of a lane share; and the same desk without a process, to prepare what a test needs and to look
 * at what became of it. `runMenagerie` runs a command in a process of its own.
 */

export interface CommandOptions {
  environment?: Readonly<Record<string, string>>;
  /** Text for its standard input; nothing by default. */
  input?: string;
}

export type Run = (args: readonly string[], options?: CommandOptions | string) => Promise<Ended>;

let commandProcess: ChildProcess | undefined;
let calls = 0;

/** Runs `menagerie` with nothing of this process's environment; one call after the other. */
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
    const onExit = () => reject(new Error(`The process of commands ended during "menagerie ${args.join(' ')}".`));
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
  atProcessEnd('the process of commands', async () => {
    child.disconnect();
    await exited;
  });
  return child;
}

/** Runs commands on a data folder: `run(['user', 'list'])`. A text instead of the options is the input. */
export function commandsOn(dataDir: string): Run {
  return ([group = '', name = '', ...rest], options = {}) =>
    runCommand(
      // In front of the rest, which may have a `--` in it.
      [group, name, '--data-dir', dataDir, ...rest],
      typeof options === 'string' ? { input: options } : options,
    );
}

/** An operator's desk on a data folder, beside whatever runs there. */
export async function deskOn(t: Lifetime, dataDir: string, isNew = false): Promise<OperatorDesk> {
  const desk = await openOperatorDesk(testConfig(dataDir), isNew);
  t.after(() => desk.close());
  return desk;
}

/** It did what it was to do, and complained of nothing. @returns what it wrote to standard output */
export function outputOf({ code, stdout, stderr }: Ended): string {
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  return stdout;
}

/** The same, of a command that answers JSON. */
export function jsonOf(ended: Ended): unknown {
  const stdout = outputOf(ended);
  assert.match(stdout, /^[^\n]+\n$/, 'one line');
  return JSON.parse(stdout) as unknown;
}

/** A refusal that a person understands: on standard error, without a stack, and nothing on standard output. */
export function assertRefusal({ code, stdout, stderr }: Ended, expected: { code: 1 | 2; says: RegExp }): void {
  assert.equal(stdout, '');
  assert.match(stderr, expected.says);
  assert.equal(code, expected.code, stderr);
  assert.doesNotMatch(stderr, /\n {4}at |node:|\w+Error:|undefined|SQLITE/);
  // Besides the ends of lines, nothing that a terminal would act on.
  assert.doesNotMatch(stderr, /(?!\n)\p{Cc}/u);
}

/** What only help texts have. */
export const HELP = /^Works on the data itself[^]*--data-dir FOLDER[^]*--json/;
