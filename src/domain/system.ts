import { FEATURE_JOB_NAMES } from '../features/names.ts';
import type { Access, Actor } from './access.ts';
import type { ActivityHistory } from './activity-history.ts';
import type { LogFilter, LoggedError, RecentEntries } from './log.ts';

/** `mail` and those of features look for what is due every few seconds. */
export const JOB_NAMES = ['clearing', 'mail', 'certificate', 'backup', 'health-checks', ...FEATURE_JOB_NAMES] as const;
export type JobName = (typeof JOB_NAMES)[number];

export const JOB_STATES = ['running', 'succeeded', 'failed', 'never'] as const;

/** A background job and its last run. */
export interface Job {
  name: JobName;
  state: (typeof JOB_STATES)[number];
  startedAtMs?: number | undefined;
  /** Only for a run that has ended. */
  durationMs?: number | undefined;
  /** Undefined if it only runs on demand. */
  nextStartMs?: number | undefined;
  /** Why the last run failed; the log has more. */
  error?: string | undefined;
}

export const SETTING_SOURCES = ['flag', 'variable', 'file', 'credential', 'config-file', 'default'] as const;

/** A setting as it applies to the service. Secrets are masked. */
export interface EffectiveSetting {
  name: string;
  value: string;
  source: (typeof SETTING_SOURCES)[number];
  /** Such as `--port` or `MENAGERIE_PORT`; empty for a default. */
  origin: string;
}

export interface SystemState {
  version: string;
  nodeVersion: string;
  startedAtMs: number;
  settings: readonly EffectiveSetting[];
  jobs: readonly Job[];
  /** Newest first. */
  errors: readonly LoggedError[];
}

/** The node that has responded. Each has its own log and its own counters. */
export interface OfNode {
  /** Its host and process. */
  node: string;
}

/** Reads the state of the node that responds. Its processes share it. */
export interface SystemMonitor {
  read(): Promise<SystemState>;
  readLog(filter: LogFilter): RecentEntries & OfNode;
  readActivity(): ActivityHistory & OfNode;
}

export class SystemAdministration {
  readonly #access: Access;
  readonly #monitor: SystemMonitor;

  constructor({ access, monitor }: { access: Access; monitor: SystemMonitor }) {
    this.#access = access;
    this.#monitor = monitor;
  }

  async get(actor: Actor): Promise<SystemState> {
    this.#access(actor, 'administer');
    return this.#monitor.read();
  }

  listLogEntries(actor: Actor, filter: LogFilter): RecentEntries & OfNode {
    this.#access(actor, 'administer');
    return this.#monitor.readLog(filter);
  }

  getActivity(actor: Actor): ActivityHistory & OfNode {
    this.#access(actor, 'administer');
    return this.#monitor.readActivity();
  }
}
