import { photoNotFound } from '../../../domain/photos/photo.ts';
import { done } from '../../../domain/audit.ts';
import type {
  SiteRecord,
  SiteRecordChange,
  SiteRecordKind,
  SiteRecordStore,
} from '../../../domain/organisation/ports.ts';
import type { Awaitable } from '../../../domain/ports.ts';
import { requirePrecondition } from '../../../domain/precondition.ts';
import { addPhoto, recordUse } from '../photo-use.ts';
import { statement } from '../statements.ts';
import { ask, send, type CommonTransaction, type StoreDeps, type Steps } from '../steps.ts';
import { requireCredential } from '../credential-check.ts';

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
const findCurrent = statement('select version, text, photo from site_record where kind = $1');
const put = statement(
  `insert into site_record (kind, version, text, photo, changed_at_ms, changed_by) values ($1, $2, $3, $4, $5, $6)
   on conflict (kind) do update set version = excluded.version, text = excluded.text, photo = excluded.photo,
     changed_at_ms = excluded.changed_at_ms, changed_by = excluded.changed_by`,
);

/** The text of a record whose first change is its photo. */
const EMPTY = '{}';

export class SqlSiteRecordStore implements SiteRecordStore {
  readonly find: (kind: SiteRecordKind) => Awaitable<SiteRecord | undefined>;
  readonly #apply;

  constructor({ reads, apply }: StoreDeps<SiteRecordChange, bigint>) {
    this.find = reads.finder(find, toSiteRecord);
    this.#apply = apply;
  }

  apply(change: SiteRecordChange): Promise<bigint> {
    return this.#apply(change);
  }
}

export function* applySiteRecordChange(change: SiteRecordChange, { audit }: CommonTransaction): Steps<bigint> {
  const { record, precondition, action, stamp } = change;
  yield* requireCredential(stamp);
  const [before = [0n, EMPTY, null]] = yield* ask<[version: bigint, text: string, photo: string | null]>(
    findCurrent,
    record,
  );
  const [lastVersion, lastText, lastPhoto] = before;
  requirePrecondition(precondition, lastVersion);
  if (change.kind === 'set-photo' && change.photo === undefined && lastPhoto === null) throw photoNotFound();
  const version = lastVersion + 1n;
  const text = change.kind === 'put' ? change.text : lastText;
  const photo = change.kind === 'put' ? lastPhoto : (change.photo?.digest ?? null);
  if (change.kind === 'set-photo' && change.photo !== undefined) yield* addPhoto(change.photo, stamp.atMs);
  yield* send(put, record, version, text, photo, stamp.atMs, stamp.actorId);
  for (const digest of new Set([lastPhoto, photo]))
    if (digest !== null && change.kind === 'set-photo') yield* recordUse(digest);
  const logo = photo === null ? 'deleted' : 'replaced';
  audit(done(stamp, action, null, { version: version.toString(), ...(change.kind === 'set-photo' && { logo }) }));
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
