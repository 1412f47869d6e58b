import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDatabase } from '../../src/storage/sqlite/engine/database.ts';
import { KEPT_BY_RESTORES } from '../../src/storage/sqlite/engine/restored-access.ts';
import { migrate } from '../../src/storage/sqlite/migrations/migrations.ts';
import { DUMP_TABLES } from '../../src/storage/rows/dump/dump-tables.ts';
import { temporaryFolder } from '../support/service.ts';

/** Derived from other tables, counted on, of the installation, or of logins that end. */
const NOT_RESTORED = [
  'installation',
  'next_id',
  'pet_count',
  'sign_in_step',
  'sqlite_sequence',
  'sqlite_stat1',
  'stray_photo',
];

void test('restore from the page: each table is in backups, kept as it is, or need not be', async (t) => {
  const db = openDatabase(join(await temporaryFolder(t), 'menagerie.db'));
  migrate(db);
  const names = db.prepare("select name from sqlite_schema where type = 'table' order by name").all();
  db.close();
  const known = new Set<unknown>([...DUMP_TABLES.map(({ name }) => name), ...KEPT_BY_RESTORES, ...NOT_RESTORED]);
  assert.deepEqual(
    names.map(({ name }) => name).filter((name) => !known.has(name)),
    [],
    'add it to KEPT_BY_RESTORES, or a restore from the page loses it',
  );
});
