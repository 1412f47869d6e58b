import { hash } from 'node:crypto';
import { chmod, chown, open, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import type { Problem } from '../../src/domain/health/finding.ts';
import type { PhotoStore } from '../../src/domain/photos/ports.ts';
import type { StorePlaces } from '../../src/server/configuration/config.ts';
import { overwritePage, overwritePages, takeLogIn } from './damage.ts';

/* Damage of every kind, for the checks of `menagerie doctor`, planted in a copy of a rich installation. */

export interface DamagedPlace {
  places: StorePlaces;
  photoStore: PhotoStore;
  /** Executes SQL without foreign keys. */
  sql: (text: string) => Promise<void>;
  /** A photo that a pet has. */
  digest: string;
  /** Changes a byte of its only stored size. */
  flipSize: () => Promise<void>;
  after: (end: () => Promise<void>) => void;
}

export interface Damage {
  name: string;
  problem: Problem;
  /** Matches the message, the advice and the affected records, one a line. */
  says?: RegExp;
  plant(place: DamagedPlace): Promise<void>;
  /** The problems after a repair; none by default. `false` if it cannot be repaired. */
  left?: readonly Problem[] | false;
  /** Where it applies; everywhere by default. */
  on?: 'sqlite' | 'postgres';
  /** How far the clock of the doctor is ahead. */
  aheadMs?: number;
}

const HOUR_MS = 3_600_000;
const STRAY = Buffer.from('a stray photo');

const damage = (name: string, problem: Problem, plant: Damage['plant'], other: Partial<Damage> = {}): Damage => ({
  name,
  problem,
  plant,
  ...other,
});

const rowDamage = (name: string, problem: Problem, sql: string, other?: Partial<Damage>): Damage =>
  damage(name, problem, (place) => place.sql(sql), other);

const change = (version: string, id: number) =>
  `update pet set version = ${version}, text = (select text from pet_version where pet_version.version = ${version} and pet_id = ${id}) where id = ${id}`;

const FIRST_VERSION_OF_1 = '(select min(version) from pet_version where pet_id = 1)';
const SECOND_VERSION_OF_1 = '(select min(version) from pet_version where pet_id = 1 and previous is not null)';
const LAST_TEXT_OF_5 = `(select max(version) from pet_version where pet_id = 5 and text is not null)`;

/** Reading it fails as it does if the disk has changed a page. */
const BROKEN_VIEW = `create function page_of() returns int8 language plpgsql as
  $$ begin raise exception 'invalid page in block 5' using errcode = 'data_corrupted'; end $$;
  create view audit as select page_of() as id`;

function mailWith(column: 'dead' | 'attempts', value: number): string {
  return `insert into mail (id, kind, recipient, details, created_at_ms, next_at_ms, ${column})
    values ('m1', 'test', 'ada@example.org', '{}', 1000, 1000, ${value})`;
}

function storedMail(settings: object): string {
  return `insert into site_record (kind, version, text, changed_at_ms)
    values ('mail-settings', 1, '${JSON.stringify(settings)}', 1)`;
}

export const ROW_DAMAGES: readonly Damage[] = [
  rowDamage('wrong counts of a day', 'counts-wrong', `update pet_count set count = count + 3 where kind = 'added'`),
  rowDamage('missing count of photos', 'counts-wrong', `delete from pet_count where kind = 'picture'`),
  rowDamage('tag row of no pet', 'tags-wrong', `insert into pet_tag (name, pet_id) values ('ghost', 1), ('é', 999)`),
  rowDamage('missing tag rows', 'tags-wrong', 'delete from pet_tag where pet_id = 1'),
  rowDamage('missing external id', 'external-ids-wrong', 'delete from pet_external_id'),
  rowDamage(
    'external id that the pet does not have',
    'external-ids-wrong',
    `insert into pet_external_id (pet_id, external_id) values (1, 'ghost')`,
  ),
  rowDamage(
    'deleted version row',
    'version-missing',
    'delete from pet_version where version = (select version from pet where id = 1)',
    { left: false },
  ),
  rowDamage(
    'deleted version in the middle',
    'history-broken',
    `delete from pet_version where version = ${SECOND_VERSION_OF_1}`,
    {
      says: /pet 1, version \d+: the previous version \d+ is missing$/m,
      left: false,
    },
  ),
  rowDamage(
    'skipped version',
    'history-broken',
    `update pet_version set previous = ${FIRST_VERSION_OF_1} where version = (select version from pet where id = 1)`,
    {
      says: /pet 1, version \d+: the previous version is \d+ instead of \d+$/m,
      left: false,
    },
  ),
  rowDamage(
    'version without its predecessor',
    'history-broken',
    `update pet_version set previous = null where version = ${SECOND_VERSION_OF_1}`,
    {
      says: /pet 1, version \d+: the previous version is none instead of \d+$/m,
      left: false,
    },
  ),
  rowDamage(
    'version of another pet',
    'history-broken',
    `update pet_version set pet_id = 2 where version = ${SECOND_VERSION_OF_1}`,
    {
      says: /pet 2, version \d+: the previous version \d+ is missing$/m,
      left: false,
    },
  ),
  rowDamage('later version of addition', 'added-version-wrong', 'update pet set added_version = version where id = 1'),
  rowDamage('earlier version of addition', 'added-version-wrong', 'update removed_pet set added_version = 0'),
  rowDamage('position after the last event', 'orphaned-rows', 'update webhook set last_version = 99999'),
  rowDamage('message that could not be sent', 'mail-dead', mailWith('dead', 1), { left: false }),
  rowDamage('message that waits after many attempts', 'mail-waiting', mailWith('attempts', 7), { left: false }),
  rowDamage(
    'site that was not reached in many attempts',
    'listing-failing',
    `insert into listing (site, attempts, failing_since_ms) values ('petfinder', 6, 1)`,
    { left: false },
  ),
  rowDamage(
    'certificate that could not be obtained',
    'certificate-failing',
    `insert into certificate (order_key, attempts, failing_since_ms) values ('https://example.org pets.example.org', 1, 1)`,
    { left: false },
  ),
  rowDamage(
    'password of a mail server under another key',
    'setting-unreadable',
    storedMail({
      host: 'mail.example.org',
      port: 465,
      security: 'tls',
      username: 'a',
      password: 'v1.',
      from: 'a@b.example',
    }),
    { left: false },
  ),
  rowDamage('mail server without a name', 'setting-invalid', storedMail({ port: 465 }), { left: false }),
  rowDamage(
    'webhook that lags behind',
    'webhook-behind',
    `insert into webhook (id, url, events, secret, origin, state, last_version, created_at_ms, leased_until_ms)
       values ('behind', 'https://pets.invalid', '*', '', '', 'active', 0, 1, 0);
     update pet_version set changed_at_ms = changed_at_ms - 3600000`,
    { left: false },
  ),
  rowDamage(
    'form for enquiries without e-mail',
    'enquiries-not-mailed',
    `insert into site_record (kind, version, text, changed_at_ms) values ('enquiry-settings', 1, '{"enabled":true}', 1)`,
    { left: false },
  ),
  rowDamage('deleted entry of the audit log', 'audit-gap', 'delete from audit where id = 4', {
    says: /before entry 5$/m,
    left: false,
  }),
  rowDamage('other text', 'version-missing', `update pet set text = replace(text, 'Rex', 'Max') where id = 1`, {
    left: false,
  }),
  rowDamage('damaged text', 'text-damaged', `update pet set text = '{"id":1,' where id = 1`, { left: false }),
  rowDamage('deleted row of a pet', 'pet-outdated', 'delete from pet where id = 2'),
  rowDamage('earlier row of a pet', 'pet-outdated', change(FIRST_VERSION_OF_1, 1)),
  rowDamage(
    'existing pet that is recorded as deleted',
    'pet-outdated',
    'insert into removed_pet (id, version, added_version) select id, version - 1, added_version from pet where id = 1',
  ),
  rowDamage('deletion that is not recorded', 'deletion-outdated', 'delete from removed_pet where id = 5'),
  rowDamage(
    'deleted pet that still exists',
    'deletion-outdated',
    `insert into pet (id, version, added_version, status, text)
     select 5, version, version, null, text from pet_version where version = ${LAST_TEXT_OF_5}`,
  ),
  rowDamage('wrong status', 'status-wrong', `update pet set status = 'sold' where id = 1`),
  rowDamage('unknown role', 'account-role-unknown', `update account set role = 'owner' where username = 'σίσυφος'`, {
    left: false,
  }),
  rowDamage(
    'name with a slash',
    'account-name-invalid',
    `update account set username = 'a/b' where username = 'σίσυφος'`,
    {
      left: false,
    },
  ),
  rowDamage('photo of a missing pet', 'orphaned-rows', `insert into pet_photo (digest, pet_id) values ('d', 777)`),
  rowDamage(
    'delivery of a missing webhook',
    'orphaned-rows',
    `insert into webhook_delivery (webhook_id, version, attempts, next_at_ms, last_at_ms) values ('gone', 1, 1, 1, 1)`,
    { on: 'sqlite' },
  ),
  rowDamage('missing references to photos', 'photo-references-wrong', 'delete from pet_photo where pet_id = 1'),
  rowDamage(
    'reference to a photo that the pet does not have',
    'photo-references-wrong',
    `insert into pet_photo (digest, pet_id) select digest, 4 from photo`,
  ),
  rowDamage(
    'photos that are marked as unused although pets have them',
    'photo-use-wrong',
    'update photo set unused_since_ms = 5 where digest in (select digest from pet_photo)',
  ),
  rowDamage(
    'photos that are marked as used although no pet has them',
    'photo-use-wrong',
    'update photo set unused_since_ms = null',
  ),
  rowDamage('low counter of the audit log', 'counter-low', 'update sqlite_sequence set seq = 1', { on: 'sqlite' }),
  rowDamage('missing counter of ids', 'counter-low', `delete from next_id where kind = 'pet'`, { on: 'sqlite' }),
  rowDamage('missing counters', 'counter-low', 'delete from change_order', { on: 'postgres' }),
  rowDamage('unrecorded id of an account', 'counter-low', 'delete from used_account_id where id = 1'),
  rowDamage('low counter of versions', 'counter-low', 'update change_order set last_version = 1', { on: 'postgres' }),
  rowDamage('missing table', 'not-completed', 'alter table pet_tag rename to pet_tag_', { left: false }),
  rowDamage('schema of a newer version', 'schema-newer', 'pragma user_version = 99', { left: false, on: 'sqlite' }),
  rowDamage('schema of an older version', 'schema-older', 'pragma user_version = 2', { left: false, on: 'sqlite' }),
  rowDamage('newer schema', 'schema-newer', 'update menagerie_schema set version = 99', {
    left: false,
    on: 'postgres',
  }),
  rowDamage('older schema', 'schema-older', 'update menagerie_schema set version = 2', { left: false, on: 'postgres' }),
  rowDamage(
    'unfinished restore',
    'restore-unfinished',
    `create table unfinished_move (source text, counters text); insert into unfinished_move values ('a', 'b')`,
    { left: false },
  ),
  rowDamage('retired database', 'retired', 'update change_order set schema_version = -schema_version', {
    left: false,
    on: 'postgres',
  }),
  rowDamage('change of the future', 'clock-behind', 'select 1', { left: false, aheadMs: -HOUR_MS }),
  rowDamage('clock that is ahead', 'clock-differs', 'select 1', { left: false, aheadMs: HOUR_MS, on: 'postgres' }),
  damage('invalid index', 'index-invalid', ({ sql }) => failToIndex(sql, 'broken'), {
    says: /^The index broken is invalid.+ run in the database: REINDEX INDEX CONCURRENTLY broken$/s,
    left: false,
    on: 'postgres',
  }),
  damage('index that a failed REINDEX has left', 'index-leftover', ({ sql }) => failToIndex(sql, '"Pet_ccnew1"'), {
    says: / run in the database: DROP INDEX CONCURRENTLY "Pet_ccnew1"$/,
    left: false,
    on: 'postgres',
  }),
  damage('unreadable page', 'database-damaged', breakAuditLog, {
    says: /: invalid page in block 5\n/,
    left: false,
    on: 'postgres',
  }),
  rowDamage('table that may not be read', 'not-completed', 'revoke select on audit from current_user', {
    says: /: permission denied for table audit\n/,
    left: false,
    on: 'postgres',
  }),
];

export const PHOTO_DAMAGES: readonly Damage[] = [
  {
    name: 'damaged photo',
    problem: 'photo-damaged',
    plant: ({ photoStore, digest }) => photoStore.put(digest, Buffer.from('flipped')),
    // The photo is lost, until it is uploaded again.
    left: ['photo-missing'],
  },
  damage('size of a photo with a flipped byte', 'photo-size-damaged', async ({ photoStore, digest, flipSize }) => {
    await photoStore.putSize(digest, 'small', Buffer.alloc(500, 'abc'));
    await flipSize();
  }),
  damage('missing photo', 'photo-missing', ({ photoStore, digest }) => photoStore.trash(digest), { left: false }),
  damage(
    'stored photo that is not in the database',
    'photo-unknown',
    async ({ photoStore }) => {
      await photoStore.put(hash('sha256', STRAY), STRAY);
      await photoStore.putSize(hash('sha256', STRAY), 'small', STRAY);
    },
    { aheadMs: 2 * HOUR_MS },
  ),
  damage(
    'photo without its entry',
    'photo-entry-missing',
    ({ sql, digest }) => sql(`delete from photo where digest = '${digest}'`),
    { aheadMs: 2 * HOUR_MS, left: false },
  ),
  damage('interrupted deletion', 'deletion-unfinished', ({ sql }) =>
    sql(
      'update photo set doomed = 1, claimed_until_ms = 5 where not exists (select 1 from pet_photo where ' +
        'pet_photo.digest = photo.digest)',
    ),
  ),
  damage('photos of another database', 'photos-foreign', ({ photoStore }) => photoStore.setInstallationId('another'), {
    left: false,
  }),
];

export const FOLDER_DAMAGES: readonly Damage[] = [
  damage(
    'missing folder of photos',
    'photos-unreachable',
    ({ places }) => rm(join(places.dataDir, 'photos'), { recursive: true }),
    { left: false },
  ),
  damage(
    'flipped bytes in the database',
    'database-damaged',
    ({ places }) => overwritePages(join(places.dataDir, 'menagerie.db'), 0.3, 0.5),
    { left: false, on: 'sqlite' },
  ),
  damage(
    'flipped bytes at the beginning of the database',
    'database-damaged',
    ({ places }) => overwritePages(join(places.dataDir, 'menagerie.db'), 0, 0.1),
    { left: false, on: 'sqlite' },
  ),
  damage('emptied database', 'database-damaged', ({ places }) => truncate(join(places.dataDir, 'menagerie.db')), {
    left: false,
    on: 'sqlite',
  }),
  damage('index without an entry', 'index-damaged', forgetEntry, { says: /pet_by_status$/, on: 'sqlite' }),
  damage(
    'photo that cannot be read',
    'photo-unreadable',
    async ({ places, digest }) => {
      const path = join(places.dataDir, 'photos', digest.slice(0, 2), digest);
      await rm(path, { recursive: true });
      await writeFile(path, '');
    },
    { left: false },
  ),
  damage(
    'emptied search index',
    'search-index-unusable',
    ({ places }) => writeFile(join(places.dataDir, 'search-index'), ''),
    { on: 'sqlite' },
  ),
  damage(
    'flipped byte in the search index',
    'search-index-unusable',
    ({ places }) => flipByte(join(places.dataDir, 'search-index')),
    { on: 'sqlite' },
  ),
  damage(
    'file that its owner cannot read',
    'file-permissions',
    ({ places }) => chmod(join(places.dataDir, 'search-index'), 0o200),
    { on: 'sqlite' },
  ),
  damage('folder that its owner cannot enter, with such a file', 'file-permissions', async ({ places }) => {
    await chmod(join(places.dataDir, 'photos', 'installation-id'), 0o000);
    await chmod(join(places.dataDir, 'photos'), 0o000);
  }),
  damage(
    'folder and file that every user can change',
    'file-writable',
    async ({ places }) => {
      await chmod(places.dataDir, 0o777);
      await chmod(join(places.dataDir, 'menagerie.db'), 0o666);
    },
    { on: 'sqlite' },
  ),
  damage(
    'database that every user can read',
    'file-exposed',
    async ({ places }) => {
      await chmod(places.dataDir, 0o755);
      await chmod(join(places.dataDir, 'menagerie.db'), 0o644);
    },
    { on: 'sqlite' },
  ),
  damage(
    'lost write-ahead log',
    'log-lost',
    async ({ places }) => {
      const path = join(places.dataDir, 'menagerie.db');
      takeLogIn(path);
      await rm(`${path}-wal`, { force: true });
      await writeFile(`${path}-closed`, 'in use');
    },
    { left: false, on: 'sqlite' },
  ),
  damage('large write-ahead log', 'log-large', (place) => growLog(place), { on: 'sqlite' }),
];

/** Requires root. */
export const OWNER_DAMAGE = damage(
  'file of another owner',
  'file-owner',
  ({ places }) => chown(join(places.dataDir, 'photos', 'installation-id'), 12_345, 12_345),
  { left: false },
);

/** Makes a page of the audit log unreadable. */
export async function breakAuditLog({ places, sql }: DamagedPlace): Promise<void> {
  if (places.database !== undefined) return sql(`alter table audit rename to audit_; ${BROKEN_VIEW}`);
  const path = join(places.dataDir, 'menagerie.db');
  takeLogIn(path);
  const db = new DatabaseSync(path);
  const page = Number(db.prepare(`select rootpage from sqlite_schema where name = 'audit'`).get()?.['rootpage']);
  db.close();
  await overwritePage(path, page);
}

/** A unique index that cannot be built is left behind as invalid. */
function failToIndex(sql: DamagedPlace['sql'], name: string): Promise<void> {
  return sql(`create unique index concurrently ${name} on pet_version (action)`).then(
    () => Promise.reject(new Error('The index is valid.')),
    () => {},
  );
}

/** Changes a row while SQLite does not know one of the indexes. */
async function forgetEntry({ places }: DamagedPlace): Promise<void> {
  const path = join(places.dataDir, 'menagerie.db');
  const run = (work: (db: DatabaseSync) => void) => {
    const db = new DatabaseSync(path, { defensive: false });
    db.exec('pragma writable_schema = on');
    work(db);
    db.close();
  };
  let entry: Record<string, SQLOutputValue> = {};
  run((db) => {
    entry = db.prepare(`delete from sqlite_schema where name = 'pet_by_status' returning *`).get() ?? {};
  });
  run((db) => db.exec(`update pet set status = null where id = 1; update pet set status = 'sold' where id = 1`));
  run((db) => db.prepare('insert into sqlite_schema values (?, ?, ?, ?, ?)').run(...Object.values(entry)));
}

export async function flipByte(path: string): Promise<void> {
  const file = await open(path, 'r+');
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, 100);
  byte[0] = (byte[0] ?? 0) ^ 1;
  await file.write(byte, 0, 1, 100);
  await file.close();
}

/** Its connection stays open: the last one to close would delete the log. */
async function growLog({ places, after }: DamagedPlace): Promise<void> {
  const db = new DatabaseSync(join(places.dataDir, 'menagerie.db'));
  after(async () => db.close());
  db.exec('pragma wal_autocheckpoint = 0; create table filler (bytes blob)');
  for (let megabytes = 0; megabytes < 72; megabytes += 8)
    db.exec(`insert into filler values (zeroblob(${8 * 1024 * 1024}))`);
  db.exec('drop table filler');
}
