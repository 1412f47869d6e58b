import assert from 'node:assert/strict';
import { after, describe, it, type TestContext } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { assertRefused, type CallOptions } from '../support/client.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';
import { startReceiver, type ReceivedCall, type Receiver } from '../support/webhook-receiver.ts';
import { until } from '../support/until.ts';

/* What a receiver of webhooks can rely on: its Retry-After, two secrets during a rotation, one ID for one event. */

const HOUR_MS = 3_600_000;

/** Ahead of the system's clock: retries are due, and rotations end, when a test says so. */
let aheadMs = 0;
const service = await startSecuredService(
  { after },
  {
    flags: ['--webhook-private-addresses'],
    config: { features: { webhookTimeoutMs: 60_000, webhookRetryDelaysMs: [20_000, 20_000] } },
    clock: () => Date.now() + aheadMs,
  },
);
let root = bearer(await logIn(service.call, 'root'));
const as = (method: string, path: string, options: CallOptions = {}) =>
  service.call(method, path, { headers: root, ...options });

interface WebhookView {
  id: string;
  waiting: number;
  secret: string;
  previousSecretUntil?: string;
}

async function read(path: string): Promise<WebhookView> {
  const { status, text } = await as('GET', path);
  assert.equal(status, 200, text);
  assert.doesNotMatch(text, /whsec/);
  return JSON.parse(text) as WebhookView;
}

/** A webhook of the receiver, which is deleted after the test. */
async function open(t: TestContext, receiver: Receiver) {
  const json = { url: receiver.origin, events: ['pet.*'] };
  const { status, text } = await as('POST', 'admin/webhooks', { json });
  assert.equal(status, 200, text);
  const { id, secret } = JSON.parse(text) as WebhookView;
  const path = `admin/webhooks/${id}`;
  t.after(() => as('DELETE', path));
  return { path, secret, rotation: `${path}/secret-rotation`, view: () => read(path) };
}

async function addPet(name = 'Rex'): Promise<void> {
  const { status, text } = await as('POST', 'pet', { json: { name } });
  assert.equal(status, 200, text);
}

async function callsOf({ calls }: Receiver, count: number): Promise<readonly ReceivedCall[]> {
  await until(`${count} calls`, async () => calls.length >= count);
  return calls;
}

function isSignedBy(secret: string, { body, headers }: ReceivedCall): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

/** Sends an event for another receiver, which gets it after those that are due. */
async function letDueDeliveriesPass(t: TestContext): Promise<void> {
  const marker = await startReceiver(t);
  await open(t, marker);
  await addPet('Marker');
  await callsOf(marker, 1);
}

async function rotate(path: string): Promise<WebhookView> {
  const { status, text } = await as('POST', path);
  assert.equal(status, 200, text);
  return JSON.parse(text) as WebhookView;
}

