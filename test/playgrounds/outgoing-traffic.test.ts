import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientOf } from '../support/client.ts';
import { skipWithoutPlaygrounds } from '../support/nodes.ts';
import { createPlayground } from '../support/playgrounds.ts';
import { bearer, logIn } from '../support/secured.ts';
import { startTestService } from '../support/service.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { until } from '../support/until.ts';

/* What an anonymous client can make playgrounds send to others. */

const options = { skip: skipWithoutPlaygrounds() };

const RECEIVERS = 10;
const CHANGES = 40;

void test(
  'outgoing traffic: webhooks of a network get 300 deliveries a minute, and others are retried later',
  options,
  async (t) => {
    const receiver = await startReceiver(t);
    let nowMs = Math.ceil(Date.now() / 60_000) * 60_000;
    const flags = ['--empty', '--access=sandbox', '--webhook-private-addresses'];
    const config = { features: { webhookRetryDelaysMs: [1000, 1000, 1000, 1000, 1000] } };
    const service = clientOf((await startTestService(t, { flags, config, clock: () => nowMs })).base);
    const { call, users } = await createPlayground(service, { contents: 'empty', access: 'secured' });
    const headers = bearer(await logIn(call, 'admin', users.find(({ role }) => role === 'admin')?.password));
    for (let index = 0; index < RECEIVERS; index++) {
      const json = { url: `${receiver.origin}/hook`, events: ['pet.*'] };
      assert.equal((await call('POST', 'admin/webhooks', { headers, json })).status, 200);
    }
    for (let index = 0; index < CHANGES; index++)
      assert.equal((await call('POST', 'pet', { headers, json: { name: `Pet ${index}` } })).status, 200);
    const waiting = async () => {
      const { text } = await call('GET', 'admin/webhooks', { headers });
      return (JSON.parse(text) as { waiting: number }[]).reduce((sum, each) => sum + each.waiting, 0);
    };
    await until('the others wait', async () => receiver.calls.length + (await waiting()) === RECEIVERS * CHANGES);
    assert.equal(receiver.calls.length, 300);
    nowMs += 60_000;
    await until('all are delivered', async () => receiver.calls.length === RECEIVERS * CHANGES);
  },
);

void test('outgoing traffic: playgrounds upload nothing to the listing sites of their service', options, async (t) => {
  const site = ['--public-url', 'https://pets.example.org', '--open-upload-url', 'ftp://user:password@127.0.0.1:1/'];
  const { base, origin } = await startTestService(t, { flags: ['--empty', '--access=sandbox', ...site] });
  const options = { contents: 'empty', access: 'secured' };
  const { base: publicBase, users } = await createPlayground(clientOf(base), options);
  const call = clientOf(origin + new URL(publicBase).pathname);
  const headers = bearer(await logIn(call, 'admin', users.find(({ role }) => role === 'admin')?.password));
  const { text } = await call('PATCH', 'admin/listings/open', { headers, json: { on: true } });
  assert.ok(text.includes('"on":true') && !text.includes('uploadTo'), text);
  assert.equal((await call('POST', 'admin/listings/open/upload', { headers })).status, 409);
});
