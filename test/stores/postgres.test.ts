import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { INSERT_SAMPLES } from '../../bench/tools/sample-pets.ts';
import { migrate } from '../../src/storage/postgres/migrations/migrations.ts';
import { readMigrations } from '../../src/storage/postgres/engine/migration-files.ts';
import { everyStatement, statement } from '../../src/storage/postgres/engine/statements.ts';
import {
  applyAll,
  applyEach,
  applyOne,
  createUsers,
  editPet,
  findAll,
  newAccount,
  putPet,
} from '../support/changes.ts';
import { askOnce, connectTo as openClient } from '../faults/served-database.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { connectTo, emptiedPostgresStores, openPostgresStoresAt } from '../support/postgres-stores.ts';
import { testAuditScans } from './audit-store-suite.ts';
import { describeStores } from './store-suite.ts';

const storeStatements = everyStatement().filter(({ text }) => !isOfTests(text));
const server = await sharedPostgres();
const database = await server.createDatabase();
const databaseName = new URL(database).pathname.slice(1);
// The log of statements is checked below.
await server.query(`alter database ${databaseName} set log_statement = 'all'`);
const openStores = emptiedPostgresStores({ after }, () => openPostgresStoresAt(database));
describeStores('PostgreSQL', openStores);

/** Migration scripts, the beginning and end of transactions, and the queries of a new connection. */
const SCRIPTS = new Set(readMigrations().map(({ sql }) => flat(sql)));
const BETWEEN =
  /^(?:set local lock_timeout = \d+|begin isolation level read committed; set local statement_timeout = \d+; set local idle_in_transaction_session_timeout = '\d+s'(?:; select set_config\(name, '2s', true\) from pg_settings where .*)?|(?:set local statement_timeout = 0; )?commit|rollback|select current_setting\('transaction_read_only'\) = .*)$/;

/**
 * Statements that no store sends while serving: for moving an installation, for watching a standby, for repairing what
 * `menagerie doctor` finds, for migrating a database with records, for keys of
 * persons of earlier versions, and for future migrations.
 */
const NOT_BY_THE_SUITE =
  /left join .* as found on true|^select min\(allowed\)|^select last_version from change_order|^update change_order set schema_version|^select case when action in .* from pet_version where pet_id >= \$1 and pet_id <= \$2|^select case when action in .* from pet_version where version > \$1 and version <= \$2|^insert into photo .* from unnest\(\$1::text\[\]\) as unknown|^select change\.changed_at_ms \/ 86400000|^select 1 from account where username_key|^select coalesce\(max\(version\), 0\)::int8 from pet_version|^select schema_version from change_order|^select pg_database_size|^update account set username_key|^update \w+ set email_key|^update saved_search_link set search_id|^select id, (?:search, )?confirmed_at_ms from saved_search/s;

void it('PostgreSQL statements: the stores send all declared ones, and no others', async () => {
  const stores = await openStores();
  await stores.probeChange();
  assert.equal(await stores.installation.claim('one'), 'one');
  const known = new Map(storeStatements.map(({ name, text }) => [name, flat(text)]));
  const sent = statementsIn(await server.readLog()).filter(({ text }) => !isOfTests(text));
  assert.ok(sent.length > 1000, `${sent.length} were sent`);
  const names = new Set<string>();
  for (const { name, text } of sent) {
    if (name === undefined) {
      if (!SCRIPTS.has(text)) assert.match(text, BETWEEN);
    } else {
      assert.equal(text, known.get(name));
      names.add(name);
    }
  }
  const unused = storeStatements.filter(({ name, text }) => !names.has(name) && !NOT_BY_THE_SUITE.test(text));
  assert.deepEqual(
    unused.map(({ text }) => text),
    [],
  );
});

/** The statements that empty the database for tests. */
function isOfTests(text: string): boolean {
  return /^with empty_pet as|^update change_order set next_pet_id = 1/.test(text);
}

/** The log has a line for each statement; further lines of its text begin with a tab. */
function statementsIn(log: string): { name: string | undefined; text: string }[] {
  const entry = new RegExp(
    String.raw`^${databaseName}\|LOG: {2}(?:execute (?<name>\S+)|statement): (?<text>.*(?:\n\t.*)*)`,
    'gm',
  );
  return [...log.matchAll(entry)].map(({ groups }) => ({ name: groups?.['name'], text: flat(groups?.['text'] ?? '') }));
}

