import { parseArgs } from 'node:util';

export interface Flags {
  postgres: boolean;
  quick: boolean;
  guard: boolean;
  list: boolean;
  help: boolean;
  writeBaseline: boolean;
  only: readonly string[] | undefined;
  rounds: number | undefined;
  seconds: number | undefined;
  out: string | undefined;
}

export const HELP = `Measure the performance of Menagerie, as ratios to programs that run on the same machine.

Usage: npm run bench -- [FLAGS]

Flags:
  --postgres         measure the service on PostgreSQL only
  --quick            smaller catalogues and shorter rounds, without other servers; takes less than two minutes
  --only NAMES       run only these measurements, separated by commas
  --rounds COUNT     number of rounds of each side
  --seconds SECONDS  duration of a round
  --out FOLDER       folder of the results (default bench/results)
  --guard            fail if a ratio is more than a third worse than in bench/baseline.json
  --write-baseline   write the ratios of this run to bench/baseline.json
  --list             list the measurements
  --help             print this help

Examples:
  npm run bench -- --quick
  npm run bench -- --only read,write --rounds 5
`;

const OPTIONS = {
  postgres: { type: 'boolean', default: false },
  quick: { type: 'boolean', default: false },
  guard: { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
  'write-baseline': { type: 'boolean', default: false },
  only: { type: 'string' },
  rounds: { type: 'string' },
  seconds: { type: 'string' },
  out: { type: 'string' },
} as const;

/** wrk checks the clock ten times per second. */
const MIN_SECONDS = 0.2;

/**
 * @param namesOf returns the known measurements, with or without PostgreSQL
 * @throws Error with a message for the user
 */
export function readFlags(args: readonly string[], namesOf: (postgres: boolean) => readonly string[]): Flags {
  const { values } = parseArgs({ args: [...args], options: OPTIONS, strict: true, allowPositionals: false });
  const { postgres, quick, guard, list, help, out } = values;
  if (guard && values['write-baseline']) throw new Error('Use either --guard or --write-baseline.');
  if (postgres && (guard || values['write-baseline']))
    throw new Error('--postgres has no baseline: omit --guard and --write-baseline.');
  return {
    postgres,
    quick,
    guard,
    list,
    help,
    out,
    writeBaseline: values['write-baseline'],
    only: readNames(values.only, namesOf(postgres)),
    rounds: readNumber('rounds', values.rounds, (value) => Number.isInteger(value) && value >= 1),
    seconds: readNumber('seconds', values.seconds, (value) => value >= MIN_SECONDS && value <= 60),
  };
}

function readNames(only: string | undefined, names: readonly string[]): readonly string[] | undefined {
  const wanted = only?.split(',').map((name) => name.trim());
  const unknown = wanted?.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new Error(`Unknown measurement "${unknown}". Known measurements: ${names.join(', ')}.`);
  return wanted;
}

function readNumber(flag: string, text: string | undefined, isFine: (value: number) => boolean): number | undefined {
  if (text === undefined) return undefined;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (isFine(value)) return value;
  throw new Error(
    flag === 'rounds'
      ? '--rounds must be a whole number, at least 1.'
      : `--seconds must be a number from ${MIN_SECONDS} to 60.`,
  );
}
