import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MEASUREMENTS } from './measurements/all.ts';
import type { Bench } from './measurements/measurement.ts';
import { takeMeasurement } from './outcome.ts';
import type { Result } from './results.ts';

export type Baseline = Readonly<Record<string, number>>;

const PATH = join(import.meta.dirname, 'baseline.json');

/** A ratio may be worse than the baseline by so large a part. */
const HIGHER_IS_BETTER = 2 / 3;
const LOWER_IS_BETTER = 1.5;

const MORE_ROUNDS = 2;

/**
 * A 99th percentile hangs on a few of the slowest answers, and those on whatever else the machine does: from run to run on one machine, with nothing
 * changed, the medians moved between 1.0 and 2.5, and neighbouring rounds of one run were up to ten times apart. They are measured and judged, but do
 * not stop anybody.
 */
const UNGUARDED: ReadonlySet<string> = new Set(['list-latency', 'upload-latency', 'login-latency']);

export function readBaseline(): Baseline {
  if (!existsSync(PATH)) throw new Error('There is no bench/baseline.json. Write it with --quick --write-baseline.');
  return JSON.parse(readFileSync(PATH, 'utf8')) as Baseline;
}

export function writeBaseline(results: readonly Result[]): void {
  const known = existsSync(PATH) ? readBaseline() : {};
  const fresh = results.flatMap(({ name, measured }) =>
    measured?.isRatio === true && isGuarded(name) ? [[name, Number(measured.median.toPrecision(3))] as const] : [],
  );
  writeFileSync(PATH, `${JSON.stringify({ ...known, ...Object.fromEntries(fresh) }, null, 2)}\n`);
}

export function isGuarded(name: string): boolean {
  return !UNGUARDED.has(name);
}

/**
 * Holds results against the baseline. What seems worse is measured once more, with more rounds, and its result replaced: a machine that is shared
 * may have been busy with something else.
 *
 * @returns a sentence for each fault that is there the second time, too
 */
export async function confirmFaults(results: Result[], baseline: Baseline, bench: Bench): Promise<string[]> {
  const faults: string[] = [];
  for (const [index, result] of results.entries()) {
    const suspicion = findFault(result, baseline);
    const measurement = MEASUREMENTS.find(({ name }) => name === result.name);
    if (suspicion === undefined || measurement === undefined) continue;
    bench.progress.clear();
    console.log(`${suspicion} It is measured again.`);
    const again = await takeMeasurement(measurement, { ...bench, rounds: bench.rounds * MORE_ROUNDS });
    results[index] = again;
    const fault = findFault(again, baseline);
    if (fault !== undefined) faults.push(fault);
  }
  return faults;
}

/** What is wrong with a result, as a sentence; undefined where nothing is. */
export function findFault({ name, measured, claim, verdict, reason }: Result, baseline: Baseline): string | undefined {
  if (verdict === 'FAILED') return `${name} could not be measured: ${reason}`;
  const known = baseline[name];
  if (known === undefined || measured?.isRatio !== true || !isGuarded(name)) return undefined;
  const isLowerBetter = claim !== undefined && 'atMost' in claim;
  const limit = known * (isLowerBetter ? LOWER_IS_BETTER : HIGHER_IS_BETTER);
  const isWorse = isLowerBetter ? measured.median > limit : measured.median < limit;
  if (!isWorse) return undefined;
  return `${name} is ${measured.median.toFixed(2)}, ${isLowerBetter ? 'above' : 'below'} ${limit.toFixed(2)}: more than a third worse than the baseline, ${known}.`;
}
