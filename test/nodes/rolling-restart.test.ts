import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { startService, type Service } from '../../src/server/service.ts';
import { clientOf } from '../support/client.ts';
import { Load, sendAloneTo, type Send } from '../support/load.ts';
import { openConnection } from '../support/connection.ts';
import { openFront } from '../support/front.ts';
import { dropDatabaseOf } from '../support/nodes.ts';
import { bearer, createKey, logIn, newSecuredFolder } from '../support/secured.ts';
import { removeFolder, testConfigOn } from '../support/service.ts';

/*
 * Every node is restarted in turn under load. The load balancer stops sending requests to a node before it stops, or
 * when it drains. The node completes its pending requests.
 */

/** Changes between restarts. */
const CHANGES_BETWEEN = 40;

const ON_ITS_WAY_MS = 100;
const DRAIN_MS = 2000;

const silent = pino({ level: 'silent' });
const dataDir = await newSecuredFolder({ onPostgres: true });
const config = { ...(await testConfigOn(dataDir, ['--empty', '--access', 'secured'])), stopTimeoutMs: 5000 };
const nodes = await Promise.all([0, 1, 2].map(() => startService(config, silent)));
const front = await openFront(nodes.map(({ origin }) => origin));
after(async () => {
  await Promise.all(nodes.map((node) => node.stop()));
  await front.close();
  await dropDatabaseOf(dataDir);
  await removeFolder(dataDir);
});
const base = `${front.origin}/v2`;
const call = clientOf(base);
const { key } = await createKey(call, await logIn(call, 'edna'), ['write:pets']);
const headers = { ...bearer(key), 'content-type': 'application/json' };

async function restart(index: number): Promise<void> {
  const old = nodes[index] ?? assert.fail();
  front.nodes.splice(front.nodes.indexOf(old.origin), 1);
  // Wait for requests on their way: when a listening socket closes, the system refuses connections that it has not
  // accepted.
  await delay(ON_ITS_WAY_MS);
  await old.stop();
  await replace(index);
}

/** The load balancer learns from `/readyz` that a node stops. */
async function restartDraining(index: number): Promise<void> {
  const old = nodes[index] ?? assert.fail();
  const stopped = old.stop(DRAIN_MS);
  assert.equal((await clientOf(old.origin)('GET', 'readyz')).status, 503);
  front.nodes.splice(front.nodes.indexOf(old.origin), 1);
  await stopped;
  await replace(index);
}

async function replace(index: number): Promise<void> {
  const renewed: Service = await startService(config, silent);
  nodes[index] = renewed;
  front.nodes.push(renewed.origin);
}

/** Each request uses a separate connection. */
const sendAlone: Send = sendAloneTo(base, headers);

async function restartAll(load: Load, restartOne = restart): Promise<void> {
  for (const index of nodes.keys()) {
    await load.untilMore(CHANGES_BETWEEN);
    await restartOne(index);
  }
  await load.untilMore(CHANGES_BETWEEN);
  await load.end();
}

void test('rolling restart: no request fails', async (t) => {
  const load = new Load(t, [sendAlone, sendAlone, sendAlone, sendAlone], 1_000_000);
  await restartAll(load);
  assert.deepEqual(load.failures, []);
  await load.check(nodes.map(({ origin }) => clientOf(`${origin}/v2`)));
});

void test('rolling restart with persistent connections: only requests on closed connections fail', async (t) => {
  const connections = [0, 1, 2, 3].map(() => openConnection(base));
  t.after(async () => connections.forEach(({ close }) => close()));
  const load = new Load(
    t,
    connections.map((connection) => (method, path, json) => connection.call(method, path, { headers, json })),
    10_000_000,
  );
  await restartAll(load);
  for (const failure of load.failures) {
    assert.ok(failure instanceof Error && 'code' in failure);
    assert.equal(failure.code, 'ECONNRESET', failure.message);
  }
  assert.ok(load.failures.length <= 2 * nodes.length, `${load.failures.length} requests failed`);
  await load.check(nodes.map(({ origin }) => clientOf(`${origin}/v2`)));
});

void test('rolling restart with draining: no request fails, also on persistent connections', async (t) => {
  const connections = [0, 1].map(() => openConnection(base));
  t.after(async () => connections.forEach(({ close }) => close()));
  const overOne = connections.map(
    (connection): Send =>
      (method, path, json) =>
        connection.call(method, path, { headers, json }),
  );
  const load = new Load(t, [...overOne, sendAlone, sendAlone], 20_000_000);
  await restartAll(load, restartDraining);
  assert.deepEqual(load.failures, []);
  await load.check(nodes.map(({ origin }) => clientOf(`${origin}/v2`)));
});
