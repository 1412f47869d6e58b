import { hostname } from 'node:os';
import type { ActivityHistory } from '../../domain/activity-history.ts';
import type { Backup, BackupService } from '../../domain/backups.ts';
import { Failure } from '../../domain/failure.ts';
import type { HealthMonitor } from '../../domain/health/report.ts';
import type { LogFilter, RecentEntries } from '../../domain/log.ts';
import {
  JOB_NAMES,
  type EffectiveSetting,
  type Job,
  type OfNode,
  type SystemMonitor,
  type SystemState,
} from '../../domain/system.ts';
import { VERSION } from './version.ts';
import type { ProcessRecords } from './process-records.ts';

interface NodeMonitorDeps {
  /** Those who may read a playground need not know the host. */
  isPlayground: boolean;
  settings: readonly EffectiveSetting[];
  records: ProcessRecords;
  health: Pick<HealthMonitor, 'read'>;
  /** Undefined if no place for backups is configured. */
  backups: Pick<BackupService, 'list' | 'schedule'> | undefined;
}

export class NodeMonitor implements SystemMonitor {
  readonly #deps: NodeMonitorDeps;
  readonly #node: string;

  constructor(deps: NodeMonitorDeps) {
    this.#deps = deps;
    // Several nodes may be on one host.
    this.#node = deps.isPlayground ? 'playground' : `${hostname()} (${process.pid})`;
  }

  async read(): Promise<SystemState> {
    const { settings, records } = this.#deps;
    const { startedAtMs, jobs, errors } = records.read();
    const [backup, healthChecks] = await Promise.all([this.#readBackup(), this.#readHealthChecks()]);
    const known = [...jobs, ...backup, healthChecks];
    return {
      version: VERSION,
      nodeVersion: process.version,
      startedAtMs,
      settings,
      jobs: JOB_NAMES.flatMap((name) => known.find((job) => job.name === name) ?? []),
      errors,
    };
  }

  readLog(filter: LogFilter): RecentEntries & OfNode {
    return { node: this.#node, ...this.#deps.records.log.read(filter) };
  }

  readActivity(): ActivityHistory & OfNode {
    return { node: this.#node, ...this.#deps.records.activity.read() };
  }

  async #readHealthChecks(): Promise<Job> {
    const name = 'health-checks';
    const { running, last, error } = await this.#deps.health.read();
    if (running !== undefined) return { name, state: 'running', startedAtMs: running.startedAtMs };
    if (error !== undefined) return { name, state: 'failed', error };
    if (last === undefined) return { name, state: 'never' };
    const { startedAtMs, endedAtMs } = last;
    return { name, state: 'succeeded', startedAtMs, durationMs: endedAtMs - startedAtMs };
  }

  /** The newest backup of the place, which another node may have made. */
  async #readBackup(): Promise<readonly Job[]> {
    const { backups } = this.#deps;
    if (backups === undefined) return [];
    const { nextStartMs } = backups.schedule;
    try {
      const [newest] = await backups.list();
      return [{ ...jobOf(newest), nextStartMs }];
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return [{ name: 'backup', state: 'failed', nextStartMs, error: error.message }];
    }
  }
}

function jobOf(backup: Backup | undefined): Job {
  if (backup === undefined) return { name: 'backup', state: 'never' };
  const { state, startedAtMs, finishedAtMs, error } = backup;
  return {
    name: 'backup',
    state: state === 'finished' ? 'succeeded' : state === 'running' ? 'running' : 'failed',
    startedAtMs,
    durationMs: finishedAtMs === undefined ? undefined : finishedAtMs - startedAtMs,
    error,
  };
}
