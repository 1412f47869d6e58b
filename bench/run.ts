import { join } from 'node:path';
import { createCatalogues } from './catalogue.ts';
import { drawChart } from './chart.ts';
import { HELP, readFlags, type Flags } from './flags.ts';
import { confirmFaults, readBaseline, writeBaseline } from './guard.ts';
import { hasWrk } from './load.ts';
import { MEASUREMENTS } from './measurements/all.ts';
import { FULL, QUICK, type Bench, type Measurement } from './measurements/measurement.ts';
import { measurePeers, type PeerFigure } from './measurements/peers.ts';
import { POSTGRES } from './measurements/postgres.ts';
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
  return postgres ? names : [...names, PEERS];
}

async function run(flags: Flags): Promise<number> {
  const startedMs = performance.now();
  const baseline = flags.guard ? orExit(readBaseline) : {};
  const hasPackages = !flags.guard && install();
  const machine = describeMachine(canPin && !flags.postgres);
  console.log(explainMachine(machine));
  if (!hasWrk)
    console.error('wrk is not installed. autocannon is slower than the servers, so ratios will be close to 1.');
  const root = createRunFolder();
  const bench = createBench(flags, root);
  const results = await measure(flags, bench);
  const peers = hasPackages && wants(flags, PEERS) ? await comparePeers(bench, root, results) : undefined;
  const faults = flags.guard ? await confirmFaults(results, baseline, bench) : [];
  await bench.servers.stopAll();
  const postgres = await bench.postgres.stop();
  progress.clear();
  const { rounds, seconds } = bench;
  const others = { ...(peers !== undefined && { peers }), ...(postgres !== undefined && { postgres }) };
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
  console.log(`\nResults: ${writeReport(folder, report)}`);
  if (hasPackages) console.log(`Chart: ${drawChart(folder, report)}`);
}

function createBench({ quick, rounds, seconds }: Flags, root: string): Bench {
  const usual = quick ? { rounds: 5, seconds: 0.3 } : { rounds: 11, seconds: 1.5 };
  return {
    scale: quick ? QUICK : FULL,
    rounds: rounds ?? usual.rounds,
    seconds: seconds ?? usual.seconds,
    servers: createServers(),
    catalogues: createCatalogues(root, progress),
    postgres: createPostgres(root, progress),
    progress,
  };
}

async function measure(flags: Flags, bench: Bench): Promise<Result[]> {
  const results: Result[] = [];
  for (const measurement of measurementsOf(flags.postgres)) {
    if (wants(flags, measurement.name)) results.push(await takeMeasurement(measurement, bench));
  }
  return results;
}

async function comparePeers(bench: Bench, root: string, results: Result[]): Promise<PeerFigure[] | undefined> {
  try {
    return await measurePeers(bench, root);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    results.push({ name: PEERS, title: 'requests/s of other servers', reason, verdict: 'FAILED' });
    return undefined;
  }
}

/** A quick run and a run on PostgreSQL measure other servers only if they are named. */
function wants({ only, quick, postgres }: Flags, name: string): boolean {
  return only?.includes(name) ?? !((quick || postgres) && name === PEERS);
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
