import type { AuditEntry, AuditFilter, AuditSubject, NewAuditEntry, Via } from '../../../domain/audit.ts';
import { nameOfStored, storedName } from '../stored-names.ts';

/* Entries of the audit log as rows of both engines. */

export type AuditRow = [
  id: bigint,
  atMs: bigint,
  via: Via,
  actorId: bigint | null,
  actorName: string | null,
  credentialId: string | null,
  address: string | null,
  storedAction: string,
  subjectKind: AuditSubject['kind'] | null,
  subjectId: string | null,
  subjectName: string | null,
  outcome: NewAuditEntry['outcome'],
  details: string | null,
];

/** The columns without the id. */
export const AUDIT_COLUMNS =
  'at_ms, via, actor_id, actor_name, credential_id, address, action, subject_kind, subject_id, subject_name, ' +
  'outcome, details';

/** A value for each of `AUDIT_COLUMNS`. */
export function auditColumns({ stamp, action, subject, outcome, details }: NewAuditEntry) {
  return [
    stamp.atMs,
    stamp.via,
    stamp.actorId,
    stamp.actorName,
    stamp.credentialId,
    stamp.address,
    storedName(action),
    subject?.kind ?? null,
    subject?.id ?? null,
    subject?.name ?? null,
    outcome,
    details === null ? null : JSON.stringify(details),
  ] as const;
}

/** The parameters of the condition of both engines: null for what the filter leaves out. */
export function auditFilterParameters(filter: AuditFilter): (string | number | bigint | null)[] {
  const { action, outcome, actor, subjectKind, subject, sinceMs, untilMs } = filter;
  return [
    action === undefined ? null : storedName(action),
    outcome ?? null,
    actor?.name ?? null,
    actor?.accountId ?? null,
    subjectKind ?? null,
    subject?.name ?? null,
    subject?.accountId?.toString() ?? null,
    sinceMs ?? null,
    untilMs ?? null,
  ];
}

export function toAuditEntry(row: AuditRow): AuditEntry {
  const [id, atMs, via, actorId, actorName, credentialId, address, storedAction, ...about] = row;
  const [subjectKind, subjectId, name, outcome, details] = about;
  return {
    id,
    stamp: { atMs: Number(atMs), via, actorId, actorName, actorRole: null, credentialId, address },
    action: nameOfStored(storedAction) as NewAuditEntry['action'],
    subject: subjectKind === null || subjectId === null ? null : { kind: subjectKind, id: subjectId, name },
    outcome,
    details: details === null ? null : (JSON.parse(details) as Record<string, string>),
  };
}
