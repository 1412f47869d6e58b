import type { AuditChange, AuditEntry, AuditFilter, AuditPage, AuditStore } from '../../../domain/audit.ts';
import { MAX_INT64 } from '../../../domain/int64.ts';
import { AUDIT_COLUMNS, auditFilterParameters, toAuditEntry, type AuditRow } from '../../rows/audit.ts';
import { statement, type Ask } from '../engine/statements.ts';
import { eachInTurn, type StoreWrites } from '../engine/transactions.ts';
import { windowsOf } from '../engine/windows.ts';
import type { Writer } from '../engine/writer.ts';

/** Folds ASCII letters, independent of the locale of the database. */
const folded = (column: string) => `translate(${column}, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')`;

const inWindow = statement(
  `select id, ${AUDIT_COLUMNS} from audit
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

// In the order of the ids, up to the first entry that is young enough: an index by time would slow down every change.
const forget = statement(
  `with oldest as (select id, at_ms from audit order by id limit $2)
   delete from audit where id = any(array(select id from oldest))
     and id < coalesce((select min(id) from oldest where at_ms >= $1), ${MAX_INT64}) returning id`,
);

export class PostgresAuditStore implements AuditStore {
  readonly #ask: Ask;
  readonly #writer: Writer;
  readonly #readDown;

  constructor({ ask, writer }: { ask: Ask; writer: Writer }) {
    this.#ask = ask;
    this.#writer = writer;
    this.#readDown = windowsOf(ask, 'audit');
  }

  async list(filter: AuditFilter, { beforeId = MAX_INT64, limit }: AuditPage): Promise<readonly AuditEntry[]> {
    const parameters = auditFilterParameters(filter);
    const rows = await this.#readDown(beforeId, limit, (startId, endId, most) =>
      this.#ask<AuditRow>(inWindow, ...parameters, startId, endId, most),
    );
    return rows.map(toAuditEntry);
  }

  apply(change: AuditChange): Promise<number> {
    return this.#writer.apply('audit', change);
  }
}

/** The changes of the audit log that belong to no other change. */
export const auditWrites: StoreWrites<AuditChange, number> = eachInTurn(async (change, { ask, audit }) => {
  if (change.kind === 'forget') return (await ask(forget, change.beforeMs, change.limit)).length;
  audit(change.entry);
  return 0;
});
