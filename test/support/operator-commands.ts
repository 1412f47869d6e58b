import assert from 'node:assert/strict';
import { openOperatorDesk, type OperatorDesk } from '../../src/main/operator.ts';
import { runMenagerie, type Ended, type ProcessOptions } from './menagerie-process.ts';
import { testConfig, type Lifetime } from './service.ts';

/*
 * The commands for operators, as processes of their own; and the same desk without a process, to prepare what a test needs and to look at what became
 * of it.
 */

export type Run = (args: readonly string[], options?: ProcessOptions | string) => Promise<Ended>;

/** Runs commands on a data folder: `run(['user', 'list'])`. A text instead of the options is the input. */
export function commandsOn(t: Lifetime, dataDir: string): Run {
  return ([group = '', name = '', ...rest], options = {}) =>
    runMenagerie(
      t,
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
