import type { DatabaseSync } from 'node:sqlite';
import type {
  AuditChange,
  AuditEntry,
  AuditFilter,
  AuditPage,
  AuditStore,
  NewAuditEntry,
} from '../../../domain/audit.ts';
import { MAX_INT64 } from '../../../domain/int64.ts';
import { AUDIT_COLUMNS, auditColumns, auditFilterParameters, toAuditEntry, type AuditRow } from '../../rows/audit.ts';
import { prepare, prepareChange, prepareRows } from '../engine/database.ts';
import { prepareWindows } from '../engine/windows.ts';
import type { TransactionWrites, Writer } from '../engine/writer.ts';

const MATCHES = `(?1 is null or action = ?1 or substr(action, 1, length(?1) + 1) = ?1 || '.')
  and (?2 is null or outcome = ?2)
  and (?3 is null or actor_name = ?3 collate nocase or actor_id = ?4)
  and (?5 is null or subject_kind = ?5)
  and (?6 is null or subject_id = ?6 or subject_name = ?6 collate nocase or (subject_kind = 'account' and subject_id = ?7))
  and (?8 is null or at_ms >= ?8)
  and (?9 is null or at_ms < ?9)`;

/** Reads on the event loop's own connection. */
export class SqliteAuditStore implements AuditStore {
  readonly #writer: Writer;
  readonly #readDown;
  readonly #inWindow;

  constructor({ reader, writer }: { reader: DatabaseSync; writer: Writer }) {
    this.#writer = writer;
    this.#readDown = prepareWindows(reader, 'audit', 'down');
    this.#inWindow = prepareRows<AuditRow>(
      reader,
      `select id, ${AUDIT_COLUMNS} from audit where ${MATCHES} and id < ?10 and id >= ?11 order by id desc limit ?12`,
    );
  }

  async list(filter: AuditFilter, { beforeId = MAX_INT64, limit }: AuditPage): Promise<readonly AuditEntry[]> {
    const parameters = auditFilterParameters(filter);
    const rows = await this.#readDown(beforeId, limit, (startId, endId, most) =>
      this.#inWindow(...parameters, startId, endId, most),
    );
    return rows.map(toAuditEntry);
  }

  apply(change: AuditChange): Promise<number> {
    return this.#writer.apply('audit', change);
  }
}

/** Returns a function that writes an entry, inside the transaction of the change that it describes. */
export function prepareAuditWriter(db: DatabaseSync): (entry: NewAuditEntry) => void {
  const insert = prepareChange(db, `insert into audit (${AUDIT_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  return (entry) => insert(...auditColumns(entry));
}

/** The changes of the audit log that belong to no other change. */
export class AuditWrites implements TransactionWrites<AuditChange, number> {
  readonly #write: (entry: NewAuditEntry) => void;
  readonly #forget;

  constructor(db: DatabaseSync) {
    this.#write = prepareAuditWriter(db);
    // In the order of the ids, up to the first entry that is young enough: an index by time would slow down every
    // change.
    this.#forget = prepare(
      db,
      `with oldest as materialized (select id, at_ms from audit order by id limit ?2)
       delete from audit where id in (select id from oldest)
         and id < ifnull((select min(id) from oldest where at_ms >= ?1), ${MAX_INT64})`,
    );
  }

  apply(change: AuditChange): number {
    if (change.kind === 'forget') return Number(this.#forget.run(change.beforeMs, change.limit).changes);
    this.#write(change.entry);
    return 0;
  }
}
