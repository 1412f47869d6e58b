import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { everyStatement } from '../../src/storage/postgres/engine/statements.ts';
import { applyEach, editPet, putPet } from '../support/changes.ts';
import { startPgbouncer } from '../support/pgbouncer.ts';
import { startDebianPostgres, startPostgres, type PostgresServer } from '../support/postgres-server.ts';
import { emptiedPostgresStores, openPostgresStoresAt } from '../support/postgres-stores.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { describeTransactions } from '../stores/store-suite.ts';
import { MixedLoad, slowest } from './mixed-load.ts';
import { askOnce, assertSound, serveFrom } from './served-database.ts';

/* Unusual databases: with stricter isolation than necessary, or behind a connection pooler. */

const ends: (() => Promise<void>)[] = [];
const lifetime: Lifetime = { after: (end) => void ends.unshift(end) };
after(async () => {
  for (const end of ends) await end();
});
// Nothing is killed here, so nothing needs to be flushed to the disk.
const postgres = await startPostgres(lifetime, { fsync: false });

/** PgBouncer's connections for a database: fewer than concurrent clients, so statements switch connections. */
const FEW = '3';
const bouncer = await startPgbouncer(lifetime, postgres, {
  poolMode: 'transaction',
  settings: { default_pool_size: FEW },
});

if ('missing' in bouncer) void it('stores through PgBouncer', { skip: bouncer.missing }, () => {});
else {
  describeTransactions(
    'PostgreSQL behind PgBouncer, with serializable transactions',
    emptiedPostgresStores(lifetime, async () =>
      openPostgresStoresAt(bouncer.urlOf(await serializableDatabase(postgres)), { isolation: 'serializable' }),
    ),
  );

  void test('service behind PgBouncer with few connections: refuses no request', async (t) => {
    const url = await postgres.createDatabase();
    // Two services share the connections of the server, each with its own prepared statements.
    const services = [await serveFrom(t, bouncer.urlOf(url)), await serveFrom(t, bouncer.urlOf(url))];
    const load = new MixedLoad(
      services.map(({ base }) => base),
      { clients: 32 },
    );
    load.start(t);
    await delay(2000);
    await load.stop();
    assert.ok(load.responses.length > 300);
    assert.deepEqual(
      load.responses.filter(({ status }) => status !== 200),
      [],
    );
    for (const { base } of services) await load.check(base);
    await assertSound(url);
    t.diagnostic(`${load.responses.length} requests, slowest ${slowest(load.responses)} ms`);
  });
}

const debian = await startDebianPostgres(lifetime, { fsync: false });
if (debian === undefined)
  void it('stores on the PostgreSQL of Debian', { skip: "Debian's PostgreSQL is not installed" }, () => {});
else
  describeTransactions(
    `PostgreSQL ${debian.version} of Debian`,
    emptiedPostgresStores(lifetime, async () => openPostgresStoresAt(await debian.createDatabase())),
  );

void describe('prepared statements', () => {
  void it('have unique names', () => {
    const names = everyStatement().map(({ name }) => name);
    const texts = everyStatement().map(({ text }) => text);
    assert.ok(names.length > 40);
    assert.equal(new Set(names).size, new Set(texts).size);
    // PostgreSQL silently truncates longer names (https://www.postgresql.org/docs/current/limits.html).
    for (const name of names) assert.ok(Buffer.byteLength(name) < 64);
  });

  void it('have the same name and text in every connection of a server', async () => {
    const url = await postgres.createDatabase();
    const nodes = await Promise.all(Array.from({ length: 3 }, () => openPostgresStoresAt(url)));
    await Promise.all(nodes.map(({ pets }) => applyEach(pets, [putPet({ name: 'Rex' })])));
    const known = new Map(everyStatement().map(({ name, text }) => [name, text]));
    for (const { connections } of nodes) {
      const prepared = await connections.transaction((ask) =>
        ask<[string, string]>({
          name: 'test',
          text: "select name, statement from pg_prepared_statements where name <> 'test'",
        }),
      );
      for (const [name, text] of prepared) assert.equal(text, known.get(name));
    }
    for (const node of nodes) await node.close();
  });
});

void describe('conflicting writers', () => {
  for (const isolation of ['read committed', 'serializable'] as const) {
    void it(`make every change exactly once in ${isolation} transactions`, async () => {
      const url = await serializableDatabase(postgres);
      const nodes = await Promise.all(
        Array.from({ length: 3 }, () => openPostgresStoresAt(url, { isolation, size: 4 })),
      );
      const [first] = nodes;
      await applyEach(first?.pets ?? assert.fail(), [putPet({ name: 'Rex' }, 1n)]);
      const changes = 40;
      const outcomes = await Promise.all(
        nodes.flatMap(({ pets }, node) =>
          Array.from({ length: changes }, async (_, index) => {
            const edited = await applyEach(pets, [editPet(1n, { name: `${node}/${index}` })]);
            return [...edited, ...(await applyEach(pets, [putPet({ name: `${node}/${index}` })]))];
          }),
        ),
      );
      assert.deepEqual(
        outcomes.flat().filter((outcome) => outcome instanceof Error),
        [],
      );
      const [counted] = await askOnce(
        url,
        'select count(*)::int as versions, count(distinct pet_id)::int as pets from pet_version',
      );
      const all = changes * nodes.length;
      assert.deepEqual(counted, { versions: 1 + 2 * all, pets: 1 + all });
      await assertSound(url);
      for (const node of nodes) await node.close();
    });
  }
});

async function serializableDatabase(server: PostgresServer): Promise<string> {
  const url = await server.createDatabase();
  const name = new URL(url).pathname.slice(1);
  await server.query(`alter database ${name} set default_transaction_isolation = serializable`);
  return url;
}
