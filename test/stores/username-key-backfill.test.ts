import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DatabaseStores } from '../../src/storage/rows/stores/stores.ts';
import { backfillUsernameKeys as backfillOnPostgres } from '../../src/storage/postgres/migrations/migrations.ts';
import { statement } from '../../src/storage/postgres/engine/statements.ts';
import { backfillUsernameKeys } from '../../src/storage/sqlite/migrations/migrations.ts';
import { openDatabase } from '../../src/storage/sqlite/engine/database.ts';
import { applyFailing, applyOne, createUsers, findAll, loginAccount, replaceUser } from '../support/changes.ts';
import { openNewPostgresStores } from '../support/shared-postgres.ts';
import { openSqliteStores } from '../support/sqlite-stores.ts';

/*
 * Accounts from before usernames were compared by NFKC and case folding keep working, even if two of them now have the
 * same name.
 */

const WIDE_OTTO = '\uFF4F\uFF54\uFF54\uFF4F';
const BEFORE = [
  `update account set username = '${WIDE_OTTO}', username_key = '${WIDE_OTTO}' where id = 2`,
  "update account set username = 'Straße', username_key = 'straße' where id = 3",
  "update account set username = 'Zoë', username_key = 'zoë' where id = 4",
];

async function create({ users }: DatabaseStores): Promise<void> {
  await applyOne(users, createUsers(...['otto', 'b', 'c', 'd'].map((name) => loginAccount(name))));
}

async function checkAccounts({ users }: DatabaseStores): Promise<void> {
  const asked = ['OTTO', WIDE_OTTO, 'STRASSE', 'straße', 'ZOË'];
  const ids = async () => (await findAll(users, asked)).map((account) => account?.user.id);
  assert.deepEqual(await ids(), [1n, 2n, 3n, 3n, 4n]);
  // Keeping one's own name does not take the other's.
  for (const username of ['otto', WIDE_OTTO]) {
    await applyOne(users, replaceUser(username, { username, phone: '1' }));
    assert.deepEqual(await ids(), [1n, 2n, 3n, 3n, 4n]);
  }
  for (const username of ['o\uFF54to', 'strasse', 'ZOE\u0308']) {
    await applyFailing(users, createUsers(loginAccount(username)), 'conflict');
  }
}

void test('usernames from before NFKC: each account is found by its name on SQLite', async (t) => {
  const stores = await openSqliteStores(t);
  await create(stores);
  const db = openDatabase(stores.path);
  for (const sql of BEFORE) db.exec(sql);
  backfillUsernameKeys(db);
  db.close();
  await checkAccounts(stores);
});

void test('usernames from before NFKC: each account is found by its name on PostgreSQL', async (t) => {
  const stores = await openNewPostgresStores(t);
  await create(stores);
  for (const sql of BEFORE) await stores.connections.ask(statement(sql));
  await backfillOnPostgres(stores.connections.ask);
  await checkAccounts(stores);
});
