import assert from 'node:assert/strict';
import { after, describe, it, type TestContext } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { problemsOfDelivery } from '../support/response-check.ts';
import { assertRefused, clientOf, type CallOptions } from '../support/client.ts';
import { inTime, startSlowlyStopping } from '../support/deadline.ts';
import { bearer, logIn, newSecuredFolder, startSecuredService } from '../support/secured.ts';
import { startReceiver, type ReceivedCall, type Receiver } from '../support/webhook-receiver.ts';
import { until } from '../support/until.ts';

/**
 * Ahead of the system's clock: retries are due when a test says so. Less than five minutes, for which signatures are
 * valid.
 */
let aheadMs = 0;
const service = await startSecuredService(
  { after },
  {
    // A receiver that responds is never late, however busy the machine is.
    flags: ['--webhook-private-addresses'],
    config: { features: { webhookTimeoutMs: 60_000, webhookRetryDelaysMs: [20_000, 20_000] } },
    clock: () => Date.now() + aheadMs,
  },
);
const root = bearer(await logIn(service.call, 'root'));
const as = (method: string, path: string, options: CallOptions = {}) =>
  service.call(method, path, { headers: root, ...options });

interface WebhookView {
  id: string;
  url: string;
  events: string[];
  state: string;
  lastVersion: number;
  waiting: number;
  secret?: string;
}

interface Letter {
  id: number;
  attempts: number;
  lastStatus: number | null;
  lastError: string | null;
}

/** A webhook with its receiver, which is deleted after the test. */
async function open(t: TestContext, events: readonly string[] = ['pet.*']) {
  const receiver = await startReceiver(t);
  const response = await as('POST', 'admin/webhooks', { json: { url: receiver.origin, events } });
  assert.equal(response.status, 200, response.text);
  const created = JSON.parse(response.text) as WebhookView;
  const path = `admin/webhooks/${created.id}`;
  t.after(() => as('DELETE', path));
  return { receiver, created, path, secret: created.secret ?? '', view: () => read<WebhookView>(path) };
}

async function read<T>(path: string): Promise<T> {
  const response = await as('GET', path);
  assert.equal(response.status, 200, response.text);
  return JSON.parse(response.text) as T;
}

let lastPetId = 0;

async function addPet(): Promise<number> {
  const id = ++lastPetId;
  assert.equal((await as('POST', 'pet', { json: { id, name: `Rex ${id}`, photoUrls: [] } })).status, 200);
  return id;
}

/** Makes all retries due. */
function passTime(): void {
  aheadMs += 25_000;
}

/** Verified by a third-party package, which throws if this secret did not sign the call. */
function verified(secret: string, { body, headers }: ReceivedCall): { type: string; timestamp: string; data: unknown } {
  return new Webhook(secret).verify(body, headers as Record<string, string>) as ReturnType<typeof verified>;
}

function versionOf({ headers }: ReceivedCall): number {
  return Number(String(headers['webhook-id']).split('_').at(-1));
}

function petIdOf({ body }: ReceivedCall): number {
  return (JSON.parse(body) as { data: { id: number } }).data.id;
}

async function untilCalled({ calls }: Receiver, count: number): Promise<readonly ReceivedCall[]> {
  await until(`${count} calls`, async () => calls.length >= count);
  return calls;
}

