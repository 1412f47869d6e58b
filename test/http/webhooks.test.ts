import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { problemsOfDelivery } from '../support/answer-check.ts';
import { assertRefused, type Answer, type CallOptions } from '../support/client.ts';
import { bearer, logIn, startSecuredService, type SecuredService } from '../support/secured.ts';
import { startReceiver, type ReceivedCall, type Receiver } from '../support/webhook-receiver.ts';
import { until } from '../support/workers.ts';

const FLAGS = ['--webhook-private-addresses', '--webhook-timeout-seconds', '1', '--webhook-retry-seconds', '1,1'];

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

interface Started extends SecuredService {
  as: (method: string, path: string, options?: CallOptions) => Promise<Answer>;
  receiver: Receiver;
}

async function start(t: TestContext, flags: readonly string[] = FLAGS): Promise<Started> {
  const receiver = await startReceiver(t);
  const service = await startSecuredService(t, { flags });
  const headers = bearer(await logIn(service.call, 'root'));
  return {
    ...service,
    receiver,
    as: (method, path, options = {}) => service.call(method, path, { headers, ...options }),
  };
}

async function create(
  { as, receiver }: Started,
  events: readonly string[] = ['pet.*'],
  path = '',
): Promise<WebhookView> {
  const answer = await as('POST', 'admin/webhooks', { json: { url: `${receiver.origin}/${path}`, events } });
  assert.equal(answer.status, 200, answer.text);
  return JSON.parse(answer.text) as WebhookView;
}

async function read<T>({ as }: Started, path: string): Promise<T> {
  const answer = await as('GET', path);
  assert.equal(answer.status, 200, answer.text);
  return JSON.parse(answer.text) as T;
}

async function addPet({ as }: Started, id: number): Promise<void> {
  assert.equal((await as('POST', 'pet', { json: { id, name: `Rex ${id}`, photoUrls: [] } })).status, 200);
}

