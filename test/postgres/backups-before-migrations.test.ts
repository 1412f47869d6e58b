import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client } from 'pg';
import { readMigrations } from '../../src/storage/postgres/engine/migration-files.ts';
import { DUMP_TABLES } from '../../src/storage/rows/dump/dump-tables.ts';
import { newKeyFile } from '../../src/server/backup/encrypted-files.ts';
import { backUpBeforeMigration } from '../../src/server/backup/before-migration.ts';
import { outputOf, runCommand } from '../support/operator-commands.ts';
import { contentsOf, makeRichInstallation } from '../support/rich-installation.ts';
import { newDatabaseFor } from '../support/shared-postgres.ts';
import { temporaryFolder, testConfig } from '../support/service.ts';
import type { Lifetime } from '../support/lifetime.ts';

const KNOWN = readMigrations().length;
/** The schema of the first backups. */
const FIRST = 11;

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** A database of an older schema, with the rows that it can have of a rich installation. */
async function makeOlderDatabase(
  t: Lifetime,
  schema: number,
): Promise<{ url: string; folder: string; environment: Record<string, string> }> {
  const folder = await temporaryFolder(t);
  await makeRichInstallation(t, join(folder, 'source'));
  outputOf(await runCommand(['backup', join(folder, 'place'), '--data-dir', join(folder, 'source')]));
  const current = await newDatabaseFor(t);
  const environment = { MENAGERIE_DATABASE_URL: current };
  outputOf(await runCommand(['restore', join(folder, 'place'), '--data-dir', join(folder, 'data')], { environment }));
  const url = await newDatabaseFor(t);
  await withClient(current, (from) => withClient(url, (to) => copyInto(from, to, schema)));
  return { url, folder, environment: { MENAGERIE_DATABASE_URL: url } };
}

async function copyInto(from: Client, to: Client, schema: number): Promise<void> {
  for (const { sql } of readMigrations().slice(0, schema)) await to.query(sql);
  await to.query(`create table menagerie_schema (only_row int4 primary key, version int4 not null);
    insert into menagerie_schema (only_row, version) values (1, ${schema})`);
  for (const name of [...DUMP_TABLES.map((table) => table.name), 'installation']) {
    const columns = async (client: Client) =>
      (
        await client.query<{ name: string }>(
          `select column_name::text as name from information_schema.columns where table_name = $1 and is_generated = 'NEVER'`,
          [name],
        )
      ).rows.map((row) => row.name);
    const known = new Set(await columns(from));
    const list = (await columns(to)).filter((column) => known.has(column));
    if (list.length === 0) continue;
    const { rows } = await from.query<Record<string, unknown>>(`select ${list.join()} from ${name}`);
    for (const row of rows)
      await to.query(
        `insert into ${name} (${list.join()}) values (${list.map((_column, index) => `$${index + 1}`).join()})`,
        list.map((column) => row[column]),
      );
  }
  const { rows: counters } = await from.query<Record<string, unknown>>(
    'select next_pet_id, next_account_id, last_version, last_audit_id from change_order',
  );
  await to.query(
    'update change_order set next_pet_id = $1, next_account_id = $2, last_version = $3, last_audit_id = $4',
    Object.values(counters[0] ?? {}),
  );
}

async function backupsIn(place: string): Promise<readonly string[]> {
  return readdir(join(place, 'backups')).catch(() => []);
}

async function schemaOf(url: string): Promise<number | undefined> {
  const { rows } = await withClient(url, (client) =>
    client.query<{ version: number }>('select version from menagerie_schema'),
  );
  return rows[0]?.version;
}

for (const schema of [FIRST, KNOWN - 1]) {
  void test(`backup before the migration of schema ${schema}: is restored as what the migration makes`, async (t) => {
    const { url, folder, environment } = await makeOlderDatabase(t, schema);
    const data = join(folder, 'data');
    const printed = outputOf(await runCommand(['migrate', '--data-dir', data], { environment }));
    assert.match(printed, /^Backed up the database: \S+ in \S+before-migrations \([\d.]+ s\)\.\nMigration /m);
    assert.equal(await schemaOf(url), KNOWN);
    const place = join(data, 'before-migrations');
    assert.equal((await backupsIn(place)).length, 1);

    const restored = await newDatabaseFor(t);
    const target = { MENAGERIE_DATABASE_URL: restored };
    const output = outputOf(await runCommand(['restore', place, '--data-dir', data], { environment: target }));
    assert.match(output, /rows and 3 photos were restored and compared/, 'the photos of the folder are kept');
    const contents = [];
    for (const [name, from] of [
      ['migrated', environment],
      ['restored', target],
    ] as const) {
      outputOf(await runCommand(['backup', join(folder, name), '--data-dir', data], { environment: from }));
      outputOf(await runCommand(['restore', join(folder, name), '--data-dir', join(folder, `${name}-data`)]));
      contents.push(contentsOf(join(folder, `${name}-data`)));
    }
    assert.deepEqual(contents[1], contents[0]);

    assert.equal(
      outputOf(await runCommand(['migrate', '--data-dir', data], { environment })).includes('Backed up'),
      false,
    );
  });
}

void test('backup before a migration: three nodes make one, in the place of the daily backups, encrypted as they are', async (t) => {
  const { url, folder } = await makeOlderDatabase(t, KNOWN - 1);
  const place = join(folder, 'backups');
  const key = await newKeyFile(Date.now());
  const [, recipient = ''] = /^# public key: (\S+)$/m.exec(key) ?? [];
  const flags = ['--database-url', url, '--backup-to', place, '--backup-recipients', recipient];
  const config = testConfig(join(folder, 'data'), flags);
  await Promise.all([0, 1, 2].map(() => backUpBeforeMigration(config)));
  assert.equal(await schemaOf(url), KNOWN);
  assert.equal((await backupsIn(place)).length, 1);
  await writeFile(join(folder, 'key'), key, { mode: 0o600 });
  const checked = await runCommand(['backup', place, '--check', '--identity-file', join(folder, 'key')]);
  assert.match(outputOf(checked), /was read as a restore does: \d+ rows and 3 photos/);
});

void test('backup before a migration that fails: stops the migration with one sentence; --no-copy goes on', async (t) => {
  const { url, folder, environment } = await makeOlderDatabase(t, KNOWN - 1);
  await writeFile(join(folder, 'file'), '');
  const given = { ...environment, MENAGERIE_BACKUP_TO: join(folder, 'file', 'place') };
  for (const command of [['migrate'], ['user', 'list']]) {
    const refused = await runCommand([...command, '--data-dir', join(folder, 'data')], { environment: given });
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      /^The database is backed up before it is migrated, which failed: .+ Choose another place with --backup-to, or back up the database yourself and run "menagerie migrate --no-copy"\. Nothing was changed\.$/m,
    );
    assert.equal(await schemaOf(url), KNOWN - 1);
  }
  outputOf(await runCommand(['migrate', '--no-copy', '--data-dir', join(folder, 'data')], { environment: given }));
  assert.equal(await schemaOf(url), KNOWN);
});
