import { hash } from 'node:crypto';
import { chmod, chown, open, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Problem } from '../../src/domain/health/finding.ts';
import type { PhotoStore } from '../../src/domain/pets/ports.ts';
import type { StorePlaces } from '../../src/server/config.ts';
import { readIndexFile, writeIndexFile } from '../../src/server/search/index-file.ts';
import { overwritePages } from './damage.ts';

/* Damage of every kind, for the checks of `menagerie doctor`, planted in a copy of a rich installation. */

export interface DamagedPlace {
  places: StorePlaces;
  photoStore: PhotoStore;
  /** Executes SQL without foreign keys. */
  sql: (text: string) => Promise<void>;
  /** A photo that a pet has. */
  digest: string;
  after: (end: () => Promise<void>) => void;
}

export interface Damage {
  name: string;
  problem: Problem;
  plant(place: DamagedPlace): Promise<void>;
  /** The problems after a repair; none by default. `false` if it cannot be repaired. */
  left?: readonly Problem[] | false;
  /** Where it applies; everywhere by default. */
  on?: 'sqlite' | 'postgres';
  /** It concerns the files of the data folder, not the photo store. */
  inFolder?: true;
  /** How far the clock of the doctor is ahead. */
  aheadMs?: number;
}

const HOUR_MS = 3_600_000;
const STRAY = Buffer.from('a stray photo');

const rowDamage = (name: string, problem: Problem, sql: string, other: Partial<Damage> = {}): Damage => ({
  name,
  problem,
  plant: (place) => place.sql(sql),
  ...other,
});

const change = (version: string, id: number) =>
  `update pet set version = ${version}, text = (select text from pet_version where pet_version.version = ${version} and pet_id = ${id}) where id = ${id}`;

const FIRST_VERSION_OF_1 = '(select min(version) from pet_version where pet_id = 1)';
const LAST_TEXT_OF_5 = `(select max(version) from pet_version where pet_id = 5 and text is not null)`;

export const ROW_DAMAGES: readonly Damage[] = [
  rowDamage('wrong counts of a day', 'counts-wrong', `update pet_count set count = count + 3 where kind = 'added'`),
  rowDamage('missing count of photos', 'counts-wrong', `delete from pet_count where kind = 'picture'`),
  rowDamage('tag row of no pet', 'tags-wrong', `insert into pet_tag (name, pet_id) values ('ghost', 1), ('é', 999)`),
  rowDamage('missing tag rows', 'tags-wrong', 'delete from pet_tag where pet_id = 1'),
  rowDamage(
    'deleted version row',
    'version-missing',
    'delete from pet_version where version = (select version from pet where id = 1)',
    { left: false },
  ),
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
    'unfinished move',
    'move-unfinished',
    `create table unfinished_move (source text, counters text); insert into unfinished_move values ('a', 'b')`,
    { left: false },
  ),
  rowDamage('change of the future', 'clock-behind', 'select 1', { left: false, aheadMs: -HOUR_MS }),
  rowDamage('clock that is ahead', 'clock-differs', 'select 1', { left: false, aheadMs: HOUR_MS, on: 'postgres' }),
  {
    name: 'invalid index',
    problem: 'database-damaged',
    // A unique index that cannot be built is left behind as invalid.
    plant: ({ sql }) =>
      sql('create unique index concurrently broken on pet_version (action)').then(
        () => Promise.reject(new Error('The index is valid.')),
        () => {},
      ),
    left: false,
    on: 'postgres',
  },
];

export const PHOTO_DAMAGES: readonly Damage[] = [
  {
    name: 'damaged photo',
    problem: 'photo-damaged',
    plant: ({ photoStore, digest }) => photoStore.put(digest, Buffer.from('flipped')),
    // The photo is lost, until it is uploaded again.
    left: ['photo-missing'],
  },
  {
    name: 'missing photo',
    problem: 'photo-missing',
    plant: ({ photoStore, digest }) => photoStore.trash(digest),
    left: false,
  },
  {
    name: 'stored photo that is not in the database',
    problem: 'photo-unknown',
    aheadMs: 2 * HOUR_MS,
    async plant({ photoStore }) {
      await photoStore.put(hash('sha256', STRAY), STRAY);
      await photoStore.putSize(hash('sha256', STRAY), 'small', STRAY);
    },
  },
  {
    name: 'photo without its entry',
    problem: 'photo-entry-missing',
    aheadMs: 2 * HOUR_MS,
    plant: ({ sql, digest }) => sql(`delete from photo where digest = '${digest}'`),
    left: false,
  },
  {
    name: 'interrupted deletion',
    problem: 'deletion-unfinished',
    plant: ({ sql }) =>
      sql(
        'update photo set doomed = 1, claimed_until_ms = 5 where not exists (select 1 from pet_photo where pet_photo.digest = photo.digest)',
      ),
  },
  {
    name: 'photos of another database',
    problem: 'photos-foreign',
    plant: ({ photoStore }) => photoStore.setInstallationId('another'),
    left: false,
  },
];

