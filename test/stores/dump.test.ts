import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import {
  DUMP_TABLES,
  dumpRowText,
  UNUSED_COUNTERS,
  type DumpTableName,
  type DumpTarget,
} from '../../src/storage/rows/dump/dump-tables.ts';
import type { DumpRow } from '../../src/storage/rows/dump/dump-table.ts';
import { Failure } from '../../src/domain/failure.ts';
import { digestOf } from '../../src/server/backup/dump-rows.ts';
import { openDump as openPostgresDump, prepareTarget } from '../../src/storage/postgres/dump.ts';
import { readDatabaseUrl } from '../../src/storage/postgres/engine/connection-url.ts';
import { Connections } from '../../src/storage/postgres/engine/connections.ts';
import { statement } from '../../src/storage/postgres/engine/statements.ts';
import { migrate as migratePostgres } from '../../src/storage/postgres/migrations/migrations.ts';
import { openDump as openSqliteDump } from '../../src/storage/sqlite/dump.ts';
import { openDatabase } from '../../src/storage/sqlite/engine/database.ts';
import { migrate as migrateSqlite } from '../../src/storage/sqlite/migrations/migrations.ts';
import { askOnce } from '../faults/served-database.ts';
import { type DatabaseOptions } from '../support/postgres-server.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { temporaryFolder } from '../support/service.ts';

const MAX = 9223372036854775807n;

interface OpenDump {
  dump: DumpTarget;
  /** All columns, with their tables. */
  columns: () => Promise<string[]>;
  run: (sql: string) => Promise<void>;
}

async function openSqlite(t: Lifetime): Promise<OpenDump> {
  const db = openDatabase(join(await temporaryFolder(t), 'menagerie.db'));
  migrateSqlite(db);
  t.after(async () => db.close());
  const columns = db.prepare(
    `select t.name || '.' || c.name as name from sqlite_schema t, pragma_table_info(t.name) c where t.type = 'table'`,
  );
  return {
    dump: openSqliteDump(db),
    columns: async () => columns.all().map(({ name }) => String(name)),
    run: async (sql) => db.exec(sql),
  };
}

async function openPostgres(t: Lifetime, options?: DatabaseOptions): Promise<OpenDump> {
  const server = await sharedPostgres();
  const url = await server.createDatabase(options);
  const address = readDatabaseUrl(url);
  assert.ok(typeof address !== 'string');
  const connections = new Connections({ address, size: 3 });
  t.after(async () => {
    await connections.close();
    await server.dropDatabase(url);
  });
  await migratePostgres(connections);
  const query = (sql: string) => askOnce(url, sql);
  if (options?.icuLocale !== undefined)
    assert.deepEqual(await query("select 'anna' < 'Zorro' as sorted"), [{ sorted: true }], 'the locale has an effect');
  return {
    dump: await openPostgresDump(connections),
    columns: async () =>
      (
        await query(
          `select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public'`,
        )
      ).map(({ name }) => String(name)),
    run: async (sql) => void (await query(sql)),
  };
}

/** What is derived from the pets and their history, what ends within minutes, and what is obtained again. */
const LEFT_OUT = /^(?:pet_count|sign_in_step|certificate|certificate_challenge)\./;

const engines: [name: string, open: (t: Lifetime) => Promise<OpenDump>, ownColumns: readonly string[]][] = [
  [
    'SQLite',
    openSqlite,
    [
      'installation.id',
      'installation.only_row',
      'next_id.id',
      'next_id.kind',
      'sqlite_sequence.name',
      'sqlite_sequence.seq',
      'stray_photo.digest',
      'stray_photo.first_seen_ms',
    ],
  ],
  [
    'PostgreSQL',
    (t) => openPostgres(t),
    [
      'account.search_keys',
      'api_key.last_version',
      'change_order.last_audit_id',
      'change_order.last_version',
      'change_order.next_account_id',
      'change_order.next_pet_id',
      'change_order.only_row',
      'change_order.schema_version',
      'installation.id',
      'installation.only_row',
      'menagerie_schema.only_row',
      'menagerie_schema.version',
      'session.last_version',
      'stray_photo.digest',
      'stray_photo.first_seen_ms',
    ],
  ],
  ['PostgreSQL with English sort order', (t) => openPostgres(t, { icuLocale: 'en-US' }), []],
];

