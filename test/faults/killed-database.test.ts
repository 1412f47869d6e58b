import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startPostgres, type PostgresServer } from '../support/postgres-server.ts';
import { assertOnlyUnavailable, MixedLoad, slowest, type LoadResponse } from './mixed-load.ts';
import { assertSound, serveFrom, statusOf, until, untilReady } from './served-database.ts';

/** The longest that a request may take without a database. */
const MAX_WAIT_MS = 2000;
const MAX_RECOVERY_MS = 5000;
const DEADLINE_MS = 30_000;
const CONNECTIONS = 10;

void test('killed PostgreSQL: 503 within two seconds, and no acknowledged change is lost', async (t) => {
  const postgres = await startPostgres(t);
  const service = await serveFrom(t, postgres.url);
  const load = new MixedLoad([service.base], { clients: 24 });
  load.start(t);
  const counts: number[] = [];
  for (let round = 1; round <= 3; round++) {
    await delay(700);
    const killedAtMs = Date.now();
    await postgres.kill();
    await until(() => load.since(killedAtMs).some(isRefusedRead), DEADLINE_MS, 'a refused read');
    await until(() => load.since(killedAtMs).some(isRefusedChange), DEADLINE_MS, 'a refused change');
    await until(async () => (await statusOf(`${service.origin}/readyz`)) === 503, DEADLINE_MS, 'readiness to end');
    assert.equal(await statusOf(`${service.origin}/livez`), 200);
    await postgres.restart();
    const recoveryMs = await untilReady(service, MAX_RECOVERY_MS);
    await delay(500);
    counts.push(await connectionsTo(postgres));
    const after = load.since(killedAtMs);
    assert.ok(slowest(after) < MAX_WAIT_MS, `a request took ${slowest(after)} ms`);
    t.diagnostic(`round ${round}: slowest ${slowest(after)} ms, ready ${recoveryMs} ms after the restart`);
  }
  await load.stop();
  assertOnlyUnavailable(load.responses);
  await load.check(service.base);
  await assertSound(postgres.url);
  assert.ok(Math.max(...counts) <= CONNECTIONS, `connections after each round: ${counts.join()}`);
  t.diagnostic(`${load.ledger.acknowledged} changes acknowledged; connections after each round: ${counts.join()}`);
  const { code, stderr, stdout } = await service.end('SIGTERM');
  assert.equal(code, 0);
  const written = stdout + stderr;
  assert.equal(written.split('database unreachable').length - 1, 3, 'logged once for each failure');
  assert.equal(written.split('database reachable again').length - 1, 3);
  assert.ok(!written.includes(postgres.password));
  assert.ok(!written.includes('unexpected error'), written);
});

async function connectionsTo(postgres: PostgresServer): Promise<number> {
  const { rows } = await postgres.query(
    "select count(*)::int as count from pg_stat_activity where application_name like 'menagerie/%'",
  );
  return Number(rows[0]?.['count']);
}

function isRefusedRead({ status, method }: LoadResponse): boolean {
  return status === 503 && method === 'GET';
}

function isRefusedChange({ status, method }: LoadResponse): boolean {
  return status === 503 && method !== 'GET';
}
