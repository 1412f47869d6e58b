import type { CheckName } from './checks.ts';
import type { DatabaseServer } from './database-servers.ts';
import type { Finding, Problem } from './finding.ts';

export interface HealthReport {
  startedAtMs: number;
  endedAtMs: number;
  /** Whether it left out what reads every photo. */
  isQuick: boolean;
  findings: readonly Finding[];
  /** Empty for a database without servers. */
  servers: readonly DatabaseServer[];
  /** Problems of which nothing is left. */
  repaired: readonly { problem: Problem; count: number }[];
  /** Where a repair has moved photos. */
  aside: string | null;
}

/** The current check, and its progress; `total` is 0 if it is unknown. */
export interface HealthProgress {
  check: CheckName;
  done: number;
  total: number;
}

/** Warnings need attention, but nothing is broken. */
export function isHealthy({ findings }: Pick<HealthReport, 'findings'>): boolean {
  return findings.every(({ severity }) => severity !== 'error');
}

export interface HealthState {
  running: (HealthProgress & { startedAtMs: number }) | undefined;
  last: HealthReport | undefined;
  /** Why the last check did not end. */
  error: string | undefined;
}

/** Runs the checks of a node in the background. */
export interface HealthMonitor {
  read(): Promise<HealthState>;
  /** Starts a check, unless one is running. @throws Failure `unavailable` */
  start(): Promise<void>;
  /** Ends a running check. */
  stop(): Promise<void>;
}
