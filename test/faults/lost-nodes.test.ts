import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { clientOf, type Answer } from '../support/client.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { assertOnlyUnavailable, MixedLoad, slowest } from './mixed-load.ts';
import { askOnce, assertSound, connectTo, serveFrom, until, untilNobodyChanges } from './served-database.ts';

/** The server ends a transaction whose node is silent for 3 s; the rest is for slow machines. */
const MAX_HOLD_MS = 4500;

void test('a node that is killed in the middle of writing takes nothing acknowledged with it, and the others go on', async (t) => {
  const url = await (await sharedPostgres()).createDatabase();
  const [one, other] = await Promise.all([serveFrom(t, url), serveFrom(t, url)]);
  const doomed = new MixedLoad([one.base], { clients: 12 });
  const staying = new MixedLoad([other.base], { clients: 12, firstId: 1_000_000 });
  doomed.start(t);
  staying.start(t);
  await delay(1000);
  const killedAtMs = Date.now();
  assert.equal((await one.end('SIGKILL')).signal, 'SIGKILL');
  await delay(1000);
  await Promise.all([doomed.stop(), staying.stop()]);
  assert.ok(doomed.told.every(({ status }) => status === 200 || status === 0));
  assert.ok(doomed.ledger.acknowledged > 0);
  assert.ok(staying.told.every(({ status }) => status === 200));
  await Promise.all([doomed.check(other.base), staying.check(other.base)]);
  await assertSound(url);
  t.diagnostic(`slowest at the other node after the kill: ${slowest(staying.since(killedAtMs))} ms`);
});

void test('a node that stands still in the middle of a change holds the others up for seconds, and its change is made once', async (t) => {
  const url = await (await sharedPostgres()).createDatabase();
  const [one, other] = await Promise.all([serveFrom(t, url), serveFrom(t, url)]);
  assert.equal((await put(one.base, 'POST', 7, 'first')).status, 200);
  await untilNobodyChanges(url);
  const rival = await connectTo(t, url);
  // Of what a change reads when it has the lock that every change needs, one thing has to wait.
  await rival.query('begin; lock table removed_pet in access exclusive mode');
  const changing = put(one.base, 'PUT', 7, 'second');
  const waiting =
    "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%from removed_pet%' and datname = current_database()";
  await until(async () => (await askOnce(url, waiting)).length > 0, 5000, 'the node waits for the rival');
  one.child.kill('SIGSTOP');
  t.after(() => one.child.kill('SIGCONT'));
  // Now it will not go on by itself, and nobody else can.
  await rival.query('rollback');
  const load = new MixedLoad([other.base], { clients: 6, firstId: 1000 });
  t.after(() => load.stop());
  const startedAtMs = Date.now();
  load.start(t);
  const heldMs = await until(
    () => load.told.some(({ method, status }) => method !== 'GET' && status === 200),
    MAX_HOLD_MS,
    'a change by the other node',
  );
  assert.ok(heldMs > 1000, `it held nobody up: ${heldMs} ms`);
  await delay(300);
  one.child.kill('SIGCONT');
  const answer = await changing;
  await load.stop();
  assert.ok(
    load.told.every(({ status }) => status === 200),
    'they waited, and were not refused',
  );
  assertOnlyUnavailable(load.told);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(await askOnce(url, "select count(*)::int as changes from pet_version where text like '%second%'"), [
    { changes: 1 },
  ]);
  await load.check(one.base);
  await assertSound(url);
  t.diagnostic(`the others were held up for ${heldMs} ms, ${Date.now() - startedAtMs} ms in all`);
});

function put(base: string, method: string, id: number, name: string): Promise<Answer> {
  return clientOf(base)(method, 'pet', { json: { id, name, photoUrls: [] } });
}