/** Sorted by bytes: upper case before lower case, and the last two by UTF-8, not by UTF-16. */
const NAMES = ['', ' ', 'B', 'Zebra', '_', 'a', 'ab', 'b', 'zebra', 'É', 'é', '\uFFFD', '😀'];

/** Rows with all types of values, in the order of their keys. A few tables suffice, because all are handled alike. */
const ROWS: Partial<Record<DumpTableName, readonly DumpRow[]>> = {
  account: [
    [-5n, 'O"Hara\\{,}', 'o"hara\\{,}', 'NULL', null, '', '+1', MAX, 'admin', '$argon2id$', MAX],
    [MAX, 'Ζεύς', 'ζεύς', null, null, null, null, null, 'viewer', null, 5n],
  ],
  used_account_id: [[-MAX - 1n], [0n], [MAX]],
  oauth_client: [['c1', MAX, 'Postman 📮', null, '["https://example.org/"]', 'read:pets', 1n]],
  api_key: [
    ['ef', 'k1', MAX, 'key 🔑', 'read:pets', 1n, 2n, null, null],
    ['eg', 'k2', MAX, 'token', 'read:pets', 1n, 2n, null, 'c1'],
  ],
  session: [['ab', 'one', MAX, 1n, 2n, 3n, '::1', null, 'password totp', 7n, 'https://issuer.example']],
  recovery_code: [
    [MAX, 'aa', null],
    [MAX, 'bb', 7n],
  ],
  provider_login: [['https://issuer.example', 'sub', MAX, 'ζεύς@example.org', 1n, null]],
  pet: [
    [-MAX - 1n, 3n, 3n, null, '{"id":-9223372036854775808}', 0n, null, 0n],
    [1n, 4n, 1n, 'sold', '"\\u0000 \\n 🐕‍🦺"', 4n, '{"externalId":"🐈"}', 1n],
    [MAX, 8n, 7n, 'available', '{}', 0n, null, 0n],
  ],
  pet_external_id: [[1n, '🐈']],
  removed_pet: [[2n, 6n, 5n]],
  pet_tag: NAMES.flatMap((name): DumpRow[] => [
    [name, 1n],
    [name, MAX],
  ]),
  pet_version: [
    [-MAX - 1n, 3n, null, 'added', null, 0n, 'x', 0n, null, 0n, 0n],
    [1n, 1n, null, 'added', -5n, 0n, 'x', 0n, null, 0n, 0n],
    [1n, 2n, 1n, 'edited', null, 0n, 'y', 0n, null, 0n, 0n],
    [1n, 4n, 2n, 'replaced', null, MAX, 'z', 4n, '{"externalId":"🐈"}', 1n, 0n],
    [2n, 5n, null, 'added', null, 0n, 'x', 5n, '{"size":"M"}', 0n, 0n],
    [2n, 6n, 5n, 'removed', null, 0n, null, 0n, null, 0n, 0n],
    [MAX, 7n, null, 'added', null, 0n, 'x', 0n, null, 0n, 0n],
    [MAX, 8n, 7n, 'edited', null, 0n, 'x', 0n, null, 0n, 0n],
  ],
  photo: [
    ['a'.repeat(64), 'image/png', 5n, 1n, 1n, null, 0n, null, 'BAgKDA=='],
    ['b'.repeat(64), 'image/png', 5n, 1n, 1n, 7n, 1n, 9n, null],
  ],
  pet_photo: [
    ['a'.repeat(64), 1n, 'Ein Hund 🐕'],
    ['b'.repeat(64), 1n, null],
  ],
  site_record: [
    ['organisation', 3n, '{"name":"Tierheim 🐕"}', 'a'.repeat(64), 7n, null],
    ['own-fields', 1n, '[]', null, 7n, MAX],
  ],
  listing: [
    ['open', 0n, 0n, null, null, null, 0n, null, 0n, 0n, null, null, 0n, null, null, null, null],
    ['petfinder', 1n, 3n, 'd', 5n, 6n, 7n, 's', 8n, 9n, 'Fehler 🐕', 10n, MAX, '7 3', 11n, 12n, MAX],
  ],
  enquiry: [
    [1n, 2n, 1n, 'Rex 🐕', 'new', MAX, 'Ada', 'A@x.org', 'a@x.org', null, 'Hallo', '[]', 'de', 'rex 🐕', 'f1', 3n, 4n],
    [MAX, 1n, MAX, '', 'closed', null, 'B', 'b@x.org', 'b@x.org', '+1', '"', '[]', 'en', '', 'f2', 3n, MAX],
  ],
  enquiry_entry: [
    [1n, 1n, 'note', MAX, 'Ζεύς', 5n, 'Notiz'],
    [1n, 2n, 'answer', null, null, 6n, ''],
  ],
  unlisted_pet: [
    ['open', 1n],
    ['petfinder', 1n],
    ['petfinder', MAX],
  ],
  listed_pet: [
    ['open', 1n, 2n],
    ['petfinder', MAX, 0n],
  ],
  saved_search: [
    ['a', 'Ada@example.org', 'ada@example.org', 'de', 'text=🐕', 1n, 2n, 3n, 4n, 5n, 6n],
    ['b', 'bob@example.org', 'bob@example.org', 'en', 'species=dog', 1n, null, MAX, 0n, 5n, null],
  ],
  saved_search_link: [
    ['c', 'a'],
    ['d', 'a'],
  ],
  saved_search_pet: [
    ['a', 1n],
    ['a', MAX],
  ],
  request_lease: NAMES.map((name) => [name, 1n, 5n]),
  audit: [[7n, 1n, 'session', null, null, null, null, 'pet.added', null, null, null, 'done', '{"a":"😀"}']],
};

