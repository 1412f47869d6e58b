import { parseArgs } from 'node:util';

export type Flags = ReturnType<typeof readFlags>;

export const HELP = `Measure the performance of Menagerie, as ratios to programs that run on the same machine.

Usage: npm run bench -- [FLAGS]

Flags:
  --postgres         measure the service on PostgreSQL only
  --quick            smaller catalogues and shorter rounds; takes less than two minutes
  --only NAMES       run only these measurements, separated by commas
  --rounds COUNT     number of rounds of each side
  --seconds SECONDS  duration of a round
  --out FOLDER       folder of the results (default bench/results)
  --list             list the measurements
  --help             print this help

Examples:
  npm run bench -- --quick
  npm run bench -- --only read,write --rounds 5
`;

const OPTIONS = {
  postgres: { type: 'boolean', default: false },
  quick: { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
  only: { type: 'string' },
  rounds: { type: 'string' },
  seconds: { type: 'string' },
  out: { type: 'string' },
} as const;

/** Exit status. */
const USAGE = 2;

/** wrk checks the clock ten times per second. */
const MIN_SECONDS = 0.2;

/**
 * @param namesOf returns the known measurements, with or without PostgreSQL
 * @throws Error with a message for the user
 */
export function readFlags(args: readonly string[], namesOf: (postgres: boolean) => readonly string[]) {
  const { values } = parseArgs({ args: [...args], options: OPTIONS, strict: true, allowPositionals: false });
  return {
    ...values,
    only: readNames(values.only, namesOf(values.postgres)),
    rounds: readNumber('rounds', values.rounds),
    seconds: readNumber('seconds', values.seconds),
  };
}

export function readNames(only: string | undefined, names: readonly string[]): readonly string[] | undefined {
  const wanted = only?.split(',').map((name) => name.trim());
  const unknown = wanted?.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new Error(`Unknown measurement "${unknown}". Known measurements: ${names.join(', ')}.`);
  return wanted;
}

/** @param minRounds smallest number of rounds */
export function readNumber(flag: 'rounds' | 'seconds', text: string | undefined, minRounds = 1): number | undefined {
  if (text === undefined) return undefined;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  const isRounds = flag === 'rounds';
  if (isRounds ? Number.isInteger(value) && value >= minRounds : value >= MIN_SECONDS && value <= 60) return value;
  throw new Error(
    isRounds
      ? `--rounds must be a whole number, at least ${minRounds}.`
      : `--seconds must be a number from ${MIN_SECONDS} to 60.`,
  );
}

/** Prints the message of an error without its stack, and exits. */
export function orExit<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return process.exit(USAGE);
  }
}
