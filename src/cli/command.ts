import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { readOwnConfig } from '../server/config.ts';
import { explainFailure } from '../server/explain-failure.ts';
import { openOperatorDesk, type OperatorDesk } from '../server/operator.ts';
import { FAILED, print, USAGE, UsageError } from './output.ts';

/*
 * What the commands that work on the data have in common.
 */

/** One command, such as `user create NAME`. */
export interface Command {
  /** For the help: what stands behind the command. */
  usage: string;
  help: string;
  /** How many arguments it takes beside its flags. */
  argumentCount: number;
  flags?: ParseArgsOptionsConfig;
  /** May there be no data yet? */
  isNew?: boolean;
  run(desk: OperatorDesk, call: Call): Promise<void>;
}

export interface Call {
  /** As many as the command takes. */
  args: readonly string[];
  flags: Flags;
  isJson: boolean;
}

export type Flags = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

const COMMON_FLAGS = {
  'data-dir': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const satisfies ParseArgsOptionsConfig;

/** Runs one of the commands of a group, `user create` of `user`, and tells a person what came of it. */
export async function runCommand(
  group: string,
  commands: Readonly<Record<string, Command>>,
  [name = '', ...args]: readonly string[],
): Promise<void> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined || args.includes('--help')) {
    if (command !== undefined || name === '--help') return print(helpOf(group, commands));
    process.stderr.write(`There is no command ${`${group} ${name}`.trim()}.\n\n${helpOf(group, commands)}`);
    process.exitCode = USAGE;
    return;
  }
  try {
    await runOnData(command, args);
  } catch (error) {
    process.stderr.write(`${error instanceof UsageError ? error.message : explainFailure(error)}\n`);
    process.exitCode = error instanceof UsageError ? USAGE : FAILED;
  }
}

export function textFlag({ flags }: Call, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}

async function runOnData(command: Command, args: readonly string[]): Promise<void> {
  const call = readCall(command, args);
  const dataDir = textFlag(call, 'data-dir');
  // Secured, for its rules are the ones that go for accounts with a role; where the server listens does not matter here.
  const folder = dataDir === undefined ? [] : ['--data-dir', dataDir];
  const result = readOwnConfig(['--access', 'secured', ...folder]);
  if ('problems' in result) throw new UsageError(result.problems.join('\n'));
  const desk = await openOperatorDesk(result.config, command.isNew ?? false);
  try {
    await command.run(desk, call);
  } finally {
    await desk.close();
  }
}

function readCall({ usage, argumentCount, flags = {} }: Command, args: readonly string[]): Call {
  try {
    const options = { ...COMMON_FLAGS, ...flags };
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (positionals.length === argumentCount) return { args: positionals, flags: values, isJson: values.json === true };
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    throw new UsageError(`${reason}\nUsage: menagerie ${usage}`, { cause: error });
  }
  throw new UsageError(`Usage: menagerie ${usage}`);
}

function helpOf(group: string, commands: Readonly<Record<string, Command>>): string {
  const lines = Object.values(commands).map(({ usage, help }) => `  menagerie ${usage}\n      ${help}\n`);
  return `Works on the data itself, while the service runs or not.

${lines.join('')}
Flags of each:
  --data-dir FOLDER   where the data is (default ./data, or MENAGERIE_DATA_DIR; where MENAGERIE_DATABASE_URL is set, it is there)
  --json              for programs: ${group === 'audit' ? 'one JSON text a line' : 'JSON'}
`;
}