async function fill(dump: DumpTarget): Promise<void> {
  for (const { name } of DUMP_TABLES) await dump.write(name, ROWS[name] ?? []);
}

async function readAll(dump: DumpTarget, table: DumpTableName, limit: number): Promise<DumpRow[]> {
  const { keyLength } = DUMP_TABLES.find(({ name }) => name === table) ?? assert.fail();
  const all: DumpRow[] = [];
  for (let part = await dump.readBatch(table, undefined, limit); part.length > 0;) {
    assert.ok(part.length <= limit);
    all.push(...part);
    part = await dump.readBatch(table, all.at(-1)?.slice(0, keyLength), limit);
  }
  return all;
}

for (const [engine, open, ownColumns] of engines) {
  void describe(`dump of ${engine}`, () => {
    void it('covers every column of every table', async (t) => {
      const known = DUMP_TABLES.flatMap(({ name, columns }) =>
        Object.keys(columns).map((column) => `${name}.${column}`),
      );
      const { columns } = await open(t);
      const unknown = (await columns())
        .filter((column) => !known.includes(column) && !LEFT_OUT.test(column))
        .toSorted();
      if (ownColumns.length > 0) assert.deepEqual(unknown, ownColumns);
    });

    void it('returns rows unchanged, in key order, in batches of any size', async (t) => {
      const { dump } = await open(t);
      await fill(dump);
      for (const { name, keyLength } of DUMP_TABLES) {
        const rows = ROWS[name] ?? [];
        for (const limit of [1, 2, 3, 1000]) assert.deepEqual(await readAll(dump, name, limit), rows, name);
        assert.equal(await dump.count(name), rows.length);
        assert.deepEqual(await dump.findLastKey(name), rows.at(-1)?.slice(0, keyLength));
      }
    });

    void it('writes a batch completely or not at all', async (t) => {
      const { dump } = await open(t);
      await dump.write('removed_pet', [[5n, 1n, 1n]]);
      const twice = dump.write('removed_pet', [
        [4n, 2n, 2n],
        [5n, 3n, 3n],
      ]);
      await assert.rejects(twice, (error) => error instanceof Failure && error.code === 'conflict');
      assert.deepEqual(await readAll(dump, 'removed_pet', 10), [[5n, 1n, 1n]]);
    });

    void it('continues the sequences of the source', async (t) => {
      const { dump } = await open(t);
      assert.deepEqual(await dump.readCounters(), UNUSED_COUNTERS);
      await fill(dump);
      const counters = { nextPetId: 12n, nextAccountId: MAX, lastVersion: 8n, lastAuditId: 40n };
      await dump.writeCounters(counters);
      await dump.writeCounters(counters);
      assert.deepEqual(await dump.readCounters(), counters);
    });

    void it('keeps the mark of an unfinished restore until the end', async (t) => {
      const { dump } = await open(t);
      assert.equal(await dump.findMark(), undefined);
      await dump.begin('somewhere');
      assert.equal(await dump.findMark(), 'somewhere');
      await assert.rejects(dump.begin('somewhere'));
      await dump.finish();
      assert.equal(await dump.findMark(), undefined);
    });
  });
}

