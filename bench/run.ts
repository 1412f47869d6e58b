import { join } from 'node:path';
import { createBench, createRunFolder } from './bench.ts';
import { buildBundle } from './commits.ts';
import { HELP, orExit, readFlags, type Flags } from './flags.ts';
import { MEASUREMENTS } from './measurements/all.ts';
import { FULL, QUICK, type Bench, type Measurement, inTurn } from './tools/measurement.ts';
import { measurePeers } from './measurements/peers.ts';
import { POSTGRES } from './measurements/postgres.ts';
import { POSTGRES_PLACE, SQLITE_PLACE } from './measurements/search.ts';
import { measureSearchPeers } from './measurements/search-peers.ts';
import { canPin, Skipped } from './tools/processes.ts';
import {
  describeMachine,
  explainMachine,
  explainPeers,
  explainPostgres,
  explainResults,
  explainSearchPeers,
  writeReport,
  type Report,
} from './report.ts';
import { type Result, judge, summarise } from './tools/results.ts';
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { WORKING_TREE } from './tools/servers.ts';

/*
 * `npm run bench`: the performance of Menagerie, as ratios to programs that are measured alternately on the same
 * machine. Machines differ and are noisy, so ratios say more than absolute figures.
 */

/** npm writes this file last, when the installation is complete. */
const INSTALLED = join(import.meta.dirname, 'node_modules/.package-lock.json');
const LOCK = join(import.meta.dirname, 'package-lock.json');

const PEERS = 'peers';
const SEARCH_PEERS = 'search-peers';

const flags = orExit(() => readFlags(process.argv.slice(2), namesOf));
if (flags.help) process.stdout.write(HELP);
else if (flags.list) console.log(namesOf(flags.postgres).join('\n'));
else process.exit(await run(flags));

function measurementsOf(postgres: boolean): readonly Measurement[] {
  return postgres ? POSTGRES : MEASUREMENTS;
}

function namesOf(postgres: boolean): readonly string[] {
  const names = measurementsOf(postgres).map(({ name }) => name);
  return [...names, ...(postgres ? [] : [PEERS]), SEARCH_PEERS];
}

async function run(flags: Flags): Promise<number> {
  const startedMs = performance.now();
  const hasPackages = [PEERS, SEARCH_PEERS].some((name) => wants(flags, { name, isSlow: true })) && install();
  const machine = describeMachine(canPin && !flags.postgres);
  console.log(explainMachine(machine));
  const { quick, rounds = quick ? 5 : 11, seconds = quick ? 0.3 : 1.5 } = flags;
  await buildBundle(WORKING_TREE);
  const bench = createBench({ root: createRunFolder(), scale: quick ? QUICK : FULL, rounds, seconds });
  const results = await measure(flags, bench);
  const compare = async <T>(name: string, measureAll: () => Promise<T>) =>
    hasPackages && wants(flags, { name, isSlow: true }) ? orFailure(results, name, measureAll) : undefined;
  const peers = flags.postgres ? undefined : await compare(PEERS, () => measurePeers(bench));
  const place = flags.postgres ? POSTGRES_PLACE : SQLITE_PLACE;
  const searchPeers = await compare(SEARCH_PEERS, () => measureSearchPeers(bench, place, flags.postgres));
  await bench.servers.stopAll();
  const postgres = await bench.postgres.stop();
  bench.progress.clear();
  const others = {
    ...(peers !== undefined && { peers }),
    ...(searchPeers !== undefined && { searchPeers }),
    ...(postgres !== undefined && { postgres }),
  };
  const report = { machine, quick, rounds, seconds, results, ...others };
  printReport(report, flags.out ?? join(import.meta.dirname, 'results'));
  console.log(`Duration: ${Math.round((performance.now() - startedMs) / 1000)} s`);
  return results.some(({ verdict }) => verdict === 'FAILED') ? 1 : 0;
}

function printReport(report: Report, folder: string): void {
  if (report.postgres !== undefined) console.log(explainPostgres(report.postgres));
  if (report.results.length > 0) console.log(explainResults(report.results));
  if (report.peers !== undefined) console.log(`\n${explainPeers(report.peers)}`);
  if (report.searchPeers !== undefined) console.log(`\n${explainSearchPeers(report.searchPeers)}`);
  console.log(`\nResults: ${writeReport(folder, report)}`);
}

async function measure(flags: Flags, bench: Bench): Promise<Result[]> {
  const results: Result[] = [];
  for (const measurement of measurementsOf(flags.postgres)) {
    if (wants(flags, measurement)) results.push(await takeMeasurement(measurement, bench));
  }
  return results;
}

async function orFailure<T>(results: Result[], name: string, compare: () => Promise<T>): Promise<T | undefined> {
  try {
    return await compare();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    results.push({ name, title: 'comparison with other programs', reason, verdict: 'FAILED' });
    return undefined;
  }
}

/** A quick run has what is slow only if it is named. */
function wants({ only, quick }: Flags, { name, isSlow = false }: Pick<Measurement, 'name' | 'isSlow'>): boolean {
  return only?.includes(name) ?? !(quick && isSlow);
}

/** Installs the packages of bench/, unless they are installed already. @returns whether they are installed */
function install(): boolean {
  if (existsSync(INSTALLED) && statSync(INSTALLED).mtimeMs >= statSync(LOCK).mtimeMs) return true;
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'];
  const options = { cwd: import.meta.dirname, stdio: 'ignore', shell: process.platform === 'win32' } as const;
  const isInstalled = spawnSync('npm', args, options).status === 0;
  if (!isInstalled) console.error('Installing the packages of bench/ failed: no comparison with other programs.');
  return isInstalled;
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
