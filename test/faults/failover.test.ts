import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { clientOf } from '../support/client.ts';
import { startPostgres, type PostgresServer } from '../support/postgres-server.ts';
import { startStandby } from '../support/postgres-standby.ts';
import { assertOnlyUnavailable, MixedLoad, slowest, type LoadResponse } from './mixed-load.ts';
import { askOnce, assertSound, serveFrom, until } from './served-database.ts';

const MAX_RESUME_MS = 5000;
/** Time to leave a primary that was replaced. */
const MAX_LEAVE_MS = 15_000;
/** Of all servers. */
const MAX_SEARCH_MS = 3000;
const MAX_REFUSAL_MS = 1000;
const DEADLINE_MS = 30_000;
const QUIET_MS = 800;

void test('failover: all nodes continue on the promoted standby, without losing an acknowledged change', async (t) => {
  const primary = await startPostgres(t);
  const standby = await startStandby(t, primary);
  const url = urlOfBoth(primary, standby);
  const nodes = [await serveFrom(t, url), await serveFrom(t, url)];
  await standby.makeSynchronous();
  const bases = nodes.map(({ base }) => base);
  const load = new MixedLoad(bases, { clients: 16 });
  load.start(t);
  await until(() => changesDone(load.responses, 0).length > 0, DEADLINE_MS, 'a change');
  await delay(800);

  // A change is acknowledged only when the standby has it, however long that takes.
  await standby.freeze();
  const silentAtMs = Date.now();
  await delay(6000);
  const changedMeanwhile = load.responses.filter(
    ({ method, status, sentAtMs, tookMs }) =>
      method !== 'GET' && status === 200 && sentAtMs + tookMs > silentAtMs + 200,
  );
  assert.deepEqual(changedMeanwhile, []);
  await standby.thaw();
  await until(() => changesDone(load.responses, Date.now() - 500).length > 0, MAX_RESUME_MS, 'changes after the thaw');

  const killedAtMs = Date.now();
  await primary.kill();
  await delay(1000);
  const promotedAtMs = Date.now();
  await standby.promote();
  const resumes = await Promise.all([
    until(() => changesDone(load.responses, killedAtMs + 100).length > 0, MAX_RESUME_MS, 'a change'),
    until(() => readsDone(load.responses, killedAtMs + 100).length > 0, MAX_RESUME_MS, 'a read'),
  ]);
  const promotionMs = Date.now() - promotedAtMs;
  await delay(700);

  // The old primary returns and believes that it still is one; nodes connected to the new one ignore it.
  await primary.restart();
  const backAtMs = Date.now();
  await delay(700);
  const sinceBack = load.since(backAtMs);
  await load.stop();
  assertOnlyUnavailable(load.responses);
  assert.ok(
    sinceBack.every(({ status }) => status === 200),
    'expected all connections on the new primary',
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

void test('standby promoted while the old primary runs and cannot commit: nodes leave it, also those that only read or start later', async (t) => {
  const primary = await startPostgres(t);
  const standby = await startStandby(t, primary);
  const url = urlOfBoth(primary, standby);
  const [writer, reader] = [await serveFrom(t, url), await serveFrom(t, url)];
  await standby.makeSynchronous();
  const load = new MixedLoad([writer.base], { clients: 12 });
  load.start(t);
  await until(() => load.ledger.acknowledged > 20, DEADLINE_MS, 'changes');
  await standby.promote();
  const promotedAtMs = Date.now();
  const resumedMs = await until(() => changesDone(load.responses, promotedAtMs).length > 0, MAX_LEAVE_MS, 'a change');
  const isRead = async () => {
    const { status, text } = await clientOf(reader.base)('GET', 'pet/findByStatus?status=available&limit=1000');
    return (
      status === 200 &&
      text === (await clientOf(writer.base)('GET', 'pet/findByStatus?status=available&limit=1000')).text
    );
  };
  await load.stop();
  await until(isRead, MAX_LEAVE_MS, 'reads from the promoted server');
  assertOnlyUnavailable(load.responses);
  const restarted = await serveFrom(t, url);
  for (const { base } of [writer, reader, restarted]) await load.check(base);
  await assertSound(standby.url);
  t.diagnostic(`changes ${resumedMs} ms after the promotion; slowest ${slowest(load.since(promotedAtMs - 10_000))} ms`);
});

void test('frozen primary: after the first timeouts, requests fail immediately; it is not used when it returns', async (t) => {
  const primary = await startPostgres(t);
  const standby = await startStandby(t, primary);
  const node = await serveFrom(t, urlOfBoth(primary, standby));
  await standby.makeSynchronous();
  const load = new MixedLoad([node.base], { clients: 12 });
  load.start(t);
  await until(() => load.ledger.acknowledged > 20, DEADLINE_MS, 'changes');
  await primary.freeze();
  const frozenAtMs = Date.now();
  await until(() => load.since(frozenAtMs).some(({ status }) => status === 503), DEADLINE_MS, 'an error');
  const knownAtMs = Date.now() + MAX_SEARCH_MS;
  await until(() => load.since(knownAtMs).length > 100, DEADLINE_MS, 'further requests');
  assert.ok(slowest(load.since(knownAtMs)) < MAX_REFUSAL_MS, `${slowest(load.since(knownAtMs))} ms`);
  await standby.promote();
  const promotedAtMs = Date.now();
  const resumedMs = await until(() => changesDone(load.responses, promotedAtMs).length > 0, MAX_LEAVE_MS, 'a change');
  await primary.thaw();
  const thawedAtMs = Date.now();
  await until(() => changesDone(load.responses, thawedAtMs).length > 50, DEADLINE_MS, 'changes after the return');
  await load.stop();
  assertOnlyUnavailable(load.responses);
  assert.ok(load.since(thawedAtMs).every(({ status }) => status === 200));
  await load.check(node.base);
  await assertSound(standby.url);
  t.diagnostic(
    `known after ${knownAtMs - MAX_SEARCH_MS - frozenAtMs} ms; slowest ${slowest(load.since(frozenAtMs - 10_000))} ms; changes ${resumedMs} ms after the promotion`,
  );
});

void test('read-only server: nodes switch to one that accepts writes', async (t) => {
  const [one, other] = await Promise.all([startPostgres(t), startPostgres(t)]);
  await other.query(`alter role menagerie password '${one.password}'`);
  const url = urlOfBoth(one, other);
  await setReadOnly(one, true);
  const node = await serveFrom(t, url);
  const load = new MixedLoad([node.base], { clients: 6 });
  load.start(t);
  const otherUrl = other.url.replace(other.password, one.password);
  await until(async () => (await askOnce(otherUrl, 'select 1 from pet')).length > 0, DEADLINE_MS, 'a pet');
  await load.stop();
  assert.ok(load.responses.every(({ status }) => status === 200));
});

void test('read-only server: detected on open connections, and used again when it accepts writes', async (t) => {
  const postgres = await startPostgres(t);
  const node = await serveFrom(t, postgres.url);
  const load = new MixedLoad([node.base], { clients: 8 });
  load.start(t);
  await until(() => changesDone(load.responses, 0).length > 0, DEADLINE_MS, 'a change');
  await setReadOnly(postgres, true);
  const refused = () => load.since(Date.now() - QUIET_MS).filter(({ status }) => status === 503);
  const done = () => changesDone(load.responses, Date.now() - QUIET_MS);
  await until(() => refused().length > 0 && done().length === 0, DEADLINE_MS, 'all connections to refuse changes');
  await setReadOnly(postgres, false);
  const resumedMs = await until(
    () => changesDone(load.responses, Date.now() - 200).length > 0,
    MAX_RESUME_MS,
    'changes after it takes writes',
  );
  await load.stop();
  assertOnlyUnavailable(load.responses);
  assert.ok(slowest(load.responses) < 2000);
  await load.check(node.base);
  await assertSound(postgres.url);
  t.diagnostic(`writes resumed after ${resumedMs} ms; slowest ${slowest(load.responses)} ms`);
});

function urlOfBoth(first: PostgresServer, second: Pick<PostgresServer, 'port'>): string {
  const { password, port } = first;
  return `postgres://menagerie:${password}@127.0.0.1:${port},127.0.0.1:${second.port}/menagerie?target_session_attrs=read-write`;
}

async function setReadOnly(postgres: PostgresServer, isReadOnly: boolean): Promise<void> {
  await postgres.query(`alter system set default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`);
  await postgres.query('select pg_reload_conf()');
}

function changesDone(responses: readonly LoadResponse[], sinceMs: number): readonly LoadResponse[] {
  return responses.filter(({ method, status, sentAtMs }) => method !== 'GET' && status === 200 && sentAtMs >= sinceMs);
}

function readsDone(responses: readonly LoadResponse[], sinceMs: number): readonly LoadResponse[] {
  return responses.filter(({ method, status, sentAtMs }) => method === 'GET' && status === 200 && sentAtMs >= sinceMs);
}
