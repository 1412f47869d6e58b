import { join } from 'node:path';
import { createCatalogues } from './catalogue.ts';
import { drawChart } from './chart.ts';
import { HELP, readFlags, type Flags } from './flags.ts';
import { confirmFaults, readBaseline, writeBaseline, type Baseline } from './guard.ts';
import { hasWrk } from './load.ts';
import { MEASUREMENTS } from './measurements/all.ts';
import { FULL, QUICK, type Bench, type Measurement } from './measurements/measurement.ts';
import { measurePeers } from './measurements/peers.ts';
import { POSTGRES } from './measurements/postgres.ts';
import { POSTGRES_PLACE, SQLITE_PLACE } from './measurements/search.ts';
import { measureSearchPeers } from './measurements/search-peers.ts';
import { takeMeasurement } from './outcome.ts';
import { installPeerPackages } from './peer-packages.ts';
import { createPostgres } from './postgres.ts';
import { canPin } from './processes.ts';
import { createProgress } from './progress.ts';
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
import type { Result } from './results.ts';
import { createServers } from './servers.ts';
import { createRunFolder } from './run-folder.ts';

/*
 * `npm run bench`: the performance of Menagerie, as ratios to programs that are measured alternately on the same machine. Machines differ and are noisy, so
 * ratios say more than absolute figures.
 */

const PEERS = 'peers';
const SEARCH_PEERS = 'search-peers';
const USAGE = 2;

const progress = createProgress();
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
  const baseline = flags.guard ? orExit(readBaseline) : {};
  const hasPackages = !flags.guard && install();
  const machine = describeMachine(canPin && !flags.postgres);
  console.log(explainMachine(machine));
  if (!hasWrk)
    console.error('wrk is not installed. autocannon is slower than the servers, so ratios will be close to 1.');
  const bench = createBench(flags, createRunFolder());
  const results = await measure(flags, bench, baseline);
  const compare = async <T>(name: string, measureAll: () => Promise<T>) =>
    hasPackages && wants(flags, { name, isSlow: true }) ? orFailure(results, name, measureAll) : undefined;
  const peers = flags.postgres ? undefined : await compare(PEERS, () => measurePeers(bench));
  const place = flags.postgres ? POSTGRES_PLACE : SQLITE_PLACE;
  const searchPeers = await compare(SEARCH_PEERS, () => measureSearchPeers(bench, place, flags.postgres));
  const faults = flags.guard ? await confirmFaults(results, baseline, bench) : [];
  await bench.servers.stopAll();
  const postgres = await bench.postgres.stop();
  progress.clear();
  const { rounds, seconds } = bench;
  const others = {
    ...(peers !== undefined && { peers }),
    ...(searchPeers !== undefined && { searchPeers }),
    ...(postgres !== undefined && { postgres }),
  };
  const report = { machine, quick: flags.quick, rounds, seconds, results, ...others };
  printReport(report, flags.out ?? join(import.meta.dirname, 'results'), hasPackages);
  if (flags.writeBaseline) writeBaseline(results);
  for (const fault of faults) console.error(fault);
  console.log(`Duration: ${Math.round((performance.now() - startedMs) / 1000)} s`);
  return faults.length > 0 || results.some(({ verdict }) => verdict === 'FAILED') ? 1 : 0;
}

function printReport(report: Report, folder: string, hasPackages: boolean): void {
  if (report.postgres !== undefined) console.log(explainPostgres(report.postgres));
  if (report.results.length > 0) console.log(explainResults(report.results));
  if (report.peers !== undefined) console.log(`\n${explainPeers(report.peers)}`);
  if (report.searchPeers !== undefined) console.log(`\n${explainSearchPeers(report.searchPeers)}`);
  console.log(`\nResults: ${writeReport(folder, report)}`);
  if (hasPackages) console.log(`Chart: ${drawChart(folder, report)}`);
}

function createBench({ quick, rounds, seconds }: Flags, root: string): Bench {
  const usual = quick ? { rounds: 5, seconds: 0.3 } : { rounds: 11, seconds: 1.5 };
  return {
    root,
    scale: quick ? QUICK : FULL,
    rounds: rounds ?? usual.rounds,
    seconds: seconds ?? usual.seconds,
    servers: createServers(),
    catalogues: createCatalogues(root, progress),
    postgres: createPostgres(root, progress),
    progress,
  };
}

async function measure(flags: Flags, bench: Bench, baseline: Baseline): Promise<Result[]> {
  const results: Result[] = [];
  for (const measurement of measurementsOf(flags.postgres)) {
    // The guard judges nothing else.
    if (flags.guard && baseline[measurement.name] === undefined) continue;
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

function install(): boolean {
  const isInstalled = installPeerPackages();
  if (!isInstalled)
    console.error('Installing the packages of bench/ failed: no comparison with other servers, no chart.');
  return isInstalled;
}

/** Prints the message of an error without its stack, and exits. */
function orExit<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return process.exit(USAGE);
  }
}
