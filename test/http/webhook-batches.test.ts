import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { clientOf } from '../support/client.ts';
import { readMetrics } from '../support/metrics.ts';
import { dropDatabaseOf } from '../support/nodes.ts';
import { bearer, logIn, newSecuredFolder, startSecuredService } from '../support/secured.ts';
import { removeFolder } from '../support/service.ts';
import { until } from '../support/until.ts';
import { startReceiver, type Receiver } from '../support/webhook-receiver.ts';
import type { Lifetime } from '../support/lifetime.ts';

const CHANGES = 120;
const flags = ['--webhook-private-addresses'];

const idsOf = ({ calls }: Receiver) => new Set(calls.map(({ headers }) => headers['webhook-id']));

/** A service whose webhook has this many changes to send, all together. */
async function startWithBacklog(t: Lifetime, dataDir: string, receiver: Receiver) {
  const service = await startSecuredService(t, { dataDir, flags, nodes: 1 });
  const call = clientOf(service.base);
  const headers = bearer(await logIn(call, 'root'));
  const json = { url: receiver.origin, events: ['pet.*'] };
  const { id } = JSON.parse((await call('POST', 'admin/webhooks', { headers, json })).text) as { id: string };
  const pause = (paused: boolean) => call('PATCH', `admin/webhooks/${id}`, { headers, json: { paused } });
  await pause(true);
  for (let count = 0; count < CHANGES; count++) await call('POST', 'pet', { headers, json: { name: 'Rex' } });
  await pause(false);
  return service;
}

async function newFolder(t: Lifetime): Promise<string> {
  const dataDir = await newSecuredFolder();
  t.after(async () => {
    await dropDatabaseOf(dataDir);
    await removeFolder(dataDir);
  });
  return dataDir;
}

void test('webhook with a slow receiver: each change is sent once, over several batches', async (t) => {
  const receiver = await startReceiver(t);
  receiver.respond((_call, response) => void delay(400).then(() => response.writeHead(204).end()));
  const dataDir = await newFolder(t);
  const service = await startWithBacklog(t, dataDir, receiver);
  await until('all changes', async () => idsOf(receiver).size === CHANGES);
  const headers = bearer(await logIn(service.call, 'root'));
  await until('all outcomes are stored', async () => {
    const series = await readMetrics(service.origin, headers);
    return series.get('menagerie_webhook_lag_seconds') === 0;
  });
  await service.stop();
  assert.equal(receiver.calls.length, CHANGES);
});

void test('webhook whose node stops in a batch: what the receiver has answered is not sent again', async (t) => {
  const receiver = await startReceiver(t);
  receiver.respond((_call, response) => void (receiver.calls.length <= 50 && response.writeHead(204).end()));
  const dataDir = await newFolder(t);
  const service = await startWithBacklog(t, dataDir, receiver);
  await until('deliveries without an answer', async () => receiver.calls.length === 50 + 16);
  await service.stop();
  receiver.respond(204);
  await startSecuredService(t, { dataDir, flags, nodes: 1 });
  await until('all changes', async () => idsOf(receiver).size === CHANGES);
  assert.equal(receiver.calls.length, CHANGES + 16);
});
