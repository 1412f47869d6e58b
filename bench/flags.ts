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

export const HELP = `Measures Menagerie, as ratios to something that runs beside it.

Usage: npm run bench -- [FLAGS]

  --postgres        measure the service on PostgreSQL, and nothing else
  --quick           smaller catalogues and shorter rounds, without the peers: under two minutes
  --only NAMES      these measurements alone, separated by commas
  --rounds COUNT    so many rounds of each side
  --seconds SECONDS each so long
  --out FOLDER      where the results go, instead of bench/results
  --guard           fail where a ratio is worse than bench/baseline.json by more than a third
  --write-baseline  write the ratios of this run to bench/baseline.json
  --list            name the measurements
  --help            this help
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

/** wrk looks at the clock ten times a second. */
const SHORTEST_SECONDS = 0.2;

/**
 * @param namesOf the measurements that there are, on PostgreSQL or not
 * @throws Error with one sentence for the person who typed them
 */
export function readFlags(args: readonly string[], namesOf: (postgres: boolean) => readonly string[]): Flags {
  const { values } = parseArgs({ args: [...args], options: OPTIONS, strict: true, allowPositionals: false });
  const { postgres, quick, guard, list, help, out } = values;
  if (guard && values['write-baseline']) throw new Error('Use either --guard or --write-baseline.');
  if (postgres && (guard || values['write-baseline'])) throw new Error('There is no baseline for --postgres.');
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
    seconds: readNumber('seconds', values.seconds, (value) => value >= SHORTEST_SECONDS && value <= 60),
  };
}

function readNames(only: string | undefined, names: readonly string[]): readonly string[] | undefined {
  const wanted = only?.split(',').map((name) => name.trim());
  const unknown = wanted?.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`There is no measurement "${unknown}". There are ${names.join(', ')}.`);
  return wanted;
}

function readNumber(flag: string, text: string | undefined, isFine: (value: number) => boolean): number | undefined {
  if (text === undefined) return undefined;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (isFine(value)) return value;
  throw new Error(
    flag === 'rounds'
      ? '--rounds must be a whole number from 1.'
      : `--seconds must be a number from ${SHORTEST_SECONDS} to 60.`,
  );
}
