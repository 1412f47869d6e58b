import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DatabaseStores } from '../../src/storage/rows/stores/stores.ts';
import { statement } from '../../src/storage/postgres/engine/statements.ts';
import { openDatabase } from '../../src/storage/sqlite/engine/database.ts';
import {
  applyEach,
  applyOne,
  beginSession,
  createKey,
  createUsers,
  findAll,
  loginAccount,
} from '../support/changes.ts';
import { openPostgresStoresAt } from '../support/postgres-stores.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { openSqliteStores, openSqliteStoresAt } from '../support/sqlite-stores.ts';

/* Accounts from before user ids were separate from account ids keep their ids, sessions and keys. */

/** What the migrations since then have added. */
const REMOVE_COLUMNS = [
  'alter table account drop column public_id',
  'alter table pet drop column added_version',
  'alter table removed_pet drop column added_version',
  ...['mail', 'confirmed_email', 'email_confirmation', 'totp', 'recovery_code', 'passkey', 'sign_in_step'].map(drop),
  ...[
    'provider_login',
    'oauth_client',
    'site_record',
    'pet_external_id',
    'listing',
    'unlisted_pet',
    'listed_pet',
    'enquiry_entry',
    'enquiry',
    'saved_search_link',
    'saved_search_pet',
    'saved_search',
    'certificate',
    'certificate_challenge',
  ].map(drop),
  'drop index if exists mail_to_recipient',
  ...['factors', 'proved_at_ms', 'issuer'].map((column) => `alter table session drop column ${column}`),
  'drop index api_key_by_client',
  'alter table api_key drop column client_id',
  ...['profile_version', 'profile', 'is_draft'].flatMap((column) => [
    `alter table pet drop column ${column}`,
    `alter table pet_version drop column ${column}`,
  ]),
  'alter table pet_version drop column was_draft',
  'alter table webhook drop column previous_secret',
  'alter table webhook drop column previous_secret_until_ms',
];

function drop(table: string): string {
  return `drop table ${table}`;
}

async function create({ users, sessions, keys }: DatabaseStores): Promise<void> {
  await applyOne(users, createUsers(loginAccount('ada', { role: 'editor' }), loginAccount('bob')));
  await applyEach(sessions, [beginSession('of ada', 1n), beginSession('of bob', 2n)]);
  await applyOne(keys, createKey('of ada', 1n));
}

async function checkAccounts({ users, sessions, keys }: DatabaseStores): Promise<void> {
  const accounts = await findAll(users, ['ada', 'bob']);
  assert.deepEqual(
    accounts.map((account) => account && [account.id, account.user.id, account.role]),
    [
      [1n, 1n, 'editor'],
      [2n, 2n, 'viewer'],
    ],
  );
  const credentials = [...(await findAll(sessions, ['of ada', 'of bob'])), ...(await findAll(keys, ['of ada']))];
  assert.deepEqual(
    credentials.map((found) => found?.username),
    ['ada', 'bob', 'ada'],
  );
  // Clients may choose such ids from now on, but they are never assigned.
  const [cyd, dan] = [loginAccount('cyd', { publicId: 1n }), loginAccount('dan')];
  assert.deepEqual(await applyOne(users, createUsers(cyd, dan)), [1n, 4n]);
}

void test('migration to user ids: accounts keep their ids, sessions and keys on SQLite', async (t) => {
  const old = await openSqliteStores(t);
  await create(old);
  await old.close();
  const db = openDatabase(old.path);
  db.exec(`${REMOVE_COLUMNS.join('; ')}; pragma user_version = 10`);
  db.close();
  const stores = openSqliteStoresAt(old.path);
  try {
    await checkAccounts(stores);
  } finally {
    // Not in a hook: the one that deletes the folder was added before.
    await stores.close();
  }
});

void test('migration to user ids: accounts keep their ids, sessions and keys on PostgreSQL', async (t) => {
  const server = await sharedPostgres();
  const url = await server.createDatabase();
  const old = await openPostgresStoresAt(url);
  await create(old);
  for (const sql of [...REMOVE_COLUMNS, 'update menagerie_schema set version = 9'])
    await old.connections.ask(statement(sql));
  await old.close();
  const stores = await openPostgresStoresAt(url);
  t.after(async () => {
    await stores.close();
    await server.dropDatabase(url);
  });
  await checkAccounts(stores);
});
