import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMigrations } from '../../src/storage/postgres/engine/migration-files.ts';
import { statement } from '../../src/storage/postgres/engine/statements.ts';
import { openNewPostgresStores } from '../support/shared-postgres.ts';

const countPets = statement('select count(*) from pet');
const hasColumn = statement(
  "select count(*) from information_schema.columns where table_name = 'pet' and column_name = 'planted'",
);

void test('migrations: each states programs that exist, and none drops the requirements of an earlier one', () => {
  let before = 0;
  for (const [index, { name, worksSince }] of readMigrations().entries()) {
    assert.ok(worksSince >= before && worksSince <= index + 1, name);
    before = worksSince;
  }
});

void test('migration of a table that a long read uses: gives up, so that other reads continue, and changes nothing', async (t) => {
  const { connections } = await openNewPostgresStores(t);
  const migrate = () => connections.migration('alter table pet add column planted text', async () => true);
  await connections.inSnapshot(async (ask) => {
    await ask(countPets);
    const migrating = migrate();
    assert.deepEqual(await connections.ask(countPets), [[0n]]);
    assert.equal(await migrating, false);
    assert.deepEqual(await connections.ask(hasColumn), [[0n]]);
  });
  assert.equal(await migrate(), true);
  assert.deepEqual(await connections.ask(hasColumn), [[1n]]);
});
