import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../../src/domain/failure.ts';
import { readDatabaseUrl } from '../../src/storage/postgres/engine/connection-url.ts';
import { Connections, type ConnectionSettings } from '../../src/storage/postgres/engine/connections.ts';
import { statement } from '../../src/storage/postgres/engine/statements.ts';
import { askOnce, put, serveFrom, until } from './served-database.ts';
import { openDatabaseProxy } from './way-to-database.ts';
import { clientOf } from '../support/client.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import type { Lifetime } from '../support/lifetime.ts';

const DEADLINE_MS = 30_000;
const one = statement('select 1');
const nap = statement('select pg_sleep($1)');
const add = statement('insert into thing (id) values ($1)');
const wrong = statement('select 1 / $1::int');
const things = statement('select count(*) from thing');

function open(t: Lifetime, url: string, settings: Partial<ConnectionSettings> = {}): Connections {
  const address = readDatabaseUrl(url);
  assert.ok(typeof address === 'object');
  const connections = new Connections({ address, size: 2, ...settings });
  t.after(() => connections.close());
  return connections;
}

async function databaseWithThings(): Promise<string> {
  const url = await (await sharedPostgres()).createDatabase();
  await askOnce(url, 'create table thing (id int primary key)');
  return url;
}

void test('connections: one that breaks during setup rejects, without ending the process', async (t) => {
  const url = await databaseWithThings();
  for (const word of ['menagerie', 'transaction_read_only']) {
    let isBroken = true;
    const proxyUrl = await openDatabaseProxy(t, url, (sent, passage) => {
      if (!isBroken || !sent.includes(word)) return sent;
      passage.cut();
      return undefined;
    });
    const { ask } = open(t, proxyUrl);
    await assert.rejects(ask(one), isUnavailable);
    isBroken = false;
    const isUsed = () =>
      ask(one).then(
        () => true,
        () => false,
      );
    await until(isUsed, DEADLINE_MS, 'a new connection');
  }
});

void test('transaction: none of its statements runs if it fails to begin', async (t) => {
  const url = await databaseWithThings();
  const proxyUrl = await openDatabaseProxy(t, url, (sent) =>
    Buffer.from(sent.toString('latin1').replace('begin isolation', 'begun isolation'), 'latin1'),
  );
  const { transaction } = open(t, proxyUrl);
  await assert.rejects(
    transaction(async (ask) => {
      await ask(one);
      await ask(add, 1);
    }),
    /syntax error at or near "begun"/,
  );
  assert.deepEqual(await askOnce(url, 'select * from thing'), []);
});

void test('transaction: reports its first error, and is rolled back completely', async (t) => {
  const url = await databaseWithThings();
  const { transaction, ask } = open(t, url);
  let last: Promise<unknown> = Promise.resolve();
  await assert.rejects(
    transaction(async (step) => {
      const [, , third] = await Promise.allSettled([step(add, 1), step(wrong, 0), step(add, 2)]);
      throw third?.status === 'rejected' ? third.reason : new Error('it was done');
    }),
    /division by zero/,
  );
  await assert.rejects(
    transaction(async (step) => {
      await step(add, 1);
      await step(wrong, 0).catch(() => {});
    }),
    /division by zero/,
    'even if the work ignores the error',
  );
  await transaction(async (step) => {
    last = delay(50).then(() => step(add, 3));
    await step(add, 2);
  });
  await assert.rejects(last, /transaction is over/);
  assert.deepEqual(await ask(things), [[1n]]);
});

void test('connections: a request that waits too long for one fails, and the pool stays intact', async (t) => {
  const url = await databaseWithThings();
  const reasons: (string | undefined)[] = [];
  const { ask } = open(t, url, { onChange: (reason) => reasons.push(reason) });
  const startedMs = Date.now();
  const slow = Array.from({ length: 4 }, () => ask(nap, 3.2));
  const late = assert.rejects(ask(one), isUnavailable);
  await late;
  assert.ok(Date.now() - startedMs < 6000);
  await Promise.all(slow);
  assert.deepEqual(await ask(one), [[1]]);
  assert.deepEqual(reasons, ['timeout exceeded when trying to connect', undefined]);
});