function flat(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
const history = statement(
  'select version, pet_id, previous, action, changed_by, changed_at_ms, text from pet_version order by version',
);
const fillAudit = statement(
  `insert into audit (id, at_ms, via, actor_id, actor_name, action, outcome)
   select n, n, 'session', case when n in (1, 25000) then 7 else 8 end, case when n in (1, 25000) then 'Ada' else 'Bob' end, 'access',
     case when n = 10000 then 'failed' else 'done' end from generate_series(1, 25000) as numbers (n)`,
);

void describe('audit log on PostgreSQL', () => {
  void it('cannot be changed, not even by a program with the password of the service', async () => {
    const { pets, url } = await openStores();
    await applyOne(pets, putPet());
    await assert.rejects(askOnce(url, 'update audit set outcome = outcome'), /permission denied/);
  });

  testAuditScans(async () => {
    const { audit, connections } = await openStores();
    await connections.ask(fillAudit);
    return audit;
  });
});

void describe('several nodes on one PostgreSQL', () => {
  void it('agree on how long a claim lasts, whatever their clocks say', async () => {
    const { requests } = await openStores();
    const nowMs = Date.now();
    const attempt = { digest: 'd', fingerprint: 'f', claimMs: 30_000, expiresAtMs: nowMs + 86_400_000 };
    assert.equal((await requests.claim({ ...attempt, token: 'one', nowMs })).kind, 'begun');
    for (const aheadMs of [-300_000, 300_000]) {
      const other = await requests.claim({ ...attempt, token: 'other', nowMs: nowMs + aheadMs });
      assert.ok(other.kind === 'in-flight' && other.leftMs <= 30_000, `${aheadMs} ms ahead`);
    }
  });

  void it('assign ids and versions without a gap, in commit order', async () => {
    const first = await openStores();
    const { url } = first;
    const others = await Promise.all([openPostgresStoresAt(url), openPostgresStoresAt(url)]);
    try {
      const nodes = [first, ...others];
      const rounds = Array.from({ length: 60 }, (_, round) => nodes.map((node) => ({ node, round }))).flat();
      const stored = await Promise.all(
        rounds.map(async ({ node, round }) => {
          const [pet] = await applyEach(node.pets, [
            putPet({ name: `Pet ${round}` }),
            editPet(1n, { name: `${round}` }),
          ]);
          return pet?.id ?? 0n;
        }),
      );
      assert.deepEqual(
        stored.toSorted((a, b) => Number(a - b)),
        stored.map((_, index) => BigInt(index + 1)),
      );
      const rows = await first.connections.ask<[version: bigint, petId: bigint, previous: bigint | null]>(history);
      assert.deepEqual(
        rows.map(([version]) => version),
        rows.map((_, index) => BigInt(index + 1)),
      );
      // Every change of the shared pet has its predecessor's version: none was lost.
      const ofOne = rows.filter(([, petId]) => petId === 1n);
      assert.ok(ofOne.length > 100);
      assert.deepEqual(
        ofOne.slice(1).map(([, , previous]) => previous),
        ofOne.slice(0, -1).map(([version]) => version),
      );
      const entries = await first.audit.list({}, { beforeId: undefined, limit: 10_000 });
      assert.deepEqual(
        entries.map(({ id }) => id),
        entries.map((_, index) => BigInt(entries.length - index)),
      );
    } finally {
      for (const node of others) await node.close();
    }
  });

  void it('migrate a new database together', async () => {
    const server = await sharedPostgres();
    const url = await server.createDatabase();
    const nodes = await Promise.all(Array.from({ length: 5 }, () => openPostgresStoresAt(url)));
    await Promise.all(nodes.map(({ connections }) => migrate(connections)));
    const ids = await Promise.all(
      nodes.map(({ users }, index) => applyOne(users, createUsers(newAccount(`u${index}`)))),
    );
    assert.deepEqual(new Set(ids.flat()), new Set([1n, 2n, 3n, 4n, 5n]));
    for (const node of nodes) await node.close();
  });
});

const setVersion = statement('update menagerie_schema set version = 99 where only_row = 1');
const setNewerSchema = statement('update change_order set schema_version = 99 where only_row = 1');
const foreignTable = statement('create table pet (id int)');

void describe('PostgreSQL database that the service must not use', () => {
  void it('of a newer Menagerie: stays unchanged', async () => {
    const url = await (await sharedPostgres()).createDatabase();
    const stores = await openPostgresStoresAt(url);
    await stores.connections.ask(setVersion);
    await stores.connections.ask(setNewerSchema);
    await stores.close();
    await assert.rejects(
      openPostgresStoresAt(url),
      /written by a newer Menagerie \(schema 99; this one knows up to \d+\)/,
    );
  });

  void it('of a newer Menagerie that this one works with: opened and written to', async () => {
    const url = await (await sharedPostgres()).createDatabase();
    const first = await openPostgresStoresAt(url);
    await first.connections.ask(setVersion);
    await first.close();
    const stores = await openPostgresStoresAt(url);
    assert.equal((await applyOne(stores.pets, putPet({ name: 'New' }, 1n))).version, 1n);
    await stores.close();
  });

  void it('migrated by a newer Menagerie meanwhile: readable, but no longer written to', async () => {
    const stores = await openPostgresStoresAt(await (await sharedPostgres()).createDatabase());
    await applyOne(stores.pets, putPet({ name: 'Old' }, 1n));
    await stores.connections.ask(setNewerSchema);
    const outcomes = await applyAll(stores.pets, [putPet({ name: 'Late' }, 2n), putPet({ name: 'Late' }, 1n)]);
    for (const outcome of outcomes)
      assert.match(
        outcome instanceof Error ? outcome.message : '',
        /^The database was migrated by a newer version of Menagerie\. Stop this version/,
      );
    const [one, two] = await findAll(stores.pets, [1n, 2n]);
    assert.match(one?.text ?? '', /"Old"/);
    assert.equal(two, undefined);
    await stores.close();
  });

  void it('of another program: stays unchanged', async () => {
    const server = await sharedPostgres();
    const url = await server.createDatabase();
    const stores = await openPostgresStoresAt(await server.createDatabase());
    await stores.close();
    const foreign = connectTo(url);
    await foreign.ask(foreignTable);
    await assert.rejects(migrate(foreign), /tables of another program/);
    await foreign.close();
  });
});

/**
 * Statements that may scan: one reads the first row of a table, counts are emptied once before they are backfilled, the
 * queue of messages is read when a person is erased, and the others run once an hour.
 */
const MAY_WALK =
  /limit 1$|^delete from mail where account_id|^update photo set (?:claimed_until_ms|doomed)|^delete from (?:session|api_key|counted_failures|request_lease|certificate|certificate_challenge) where [^=]*<|^delete from (?:pet|label)_count$|information_schema/;

void describe('PostgreSQL statements', () => {
  void it('use an index, except a few that run once an hour', async (t) => {
    const { url } = await openStores();
    const client = await openClient(t, url);
    // With this off, a sequential scan means that no index fits.
    await client.query('set enable_seqscan = off');
    const statements = storeStatements.filter(
      ({ text }) => /^(?:select|update|delete|insert|with)\b/.test(text) && !MAY_WALK.test(text),
    );
    assert.ok(statements.length > 60, String(statements.length));
    const walking: string[] = [];
    for (const { text } of statements) {
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (generic_plan, costs off) ${text}`);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      if (/Seq Scan on (?!menagerie_schema|change_order)/.test(plan)) walking.push(`${text}\n${plan}`);
    }
    assert.deepEqual(walking, [], walking.join('\n\n'));
  });

  void it('pages of pets: read only their rows, when the tables have statistics', async (t) => {
    const { url } = await openStores();
    const client = await openClient(t, url);
    await client.query(INSERT_SAMPLES, [1, 20_000]);
    await client.query(
      `insert into pet_version (pet_id, version, action, changed_at_ms) select id, version, 'added', 0 from pet`,
    );
    await client.query('analyze');
    const pages = storeStatements.filter(({ text }) =>
      /where (?:pet\.)?id >= \$1 order by (?:pet\.)?id limit/.test(text),
    );
    assert.ok(pages.length > 0);
    for (const { text } of pages) {
      await client.query(`prepare page as ${text}`);
      const { rows } = await client.query<{ 'QUERY PLAN': string }>('explain (costs off) execute page (10000, 500)');
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      assert.doesNotMatch(plan, /Seq Scan|Sort|Hash/, text);
      await client.query('deallocate page');
    }
  });
});
