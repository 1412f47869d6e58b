import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import Table from 'cli-table3';
import type { Claim } from './tools/measurement.ts';
import type { PostgresFacts } from './tools/postgres.ts';
import type { Figure, Measured, Result } from './tools/results.ts';

export interface Report {
  machine: Machine;
  quick: boolean;
  rounds: number;
  seconds: number;
  results: readonly Result[];
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

export function explainPostgres({ version, settings, pgbench }: PostgresFacts): string {
  const values = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const tool = pgbench === undefined ? 'no pgbench' : pgbench;
  return `PostgreSQL ${version} on the same machine, ${values.join(', ')}; ${tool}`;
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
