import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { assertOnlyUnavailable, MixedLoad, slowest } from './mixed-load.ts';
import { askOnce, assertSound, connectTo, put, serveFrom, until, waitForIdleWriters } from './served-database.ts';

/** The server ends a transaction whose node is silent for 3 s; the rest is for slow machines. */
const MAX_HOLD_MS = 4500;
const DEADLINE_MS = 30_000;

void test('node killed while writing: loses no acknowledged change, and the others continue', async (t) => {
  const url = await (await sharedPostgres()).createDatabase();
  const [one, other] = await Promise.all([serveFrom(t, url), serveFrom(t, url)]);
  const doomed = new MixedLoad([one.base], { clients: 12 });
  const staying = new MixedLoad([other.base], { clients: 12, firstId: 1_000_000 });
  doomed.start(t);
  staying.start(t);
  await until(() => doomed.ledger.acknowledged > 0, DEADLINE_MS, 'a change by the node that is killed');
  await delay(1000);
  const killedAtMs = Date.now();
  assert.equal((await one.end('SIGKILL')).signal, 'SIGKILL');
  await delay(1000);
  await Promise.all([doomed.stop(), staying.stop()]);
  assert.ok(doomed.answers.every(({ status }) => status === 200 || status === 0));
  assert.ok(doomed.ledger.acknowledged > 0);
  assert.ok(staying.answers.every(({ status }) => status === 200));
  await Promise.all([doomed.check(other.base), staying.check(other.base)]);
  await assertSound(url);
  t.diagnostic(`slowest at the other node after the kill: ${slowest(staying.since(killedAtMs))} ms`);
});

void test('node frozen during a change: delays the others by seconds, and its change is made once', async (t) => {
  const url = await (await sharedPostgres()).createDatabase();
  const [one, other] = await Promise.all([serveFrom(t, url), serveFrom(t, url)]);
  assert.equal((await put(one.base, 'POST', 7, 'first')).status, 200);
  await waitForIdleWriters(url);
  const rival = await connectTo(t, url);
  // Blocks a statement that runs after a change has taken the lock that every change needs.
  await rival.query('begin; lock table removed_pet in access exclusive mode');
  const changing = put(one.base, 'PUT', 7, 'second');
  const waiting =
    "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%from removed_pet%' and datname = current_database()";
  await until(async () => (await askOnce(url, waiting)).length > 0, 5000, 'the node waits for the rival');
  one.child.kill('SIGSTOP');
  t.after(() => one.child.kill('SIGCONT'));
  // From here on, neither this node nor any other can proceed.
  await rival.query('rollback');
  const load = new MixedLoad([other.base], { clients: 6, firstId: 1000 });
  t.after(() => load.stop());
  const startedAtMs = Date.now();
  load.start(t);
  const heldMs = await until(
    () => load.answers.some(({ method, status }) => method !== 'GET' && status === 200),
    MAX_HOLD_MS,
    'a change by the other node',
  );
  assert.ok(heldMs > 1000, `nothing was delayed: ${heldMs} ms`);
  await delay(300);
  one.child.kill('SIGCONT');
  const answer = await changing;
  await load.stop();
  assert.ok(
    load.answers.every(({ status }) => status === 200),
    'requests must wait, not fail',
  );
  assertOnlyUnavailable(load.answers);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(await askOnce(url, "select count(*)::int as changes from pet_version where text like '%second%'"), [
    { changes: 1 },
  ]);
  await load.check(one.base);
  await assertSound(url);
  t.diagnostic(`the others were delayed by ${heldMs} ms, ${Date.now() - startedAtMs} ms in all`);
});