/** Verified by a third-party package, which throws if this secret did not sign the call. */
function verified(secret: string, { body, headers }: ReceivedCall): { type: string; timestamp: string; data: unknown } {
  return new Webhook(secret).verify(body, headers as Record<string, string>) as ReturnType<typeof verified>;
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
    const service = await start(t);
    await addPet(service, 1);
    const { secret = '', ...webhook } = await create(service, ['pet.*', 'account.created']);
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    await addPet(service, 2);
    await service.as('POST', 'user', { json: { username: 'newcomer' } });
    await service.as('POST', 'admin/users/newcomer/close');
    await service.as('DELETE', 'pet/2');
    const calls = await untilCalled(service.receiver, 3);
    await delay(700);
    assert.equal(calls.length, 3);
    const verifiedEvents = calls
      .map((call) => verified(secret, call))
      .toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
    assert.deepEqual(
      verifiedEvents.map(({ type }) => type),
      ['pet.added', 'account.created', 'pet.deleted'],
    );
    const { data } = verifiedEvents[0] as { data: Record<string, unknown> };
    assert.deepEqual([data['id'], data['type'], data['changedBy']], [2, 'pet.added', 1]);
    assert.equal(new Set(calls.map(({ headers }) => headers['webhook-id'])).size, 3);
    for (const { body } of calls)
      assert.deepEqual(problemsOfDelivery(body.includes('"type":"pet.') ? 'petEvent' : 'accountEvent', body), []);
    assert.deepEqual(Object.keys(webhook), ['id', 'url', 'events', 'state', 'lastVersion', 'waiting', 'createdAt']);
    const [listed] = await read<WebhookView[]>(service, 'admin/webhooks');
    assert.equal(listed?.secret, undefined);
    assert.equal((await service.as('GET', `admin/webhooks/${webhook.id}`)).text.includes('whsec'), false);
  });

  void it('retry under the same id until the event is a dead letter, and again on request', async (t) => {
    const service = await start(t);
    const { receiver, as } = service;
    const { id, secret = '' } = await create(service);
    receiver.answer((call, response) => response.writeHead(petIdOf(call) === 1 ? 500 : 204).end());
    await addPet(service, 1);
    await addPet(service, 2);
    const letters = () => read<Letter[]>(service, `admin/webhooks/${id}/dead-letters`);
    await until('a dead letter', async () => (await letters()).length === 1);
    const attempts = receiver.calls.filter((call) => petIdOf(call) === 1);
    assert.equal(attempts.length, 3);
    assert.equal(new Set(attempts.map(({ headers }) => headers['webhook-id'])).size, 1);
    assert.equal(new Set(attempts.map(({ headers }) => headers['webhook-signature'])).size >= 2, true, 'signed again');
    assert.equal(receiver.calls.filter((call) => petIdOf(call) === 2).length, 1, 'later events must not wait');
    const [letter] = await letters();
    assert.deepEqual([letter?.attempts, letter?.lastStatus, letter?.lastError], [3, 500, null]);
    receiver.answer(200);
    assertRefused(await as('POST', `admin/webhooks/${id}/dead-letters/999/retry`), 404);
    assert.equal((await as('POST', `admin/webhooks/${id}/dead-letters/${letter?.id}/retry`)).status, 200);
    await until('the letter', async () => receiver.calls.filter((call) => petIdOf(call) === 1).length === 4);
    verified(secret, receiver.calls.at(-1) ?? assert.fail());
    assert.deepEqual(await letters(), []);
    assert.match((await as('POST', `admin/webhooks/${id}/dead-letters/retry`)).text, /"message":"0"/);
  });

  void it('receive missed events after a pause', async (t) => {
    const service = await start(t);
    const { id } = await create(service);
    const paused = await service.as('PATCH', `admin/webhooks/${id}`, { json: { paused: true } });
    assert.match(paused.text, /"state":"paused"/);
    for (let pet = 1; pet <= 40; pet++) await addPet(service, pet);
    await delay(700);
    assert.equal(service.receiver.calls.length, 0);
    await service.as('PATCH', `admin/webhooks/${id}`, { json: { paused: false } });
    const calls = await untilCalled(service.receiver, 40);
    assert.deepEqual(new Set(calls.map(petIdOf)), new Set(Array.from({ length: 40 }, (_, index) => index + 1)));
    await until(
      'expected no pending event',
      async () => (await read<WebhookView>(service, `admin/webhooks/${id}`)).lastVersion >= 40,
    );
  });

  void it('are not called again after 410', async (t) => {
    const service = await start(t);
    const { id } = await create(service);
    service.receiver.answer(410);
    await addPet(service, 1);
    const stateOf = async () => (await read<WebhookView>(service, `admin/webhooks/${id}`)).state;
    await until('the end', async () => (await stateOf()) === 'gone');
    const { length } = service.receiver.calls;
    await addPet(service, 2);
    await delay(1500);
    assert.equal(service.receiver.calls.length, length);
  });

  void it('can be tested, and checked by their own secret', async (t) => {
    const service = await start(t);
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const json = { url: service.receiver.origin, events: ['*'], secret };
    const { id } = JSON.parse((await service.as('POST', 'admin/webhooks', { json })).text) as WebhookView;
    const test = async () => (await service.as('POST', `admin/webhooks/${id}/test`)).text;
    assert.equal(await test(), '{"delivered":true,"status":200,"error":null}');
    const ping = service.receiver.calls[0] ?? assert.fail();
    assert.deepEqual(verified(secret, ping).type, 'webhook.ping');
    assert.deepEqual(problemsOfDelivery('ping', ping.body), []);
    service.receiver.answer(503);
    assert.equal(await test(), '{"delivered":false,"status":503,"error":null}');
    service.receiver.answer(() => {});
    assert.equal(await test(), '{"delivered":false,"status":null,"error":"timeout"}');
  });

  void it('delay neither others nor the shutdown if the receiver does not answer', async (t) => {
    const service = await start(t, ['--webhook-private-addresses', '--stop-timeout-seconds', '10']);
    const slow = await startReceiver(t);
    slow.answer(() => {});
    await create({ ...service, receiver: slow });
    await create(service);
    await addPet(service, 1);
    await untilCalled(service.receiver, 1);
    await untilCalled(slow, 1);
    const startedMs = performance.now();
    await service.stop();
    const tookMs = Math.round(performance.now() - startedMs);
    assert.ok(tookMs < 4000, `it took ${tookMs} ms`);
  });

  void it('are refused with invalid fields', async (t) => {
    const service = await start(t, []);
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
      assertRefused(await service.as('POST', 'admin/webhooks', { json }), 400, JSON.stringify(json));
    assert.deepEqual(await read(service, 'admin/webhooks'), []);
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
      assertRefused(await service.as(method, `admin/webhooks/none${path}`, options), 404, path);
    }
  });

  void it('are deleted with their pending events', async (t) => {
    const service = await start(t);
    const { id } = await create(service);
    service.receiver.answer(500);
    await addPet(service, 1);
    await untilCalled(service.receiver, 1);
    assert.equal((await service.as('DELETE', `admin/webhooks/${id}`)).status, 200);
    await delay(300);
    const { length } = service.receiver.calls;
    await delay(1800);
    assert.equal(service.receiver.calls.length, length);
  });
});
