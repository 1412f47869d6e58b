import type { AuditEntry, AuditFilter, AuditSubject, NewAuditEntry, Via } from '../../domain/audit.ts';
import type { AuditChange, BatchedAuditStore } from '../../domain/audit.ts';
import type { Parameter } from './engine/connections.ts';
import type { Ask } from './engine/statements.ts';
import { statement } from './engine/statements.ts';
import { eachInTurn, type StoreWrites } from './engine/transactions.ts';
import { windowsOf } from './engine/windows.ts';
import type { Writer } from './engine/writer.ts';

type AuditRow = [
  id: bigint,
  atMs: bigint,
  via: Via,
  actorId: bigint | null,
  actorName: string | null,
  credentialId: string | null,
  address: string | null,
  action: NewAuditEntry['action'],
  subjectKind: AuditSubject['kind'] | null,
  subjectId: string | null,
  subjectName: string | null,
  outcome: NewAuditEntry['outcome'],
  details: string | null,
];

const MAX_ID = 2n ** 63n - 1n;

/** Without regard to case in ASCII, whatever the language of the database. */
const folded = (column: string) => `translate(${column}, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')`;

const inWindow = statement(
  `select id, at_ms, via, actor_id, actor_name, credential_id, address, action, subject_kind, subject_id, subject_name, outcome, details
   from audit
   where ($1::text is null or action = $1 or substr(action, 1, length($1) + 1) = $1 || '.')
     and ($2::text is null or outcome = $2)
     and ($3::text is null or ${folded('actor_name')} = ${folded('$3')} or actor_id = $4::int8)
     and ($5::text is null or subject_kind = $5)
     and ($6::text is null or subject_id = $6 or ${folded('subject_name')} = ${folded('$6')}
          or (subject_kind = 'account' and subject_id = $7::text))
     and ($8::int8 is null or at_ms >= $8)
     and ($9::int8 is null or at_ms < $9)
     and id < $10 and id >= $11 order by id desc limit $12`,
);

// In the order of the ids, and no further than the first entry that is young enough: an index by time would cost every change something.
const forget = statement(
  `with oldest as (select id, at_ms from audit order by id limit $2)
   delete from audit where id = any(array(select id from oldest))
     and id < coalesce((select min(id) from oldest where at_ms >= $1), ${MAX_ID}) returning id`,
);

export function openAuditStore(ask: Ask, writer: Writer): BatchedAuditStore {
  const readDown = windowsOf(ask, 'audit');
  return {
    async list(filter, { beforeId = MAX_ID, limit }) {
      const parameters = filterParameters(filter);
      const rows = await readDown(beforeId, limit, (startId, endId, most) =>
        ask<AuditRow>(inWindow, ...parameters, startId, endId, most),
      );
      return rows.map(toEntry);
    },
    applyAll: (changes) => writer.apply('audit', changes),
  };
}

/** The changes of the audit trail that go with nothing else. */
export const auditWrites: StoreWrites<AuditChange, number> = eachInTurn(async (change, { ask, audit }) => {
  if (change.kind === 'forget') return (await ask(forget, change.beforeMs, change.limit)).length;
  audit(change.entry);
  return 0;
});

function filterParameters(filter: AuditFilter): Parameter[] {
  const { action, outcome, actor, subjectKind, subject, sinceMs, untilMs } = filter;
  return [
    action ?? null,
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

function toEntry(row: AuditRow): AuditEntry {
  const [id, atMs, via, actorId, actorName, credentialId, address, action] = row;
  const [subjectKind, subjectId, subjectName, outcome, details] = row.slice(8) as [
    AuditSubject['kind'] | null,
    string | null,
    string | null,
    NewAuditEntry['outcome'],
    string | null,
  ];
  return {
    id,
    stamp: { atMs: Number(atMs), via, actorId, actorName, actorRole: null, credentialId, address },
    action,
    subject:
      subjectKind === null || subjectId === null ? null : { kind: subjectKind, id: subjectId, name: subjectName },
    outcome,
    details: details === null ? null : (JSON.parse(details) as Record<string, string>),
  };
}
