import type { Options } from '../../server/configuration/arguments.ts';
import { toDatabaseFailure } from '../../server/system/system-errors.ts';
import { openOperatorDesk, type OperatorDesk } from '../../server/operator.ts';
import { USAGE, print, printError, printFailure, UsageError } from './output.ts';
import { explainUnknownCommand, readCommandLine } from './usage.ts';
import { readConfigBesideService, type Config } from '../../server/configuration/config.ts';

/*
 * Shared by the commands that open the database themselves.
 */

/** Commands that share their first word, such as `user create` and `user list`. */
export interface CommandGroup {
  name: string;
  help: string;
  commands: Readonly<Record<string, Command>>;
  examples: readonly string[];
}

/** One command, such as `user create NAME`. */
export interface Command {
  /** Without `menagerie`. */
  usage: string;
  help: string;
  /** Number of arguments, not counting flags. */
  argumentCount: number;
  flags?: Readonly<Record<string, Flag>>;
  /** Creates the database if there is none. */
  isNew?: boolean;
  run(desk: OperatorDesk, call: Call): Promise<void>;
}

interface Flag {
  type: 'string' | 'boolean';
  multiple?: boolean;
  /** Placeholder of the value in the help. */
  value?: string;
  help: string;
}

export interface Call {
  args: readonly string[];
  flags: Flags;
  isJson: boolean;
}

type Flags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** Flags of the commands that open the data of an installation themselves. */
export const INSTALLATION_FLAGS = {
  'data-dir': { type: 'string' },
  config: { type: 'string' },
} as const;

const COMMON_FLAGS = {
  ...INSTALLATION_FLAGS,
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const satisfies Options;

/** Runs a command of a group, and writes errors to standard error. */
export async function runCommand(group: CommandGroup, [name = '', ...args]: readonly string[]): Promise<void> {
  const command = Object.hasOwn(group.commands, name) ? group.commands[name] : undefined;
  if (command === undefined || args.includes('--help')) {
    if (command !== undefined || name === '--help') return print(helpOf(group));
    if (name === '') process.stderr.write(`Missing command.\n\n${helpOf(group)}`);
    else printError(explainUnknownCommand(name, Object.keys(group.commands), group.name));
    process.exitCode = USAGE;
    return;
  }
  try {
    await runOnData(command, args);
  } catch (error) {
    printFailure(error);
  }
}

export function textFlag({ flags }: Call, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}

/** The values of a flag that may be repeated. */
export function textFlags({ flags }: Call, name: string): readonly string[] {
  const values = flags[name];
  return typeof values === 'object' ? values : [];
}

async function runOnData(command: Command, args: readonly string[]): Promise<void> {
  const { usage, argumentCount, flags = {} } = command;
  const options: Options = { ...COMMON_FLAGS, ...flags };
  const { values, positionals } = readCommandLine(args, options, `Usage: menagerie ${usage}`, [
    argumentCount,
    argumentCount,
  ]);
  const call = { args: positionals, flags: values, isJson: values['json'] === true };
  const config = readInstallationConfig(call.flags);
  const desk = await openOperatorDesk(config, command.isNew ?? false);
  try {
    await command.run(desk, call);
  } catch (error) {
    throw config.database === undefined ? toDatabaseFailure(error, config.dataDir) : error;
  } finally {
    await desk.close();
  }
}

function helpOf({ name, help, commands, examples }: CommandGroup): string {
  return `${help}

Usage: menagerie ${name} COMMAND [FLAGS]

Commands:
${Object.values(commands).map(commandHelp).join('')}
Flags of every command:
  --data-dir FOLDER   data folder (default ./data; or MENAGERIE_DATA_DIR). With MENAGERIE_DATABASE_URL, the database is there.
  --config FILE       config file of the service (default: menagerie.toml in the data folder; or MENAGERIE_CONFIG)
  --json              print ${name === 'audit' ? 'one JSON object per line' : 'JSON'}

Examples:
${examples.map((example) => `  ${example}\n`).join('')}`;
}

function commandHelp({ usage, help, flags = {} }: Command): string {
  const rows = Object.entries(flags).map(([name, { value, help: meaning }]) => ({
    flag: `--${name}${value === undefined ? '' : ` ${value}`}`,
    meaning,
  }));
  const width = Math.max(...rows.map(({ flag }) => flag.length));
  const lines = rows.map(({ flag, meaning }) => `        ${flag.padEnd(width)}   ${meaning}\n`);
  return `  menagerie ${usage}\n      ${help}\n${lines.join('')}`;
}

type InstallationFlags = Readonly<Partial<Record<keyof typeof INSTALLATION_FLAGS, unknown>>>;

/**
 * The settings of the installation: those of its service.
 *
 * @throws UsageError with all problems
 */
export function readInstallationConfig(flags: InstallationFlags): Config {
  const given = (['data-dir', 'config'] as const).flatMap((name) => {
    const value = flags[name];
    return typeof value === 'string' ? [`--${name}=${value}`] : [];
  });
  // The rules of secured access apply to users with a role. The host does not matter here, but open access would refuse
  // some.
  const result = readConfigBesideService(['--access', 'secured', ...given]);
  if ('problems' in result) throw new UsageError(result.problems.join('\n'));
  return result.config;
}
