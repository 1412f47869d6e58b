import { CHECK_NAMES, SEVERITIES, type CheckName, type Severity } from '../../domain/health/checks.ts';
import { PROBLEM_NAMES, type Problem } from '../../domain/health/finding.ts';
import type { DatabaseServer } from '../../domain/health/database-servers.ts';
import type { NodeHealth } from '../../domain/health/health-administration.ts';
import { isHealthy, type HealthState } from '../../domain/health/report.ts';
import { recordText } from './record-text.ts';
import * as Type from './type.ts';
import { exactly, int32, orNull, textOrNull, time, timeText } from './fields.ts';

const checkName = Type.Unsafe<CheckName>({ type: 'string', enum: [...CHECK_NAMES], description: 'The check.' });

const timeOrNull = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description });

const HealthFinding = Type.Object(
  {
    check: checkName,
    problem: Type.Unsafe<Problem | null>({
      type: ['string', 'null'],
      enum: [...PROBLEM_NAMES, null],
      description: 'The kind of the problem; null if the check found none.',
    }),
    severity: Type.Unsafe<Severity>({ type: 'string', enum: [...SEVERITIES] }),
    message: Type.String({ description: 'One sentence.' }),
    detail: textOrNull('A value in the message, such as free disk space or the message of the database.'),
    advice: Type.String({ description: 'Instructions for the operator.' }),
    canRepair: Type.Boolean({ description: 'Whether `menagerie doctor --repair` repairs it.' }),
    count: int32('The number of affected records or files.'),
    subjects: Type.Array(Type.String(), { description: 'At most 100 of the affected records or files.' }),
  },
  exactly('HealthFinding'),
);
type HealthFinding = Type.Static<typeof HealthFinding>;

const HealthProgress = Type.Object(
  {
    startedAt: time('The time when the check started.'),
    check: checkName,
    done: int32('The number of records or files that this check has read.'),
    total: int32('The number of all of them; 0 if it is unknown.'),
  },
  exactly('HealthProgress'),
);

const numberOrNull = (description: string) =>
  Type.Unsafe<number | null>({ type: ['number', 'null'], minimum: 0, description });

const HealthServer = Type.Object(
  {
    name: Type.String({ description: 'Host and port.' }),
    reachable: Type.Boolean(),
    role: Type.Unsafe<DatabaseServer['role'] | null>({
      type: ['string', 'null'],
      enum: ['primary', 'standby', null],
      description: 'Null if the server does not say so.',
    }),
    timeline: numberOrNull('The timeline of PostgreSQL, which each promotion increases; null if it is unknown.'),
    replayLagSeconds: numberOrNull(
      'Of a standby: the age of the oldest change that it does not show; null without a primary.',
    ),
    replayLagBytes: numberOrNull('The size of the write-ahead log of these changes.'),
  },
  exactly('HealthServer'),
);

export const Health = Type.Object(
  {
    running: orNull(HealthProgress, 'The progress of the running check; null if none is running.'),
    checkedAt: timeOrNull('The time when the last check ended; null if there was none.'),
    healthy: Type.Unsafe<boolean | null>({
      type: ['boolean', 'null'],
      description: 'Whether the last check found no errors.',
    }),
    findings: Type.Array(HealthFinding, { description: 'The findings of the last check.' }),
    error: textOrNull('The reason why the last check did not end.'),
    databaseServers: Type.Array(HealthServer, {
      description: 'The servers of PostgreSQL as they are now; none with the embedded database.',
    }),
  },
  exactly('Health'),
);
export type Health = Type.Static<typeof Health>;

export function healthText({ running, last, error, servers }: NodeHealth): string {
  return recordText<Health>({
    running: running === undefined ? null : progressOf(running),
    checkedAt: last === undefined ? null : timeText(last.endedAtMs),
    healthy: last === undefined ? null : isHealthy(last),
    findings: (last?.findings ?? []).map(
      ({ check, problem, severity, message, detail, advice, canRepair, count, subjects }) => ({
        check,
        problem,
        severity,
        message,
        detail: detail ?? null,
        advice,
        canRepair,
        count,
        subjects: [...subjects],
      }),
    ),
    error: error ?? null,
    databaseServers: servers.map(({ name, isReachable, role, timeline, lag }) => ({
      name,
      reachable: isReachable,
      role: role ?? null,
      timeline: timeline ?? null,
      replayLagSeconds: lag?.seconds ?? null,
      replayLagBytes: lag?.bytes ?? null,
    })),
  });
}

function progressOf({ startedAtMs, check, done, total }: NonNullable<HealthState['running']>) {
  return { startedAt: timeText(startedAtMs), check, done, total };
}
