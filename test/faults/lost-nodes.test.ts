import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { createClient } from '../../src/client/client.ts';
import { clientOf } from '../support/client.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { assertOnlyUnavailable, MixedLoad, slowest } from './mixed-load.ts';
import { askOnce, assertSound, connectTo, put, serveFrom, until, waitForIdleWriters } from './served-database.ts';

/** The server ends a transaction whose node is silent for 3 s; the rest is for slow machines. */
const MAX_HOLD_MS = 4500;
const DEADLINE_MS = 30_000;
/** A claim lasts for 6 s; the rest is for slow machines. */
const MAX_TAKEOVER_MS = 10_000;

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
  assert.ok(doomed.responses.every(({ status }) => status === 200 || status === 0));
  assert.ok(doomed.ledger.acknowledged > 0);
  assert.ok(staying.responses.every(({ status }) => status === 200));
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
  const changing = await whileHeld(url, rival, () => put(one.base, 'PUT', 7, 'second'));
  one.child.kill('SIGSTOP');
  t.after(() => one.child.kill('SIGCONT'));
  // From here on, neither this node nor any other can proceed.
  await rival.query('rollback');
  const load = new MixedLoad([other.base], { clients: 6, firstId: 1000 });
  t.after(() => load.stop());
  const startedAtMs = Date.now();
  load.start(t);
  const heldMs = await until(
    () => load.responses.some(({ method, status }) => method !== 'GET' && status === 200),
    MAX_HOLD_MS,
    'a change by the other node',
  );
  assert.ok(heldMs > 1000, `nothing was delayed: ${heldMs} ms`);
  await delay(300);
  one.child.kill('SIGCONT');
  const response = await changing.response;
  await load.stop();
  assert.ok(
    load.responses.every(({ status }) => status === 200),
    'requests must wait, not fail',
  );
  assertOnlyUnavailable(load.responses);
  assert.equal(response.status, 200, response.text);
  assert.deepEqual(await askOnce(url, "select count(*)::int as changes from pet_version where text like '%second%'"), [
    { changes: 1 },
  ]);
  await load.check(one.base);
  await assertSound(url);
  t.diagnostic(`the others were delayed by ${heldMs} ms, ${Date.now() - startedAtMs} ms in all`);
});

for (const signal of ['SIGKILL', 'SIGSTOP'] as const)
  void test(`node with ${signal} during a change with a key: another one makes it once, within seconds`, async (t) => {
    const url = await (await sharedPostgres()).createDatabase();
    const [one, other] = await Promise.all([serveFrom(t, url), serveFrom(t, url)]);
    await waitForIdleWriters(url);
    const rival = await connectTo(t, url);
    const json = { name: 'Rex', photoUrls: [] };
    const send = () => clientOf(one.base)('POST', 'pet', { json, headers: { 'idempotency-key': 'k' } });
    const first = await whileHeld(url, rival, send);
    const outcome = first.response.catch(() => undefined);
    one.child.kill(signal);
    await rival.query('rollback');
    const startedMs = performance.now();
    // The retries of the client are enough.
    const add = ({ base }: { base: string }) => createClient({ base }).addPet({ body: json }, { idempotencyKey: 'k' });
    const pet = await add(other);
    const tookMs = performance.now() - startedMs;
    assert.equal(pet.name, 'Rex');
    assert.ok(tookMs < MAX_TAKEOVER_MS, `${tookMs} ms`);
    if (signal === 'SIGSTOP') {
      one.child.kill('SIGCONT');
      const late = await outcome;
      // After a long pause, its transaction is not even repeated.
      assert.match(String(late?.status), /409|503/);
      assert.ok(late?.headers.has('retry-after'));
      assert.deepEqual(await add(one), pet);
    }
    assert.deepEqual(await askOnce(url, 'select count(*)::int as changes from pet_version'), [{ changes: 1 }]);
    await assertSound(url);
    t.diagnostic(`taken over after ${Math.round(tookMs)} ms`);
  });

/** Sends a change of a pet, and holds it in the middle of its transaction until the rival ends its own. */
async function whileHeld<T>(url: string, rival: Client, send: () => Promise<T>): Promise<{ response: Promise<T> }> {
  // Blocks a statement that runs after a change has taken the lock that every change needs.
  await rival.query('begin; lock table removed_pet in access exclusive mode');
  const response = send();
  const waiting =
    "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%from removed_pet%' and datname = current_database()";
  await until(async () => (await askOnce(url, waiting)).length > 0, 5000, 'the node waits for the rival');
  return { response };
}
