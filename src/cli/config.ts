import { explainOwnEnvironment, readOwnConfig, type Config } from '../server/configuration/config.ts';
import { readArguments } from '../server/configuration/arguments.ts';
import { SETTING_OPTIONS } from '../server/configuration/setting-sources.ts';
import { print, printError, printProblems } from './terminal/output.ts';
import { tableOf } from './terminal/table.ts';

const HELP = `Print the settings in effect: value and source (flag, variable, file, credential, config file or default) of each. Passwords are masked.

Usage: menagerie config [--json] [FLAGS]

Flags:
  --json   print one JSON object

All flags of "menagerie serve" are accepted as well: the output is what the service would use with them.

Examples:
  menagerie config
  menagerie config --config /etc/menagerie.toml --json
`;

export function config(args: readonly string[]): void {
  if (args.includes('--help')) return print(HELP);
  const problems: string[] = [];
  const { values } = readArguments(args, { ...SETTING_OPTIONS, json: { type: 'boolean' } }, problems);
  if (problems.length > 0) return printProblems('Invalid settings:', problems);
  const result = readOwnConfig(args.filter((arg) => !/^--json(?:=|$)/.test(arg)));
  const notes = explainOwnEnvironment();
  if ('problems' in result) return printProblems('Invalid settings:', [...result.problems, ...notes]);
  for (const note of notes) printError(note);
  print(values['json'] === true ? jsonOf(result.config) : textOf(result.config));
}

function jsonOf({ settings, configFile }: Config): string {
  return `${JSON.stringify({ configFile: configFile ?? null, settings })}\n`;
}

function textOf({ settings, configFile }: Config): string {
  const rows = settings.map(({ name, value, origin }) => [name, value, origin === '' ? 'default' : origin]);
  const table = tableOf(['setting', 'value', 'source'], rows);
  return configFile === undefined ? table : `${table}\nConfig file: ${configFile}\n`;
}
