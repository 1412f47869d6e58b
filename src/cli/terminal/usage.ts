import { explainOwnEnvironment } from '../../server/configuration/config.ts';
import { didYouMean } from '../../api/words/nearest-name.ts';
import { readArguments, type Arguments, type Options } from '../../server/configuration/arguments.ts';
import { printError, UsageError } from './output.ts';

/** Other arguments are not quoted: they may be a URL with a password. */
const COMMAND = /^[\w-]{1,40}$/;

/**
 * Reads the arguments of a command, and warns of unknown environment variables.
 *
 * @param usage the line that shows its syntax
 * @param counts the minimum and the maximum number of arguments without options
 * @throws UsageError with all problems, which never repeat a value
 */
export function readCommandLine<Given extends Options>(
  args: readonly string[],
  options: Given,
  usage: string,
  [min, max]: readonly [min: number, max: number] = [0, 0],
): Arguments<Given> {
  const problems: string[] = [];
  const call = readArguments(args, options, problems);
  const count = call.positionals.length;
  // An unknown option may have a value, which looks like an argument.
  if (problems.length === 0 && count < min) problems.push('An argument is missing.');
  if (problems.length === 0 && count > max) problems.push('There are too many arguments.');
  if (problems.length > 0) throw new UsageError([...problems, usage].join('\n'));
  for (const note of explainOwnEnvironment()) printError(note);
  return call;
}

/** @param group the word before the command, such as `user` */
export function explainUnknownCommand(name: string, known: readonly string[], group?: string): string {
  const program = group === undefined ? 'menagerie' : `menagerie ${group}`;
  const hint = `Run "${program} --help" for the list of commands.`;
  if (!COMMAND.test(name)) return `Unknown command. ${hint}`;
  const prefix = group === undefined ? '' : `${group} `;
  const question = didYouMean(name, known, prefix);
  if (question === '' && name.startsWith('-')) return `The command must come before ${name}. ${hint}`;
  return `Unknown command: ${prefix}${name}.${question} ${hint}`;
}
