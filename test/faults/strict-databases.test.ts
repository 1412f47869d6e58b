import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { everyStatement } from '../../src/storage/postgres/engine/statements.ts';
import { applyEach, editPet, putPet } from '../support/changes.ts';
import { startPgbouncer } from '../support/pgbouncer.ts';
import { startDebianPostgres, startPostgres, type PostgresServer } from '../support/postgres-server.ts';
import { emptiedPostgresStores, openPostgresStoresAt } from '../support/postgres-stores.ts';
import type { Lifetime } from '../support/service.ts';
import { describeTransactions } from '../stores/store-suite.ts';
import { MixedLoad, slowest } from './mixed-load.ts';
import { askOnce, assertSound, serveFrom } from './served-database.ts';

/*
 * Databases that are not as one would make them: that isolate more than is needed, or stand behind a program that hands its connections around.
 */

const ends: (() => Promise<void>)[] = [];
const lifetime: Lifetime = { after: (end) => void ends.unshift(end) };
after(async () => {
  for (const end of ends) await end();
});
// Nothing here dies, so nothing needs to be on the disk.
const postgres = await startPostgres(lifetime, { fsync: false });

/** The most connections that PgBouncer has for a database: fewer than ask at a time, so each statement may get another one. */
const FEW = '3';
const bouncer = await startPgbouncer(lifetime, postgres, {
  poolMode: 'transaction',
  settings: { default_pool_size: FEW },
});

if ('missing' in bouncer) void it('stores by way of PgBouncer', { skip: bouncer.missing }, () => {});
else {
  describeTransactions(
    'a PostgreSQL behind PgBouncer, where all transactions are serializable',
    emptiedPostgresStores(lifetime, async () =>
      openPostgresStoresAt(bouncer.urlOf(await serializableDatabase(postgres)), { isolation: 'serializable' }),
    ),
  );

  void test('a service works behind PgBouncer with few connections, and nobody is refused', async (t) => {
    const url = await postgres.createDatabase();
    // Two services that meet on the same connections of the server, each with statements of its own prepared there.
    const services = [await serveFrom(t, bouncer.urlOf(url)), await serveFrom(t, bouncer.urlOf(url))];
    const load = new MixedLoad(
      services.map(({ base }) => base),
      { clients: 32 },
    );
    load.start(t);
    await delay(2000);
    await load.stop();
    assert.ok(load.told.length > 300);
    assert.deepEqual(
      load.told.filter(({ status }) => status !== 200),
      [],
    );
    for (const { base } of services) await load.check(base);
    await assertSound(url);
    t.diagnostic(`${load.told.length} requests, slowest ${slowest(load.told)} ms`);
  });
}

const debian = await startDebianPostgres(lifetime, { fsync: false });
if (debian === undefined) void it('stores on the PostgreSQL of Debian', { skip: 'it is not installed here' }, () => {});
else
  describeTransactions(
    `PostgreSQL ${debian.version} of Debian`,
    emptiedPostgresStores(lifetime, async () => openPostgresStoresAt(await debian.createDatabase())),
  );

void describe('a prepared statement', () => {
  void it('has a name of its own, so that none is ever taken for another', () => {
    const names = everyStatement().map(({ name }) => name);
    const texts = everyStatement().map(({ text }) => text);
    assert.ok(names.length > 40);
    assert.equal(new Set(names).size, new Set(texts).size);
    // PostgreSQL cuts off longer names, without a word (https://www.postgresql.org/docs/current/limits.html).
    for (const name of names) assert.ok(Buffer.byteLength(name) < 64);
  });

  void it('is under the same name the same in every connection of a server', async () => {
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

void describe('writers that are in each other’s way all the time', () => {
  for (const isolation of ['read committed', 'serializable'] as const) {
    void it(`are all done, each once, in ${isolation} transactions`, async () => {
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