void test('statement timeout: limits the statement, and the wait for its connection', async (t) => {
  const url = await databaseWithThings();
  const hasty = open(t, url, { responseTimeoutMs: 500 });
  await assert.rejects(
    hasty.transaction((step) => step(nap, 1.5)),
    isUnavailable,
  );
  const patient = open(t, url, { responseTimeoutMs: 20_000 });
  const slow = Array.from({ length: 2 }, () => patient.transaction((step) => step(nap, 5.5)));
  assert.deepEqual(await patient.ask(one), [[1]]);
  await Promise.all(slow);
});

void test('connect timeout: the URL sets how long an unresponsive server is waited for', async (t) => {
  const silent = await openDatabaseProxy(t, await databaseWithThings(), () => undefined);
  for (const [query, waitMs] of [
    ['', 1500],
    ['?connect_timeout=3', 3000],
  ] as const) {
    const { ask } = open(t, `${silent}${query}`);
    const startedMs = Date.now();
    await assert.rejects(ask(one), isUnavailable);
    const tookMs = Date.now() - startedMs;
    assert.ok(tookMs > waitMs - 50 && tookMs < waitMs + 1000, `it took ${tookMs} ms`);
  }
});

void test('refused changes: each is reported, without taking the server for unreachable', async (t) => {
  const url = await databaseWithThings();
  const reasons: (string | undefined)[] = [];
  const troubles: [reason: string, isLogged: boolean][] = [];
  const { ask, transaction } = open(t, url, {
    onChange: (reason) => reasons.push(reason),
    onTrouble: (...trouble) => troubles.push(trouble),
  });
  await askOnce(
    url,
    "create function fail() returns trigger language plpgsql as $$ begin raise exception 'full' using errcode = '53100'; end $$",
  );
  await askOnce(url, 'create trigger fails before insert on thing execute function fail()');
  for (let count = 0; count < 2; count++) {
    await assert.rejects(
      transaction((step) => step(add, 1)),
      isUnavailable,
    );
    await ask(one);
  }
  assert.deepEqual(troubles, [
    ['the disk is full (full)', false],
    ['the disk is full (full)', false],
  ]);
  assert.deepEqual(reasons, []);
  await askOnce(url, 'drop trigger fails on thing');
  await transaction((step) => step(add, 1));
});

void test('errors of an unreachable server: contain no password', async (t) => {
  const postgres = await startPostgres(t, { fsync: false });
  const reasons: (string | undefined)[] = [];
  const { ask } = open(t, postgres.url, { onChange: (reason) => reasons.push(reason) });
  await ask(one);
  await postgres.kill();
  const failures = await Promise.all(
    Array.from({ length: 20 }, () =>
      ask(one).then(
        () => assert.fail(),
        (error: unknown) => error,
      ),
    ),
  );
  for (const failure of failures) {
    isUnavailable(failure);
    assert.ok(!JSON.stringify([String(failure), String((failure as Failure).cause)]).includes(postgres.password));
  }
  assert.equal(reasons.length, 1);
  assert.match(reasons[0] ?? '', /ECONNREFUSED|Connection terminated|ECONNRESET/);
});

function isUnavailable(error: unknown): true {
  assert.ok(error instanceof Failure, String(error));
  assert.equal(error.code, 'unavailable');
  assert.equal(error.details.retryAfterSeconds, 2);
  return true;
}

void test('two connections for this user: shared by all requests and the search', async (t) => {
  const postgres = await startPostgres(t);
  await postgres.query('alter role menagerie connection limit 2');
  const { base } = await serveFrom(t, postgres.url);
  const call = clientOf(base);
  assert.equal((await put(base, 'POST', 1, 'Rex')).status, 200);
  const statusOfSearch = async () => (await call('GET', 'pet?text=rex')).status;
  await until(async () => (await statusOfSearch()) === 200, DEADLINE_MS, 'the search index');
  const paths = ['pet?text=rex', 'pet/1', 'pet/findByStatus?status=available', 'export/pets', 'statistics'];
  const responses = await Promise.all(
    Array.from({ length: 100 }, (_, index) => call('GET', paths[index % paths.length] ?? '')),
  );
  assert.deepEqual([...new Set(responses.map(({ status }) => status))], [200]);
});
