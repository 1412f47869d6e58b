import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import Table from 'cli-table3';
import type { Claim } from './tools/measurement.ts';
import type { PeerFigure } from './measurements/peers.ts';
import type { MeasuredSearchPeer, SearchPeerFigure } from './measurements/search-peers.ts';
import type { PostgresFacts } from './tools/postgres.ts';
import type { Figure, Measured, Result } from './tools/results.ts';

export interface Report {
  machine: Machine;
  quick: boolean;
  rounds: number;
  seconds: number;
  results: readonly Result[];
  peers?: readonly PeerFigure[];
  searchPeers?: readonly SearchPeerFigure[];
  /** Only of a run on PostgreSQL. */
  postgres?: PostgresFacts;
}

type Machine = ReturnType<typeof describeMachine>;

/** @param pinned whether server and load have separate cores */
export function describeMachine(pinned: boolean) {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGib: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
    pinned,
    date: new Date().toISOString(),
    commit: findCommit(),
  };
}

/** Undefined outside of a repository. */
function findCommit(): string | undefined {
  const options = { cwd: import.meta.dirname, encoding: 'utf8' } as const;
  return spawnSync('git', ['rev-parse', '--short', 'HEAD'], options).stdout?.trim() || undefined;
}

export function explainMachine({ cpu, cores, memoryGib, system, node, pinned }: Machine): string {
  const pinning = pinned ? 'server and load on separate cores' : 'server and load share the cores';
  return `${cpu}, ${cores} cores, ${memoryGib} GiB, ${system}, Node ${node}, ${pinning}`;
}

export function explainResults(results: readonly Result[]): string {
  const table = newTable(['', 'measurement', 'median', 'range', 'ours', 'theirs', 'required', 'target', '']);
  for (const { name, title, measured, claim, verdict, reason } of results) {
    const [wanted, reachFor] = claimWords(claim, measured);
    table.push(
      measured === undefined
        ? [name, title, { content: reason ?? '', colSpan: 4 }, wanted, reachFor, verdict]
        : [name, title, ...figureWords(measured), wanted, reachFor, verdict],
    );
  }
  return table.toString();
}

export function explainPeers(peers: readonly PeerFigure[]): string {
  const table = newTable(['', 'pet by id', 'of bare', 'new pet', 'of bare']);
  for (const { name, reads, writes } of peers) {
    const words = (measured?: Measured) => (measured ? [figure(measured.ours), measured.median.toFixed(2)] : ['', '']);
    table.push([name, ...words(reads), ...words(writes)]);
  }
  return `requests/s, as multiples of bare node:http; 1,000 pets each\n${table.toString()}`;
}

export function explainSearchPeers(figures: readonly SearchPeerFigure[]): string {
  const kinds = Object.keys(figures.find(({ measured }) => measured !== undefined)?.measured?.medians ?? {});
  const table = newTable(['', ...kinds, 'build', 'memory', 'on disk', 'exact', 'typing errors']);
  for (const { name, measured, reason = '' } of figures) {
    if (measured === undefined) table.push([name, { content: reason, colSpan: kinds.length + 5 }]);
    else table.push([name, ...searchPeerWords(measured, kinds)]);
  }
  return `medians of searches in ms, of one client; facets are all counts beside a search\n${table.toString()}`;
}

function searchPeerWords(figure: MeasuredSearchPeer, kinds: readonly string[]): string[] {
  const { medians, buildMs, memoryMib, diskMib, isExact, findsTypingErrors } = figure;
  return [
    ...kinds.map((kind) => milliseconds(medians[kind])),
    `${(buildMs / 1000).toFixed(1)} s`,
    `${memoryMib.toFixed(0)} MiB`,
    `${diskMib.toFixed(0)} MiB`,
    isExact ? 'yes' : 'no',
    findsTypingErrors ? 'yes' : 'no',
  ];
}

function milliseconds(value = Number.NaN): string {
  return value.toFixed(value < 10 ? 1 : 0);
}

export function explainPostgres({ version, settings, pgbench, connections }: PostgresFacts): string {
  const values = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const counted = connections === undefined ? '' : `; ${connections} connections of a node under reads`;
  const tool = pgbench === undefined ? 'no pgbench' : pgbench;
  return `PostgreSQL ${version} on the same machine, ${values.join(', ')}; ${tool}${counted}`;
}

/** Results on PostgreSQL have their own file. */
export function writeReport(folder: string, report: Report): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${report.postgres === undefined ? 'latest' : 'postgres'}.json`);
  writeFileSync(path, `${JSON.stringify(report, null, 2)}\n`);
  return path;
}

/** Without colours, for logs. */
export function newTable(head: string[]) {
  return new Table({ head, style: { head: [], border: [], compact: true } });
}

export function figureWords({ isRatio, unit, median, min, max, ours, theirs }: Measured): string[] {
  const digits = isRatio ? 2 : 0;
  const [middle, low, high] = [median, min, max].map((value) => value.toFixed(digits));
  return [`${middle} ${unit}`.trim(), `${low} to ${high}`, figure(ours), theirs === undefined ? '' : figure(theirs)];
}

function claimWords(claim: Claim | undefined, measured: Measured | undefined): [string, string] {
  if (claim === undefined) return ['', ''];
  const unit = measured?.unit ?? '';
  return 'atLeast' in claim
    ? [`≥ ${claim.atLeast}`, `≥ ${claim.reachFor}`]
    : [`< ${claim.atMost} ${unit}`.trim(), `< ${claim.reachFor} ${unit}`.trim()];
}

function figure({ median, unit }: Figure): string {
  return unit === '/s' && median >= 1000 ? rate(median) : `${median.toFixed(median < 100 ? 2 : 0)} ${unit}`;
}

function rate(perSecond: number): string {
  return `${Math.round(perSecond).toLocaleString('en')} /s`;
}
