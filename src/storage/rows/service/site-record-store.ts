import { done } from '../../../domain/audit.ts';
import type {
  SiteRecord,
  SiteRecordChange,
  SiteRecordKind,
  SiteRecordStore,
} from '../../../domain/organisation/ports.ts';
import type { Awaitable } from '../../../domain/ports.ts';
import { requirePrecondition } from '../../../domain/precondition.ts';
import { statement } from '../statements.ts';
import { ask, send, type CommonTransaction, type StoreDeps, type Steps } from '../steps.ts';
import { requireCredential } from './credential-check.ts';

type RecordRow = [
  kind: string,
  version: bigint,
  text: string,
  photo: string | null,
  changedAtMs: bigint,
  changedBy: bigint | null,
];

const find = statement(
  (sql) => `select kind, version, text, photo, changed_at_ms, changed_by from site_record where ${sql.isKey('kind')}`,
);
const findVersion = statement('select version from site_record where kind = $1');
const put = statement(
  `insert into site_record (kind, version, text, changed_at_ms, changed_by) values ($1, $2, $3, $4, $5)
   on conflict (kind) do update set version = excluded.version, text = excluded.text,
     changed_at_ms = excluded.changed_at_ms, changed_by = excluded.changed_by`,
);

export class SqlSiteRecordStore implements SiteRecordStore {
  readonly find: (kind: SiteRecordKind) => Awaitable<SiteRecord | undefined>;
  readonly #writer: StoreDeps['writer'];

  constructor({ reads, writer }: StoreDeps) {
    this.find = reads.finder(find, toSiteRecord);
    this.#writer = writer;
  }

  apply(change: SiteRecordChange): Promise<bigint> {
    return this.#writer.apply('siteRecord', change);
  }
}

export function* applySiteRecordChange(change: SiteRecordChange, { audit }: CommonTransaction): Steps<bigint> {
  const { record, text, precondition, action, stamp } = change;
  yield* requireCredential(stamp);
  const [row] = yield* ask<[version: bigint]>(findVersion, record);
  const before = row?.[0] ?? 0n;
  requirePrecondition(precondition, before);
  const version = before + 1n;
  yield* send(put, record, version, text, stamp.atMs, stamp.actorId);
  audit(done(stamp, action, null, { version: version.toString() }));
  return version;
}

function toSiteRecord([, version, text, photo, changedAtMs, changedBy]: RecordRow): SiteRecord {
  return {
    version,
    text,
    photo: photo ?? undefined,
    changedAtMs: Number(changedAtMs),
    changedBy: changedBy ?? undefined,
  };
}
