import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMigrations } from '../../src/storage/postgres/engine/migration-files.ts';

void test('migrations: each states programs that exist, and none drops the requirements of an earlier one', () => {
  let before = 0;
  for (const [index, { name, worksSince }] of readMigrations().entries()) {
    assert.ok(worksSince >= before && worksSince <= index + 1, name);
    before = worksSince;
  }
});