void describe('dump on a full disk', () => {
  void it('reports the disk error, and stores nothing of the batch', async (t) => {
    const { dump, run } = await openSqlite(t);
    const { max_page_count: limit } = new DatabaseSync(':memory:').prepare('pragma max_page_count').get() ?? {};
    // SQLite raises the limit to the current number of pages, so the file cannot grow.
    await run('pragma max_page_count = 1');
    const long = 'x'.repeat(1_000_000);
    const rows = [1n, 2n, 3n].map((id): DumpRow => [id, id, id, null, long, 0n, null, 0n]);
    await assert.rejects(dump.write('pet', rows), /^Error: database or disk is full$/);
    const begun = dump.begin(long);
    await assert.rejects(begun, /^Error: database or disk is full$/);
    await run(`pragma max_page_count = ${String(limit)}`);
    assert.equal(await dump.count('pet'), 0);
    assert.equal(await dump.findMark(), undefined);
    await dump.write('pet', rows);
    assert.equal(await dump.count('pet'), 3);
  });
});

void describe('digest of a table', () => {
  void it('is equal on every engine, and changes with every difference', async (t) => {
    const digests: string[][] = [];
    for (const [, open] of engines) {
      const { dump } = await open(t);
      await fill(dump);
      const ofTables: string[] = [];
      for (const { name } of DUMP_TABLES) ofTables.push((await digestOf(dump, name, () => {})).digest);
      digests.push(ofTables);
    }
    assert.deepEqual(digests[1], digests[0]);
    assert.deepEqual(digests[2], digests[0]);
    const { dump, run } = await openSqlite(t);
    await fill(dump);
    await run(`update pet set text = text || ' ' where id = 1`);
    assert.notEqual((await digestOf(dump, 'pet', () => {})).digest, digests[0]?.[5]);
  });

  void it('distinguishes similar rows', () => {
    const rows: DumpRow[] = [
      [1n],
      ['1'],
      [null],
      ['null'],
      ['a', 'b'],
      ['a,"b"'],
      ['a","b'],
      ['', null],
      [null, ''],
      [],
    ];
    assert.equal(new Set(rows.map(dumpRowText)).size, rows.length);
  });
});

void describe('PostgreSQL dump as a target', () => {
  void it('derives the search data of accounts and the write positions of sessions', async (t) => {
    const { dump, run } = await openPostgres(t);
    await fill(dump);
    await dump.writeCounters({ ...UNUSED_COUNTERS, lastVersion: 8n });
    await run(`do $$ begin
      assert (select search_keys from account where id = -5) = array['o"hara\\{,}', 'null', ''];
      assert (select search_keys from account where id = ${MAX}) = array['ζεύσ'];
      assert (select last_version from session) = 8;
      assert (select min(last_version) from api_key) = 8;
    end $$`);
  });

  void it('reports that it cannot store U+0000, and stores nothing of the batch', async (t) => {
    const { dump } = await openPostgres(t);
    const write = dump.write('pet_tag', [
      ['a', 1n],
      ['\0', 1n],
    ]);
    await assert.rejects(write, (error) => error instanceof Failure && /U\+0000 in pet_tag/.test(error.message));
    assert.equal(await dump.count('pet_tag'), 0);
  });
});

void it('a PostgreSQL target whose schema table has no row: completed', async () => {
  const server = await sharedPostgres();
  const address = readDatabaseUrl(await server.createDatabase());
  assert.ok(typeof address !== 'string');
  const connections = new Connections({ address, size: 1 });
  // As a process leaves it that is killed in its first moments.
  await connections.ask(statement('create table menagerie_schema (only_row int4 primary key, version int4 not null)'));
  await prepareTarget(connections);
  await openPostgresDump(connections);
  await connections.close();
});
