import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statement } from '../../src/storage/postgres/engine/statements.ts';
import type { DatabaseStores } from '../../src/storage/rows/stores/stores.ts';
import { openDatabase } from '../../src/storage/sqlite/engine/database.ts';
import { STAMP } from '../support/changes.ts';
import { openNewPostgresStores } from '../support/shared-postgres.ts';
import { openSqliteStores } from '../support/sqlite-stores.ts';

/* Keys of persons that an earlier version has stored: in lower case, with the domain as it was typed. */

const TYPED = 'ada@bücher.example';
const ASCII = 'ada@xn--bcher-kva.example';

const CASES = [
  { what: 'none is confirmed', confirmed: [], kept: ASCII },
  { what: 'both are confirmed', confirmed: [TYPED, ASCII], kept: ASCII },
  { what: 'the one with the old key is confirmed', confirmed: [TYPED], kept: TYPED },
];

type Run = (sql: string) => Promise<unknown>;

async function check(
  stores: DatabaseStores,
  run: Run,
  { what, confirmed, kept }: (typeof CASES)[number],
): Promise<void> {
  const { savedSearches, addresses } = stores;
  for (const email of [TYPED, ASCII]) {
    const search = { id: email, email, language: 'en', search: 'species=dog' };
    await savedSearches.apply({ kind: 'add', search, nowMs: 1000 });
    await savedSearches.apply({ kind: 'offer', id: email, purpose: 'confirm', digest: email, nowMs: 1000 });
    if (confirmed.includes(email)) await savedSearches.apply({ kind: 'confirm', digest: email, stamp: STAMP });
    if (email === TYPED) await run(`update saved_search set email_key = '${TYPED}'`);
  }
  assert.equal(await addresses.apply({ kind: 'renew-keys' }), 1, what);
  const found = await savedSearches.listOf(TYPED);
  assert.deepEqual(
    found.map(({ id }) => id),
    [kept],
    what,
  );
  for (const digest of [TYPED, ASCII])
    assert.equal(
      (await savedSearches.apply({ kind: 'confirm', digest, stamp: STAMP })).length,
      1,
      `${what}: ${digest}`,
    );
  assert.equal(await addresses.apply({ kind: 'renew-keys' }), 0, what);
}

for (const each of CASES) {
  void test(`the same search under two keys of a person: one stays, with both links, on SQLite if ${each.what}`, async (t) => {
    const stores = await openSqliteStores(t);
    const db = openDatabase(stores.path);
    await check(stores, async (sql) => db.exec(sql), each);
    db.close();
  });

  void test(`the same search under two keys of a person: one stays, with both links, on PostgreSQL if ${each.what}`, async (t) => {
    const stores = await openNewPostgresStores(t);
    await check(stores, (sql) => stores.connections.ask(statement(sql)), each);
  });
}
