import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { AuditEntry, AuditFilter, AuditSubject, NewAuditEntry, Via } from '../../domain/audit.ts';
import type { AuditChange, BatchedAuditStore } from '../../domain/audit.ts';
import { prepare, prepareChange, prepareRows } from './engine/database.ts';
import { prepareWindows } from './engine/windows.ts';
import type { TransactionWrites, Writer } from './engine/writer.ts';

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

const COLUMNS =
  'at_ms, via, actor_id, actor_name, credential_id, address, action, subject_kind, subject_id, subject_name, outcome, details';

const MATCHES = `(?1 is null or action = ?1 or substr(action, 1, length(?1) + 1) = ?1 || '.')
  and (?2 is null or outcome = ?2)
  and (?3 is null or actor_name = ?3 collate nocase or actor_id = ?4)
  and (?5 is null or subject_kind = ?5)
  and (?6 is null or subject_id = ?6 or subject_name = ?6 collate nocase or (subject_kind = 'account' and subject_id = ?7))
  and (?8 is null or at_ms >= ?8)
  and (?9 is null or at_ms < ?9)`;

/** Reads on the event loop's own connection; changes through the writer. */
export function openAuditStore(reader: DatabaseSync, writer: Writer): BatchedAuditStore {
  const readDown = prepareWindows(reader, 'audit', 'down');
  const inWindow = prepareRows<AuditRow>(
    reader,
    `select id, ${COLUMNS} from audit where ${MATCHES} and id < ?10 and id >= ?11 order by id desc limit ?12`,
  );

  return {
    async list(filter, { beforeId = MAX_ID, limit }) {
      const parameters = filterParameters(filter);
      const rows = await readDown(beforeId, limit, (startId, endId, most) =>
        inWindow(...parameters, startId, endId, most),
      );
      return rows.map(toEntry);
    },
    applyAll: (changes) => writer.apply('audit', changes),
  };
}

/** Writes entries, inside the transaction of whatever they tell of. */
export function createAuditWriter(db: DatabaseSync): (entry: NewAuditEntry) => void {
  const insert = prepareChange(db, `insert into audit (${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  return ({ stamp, action, subject, outcome, details }) => {
    insert(
      stamp.atMs,
      stamp.via,
      stamp.actorId,
      stamp.actorName,
      stamp.credentialId,
      stamp.address,
      action,
      subject?.kind ?? null,
      subject?.id ?? null,
      subject?.name ?? null,
      outcome,
      details === null ? null : JSON.stringify(details),
    );
  };
}

/** The changes of the audit trail that go with nothing else. */
export function createAuditWrites(db: DatabaseSync): TransactionWrites<AuditChange, number> {
  const write = createAuditWriter(db);
  // In the order of the ids, and no further than the first entry that is young enough: an index by time would cost every change something.
  const forget = prepare(
    db,
    `with oldest as materialized (select id, at_ms from audit order by id limit ?2)
     delete from audit where id in (select id from oldest)
       and id < ifnull((select min(id) from oldest where at_ms >= ?1), ${MAX_ID})`,
  );

  return {
    apply(change) {
      if (change.kind === 'forget') return Number(forget.run(change.beforeMs, change.limit).changes);
      write(change.entry);
      return 0;
    },
  };
}

function filterParameters(filter: AuditFilter): SQLInputValue[] {
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
