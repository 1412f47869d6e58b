import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startPostgres, type PostgresServer } from '../support/postgres-server.ts';
import { startStandby } from '../support/postgres-standby.ts';
import { assertOnlyUnavailable, MixedLoad, slowest, type Told } from './mixed-load.ts';
import { askOnce, assertSound, serveFrom, until } from './served-database.ts';

const MAX_RESUME_MS = 5000;

void test('when the primary dies, all nodes go on with the standby that takes its place, and nothing acknowledged is lost', async (t) => {
  const primary = await startPostgres(t);
  const standby = await startStandby(t, primary);
  const url = urlOfBoth(primary, standby);
  const nodes = [await serveFrom(t, url), await serveFrom(t, url)];
  await standby.makeSynchronous();
  const bases = nodes.map(({ base }) => base);
  const load = new MixedLoad(bases, { clients: 16 });
  load.start(t);
  await delay(800);

  // Nothing is acknowledged that is not on the standby, however long that takes.
  await standby.freeze();
  const silentAtMs = Date.now();
  await delay(6000);
  const changedMeanwhile = load.told.filter(
    ({ method, status, sentAtMs, tookMs }) =>
      method !== 'GET' && status === 200 && sentAtMs + tookMs > silentAtMs + 200,
  );
  assert.deepEqual(changedMeanwhile, []);
  await standby.thaw();
  await until(() => changesDone(load.told, Date.now() - 500).length > 0, MAX_RESUME_MS, 'changes after the thaw');

  const killedAtMs = Date.now();
  await primary.kill();
  await delay(1000);
  const promotedAtMs = Date.now();
  await standby.promote();
  const resumes = await Promise.all([
    until(() => changesDone(load.told, killedAtMs + 100).length > 0, MAX_RESUME_MS, 'a change'),
    until(() => readsDone(load.told, killedAtMs + 100).length > 0, MAX_RESUME_MS, 'a read'),
  ]);
  const promotionMs = Date.now() - promotedAtMs;
  await delay(700);

  // The old one comes back and takes itself for a primary, which nobody who is connected with the new one looks at.
  await primary.restart();
  const backAtMs = Date.now();
  await delay(700);
  const sinceBack = load.since(backAtMs);
  await load.stop();
  assertOnlyUnavailable(load.told);
  assert.ok(
    sinceBack.every(({ status }) => status === 200),
    'they stay with the new one',
  );
  for (const base of bases) await load.check(base);
  await assertSound(standby.url);
  t.diagnostic(
    `${promotionMs} ms from the call for promotion to the first change and read (${resumes.join(', ')} ms after its end)`,
  );
  t.diagnostic(
    `slowest around the failover: ${slowest(load.since(killedAtMs))} ms; ${load.ledger.acknowledged} changes acknowledged`,
  );
});

void test('a server that takes no writes any more is left for the one that does', async (t) => {
  const [one, other] = await Promise.all([startPostgres(t), startPostgres(t)]);
  await other.query(`alter role menagerie password '${one.password}'`);
  const url = urlOfBoth(one, other);
  await setReadOnly(one, true);
  const node = await serveFrom(t, url);
  const load = new MixedLoad([node.base], { clients: 6 });
  load.start(t);
  await delay(400);
  assert.equal((await askOnce(other.url.replace(other.password, one.password), 'select 1 from pet limit 1')).length, 1);
  await load.stop();
  assert.ok(load.told.every(({ status }) => status === 200));
});

void test('a server that has become read-only under its connections is found out, and found again when it takes writes', async (t) => {
  const postgres = await startPostgres(t);
  const node = await serveFrom(t, postgres.url);
  const load = new MixedLoad([node.base], { clients: 8 });
  load.start(t);
  await delay(300);
  await setReadOnly(postgres, true);
  await delay(200);
  const readOnlyAtMs = Date.now();
  await delay(800);
  assert.deepEqual(changesDone(load.told, readOnlyAtMs), []);
  await setReadOnly(postgres, false);
  const resumedMs = await until(
    () => changesDone(load.told, Date.now() - 200).length > 0,
    MAX_RESUME_MS,
    'changes after it takes writes',
  );
  await load.stop();
  assertOnlyUnavailable(load.told);
  assert.ok(slowest(load.told) < 2000);
  await load.check(node.base);
  await assertSound(postgres.url);
  t.diagnostic(`writes resumed after ${resumedMs} ms; slowest ${slowest(load.told)} ms`);
});

function urlOfBoth(first: PostgresServer, second: Pick<PostgresServer, 'port'>): string {
  const { password, port } = first;
  return `postgres://menagerie:${password}@127.0.0.1:${port},127.0.0.1:${second.port}/menagerie?target_session_attrs=read-write`;
}

async function setReadOnly(postgres: PostgresServer, isReadOnly: boolean): Promise<void> {
  await postgres.query(`alter system set default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`);
  await postgres.query('select pg_reload_conf()');
}

function changesDone(told: readonly Told[], sinceMs: number): readonly Told[] {
  return told.filter(({ method, status, sentAtMs }) => method !== 'GET' && status === 200 && sentAtMs >= sinceMs);
}

function readsDone(told: readonly Told[], sinceMs: number): readonly Told[] {
  return told.filter(({ method, status, sentAtMs }) => method === 'GET' && status === 200 && sentAtMs >= sinceMs);
}
