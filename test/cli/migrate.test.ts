import assert from 'node:assert/strict';
import { cpSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { APPLICATION_ID, openDatabase } from '../../src/storage/sqlite/engine/database.ts';
import { copyBeforeMigration } from '../../src/storage/sqlite/engine/files/copy-before-migration.ts';
import { countMigrations } from '../../src/storage/sqlite/migrations/migrations.ts';
import { mountSmallDisk, skipWithoutMount } from '../support/limited-disk.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { startServer } from '../support/menagerie-process.ts';
import { jsonOf, outputOf, runCommand } from '../support/operator-commands.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { temporaryFolder } from '../support/service.ts';

const MIGRATIONS = join(import.meta.dirname, '../../src/storage/sqlite/migrations');
const OLD_SCHEMA = 12;
const KNOWN = countMigrations();
const REX = '{"id":1,"name":"Rex","photoUrls":[],"tags":[],"status":"sold"}';

/** A data folder of an older version, with one pet. */
async function olderFolder(t: Lifetime): Promise<string> {
  const dataDir = await temporaryFolder(t);
  const db = new DatabaseSync(join(dataDir, 'menagerie.db'));
  db.exec('pragma journal_mode = wal');
  for (const name of readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
    .slice(0, OLD_SCHEMA))
    db.exec(readFileSync(join(MIGRATIONS, name), 'utf8'));
  db.exec(`pragma application_id = ${APPLICATION_ID}; pragma user_version = ${OLD_SCHEMA}; pragma foreign_keys = off;
    insert into pet (id, version, status, text) values (1, 1, 'sold', '${REX}');
    insert into pet_version (pet_id, version, previous, action, changed_by, changed_at_ms, text)
      values (1, 1, 0, 'added', null, 1700000000000, '${REX}')`);
  db.close();
  return dataDir;
}

function schemaOf(path: string): unknown {
  const db = new DatabaseSync(path, { readOnly: true });
  const [schema] = Object.values(db.prepare('pragma user_version').get() ?? {});
  db.close();
  return schema;
}

function copiesIn(dataDir: string): readonly string[] {
  return readdirSync(join(dataDir, 'before-migrations')).map((name) => join(dataDir, 'before-migrations', name));
}

void test('migrate --dry-run: reports the migrations, the space and the time, and changes nothing', async (t) => {
  const dataDir = await olderFolder(t);
  const before = readFileSync(join(dataDir, 'menagerie.db'));
  const printed = outputOf(await runCommand(['migrate', '--dry-run', '--data-dir', dataDir]));
  assert.match(printed, new RegExp(`^From schema 12 to ${KNOWN}:\n  013-search-in-memory.sql\n`));
  assert.match(
    printed,
    /\nDatabase: 1 MB\. Rough time: 1 s\.\nSpace for the copy and the migration: 1 MB; free: \d+ MB\./,
  );
  const plan = jsonOf(await runCommand(['migrate', '--dry-run', '--json', '--data-dir', dataDir]));
  assert.deepEqual((plan as { pending: unknown[] }).pending.length, KNOWN - OLD_SCHEMA);
  assert.deepEqual(
    readdirSync(dataDir).filter((name) => name.startsWith('before')),
    [],
  );
  assert.ok(before.equals(readFileSync(join(dataDir, 'menagerie.db'))));
});

void test('migrate: copies the database, migrates it, and reports both', async (t) => {
  const dataDir = await olderFolder(t);
  const printed = outputOf(await runCommand(['migrate', '--data-dir', dataDir]));
  assert.match(printed, new RegExp(`^Copied the database to .+\nMigration 13 of ${KNOWN}: 013-search-in-memory.sql\n`));
  assert.match(printed, new RegExp(`\nThe database fits this version \\(schema ${KNOWN}\\)\\.\n$`));
  const [copy = '', ...others] = copiesIn(dataDir);
  assert.deepEqual([others, schemaOf(copy), statSync(copy).mode & 0o077], [[], OLD_SCHEMA, 0]);
  assert.match(copy, /menagerie-schema-12-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z\.db$/);
  const db = new DatabaseSync(copy);
  assert.equal(db.prepare('select text from pet').get()?.['text'], REX);
  db.close();
  const again = outputOf(await runCommand(['migrate', '--data-dir', dataDir]));
  assert.equal(again, `The database fits this version (schema ${KNOWN}).\n`);
  assert.equal(copiesIn(dataDir).length, 1);
});

void test('migrate --no-copy: makes no copy', async (t) => {
  const dataDir = await olderFolder(t);
  outputOf(await runCommand(['migrate', '--no-copy', '--data-dir', dataDir]));
  assert.equal(schemaOf(join(dataDir, 'menagerie.db')), KNOWN);
  assert.throws(() => copiesIn(dataDir), { code: 'ENOENT' });
});

void test('serve: copies an older database before it is migrated, and logs each step; not for a new one', async (t) => {
  const dataDir = await olderFolder(t);
  const server = await startServer(t, dataDir, ['--empty', '--log-format', 'json']);
  assert.match(await (await fetch(`${server.base}/pet/1`)).text(), /"Rex"/);
  const { stderr } = await server.end('SIGTERM');
  const messages = [...stderr.matchAll(/"msg":"([^"]*)"/g)].map(([, message]) => message ?? '');
  const steps = messages.filter((message) => /migrat/.test(message));
  assert.deepEqual(steps.slice(0, 2), ['copied the database before its migration', 'migrating the database']);
  assert.equal(steps.at(-1), 'migration finished');
  assert.equal(copiesIn(dataDir).length, 1);
  const fresh = await startServer(t, await temporaryFolder(t), ['--empty']);
  assert.doesNotMatch((await fresh.end('SIGTERM')).stderr, /migrat/);
});

void test(
  'migrate: refuses a disk without space for the copy, and changes nothing',
  { skip: skipWithoutMount },
  async (t) => {
    const { folder: dataDir } = await mountSmallDisk(t, 4);
    const path = join(dataDir, 'menagerie.db');
    cpSync(join(await olderFolder(t), 'menagerie.db'), path);
    const db = openDatabase(path);
    db.exec(`insert into audit (id, at_ms, via, actor_name, action, outcome, details)
    values (1, 0, 'operator', '', 'x', 'done', hex(zeroblob(700000)))`);
    db.close();
    const refused = await runCommand(['migrate', '--data-dir', dataDir]);
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      /^The database is copied to .+ before it is migrated\. This needs \d MB, but \d MB are free\. Free some space, or back up the data elsewhere and run "menagerie migrate --no-copy"\.\n$/,
    );
    assert.equal(schemaOf(path), OLD_SCHEMA);
    assert.equal((await runCommand(['migrate', '--dry-run', '--data-dir', dataDir])).code, 1);
    assert.equal((await runCommand(['migrate', '--dry-run', '--no-copy', '--data-dir', dataDir])).code, 0);
  },
);

