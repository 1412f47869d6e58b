import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { DUMP_TABLES } from '../../src/storage/rows/dump/dump-tables.ts';
import { createBackup } from '../../src/server/backup/create-backup.ts';
import type { BackupManifest } from '../../src/server/backup/manifest.ts';
import { listPlace, restoreBackup } from '../../src/server/backup/restore-backup.ts';
import { placesOf } from '../../src/server/configuration/places.ts';
import { backupFixtures } from '../fixtures/backup-fixtures.ts';
import { exportedPets, logIn, originalsIn, serveOn } from '../support/rich-installation.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { temporaryFolder, testConfig } from '../support/service.ts';
import { newDatabaseFor } from '../support/shared-postgres.ts';

/* Backups of other versions: those of earlier ones are restored for ever, those of later ones are refused. */

const fixtures = backupFixtures();
const newest = fixtures.at(-1) ?? assert.fail('no fixture');
const signal = new AbortController().signal;
const watch = { signal, onBegin() {}, onProgress() {} };

async function restore(folder: string, dataDir: string, flags: readonly string[] = []): Promise<void> {
  const to = placesOf(testConfig(dataDir, flags));
  const { isFinished, photos } = await restoreBackup({ from: { folder }, backup: undefined, to, watch });
  assert.deepEqual([isFinished, photos.missing], [true, []]);
}

/** A copy of the newest fixture, with a changed manifest. */
async function changedCopy(t: Lifetime, change: (manifest: BackupManifest, folder: string) => Promise<void> | void) {
  const folder = join(await temporaryFolder(t), 'place');
  await cp(newest, folder, { recursive: true });
  const [name = ''] = await readdir(join(folder, 'backups'));
  const path = join(folder, 'backups', name, 'manifest.json');
  const manifest = JSON.parse(await readFile(path, 'utf8')) as BackupManifest;
  await change(manifest, folder);
  await writeFile(path, JSON.stringify(manifest));
  return folder;
}

/** Writes the rows of a table with other columns. */
async function rewriteRows(
  { tables }: BackupManifest,
  folder: string,
  table: string,
  columns: readonly string[],
): Promise<void> {
  const stored = tables[table] ?? assert.fail(table);
  for (const chunk of stored.chunks) {
    const path = join(folder, chunk.file);
    const lines = zstdDecompressSync(await readFile(path))
      .toString()
      .trim()
      .split('\n');
    const rows = lines.map((line) => JSON.parse(line) as unknown[]);
    const changed = rows.map((row) => JSON.stringify(columns.map((column) => row[stored.columns.indexOf(column)])));
    const bytes = zstdCompressSync(Buffer.from(`${changed.join('\n')}\n`));
    await writeFile(path, bytes);
    chunk.digest = hash('sha256', bytes);
  }
  stored.columns = [...columns];
}

for (const fixture of fixtures)
  for (const engine of ['SQLite', 'PostgreSQL'])
    void test(`backup of ${basename(fixture)}: is restored on ${engine}`, async (t) => {
      const dataDir = join(await temporaryFolder(t), 'data');
      const flags = engine === 'SQLite' ? [] : ['--database-url', await newDatabaseFor(t)];
      await restore(fixture, dataDir, flags);
      const { call } = await serveOn(t, dataDir, flags);
      await logIn(call);
      const pets = await exportedPets(call);
      assert.equal(pets, await readFile(join(fixture, 'pets.ndjson'), 'utf8'));
      const digests = new Set(pets.match(/(?<=\/v2\/photo\/)[0-9a-f]{64}/g));
      assert.ok(digests.size > 0);
      for (const digest of digests)
        assert.equal(hash('sha256', (await call('GET', `photo/${digest}`)).bytes).length, digest.length);
    });

void test('fixtures: the newest one is of this version', async () => {
  const [name = ''] = await readdir(join(newest, 'backups'));
  const { tables } = JSON.parse(
    await readFile(join(newest, 'backups', name, 'manifest.json'), 'utf8'),
  ) as BackupManifest;
  const columns = Object.fromEntries(DUMP_TABLES.map((table) => [table.name, Object.keys(table.columns)]));
  const stored = Object.fromEntries(Object.entries(tables).map(([table, of]) => [table, of.columns]));
  assert.deepEqual(stored, columns, 'run npm run backup-fixture');
});

void test('older backup: absent columns are null, absent tables are empty, columns are found by name', async (t) => {
  const place = await changedCopy(t, async (manifest, folder) => {
    await rewriteRows(manifest, folder, 'photo', ['digest', 'doomed', 'height', 'width', 'byte_length', 'media_type']);
    const { session } = manifest.tables;
    await rewriteRows(manifest, folder, 'session', ['digest', ...(session?.columns.slice(1).toReversed() ?? [])]);
    delete manifest.tables['request_lease'];
  });
  const dataDir = join(await temporaryFolder(t), 'data');
  await restore(place, dataDir);
  const db = new DatabaseSync(join(dataDir, 'menagerie.db'), { readOnly: true });
  const rowsOf = (sql: string) =>
    db
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  assert.deepEqual(
    rowsOf('select distinct width, height, doomed, placeholder, unused_since_ms is null as used from photo'),
    [{ width: 900, height: 400, doomed: 0, placeholder: null, used: 1 }],
  );
  assert.deepEqual(rowsOf('select distinct user_agent, address from session'), [
    { user_agent: 'menagerie-tests', address: '127.0.0.1' },
  ]);
  assert.deepEqual(rowsOf('select count(*) as count from request_lease'), [{ count: 0 }]);
  db.close();
});

void test('older backup: its photos are kept when other backups are deleted', async (t) => {
  const place = await changedCopy(t, (manifest, folder) =>
    rewriteRows(manifest, folder, 'photo', ['digest', 'height', 'width', 'doomed', 'byte_length', 'media_type']),
  );
  const originals = await originalsIn(join(place, 'photos'));
  const dataDir = join(await temporaryFolder(t), 'data');
  await restore(newest, dataDir);
  const back = (keep: number) =>
    createBackup({ from: placesOf(testConfig(dataDir)), to: { folder: place }, keep, watch });
  const db = new DatabaseSync(join(dataDir, 'menagerie.db'));
  db.exec('delete from pet_photo; delete from photo');
  db.close();
  assert.equal((await back(2)).deleted.length, 0);
  const { deleted } = await back(2);
  assert.equal(deleted.length, 1, 'the older backup');
  assert.deepEqual([originals.length, await originalsIn(join(place, 'photos'))], [3, []]);
});

void test('backup of a newer version: is listed, and refused with the name of that version', async (t) => {
  const changes: Readonly<Record<string, (manifest: BackupManifest) => void>> = {
    'another column': ({ tables }) => tables['pet']?.columns.push('weight'),
    'another table': ({ tables }) => (tables['litter'] = { columns: ['id'], rows: 0, chunks: [] }),
    'another format': (manifest) => Object.assign(manifest, { format: 3, tables: 'elsewhere' }),
  };
  for (const [what, change] of Object.entries(changes)) {
    const place = await changedCopy(t, (manifest) => {
      manifest.version = '7.1.0';
      change(manifest);
    });
    const dataDir = join(await temporaryFolder(t), 'data');
    await assert.rejects(
      restore(place, dataDir),
      /^Failure: The backup \S+ was made by Menagerie 7\.1\.0, .+newer one\.$/,
      what,
    );
    const [listed] = await listPlace({ folder: place });
    assert.equal(listed?.state, what === 'another format' ? 'failed' : 'finished');
    assert.equal(listed?.version, what === 'another format' ? undefined : '7.1.0');
  }
});
