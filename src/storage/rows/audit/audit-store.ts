import type { AuditChange, AuditEntry, AuditFilter, AuditPage, AuditStore } from '../../../domain/audit.ts';
import { MAX_INT64 } from '../../../domain/int64.ts';
import { AUDIT_COLUMNS, auditFilterParameters, toAuditEntry, type AuditRow } from './audit-rows.ts';
import { statement } from '../statements.ts';
import { ask, type CommonTransaction, type Reads, type StoreDeps, type Steps } from '../steps.ts';
import { endOfWindow, readWindows } from '../windows.ts';

const WINDOWS = {
  end: endOfWindow('audit', 'descending'),
  matching: statement(
    ({ areAlike }) => `select id, ${AUDIT_COLUMNS} from audit
     where ($1::text is null or action = $1 or substr(action, 1, length($1) + 1) = $1 || '.')
       and ($2::text is null or outcome = $2)
       and ($3::text is null or ${areAlike('actor_name', '$3')} or actor_id = $4::int8)
       and ($5::text is null or subject_kind = $5)
       and ($6::text is null or subject_id = $6 or ${areAlike('subject_name', '$6')}
            or (subject_kind = 'account' and subject_id = $7::text))
       and ($8::int8 is null or at_ms >= $8)
       and ($9::int8 is null or at_ms < $9)
       and id < $10 and id >= $11 order by id desc limit $12`,
  ),
};
// In the order of the ids, up to the first entry that is young enough: an index by time would slow down every change.
const forget = statement(
  ({ once, isAmong }) => `with oldest as ${once}(select id, at_ms from audit order by id limit $2)
   delete from audit where ${isAmong('id', 'select id from oldest')}
     and id < coalesce((select min(id) from oldest where at_ms >= $1), ${MAX_INT64}) returning id`,
);

export class SqlAuditStore implements AuditStore {
  readonly #reads: Reads;
  readonly #apply;

  constructor({ reads, apply }: StoreDeps<AuditChange, number>) {
    this.#reads = reads;
    this.#apply = apply;
  }

  async list(filter: AuditFilter, { beforeId = MAX_INT64, limit }: AuditPage): Promise<readonly AuditEntry[]> {
    const page = { startId: beforeId, limit };
    return (await readWindows<AuditRow>(this.#reads, WINDOWS, auditFilterParameters(filter), page)).map(toAuditEntry);
  }

  apply(change: AuditChange): Promise<number> {
    return this.#apply(change);
  }
}

/** The changes of the audit log that belong to no other change. */
export function* applyAuditChange(change: AuditChange, { audit }: CommonTransaction): Steps<number> {
  if (change.kind === 'forget') return (yield* ask(forget, change.beforeMs, change.limit)).length;
  audit(change.entry);
  return 0;
}