void describe('Rotation of the secret of a webhook:', () => {
  void it('both secrets sign, until it is ended', async (t) => {
    const receiver = await startReceiver(t);
    const { path, secret, rotation, view } = await open(t, receiver);
    assert.equal((await view()).previousSecretUntil, undefined);
    const rotated = await rotate(rotation);
    assert.match(rotated.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.notEqual(rotated.secret, secret);
    assert.equal((await view()).previousSecretUntil, rotated.previousSecretUntil);
    await addPet();
    assert.equal((await as('POST', `${path}/test`)).status, 200);
    for (const call of await callsOf(receiver, 2))
      assert.deepEqual([isSignedBy(secret, call), isSignedBy(rotated.secret, call)], [true, true]);

    assert.equal((await as('DELETE', rotation)).status, 200);
    assert.equal((await as('DELETE', rotation)).status, 200, 'a second click');
    assert.equal((await view()).previousSecretUntil, undefined);
    await addPet();
    const last = (await callsOf(receiver, 3)).at(-1) ?? assert.fail();
    assert.deepEqual([isSignedBy(secret, last), isSignedBy(rotated.secret, last)], [false, true]);
    const log = await as('GET', 'admin/audit?action=webhook&limit=10');
    assert.match(log.text, /webhook\.secret-rotated/);
    assert.equal(log.text.match(/webhook\.rotation-ended/g)?.length, 1);
    assert.doesNotMatch(log.text, /whsec/);
  });

  void it('of several at the same time, one succeeds, and its secrets sign', async (t) => {
    const receiver = await startReceiver(t);
    const { secret, rotation } = await open(t, receiver);
    const all = await Promise.all(Array.from({ length: 5 }, () => as('POST', rotation)));
    const statuses = all.map(({ status }) => status).toSorted((one, other) => one - other);
    assert.deepEqual(statuses, [200, 409, 409, 409, 409]);
    for (const response of all.filter(({ status }) => status === 409))
      assert.match(assertRefused(response, 409).message, /End this rotation/);
    const rotated = JSON.parse(all.find(({ status }) => status === 200)?.text ?? '') as WebhookView;
    await addPet();
    const [call = assert.fail()] = await callsOf(receiver, 1);
    assert.deepEqual([isSignedBy(secret, call), isSignedBy(rotated.secret, call)], [true, true]);
  });

  void it('ends by itself, and another one can begin', async (t) => {
    const receiver = await startReceiver(t);
    const { secret, rotation, view } = await open(t, receiver);
    const rotated = await rotate(rotation);
    aheadMs += Date.parse(rotated.previousSecretUntil ?? '') - (Date.now() + aheadMs) + 1000;
    root = bearer(await logIn(service.call, 'root'));
    assert.equal((await view()).previousSecretUntil, undefined);
    await addPet();
    const [call = assert.fail()] = await callsOf(receiver, 1);
    // Libraries refuse a time that is far ahead of the system's clock, so the signatures are counted.
    assert.equal(String(call.headers['webhook-signature']).split(' ').length, 1);
    assert.notEqual((await rotate(rotation)).secret, secret);
  });

  void it('a secret that is set replaces both', async (t) => {
    const receiver = await startReceiver(t);
    const { path, rotation, view } = await open(t, receiver);
    await rotate(rotation);
    const own = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    assert.equal((await as('PATCH', path, { json: { secret: own } })).status, 200);
    assert.equal((await view()).previousSecretUntil, undefined);
    await addPet();
    const [call = assert.fail()] = await callsOf(receiver, 1);
    assert.equal(String(call.headers['webhook-signature']).split(' ').length, 1);
  });

  void it('is refused for an unknown webhook', async () => {
    assertRefused(await as('POST', 'admin/webhooks/none/secret-rotation'), 404);
    assertRefused(await as('DELETE', 'admin/webhooks/none/secret-rotation'), 404);
  });
});

void describe('The ID of an event for webhooks:', () => {
  void it('is the same for all receivers, webhooks and attempts, and another one for another event', async (t) => {
    const receivers = [await startReceiver(t), await startReceiver(t)];
    const [first = assert.fail(), second = assert.fail()] = receivers;
    // Two webhooks of one receiver, as two administrators may create them.
    const webhooks = [await open(t, first), await open(t, first), await open(t, second)];
    first.respond(500);
    await addPet();
    await callsOf(first, 2);
    for (const { view } of webhooks.slice(0, 2))
      await until('the delivery waits', async () => (await view()).waiting === 1);
    first.respond(200);
    aheadMs += 25_000;
    await callsOf(first, 4);
    await callsOf(second, 1);
    const ids = [...first.calls, ...second.calls].map(({ headers }) => headers['webhook-id']);
    assert.equal(new Set(ids).size, 1);
    await addPet();
    const later = (await callsOf(second, 2)).at(-1);
    assert.notEqual(later?.headers['webhook-id'], ids[0]);
  });

  void it('differs between services, although versions and times are the same', async (t) => {
    const receiver = await startReceiver(t);
    const nowMs = Date.now();
    for (let count = 1; count <= 2; count++) {
      const other = await startSecuredService(t, { flags: ['--webhook-private-addresses'], clock: () => nowMs });
      const headers = bearer(await logIn(other.call, 'root'));
      await other.call('POST', 'admin/webhooks', { headers, json: { url: receiver.origin, events: ['pet.*'] } });
      await other.call('POST', 'pet', { headers, json: { name: 'Rex' } });
      await callsOf(receiver, count);
    }
    const [one, two] = receiver.calls.map(({ body, headers }) => ({
      data: (JSON.parse(body) as { data: { version: number; at: string } }).data,
      id: headers['webhook-id'],
    }));
    assert.deepEqual([one?.data.version, one?.data.at], [two?.data.version, two?.data.at]);
    assert.notEqual(one?.id, two?.id);
  });
});

void describe('Retry-After of a webhook:', () => {
  for (const [status, retryAfter] of [
    [429, () => '120'],
    [503, () => new Date(Date.now() + 120_000).toUTCString()],
  ] as const)
    void it(`${status} puts off the next attempt beyond the usual delay`, async (t) => {
      const receiver = await startReceiver(t);
      const { view } = await open(t, receiver);
      receiver.respond((_call, response) => response.writeHead(status, { 'retry-after': retryAfter() }).end());
      await addPet('Late');
      await callsOf(receiver, 1);
      await until('the delivery waits', async () => (await view()).waiting === 1);
      receiver.respond(200);
      const late = () => receiver.calls.filter(({ body }) => body.includes('"Late"'));
      aheadMs += 60_000;
      await letDueDeliveriesPass(t);
      await callsOf(receiver, 2);
      assert.equal(late().length, 1, 'the usual delay has passed');
      aheadMs += 65_000;
      await until('the retry', async () => late().length === 2);
      await until('no delivery waits', async () => (await view()).waiting === 0);
    });

  void it('never hastens an attempt, and ten years are a day', async (t) => {
    const receiver = await startReceiver(t);
    const { view } = await open(t, receiver);
    const attempts = () => receiver.calls.filter(({ body }) => body.includes('"Patient"')).length;
    const refuseWith = (retryAfter: string) =>
      receiver.respond((_call, response) => response.writeHead(429, { 'retry-after': retryAfter }).end());
    const passTime = async (durationMs: number) => {
      await until('a delivery waits', async () => (await view()).waiting > 0);
      aheadMs += durationMs;
      // Sessions end.
      root = bearer(await logIn(service.call, 'root'));
      await letDueDeliveriesPass(t);
    };
    refuseWith('-60');
    await addPet('Patient');
    await until('the first attempt', async () => attempts() === 1);
    refuseWith(String(10 * 365 * 24 * 3600));
    await passTime(0);
    assert.equal(attempts(), 1, 'the usual delay has not passed');
    await passTime(25_000);
    await until('the second attempt', async () => attempts() === 2);
    receiver.respond(200);
    await until('its outcome is stored', async () => (await view()).waiting > 0);
    await passTime(23 * HOUR_MS);
    assert.equal(attempts(), 2, 'a day has not passed');
    await passTime(HOUR_MS + 60_000);
    await until('the third attempt', async () => attempts() === 3);
  });
});
