import { join } from 'node:path';
import { createBench, createRunFolder } from './bench.ts';
import { buildBundle } from './commits.ts';
import { HELP, orExit, readFlags, type Flags } from './flags.ts';
import { MEASUREMENTS } from './measurements/all.ts';
import { FULL, QUICK, type Bench, type Measurement, inTurn } from './tools/measurement.ts';
import { POSTGRES } from './measurements/postgres.ts';
import { canPin, Skipped } from './tools/processes.ts';
import {
  describeMachine,
  explainMachine,
  explainPostgres,
  explainResults,
  writeReport,
  type Report,
} from './report.ts';
import { type Result, judge, summarise } from './tools/results.ts';
import { WORKING_TREE } from './tools/servers.ts';

/*
 * `npm run bench`: the performance of Menagerie, as ratios to programs that are measured alternately on the same
 * machine. Machines differ and are noisy, so ratios say more than absolute figures.
 */

const flags = orExit(() => readFlags(process.argv.slice(2), namesOf));
if (flags.help) process.stdout.write(HELP);
else if (flags.list) console.log(namesOf(flags.postgres).join('\n'));
else process.exit(await run(flags));

function measurementsOf(postgres: boolean): readonly Measurement[] {
  return postgres ? POSTGRES : MEASUREMENTS;
}

function namesOf(postgres: boolean): readonly string[] {
  return measurementsOf(postgres).map(({ name }) => name);
}

async function run(flags: Flags): Promise<number> {
  const startedMs = performance.now();
  const machine = describeMachine(canPin && !flags.postgres);
  console.log(explainMachine(machine));
  const { quick, rounds = quick ? 5 : 11, seconds = quick ? 0.3 : 1.5 } = flags;
  await buildBundle(WORKING_TREE);
  const bench = createBench({ root: createRunFolder(), scale: quick ? QUICK : FULL, rounds, seconds });
  const results = await measure(flags, bench);
  await bench.servers.stopAll();
  const postgres = await bench.postgres.stop();
  bench.progress.clear();
  const report = { machine, quick, rounds, seconds, results, ...(postgres !== undefined && { postgres }) };
  printReport(report, flags.out ?? join(import.meta.dirname, 'results'));
  console.log(`Duration: ${Math.round((performance.now() - startedMs) / 1000)} s`);
  return results.some(({ verdict }) => verdict === 'FAILED') ? 1 : 0;
}

function printReport(report: Report, folder: string): void {
  if (report.postgres !== undefined) console.log(explainPostgres(report.postgres));
  if (report.results.length > 0) console.log(explainResults(report.results));
  console.log(`\nResults: ${writeReport(folder, report)}`);
}

async function measure(flags: Flags, bench: Bench): Promise<Result[]> {
  const results: Result[] = [];
  for (const measurement of measurementsOf(flags.postgres)) {
    if (flags.only?.includes(measurement.name) !== false) results.push(await takeMeasurement(measurement, bench));
  }
  return results;
}

/** Runs one measurement. A failure is reported in its result, so that the others still run. */
async function takeMeasurement(measurement: Measurement, bench: Bench): Promise<Result> {
  const { name, claim } = measurement;
  const known = { name, title: measurement.title(bench.scale), ...(claim !== undefined && { claim }) };
  bench.progress.say(name);
  try {
    const measured = summarise(
      'sides' in measurement ? await inTurn(bench, await measurement.sides(bench)) : await measurement.run(bench),
    );
    return { ...known, measured, verdict: judge(measured.median, claim) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ...known, reason, verdict: error instanceof Skipped ? 'skipped' : 'FAILED' };
  }
}
