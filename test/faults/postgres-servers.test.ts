import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { startPgbouncer } from '../support/pgbouncer.ts';
import { startDebianPostgres, startPostgres, type PostgresServer } from '../support/postgres-server.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { startStandby, type PostgresStandby } from '../support/postgres-standby.ts';

void test('PostgreSQL test server: keeps commits after a kill', async (t) => {
  const server = await startPostgres(t, { settings: { work_mem: '5MB' } });
  assert.match(server.version, /^18\./);
  assert.deepEqual(await ask(server.url, 'select 1 as one'), [{ one: 1 }]);
  const [settings] = await ask(
    server.url,
    "select current_setting('work_mem') as memory, current_setting('fsync') as fsync",
  );
  assert.deepEqual(settings, { memory: '5MB', fsync: 'on' });
  await ask(server.url, 'create table pet (id int)');
  await ask(server.url, 'insert into pet values (7)');
  await server.kill();
  await assert.rejects(ask(server.url, 'select 1'), { code: 'ECONNREFUSED' });
  await server.restart();
  assert.deepEqual(await ask(server.url, 'select id from pet'), [{ id: 7 }]);
  await server.stop();
  await assert.rejects(ask(server.url, 'select 1'), { code: 'ECONNREFUSED' });
});

void test('PostgreSQL test server: requires the password', async () => {
  const { url } = await sharedPostgres();
  await assert.rejects(ask(Object.assign(new URL(url), { password: 'postgres' }).href, 'select 1'), { code: '28P01' });
});

void test('test database: a copy of its template, sorted by its locale, dropped completely', async () => {
  const server = await sharedPostgres();
  const template = await server.createDatabase();
  await ask(template, 'create table pet (name text)');
  await ask(template, "insert into pet values ('Zorro'), ('anna')");
  const copy = await server.createDatabase({ template });
  assert.deepEqual(await ask(copy, 'select name from pet order by name'), [{ name: 'Zorro' }, { name: 'anna' }]);
  const english = await server.createDatabase({ icuLocale: 'en-US' });
  const sorted = await ask(english, "select name from (values ('Zorro'), ('anna')) as pet (name) order by name");
  assert.deepEqual(sorted, [{ name: 'anna' }, { name: 'Zorro' }]);
  await server.dropDatabase(copy);
  await assert.rejects(ask(copy, 'select 1'), { code: '3D000' });
});

void test('frozen PostgreSQL test server: keeps connections without answers, thaws, and can be killed', async (t) => {
  const server = await startPostgres(t, { fsync: false });
  const client = await connect(server.url);
  await server.freeze();
  const answer = client.query('select 1 as one').then(({ rows }) => rows as unknown);
  assert.equal(await Promise.race([answer, sleep(300, 'silence')]), 'silence');
  await server.thaw();
  assert.deepEqual(await answer, [{ one: 1 }]);
  await client.end();
  await server.freeze();
  await server.kill();
  await server.restart();
  assert.deepEqual(await ask(server.url, 'select 1 as one'), [{ one: 1 }]);
});

void test('synchronous standby: commits wait for it, and it can be promoted', async (t) => {
  const primary = await startPostgres(t);
  await ask(primary.url, 'create table pet (id int)');
  const standby = await startStandby(t, primary);
  await followAndPromote(primary, standby);
});

void test("Debian's PostgreSQL: works the same, with a standby", async (t) => {
  const primary = await startDebianPostgres(t);
  if (primary === undefined) return t.skip("Debian's PostgreSQL is not installed");
  await ask(primary.url, 'create table pet (id int)');
  await followAndPromote(primary, await startStandby(t, primary));
});

void test('PgBouncer: relays to every database, one transaction at a time', async (t) => {
  const server = await sharedPostgres();
  const bouncer = await startPgbouncer(t, server, { poolMode: 'transaction', settings: { default_pool_size: '1' } });
  if ('missing' in bouncer) return t.skip(bouncer.missing);
  const [one, other] = await Promise.all([connect(bouncer.url), connect(bouncer.url)]);
  const backends = await Promise.all(
    [one, other].map(async (client) => (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]),
  );
  assert.deepEqual(backends[0], backends[1], 'both must share one server connection');
  await Promise.all([one.end(), other.end()]);
  const name = await ask(bouncer.urlOf(await server.createDatabase()), 'select current_database() as name');
  assert.match(String(name[0]?.['name']), /^menagerie_\w+$/);
});

void test('killed test process: leaves neither a server nor its data', async () => {
  const support = new URL('../support/postgres-server.ts', import.meta.url).href;
  const script = `const { startPostgres } = await import(${JSON.stringify(support)});
    const { url, dataFolder, freeze } = await startPostgres({ after() {} });
    await freeze();
    console.log(JSON.stringify({ url, dataFolder }));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { url, dataFolder } = JSON.parse(line.toString()) as { url: string; dataFolder: string };
  child.kill('SIGKILL');
  for (let attempt = 0; existsSync(dataFolder) && attempt < 300; attempt++) await sleep(50);
  assert.equal(existsSync(dataFolder), false);
  await assert.rejects(ask(url, 'select 1'), { code: 'ECONNREFUSED' });
});

async function followAndPromote(primary: PostgresServer, standby: PostgresStandby): Promise<void> {
  await standby.makeSynchronous();
  await ask(primary.url, 'insert into pet values (7)');
  await standby.freeze();
  const commit = ask(primary.url, 'insert into pet values (8)').then(() => 'committed');
  assert.equal(await Promise.race([commit, sleep(300, 'silence')]), 'silence');
  await standby.thaw();
  assert.equal(await commit, 'committed');
  await standby.awaitReplay();
  assert.deepEqual(await ask(standby.url, 'select id from pet order by id'), [{ id: 7 }, { id: 8 }]);
  await assert.rejects(ask(standby.url, 'insert into pet values (9)'), { code: '25006' });
  await primary.kill();
  await standby.promote();
  await ask(standby.url, 'insert into pet values (9)');
  assert.deepEqual(await ask(standby.url, 'select count(*)::int as pets from pet'), [{ pets: 3 }]);
}

async function connect(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  await client.connect();
  return client;
}

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = await connect(url);
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
