import { parseArgs } from 'node:util';
import { didYouMean } from '../../api/words/nearest-name.ts';

/** The options of a command, by name. A boolean one is a switch. */
export type Options = Readonly<Record<string, { type: 'string' | 'boolean'; multiple?: boolean }>>;

/** The value of each option that was given; the last one if it was repeated and is not `multiple`. */
export type Values<Given extends Options> = {
  readonly [Name in keyof Given]?: Given[Name] extends { multiple: true }
    ? readonly string[]
    : Given[Name]['type'] extends 'string'
      ? string
      : Given[Name]['type'] extends 'boolean'
        ? boolean
        : string | boolean | readonly string[];
};

export interface Arguments<Given extends Options> {
  values: Values<Given>;
  positionals: readonly string[];
}

/** Other unknown options are not quoted: they may be a URL with a password. */
const NAME = /^-{1,2}[a-z\d][\w-]{0,40}$/i;

/** A value that begins like an option is taken for the next one. A negative number is not. */
const NEXT_OPTION = /^--?[a-z]/i;

/**
 * Reads the arguments of a command, and adds a sentence to `problems` for each wrong option. Unlike a strict
 * `parseArgs`, it reports all of them, and never repeats a value, which may be a secret.
 *
 * @param former options that no longer exist, with a sentence that says what to do instead
 */
export function readArguments<Given extends Options>(
  args: readonly string[],
  options: Given,
  problems: string[],
  former: ReadonlyMap<string, string> = new Map(),
): Arguments<Given> {
  const values: Record<string, string | boolean | readonly string[]> = {};
  const positionals: string[] = [];
  const unknown = new Set<number>();
  const { tokens } = parseArgs({ args: [...args], options, allowPositionals: true, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue, index } = token;
    const option = rawName.startsWith('--') && Object.hasOwn(options, name) ? options[name] : undefined;
    if (option === undefined) {
      // `-port` is four options for the parser, with one index.
      const instead = rawName.startsWith('--') ? former.get(name) : undefined;
      if (instead !== undefined) problems.push(`Option --${name} no longer exists. ${instead}`);
      else if (!unknown.has(index)) problems.push(explainUnknown(args[index] ?? '', Object.keys(options)));
      unknown.add(index);
    } else if (option.type === 'boolean') {
      if (['true', 'false', undefined].includes(value)) values[name] = value !== 'false';
      else problems.push(`--${name} takes true, false or no value.`);
    } else if (value === undefined || (!inlineValue && NEXT_OPTION.test(value)))
      problems.push(`--${name} needs a value.`);
    else values[name] = option.multiple === true ? [...[values[name] ?? []].flat().map(String), value] : value;
  }
  return { values: values as Values<Given>, positionals };
}

function explainUnknown(argument: string, known: readonly string[]): string {
  const given = argument.split('=', 1)[0] ?? '';
  if (!NAME.test(given)) return 'Unknown option. See --help.';
  const question = didYouMean(given.replace(/^--?/, ''), known, '--');
  if (question !== '') return `Unknown option ${given}.${question}`;
  // The rest may be the value of a short option, such as -pPASSWORD.
  return `Unknown option ${given.startsWith('--') ? given : given.slice(0, 2)}. See --help.`;
}