export const FOLDER_DAMAGES: readonly Damage[] = [
  {
    name: 'missing folder of photos',
    problem: 'photos-unreachable',
    plant: ({ places }) => rm(join(places.dataDir, 'photos'), { recursive: true }),
    left: false,
  },
  {
    name: 'flipped bytes in the database',
    problem: 'database-damaged',
    plant: ({ places }) => overwritePages(join(places.dataDir, 'menagerie.db'), 0.3, 0.5),
    left: false,
    on: 'sqlite',
  },
  {
    name: 'flipped bytes at the beginning of the database',
    problem: 'database-damaged',
    plant: ({ places }) => overwritePages(join(places.dataDir, 'menagerie.db'), 0, 0.1),
    left: false,
    on: 'sqlite',
  },
  {
    name: 'emptied database',
    problem: 'database-damaged',
    plant: ({ places }) => truncate(join(places.dataDir, 'menagerie.db')),
    left: false,
    on: 'sqlite',
  },
  {
    name: 'emptied search index',
    problem: 'search-index-unusable',
    plant: ({ places }) => writeFile(join(places.dataDir, 'search-index'), ''),
    on: 'sqlite',
  },
  {
    name: 'flipped byte in the search index',
    problem: 'search-index-unusable',
    plant: ({ places }) => flipByte(join(places.dataDir, 'search-index')),
    on: 'sqlite',
  },
  {
    name: 'search index of another database',
    problem: 'search-index-unusable',
    plant: ({ places }) =>
      changeIndex(places, (index) => ({ ...index, last: index.last && { ...index.last, petId: 77n } })),
    on: 'sqlite',
  },
  {
    name: 'search index with other pets',
    problem: 'search-index-wrong',
    plant: ({ places }) =>
      changeIndex(places, (index) => ({ ...index, data: { ...index.data, statuses: index.data.statuses.slice(1) } })),
    on: 'sqlite',
  },
  {
    name: 'file that its owner cannot read',
    problem: 'file-permissions',
    plant: ({ places }) => chmod(join(places.dataDir, 'search-index'), 0o200),
    on: 'sqlite',
  },
  {
    name: 'folder that its owner cannot enter, with such a file',
    problem: 'file-permissions',
    async plant({ places }) {
      await chmod(join(places.dataDir, 'photos', 'installation-id'), 0o000);
      await chmod(join(places.dataDir, 'photos'), 0o000);
    },
  },
  {
    name: 'folder and file that every user can change',
    problem: 'file-writable',
    async plant({ places }) {
      await chmod(places.dataDir, 0o777);
      await chmod(join(places.dataDir, 'menagerie.db'), 0o666);
    },
    on: 'sqlite',
  },
  {
    name: 'database that every user can read',
    problem: 'file-exposed',
    async plant({ places }) {
      await chmod(places.dataDir, 0o755);
      await chmod(join(places.dataDir, 'menagerie.db'), 0o644);
    },
    on: 'sqlite',
  },
  {
    name: 'large write-ahead log',
    problem: 'log-large',
    plant: (place) => growLog(place),
    on: 'sqlite',
  },
];

/** Requires root. */
export const OWNER_DAMAGE: Damage = {
  name: 'file of another owner',
  problem: 'file-owner',
  plant: ({ places }) => chown(join(places.dataDir, 'photos', 'installation-id'), 12_345, 12_345),
  left: false,
};

async function flipByte(path: string): Promise<void> {
  const file = await open(path, 'r+');
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, 100);
  byte[0] = (byte[0] ?? 0) ^ 1;
  await file.write(byte, 0, 1, 100);
  await file.close();
}

type Index = NonNullable<Awaited<ReturnType<typeof readIndexFile>>>;

async function changeIndex({ dataDir }: StorePlaces, changed: (index: Index) => Index): Promise<void> {
  const path = join(dataDir, 'search-index');
  const index = await readIndexFile(path);
  if (index === undefined) throw new Error('The search index is missing.');
  await writeIndexFile(path, changed(index));
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
