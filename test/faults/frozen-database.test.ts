import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startPostgres } from '../support/postgres-server.ts';
import { assertOnlyUnavailable, MixedLoad, slowest } from './mixed-load.ts';
import { assertSound, serveFrom, statusOf, until, untilReady } from './served-database.ts';

/** The longest that a request may take, whatever is frozen. */
const MAX_WAIT_MS = 15_000;
const MAX_RECOVERY_MS = 5000;
const MAX_STOP_MS = 30_000;
/** Set MENAGERIE_FREEZE_MS=30000 for a longer freeze. */
const FREEZE_MS = Number(process.env['MENAGERIE_FREEZE_MS'] ?? 7500);

void test('frozen PostgreSQL: every request ends in time, the service recovers, and it can be stopped meanwhile', async (t) => {
  const postgres = await startPostgres(t);
  const service = await serveFrom(t, postgres.url);
  const load = new MixedLoad([service.base], { clients: 24 });
  load.start(t);
  await delay(500);
  await postgres.freeze();
  const frozenAtMs = Date.now();
  await delay(FREEZE_MS - 1000);
  assert.equal(await statusOf(`${service.origin}/livez`), 200);
  assert.equal(await statusOf(`${service.origin}/readyz`), 503);
  await until(() => Date.now() - frozenAtMs > FREEZE_MS, FREEZE_MS, 'the freeze');
  await postgres.thaw();
  const recoveryMs = await untilReady(service, MAX_RECOVERY_MS);
  await delay(500);
  const responses = load.responses.filter(({ sentAtMs, tookMs }) => sentAtMs + tookMs > frozenAtMs);
  assert.ok(slowest(responses) < MAX_WAIT_MS);
  assert.ok(responses.some(({ status }) => status === 503));
  await load.stop();
  assertOnlyUnavailable(load.responses);
  await load.check(service.base);
  await assertSound(postgres.url);
  t.diagnostic(`frozen for ${FREEZE_MS} ms: slowest ${slowest(responses)} ms, ready ${recoveryMs} ms after the thaw`);

  const last = new MixedLoad([service.base], { clients: 8, firstId: 1_000_000 });
  last.start(t);
  await delay(300);
  await postgres.freeze();
  await delay(100);
  const stoppedAtMs = Date.now();
  const { code, stdout, stderr } = await service.end('SIGTERM');
  const stopMs = Date.now() - stoppedAtMs;
  await last.stop();
  assert.ok(stopMs < MAX_STOP_MS, `the stop took ${stopMs} ms`);
  assert.equal(code, 0, stderr);
  assert.ok(!(stdout + stderr).includes('unexpected error'));
  t.diagnostic(`the stop took ${stopMs} ms`);
});
