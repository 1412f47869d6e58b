import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MEASUREMENTS } from './measurements/all.ts';
import type { Bench } from './measurements/measurement.ts';
import { takeMeasurement } from './outcome.ts';
import type { Result } from './results.ts';

export type Baseline = Readonly<Record<string, number>>;

const PATH = join(import.meta.dirname, 'baseline.json');

/** Allowed factors between a ratio and its baseline. */
const HIGHER_IS_BETTER = 2 / 3;
const LOWER_IS_BETTER = 1.5;

const MORE_ROUNDS = 2;

/**
 * A 99th percentile depends on a few slow responses, and those on other programs on the machine: from run to run on one machine, without any change,
 * the medians varied between 1.0 and 2.5, and consecutive rounds by up to a factor of ten. The ratio to FTS5, which searches for seconds, varied
 * threefold. They are measured and judged, but not by the guard.
 */
const UNGUARDED: ReadonlySet<string> = new Set([
  'list-latency',
  'upload-latency',
  'login-latency',
  'search-latency',
  'backup-latency',
  'backup-write-latency',
  'search-fts5',
]);

export function readBaseline(): Baseline {
  if (!existsSync(PATH)) throw new Error('bench/baseline.json does not exist. Write it with --quick --write-baseline.');
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
 * Compares results with the baseline. A result that is worse is measured again with more rounds and replaced, because the machine may have been busy.
 *
 * @returns a message for each fault that the second measurement confirms
 */
export async function confirmFaults(results: Result[], baseline: Baseline, bench: Bench): Promise<string[]> {
  const faults: string[] = [];
  for (const [index, result] of results.entries()) {
    const suspicion = findFault(result, baseline);
    const measurement = MEASUREMENTS.find(({ name }) => name === result.name);
    if (suspicion === undefined || measurement === undefined) continue;
    bench.progress.clear();
    console.log(`${suspicion} Measuring again.`);
    const again = await takeMeasurement(measurement, { ...bench, rounds: bench.rounds * MORE_ROUNDS });
    results[index] = again;
    const fault = findFault(again, baseline);
    if (fault !== undefined) faults.push(fault);
  }
  return faults;
}

/** A message if a result is worse than the baseline; otherwise undefined. */
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