void describe('webhooks', () => {
  void it('receive signed events of later changes, each once', async (t) => {
    await addPet();
    const { receiver, created, secret, path } = await open(t, ['pet.*', 'account.created']);
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    const id = await addPet();
    await as('POST', 'user', { json: { username: 'newcomer' } });
    await as('POST', 'admin/users/newcomer/close');
    await as('DELETE', `pet/${id}`);
    await untilCalled(receiver, 3);
    // An event that was sent twice would come before a later one.
    await addPet();
    const calls = (await untilCalled(receiver, 4)).slice(0, 4);
    assert.equal(receiver.calls.length, 4);
    const verifiedEvents = calls
      .toSorted((one, other) => versionOf(one) - versionOf(other))
      .map((call) => verified(secret, call));
    assert.deepEqual(
      verifiedEvents.map(({ type }) => type),
      ['pet.added', 'account.created', 'pet.deleted', 'pet.added'],
    );
    const { data } = verifiedEvents[0] as { data: Record<string, unknown> };
    assert.deepEqual([data['id'], data['type'], data['actor']], [id, 'pet.added', { id: 1 }]);
    assert.equal(new Set(calls.map(({ headers }) => headers['webhook-id'])).size, 4);
    for (const { body } of calls)
      assert.deepEqual(problemsOfDelivery(body.includes('"type":"pet.') ? 'petEvent' : 'accountEvent', body), []);
    const names = Object.keys(created).filter((name) => name !== 'secret');
    assert.deepEqual(names, ['id', 'url', 'events', 'state', 'lastVersion', 'waiting', 'createdAt']);
    assert.equal((await as('GET', 'admin/webhooks')).text.includes('whsec'), false);
    assert.equal((await as('GET', path)).text.includes('whsec'), false);
  });

  void it('retry under the same id until the event is a dead letter, and again on request', async (t) => {
    const { receiver, secret, path, view } = await open(t);
    const failing = lastPetId + 1;
    receiver.respond((call, response) => response.writeHead(petIdOf(call) === failing ? 500 : 204).end());
    await addPet();
    const later = await addPet();
    const attempts = () => receiver.calls.filter((call) => petIdOf(call) === failing);
    const letters = () => read<Letter[]>(`${path}/dead-letters`);
    await until('the event waits', async () => (await view()).waiting === 1);
    passTime();
    await until('the second attempt', async () => attempts().length === 2);
    // Its outcome is stored before a later event is sent.
    await addPet();
    await untilCalled(receiver, 4);
    passTime();
    await until('a dead letter', async () => (await letters()).length === 1);
    assert.equal(attempts().length, 3);
    assert.equal(new Set(attempts().map(({ headers }) => headers['webhook-id'])).size, 1);
    assert.equal(new Set(attempts().map(({ headers }) => headers['webhook-signature'])).size, 3, 'signed again');
    assert.equal(receiver.calls.filter((call) => petIdOf(call) === later).length, 1, 'later events must not wait');
    const [letter] = await letters();
    assert.deepEqual([letter?.attempts, letter?.lastStatus, letter?.lastError], [3, 500, null]);
    receiver.respond(200);
    assertRefused(await as('POST', `${path}/dead-letters/999/retry`), 404);
    assert.equal((await as('POST', `${path}/dead-letters/${letter?.id}/retry`)).status, 200);
    await until('the letter', async () => attempts().length === 4);
    verified(secret, receiver.calls.at(-1) ?? assert.fail());
    assert.deepEqual(await letters(), []);
    assert.match((await as('POST', `${path}/dead-letters/retry`)).text, /"message":"0"/);
  });

  void it('receive missed events after a pause', async (t) => {
    const { receiver, path, view } = await open(t);
    const other = await open(t);
    const paused = await as('PATCH', path, { json: { paused: true } });
    assert.match(paused.text, /"state":"paused"/);
    const ids = new Set<number>();
    for (let count = 0; count < 40; count++) ids.add(await addPet());
    await untilCalled(other.receiver, 40);
    assert.equal(receiver.calls.length, 0);
    await as('PATCH', path, { json: { paused: false } });
    const calls = await untilCalled(receiver, 40);
    assert.deepEqual(new Set(calls.map(petIdOf)), ids);
    await until('no pending event', async () => (await view()).lastVersion === (await other.view()).lastVersion);
  });

  void it('are not called again after 410', async (t) => {
    const { receiver, view } = await open(t);
    const other = await open(t);
    receiver.respond(410);
    await addPet();
    await until('the end', async () => (await view()).state === 'gone');
    const { length } = receiver.calls;
    await addPet();
    await untilCalled(other.receiver, 2);
    passTime();
    await addPet();
    await untilCalled(other.receiver, 3);
    assert.equal(receiver.calls.length, length);
  });

  void it('are deleted with their pending events', async (t) => {
    const { receiver, path, view } = await open(t);
    const other = await open(t);
    for (const each of [receiver, other.receiver]) each.respond(500);
    await addPet();
    await until('both wait', async () => (await view()).waiting === 1 && (await other.view()).waiting === 1);
    assert.equal((await as('DELETE', path)).status, 200);
    const { length } = receiver.calls;
    passTime();
    await untilCalled(other.receiver, 2);
    await addPet();
    await untilCalled(other.receiver, 3);
    assert.equal(receiver.calls.length, length);
  });

  void it('can be tested, and checked by their own secret', async (t) => {
    const receiver = await startReceiver(t);
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const json = { url: receiver.origin, events: ['*'], secret };
    const { id } = JSON.parse((await as('POST', 'admin/webhooks', { json })).text) as WebhookView;
    t.after(() => as('DELETE', `admin/webhooks/${id}`));
    const test = async () => (await as('POST', `admin/webhooks/${id}/test`)).text;
    assert.equal(await test(), '{"delivered":true,"status":200,"error":null}');
    const ping = receiver.calls[0] ?? assert.fail();
    assert.deepEqual(verified(secret, ping).type, 'webhook.ping');
    assert.deepEqual(problemsOfDelivery('ping', ping.body), []);
    receiver.respond(503);
    assert.equal(await test(), '{"delivered":false,"status":503,"error":null}');
  });

  void it('delay neither others nor the shutdown if the receiver does not respond', async (t) => {
    const flags = ['--access', 'secured', '--webhook-private-addresses'];
    const config = { features: { webhookTimeoutMs: 60_000 } };
    const stopping = await startSlowlyStopping(t, flags, newSecuredFolder, config);
    const call = clientOf(stopping.base);
    const headers = bearer(await logIn(call, 'root'));
    const [slow, quick] = [await startReceiver(t), await startReceiver(t)];
    slow.respond(() => {});
    for (const { origin } of [slow, quick])
      await call('POST', 'admin/webhooks', { headers, json: { url: origin, events: ['pet.*'] } });
    await call('POST', 'pet', { headers, json: { name: 'Rex' } });
    await untilCalled(slow, 1);
    await untilCalled(quick, 1);
    await inTime('the stop', stopping.stop());
  });

  void it('are refused with invalid fields', async (t) => {
    const strict = await startSecuredService(t);
    const headers = bearer(await logIn(strict.call, 'root'));
    const as = (method: string, path: string, options: CallOptions = {}) =>
      strict.call(method, path, { headers, ...options });
    for (const json of [
      {},
      { url: 'https://example.org' },
      { url: 'https://example.org', events: [] },
      { url: 'https://example.org', events: ['pet.sung'] },
      { url: 'https://example.org', events: ['pet.*', 'pet.*'] },
      { url: 'https://example.org', events: ['*'], secret: 'short' },
      { url: 'http://example.org', events: ['*'] },
      { url: 'https://127.0.0.1', events: ['*'] },
      { url: 'https://a:b@example.org', events: ['*'] },
      { url: 7, events: ['*'] },
    ])
      assertRefused(await as('POST', 'admin/webhooks', { json }), 400, JSON.stringify(json));
    assert.equal((await as('GET', 'admin/webhooks')).text, '[]');
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/test'],
      ['GET', '/dead-letters'],
      ['POST', '/dead-letters/retry'],
      ['POST', '/dead-letters/7/retry'],
    ] as const) {
      const options = method === 'PATCH' ? { json: { paused: true } } : {};
      assertRefused(await as(method, `admin/webhooks/none${path}`, options), 404, path);
    }
  });
});
