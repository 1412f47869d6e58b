import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createBench, createRunFolder } from './bench.ts';
import { buildBundle, checkOut, findCommit } from './commits.ts';
import { orExit, readNames, readNumber } from './flags.ts';
import { MEASUREMENTS } from './measurements/all.ts';
import { inTurn, QUICK, type Bench, type GuardedMeasurement, type Rounds } from './tools/measurement.ts';
import { canPin } from './tools/processes.ts';
import { WORKING_TREE } from './tools/servers.ts';
import { describeMachine, explainMachine, figureWords, newTable } from './report.ts';
import { summarise, type Measured } from './tools/results.ts';

/*
 * `npm run bench:guard`: whether the working tree is slower than another commit. The services of both get the same
 * load, alternately, on the same machine.
 */

type Verdict = 'SLOWER' | 'faster' | 'no difference' | 'FAILED';

interface Compared {
  name: string;
  title: string;
  verdict: Verdict;
  /** The working tree / the commit. */
  measured?: Measured;
  /** Reason of a failed measurement. */
  reason?: string;
}

/** With fewer, chance alone often separates the rounds of both sides. */
const MIN_ROUNDS = 3;

/** Smaller differences of the median are ignored. */
const MIN_DIFFERENCE = 0.1;

const HELP = `Compare the performance of the working tree with that of another commit.

The services of both run on this machine and get the same load, in alternating rounds. A measurement
fails if every round of the working tree is slower than every round of the commit, and the median of
the ratios is at most ${1 - MIN_DIFFERENCE}.

Usage: npm run bench:guard -- [FLAGS]

Flags:
  --against COMMIT   the other commit (default: the last common commit with main; on main, HEAD if
                     src/ has uncommitted changes, otherwise HEAD~1)
  --only NAMES       run only these measurements, separated by commas
  --rounds COUNT     number of rounds of each side, at least ${MIN_ROUNDS} (default 7)
  --seconds SECONDS  duration of a round (default 0.7)
  --help             print this help

Exit status: 0 if no measurement failed, 1 if one failed or was not possible, 2 if a flag is wrong.

Measurements: ${guarded()
  .map(({ name }) => name)
  .join(', ')}
`;

const flags = orExit(readFlags);
if (flags.help) process.stdout.write(HELP);
else process.exit(await run());

function guarded(): readonly GuardedMeasurement[] {
  return MEASUREMENTS.filter((measurement) => 'sides' in measurement);
}

function readFlags() {
  const text = { type: 'string' } as const;
  const options = { against: text, only: text, rounds: text, seconds: text, help: { type: 'boolean' } } as const;
  const { values } = parseArgs({ options, strict: true });
  return {
    help: values.help === true,
    against: values.against,
    only: readNames(
      values.only,
      guarded().map(({ name }) => name),
    ),
    rounds: readNumber('rounds', values.rounds, MIN_ROUNDS) ?? 7,
    seconds: readNumber('seconds', values.seconds) ?? 0.7,
  };
}

async function run(): Promise<number> {
  const { only, rounds, seconds } = flags;
  const commit = orExit(() => findCommit(flags.against));
  console.log(`${explainMachine(describeMachine(canPin))}\nThe working tree is compared with ${commit.title}.`);
  const root = createRunFolder();
  const checkout = join(root, 'checkout');
  await checkOut(commit, checkout);
  for (const each of [WORKING_TREE, checkout]) await buildBundle(each);
  const settings = { scale: QUICK, rounds, seconds };
  const ours = createBench({ ...settings, root });
  const other = createBench({ ...settings, root: join(root, 'commit') }, checkout);
  // Both get the same photos.
  const theirs = { ...other, catalogues: { ...other.catalogues, photos: ours.catalogues.photos } };
  const results: Compared[] = [];
  for (const measurement of guarded())
    if (only?.includes(measurement.name) !== false) results.push(await compare(measurement, ours, theirs));
  await Promise.all([ours.servers.stopAll(), theirs.servers.stopAll()]);
  ours.progress.clear();
  console.log(explain(results));
  return results.some(({ verdict }) => verdict === 'SLOWER' || verdict === 'FAILED') ? 1 : 0;
}

async function compare(measurement: GuardedMeasurement, ours: Bench, theirs: Bench): Promise<Compared> {
  const { name } = measurement;
  // Without the side that the ratio of `npm run bench` has.
  const [title = ''] = measurement.title(ours.scale).split(' / ');
  ours.progress.say(name);
  try {
    const one = await measurement.sides(ours);
    const other = await measurement.sides(theirs);
    const rounds = await inTurn(ours, { unit: one.unit, ours: one.ours, theirs: other.ours });
    return { name, title, measured: summarise(rounds), verdict: judge(rounds) };
  } catch (error) {
    return { name, title, reason: error instanceof Error ? error.message : String(error), verdict: 'FAILED' };
  }
}

/**
 * A difference counts only if the rounds of both sides do not overlap: on a busy machine, medians alone vary more than
 * most changes of the code.
 */
function judge(rounds: Rounds): Verdict {
  const { ours, theirs = [] } = rounds;
  const { median } = summarise(rounds);
  if (!Number.isFinite(median)) throw new Error('There was no response.');
  if (Math.max(...ours) < Math.min(...theirs) && median <= 1 - MIN_DIFFERENCE) return 'SLOWER';
  if (Math.min(...ours) > Math.max(...theirs) && median >= 1 / (1 - MIN_DIFFERENCE)) return 'faster';
  return 'no difference';
}

function explain(results: readonly Compared[]): string {
  const table = newTable(['', 'measurement', 'median', 'range', 'working tree', 'commit', '']);
  for (const { name, title, measured, reason = '', verdict } of results) {
    const figures = measured === undefined ? [{ content: reason, colSpan: 4 }] : figureWords(measured);
    table.push([name, title, ...figures, verdict]);
  }
  return table.toString();
}
