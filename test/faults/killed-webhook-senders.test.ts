import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { clientOf } from '../support/client.ts';
import { startServer } from '../support/menagerie-process.ts';
import { databaseOf } from '../support/nodes.ts';
import { bearer, logIn, newSecuredFolder } from '../support/secured.ts';
import { removeFolder, temporaryFolder } from '../support/service.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { until } from '../support/until.ts';

/** Longer than a lease, which is twice the timeout of a receiver plus five seconds: 25 s. */
const PATIENCE_MS = 90_000;

void test('killed node: another takes over its webhooks, and every event is sent', async (t) => {
  const secured = await newSecuredFolder({ onPostgres: true });
  t.after(() => removeFolder(secured));
  const url = (await databaseOf(secured)) ?? assert.fail();
  const folders = [secured, await temporaryFolder(t)];
  const flags = ['--empty', '--access', 'secured', '--database-url', url, '--webhook-private-addresses'];
  const receiver = await startReceiver(t);
  receiver.respond((_call, response) => void delay(5).then(() => response.writeHead(204).end()));
  const nodes = await Promise.all(folders.map((folder) => startServer(t, folder, flags)));
  const calls = nodes.map(({ base }) => clientOf(base));
  const [first = assert.fail(), second = assert.fail()] = calls;
  const headers = bearer(await logIn(first, 'root'));
  const json = { url: receiver.origin, events: ['pet.*'] };
  const made = await first('POST', 'admin/webhooks', { headers, json });
  const { secret } = JSON.parse(made.text) as { secret: string };
  const addPets = async (count: number) => {
    for (let index = 0; index < count; index++) {
      const { status } = await second('POST', 'pet', { headers, json: { name: 'Rex', photoUrls: [] } });
      assert.equal(status, 200);
    }
  };
  await addPets(150);
  await until('the first calls', async () => receiver.calls.length > 10, PATIENCE_MS);
  await nodes[0]?.end('SIGKILL');
  await addPets(150);
  const receivedIds = () => new Set(receiver.calls.map(({ headers: sent }) => sent['webhook-id']));
  await until('all changes', async () => receivedIds().size === 300, PATIENCE_MS);
  for (const { body, headers: sent } of receiver.calls)
    new Webhook(secret).verify(body, sent as Record<string, string>);
  t.diagnostic(`${receivedIds().size} changes in ${receiver.calls.length} calls`);
});

void test('server killed repeatedly while sending webhooks: every event is sent', async (t) => {
  const folder = await newSecuredFolder();
  t.after(() => removeFolder(folder));
  const flags = ['--empty', '--access', 'secured', '--webhook-private-addresses'];
  const receiver = await startReceiver(t);
  receiver.respond((_call, response) => void delay(5).then(() => response.writeHead(204).end()));
  let server = await startServer(t, folder, flags);
  const headers = bearer(await logIn(clientOf(server.base), 'root'));
  const json = { url: receiver.origin, events: ['pet.*'] };
  assert.equal((await clientOf(server.base)('POST', 'admin/webhooks', { headers, json })).status, 200);
  for (let round = 1; round <= 2; round++) {
    const call = clientOf(server.base);
    for (let count = 0; count < 100; count++)
      await call('POST', 'pet', { headers, json: { name: `Rex ${round} ${count}`, photoUrls: [] } });
    await server.end('SIGKILL');
    server = await startServer(t, folder, flags);
  }
  const receivedIds = () => new Set(receiver.calls.map(({ headers: sent }) => sent['webhook-id']));
  await until('all changes', async () => receivedIds().size === 200, PATIENCE_MS);
  t.diagnostic(`${receivedIds().size} changes in ${receiver.calls.length} calls`);
});