void test('copies before migrations: one of each of the last three schemas', async (t) => {
  const dataDir = await temporaryFolder(t);
  const path = join(dataDir, 'menagerie.db');
  const db = openDatabase(path);
  db.exec('create table pet (id integer) strict');
  for (const schema of [8, 9, 10, 10, 11, 11]) {
    db.exec(`pragma user_version = ${schema}`);
    copyBeforeMigration(db, path);
  }
  db.close();
  assert.deepEqual(new Set(copiesIn(dataDir).map(schemaOf)), new Set([9, 10, 11]));
  assert.equal(copiesIn(dataDir).length, 3);
});

void test('migrate: refuses a newer database and unknown flags', async (t) => {
  const dataDir = await olderFolder(t);
  const db = new DatabaseSync(join(dataDir, 'menagerie.db'));
  db.exec('pragma user_version = 99');
  db.close();
  const newer = await runCommand(['migrate', '--dry-run', '--data-dir', dataDir]);
  assert.deepEqual([newer.code, /newer Menagerie \(schema 99/.test(newer.stderr)], [1, true]);
  assert.equal((await runCommand(['migrate', '--force'])).code, 2);
  assert.match(outputOf(await runCommand(['migrate', '--help'])), /^Change the database [^]*--dry-run/);
});

void test('migrate: reports that a PostgreSQL database is up to date', async (t) => {
  const server = await sharedPostgres();
  const url = await server.createDatabase({ template: server.template });
  t.after(() => server.dropDatabase(url));
  const environment = { MENAGERIE_DATABASE_URL: url };
  const printed = outputOf(await runCommand(['migrate', '--dry-run'], { environment }));
  assert.match(printed, /^No migrations are pending \(schema \d+\)\.\n$/);
  assert.match(outputOf(await runCommand(['migrate'], { environment })), /^The database fits this version/);
});
