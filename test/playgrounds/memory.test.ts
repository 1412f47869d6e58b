import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { assertRefused, clientOf, type Call } from '../support/client.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { fileUpload } from '../support/multipart.ts';
import { skipWithoutPlaygrounds } from '../support/nodes.ts';
import { makePhoto } from '../support/photos.ts';
import { createPlayground, fill, playgroundState, type TestPlayground } from '../support/playgrounds.ts';
import { bearer, logIn } from '../support/secured.ts';
import { startTestService } from '../support/service.ts';
import { until } from '../support/until.ts';

/*
 * Attacks on the memory of playgrounds by anonymous clients. All playgrounds have 16 MiB, so each has 4 MiB, and those
 * of one network have 8 MiB.
 */

const options = { skip: skipWithoutPlaygrounds() };

const FLAGS = ['--empty', '--access=sandbox', '--trusted-proxies=1', '--playground-memory-mib=16'];

/** A client in this network. */
function from(base: string, network: string): Call {
  const call = clientOf(base);
  return (method, path, { headers = {}, ...rest } = {}) =>
    call(method, path, { ...rest, headers: { 'x-forwarded-for': network, ...headers } });
}

async function startSmall(t: Lifetime) {
  let nowMs = Date.now();
  const { base, origin } = await startTestService(t, { flags: FLAGS, clock: () => nowMs });
  const metrics = async () => (await clientOf(base)('GET', `${origin}/metrics`)).text;
  return {
    call: from(base, '203.0.113.1'),
    from: (network: string) => from(base, network),
    bytes: async () => Number(/^menagerie_playground_memory_bytes (\d+)$/m.exec(await metrics())?.[1]),
    pass: (ms: number) => (nowMs += ms),
  };
}

const snapshot = (call: Call, { token }: Pick<TestPlayground, 'token'>) =>
  call('POST', `playgrounds/${token}/snapshots`);

async function namesOf({ call }: TestPlayground): Promise<string[]> {
  const { text } = await call('GET', 'pet/findByStatus?status=available');
  return (JSON.parse(text) as { name: string }[]).map(({ name }) => name);
}

void test('playground memory: pets beyond its own limit get 507, and change nothing', options, async (t) => {
  const { call } = await startSmall(t);
  const playground = await createPlayground(call, { contents: 'empty' });
  const { stored, refusal } = await fill(playground);
  assert.match(assertRefused(refusal, 507).message, /at most 4 MiB/);
  assert.ok(stored > 2, String(stored));
  assert.equal((await namesOf(playground)).length, stored);
  // What takes no more is still possible.
  assert.equal((await playground.call('DELETE', 'pet/1')).status, 200);
  assert.equal((await call('POST', `playgrounds/${playground.token}/reset`)).status, 200);
  assert.equal((await playground.call('POST', 'pet', { json: { name: 'Luna' } })).status, 200);
});

void test('playground memory: users, webhooks and kept responses count as well', options, async (t) => {
  const { call } = await startSmall(t);
  const playground = await createPlayground(call, { contents: 'empty' });
  await fill(playground);
  const users = Array.from({ length: 200 }, (_, index) => ({
    username: `user-${index}`,
    firstName: 'x'.repeat(250),
    lastName: 'y'.repeat(250),
  }));
  for (let round = 0; ; round++) {
    assert.ok(round < 100, 'users are limited');
    const json = users.map((user) => ({ ...user, username: `${user.username}-${round}` }));
    const { status } = await playground.call('POST', 'user/createWithList', { json });
    if (status === 507) break;
    assert.equal(status, 200);
  }
});

void test('playground memory: snapshots beyond the limit get 507, and the others stay', options, async (t) => {
  const { call, bytes } = await startSmall(t);
  const playground = await createPlayground(call, { contents: 'empty' });
  for (let index = 0; index < 3; index++) await playground.call('POST', 'pet', { json: { name: `Pet ${index}` } });
  const taken: string[] = [];
  for (;;) {
    await playground.call('POST', 'pet', { json: { ...JSON.parse(largeText()), id: 1 } });
    const response = await snapshot(call, playground);
    if (response.status !== 200) {
      assertRefused(response, 507);
      break;
    }
    taken.push((JSON.parse(response.text) as { id: string }).id);
    assert.ok(taken.length < 10, 'snapshots are limited');
  }
  const { snapshots } = await playgroundState(call, playground);
  assert.deepEqual(
    snapshots.map(({ id }) => id),
    taken,
  );
  assert.ok((await bytes()) <= 4 * 1024 * 1024);
  assert.equal((await call('POST', `playgrounds/${playground.token}/snapshots/${taken[0]}/restore`)).status, 200);
});

function largeText(): string {
  return JSON.stringify({ name: 'Luna', status: 'available', photoUrls: Array.from({ length: 100 }, randomUrl) });
}

function randomUrl(): string {
  return `https://example.org/${Array.from({ length: 50 }, () => crypto.randomUUID()).join('')}`;
}

void test('playground memory: photos count with those of snapshots, and again after a restore', options, async (t) => {
  const { call, bytes } = await startSmall(t);
  const photoBytes = 100_000;
  const playground = await createPlayground(call, { contents: 'empty', limits: { photoBytes } });
  await playground.call('POST', 'pet', { json: { name: 'Luna' } });
  const { id } = JSON.parse((await snapshot(call, playground)).text) as { id: string };
  const upload = async (side: number) =>
    playground.call('POST', 'pet/1/uploadImage', fileUpload(await makePhoto({ width: side, height: side })));
  const before = await bytes();
  for (let round = 0; round < 8; round++) {
    assert.equal((await upload(40 + round)).status, 200);
    assert.equal((await call('POST', `playgrounds/${playground.token}/snapshots/${id}/restore`)).status, 200);
  }
  // Photos that nothing has any more do not count.
  assert.ok((await bytes()) <= before + photoBytes, `${await bytes()} after ${before}`);
});

void test('playground memory: one network leaves half of it to others', options, async (t) => {
  const service = await startSmall(t);
  for (;;) {
    const created = await service.call('POST', 'playgrounds', { json: { contents: 'empty' } });
    if (created.status !== 200) {
      assert.match(assertRefused(created, 507).message, /from your address can take at most 8 MiB/);
      break;
    }
    const { base } = JSON.parse(created.text) as { base: string };
    await fill({ call: clientOf(base) });
  }
  assert.ok((await service.bytes()) <= 8 * 1024 * 1024);
  const other = service.from('203.0.113.2');
  const playground = await createPlayground(other);
  assert.equal((await playground.call('GET', 'pet/1')).status, 200);
});

void test('playground memory: without any left, 503 with Retry-After; idle ones sleep first', options, async (t) => {
  const service = await startSmall(t);
  const idle = await createPlayground(service.from('203.0.113.9'), { contents: 'samples' });
  for (const network of ['203.0.113.1', '203.0.113.2']) await fillNetwork(service.from(network));
  const other = service.from('203.0.113.3');
  const refused = await other('POST', 'playgrounds', { json: { contents: 'samples' } });
  assertRefused(refused, 503);
  assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
  assert.ok((await service.bytes()) <= 16 * 1024 * 1024);
  assert.equal((await playgroundState(other, idle)).state, 'awake');
  service.pass(6000);
  await until('idle playgrounds are asleep', async () => (await playgroundState(other, idle)).state === 'asleep');
});

void test('playground memory: a test suite may create one for each test, however fast', options, async (t) => {
  const { call } = await startSmall(t);
  const created: TestPlayground[] = [];
  for (let index = 0; index < 30; index++) {
    const playground = await createPlayground(call, { contents: 'empty' });
    assert.equal((await playground.call('POST', 'pet', { json: { name: `Pet ${index}` } })).status, 200);
    created.push(playground);
  }
  const [first] = created;
  assert.ok(first !== undefined);
  assert.equal((await playgroundState(call, first)).state, 'asleep');
  for (const [index, playground] of created.entries())
    await until(`playground ${index} is awake`, async () => {
      const { status, text } = await playground.call('GET', 'pet/1');
      return status === 200 && text.includes(`"Pet ${index}"`);
    });
});

/** Creates and fills playgrounds until the network may not create any more. */
async function fillNetwork(call: Call): Promise<void> {
  for (;;) {
    const created = await call('POST', 'playgrounds', { json: { contents: 'empty' } });
    if (created.status !== 200) return;
    const { base } = JSON.parse(created.text) as { base: string };
    await fill({ call: clientOf(base) });
  }
}

void test('playground limits: pets that arrive together count before they are stored', options, async (t) => {
  const { call } = await startSmall(t);
  const limits = { pets: 5, webhooks: 2 };
  const playground = await createPlayground(call, { contents: 'empty', access: 'secured', limits });
  const password = playground.users.find(({ role }) => role === 'admin')?.password;
  const headers = bearer(await logIn(playground.call, 'admin', password));
  const lines = Array.from({ length: 20 }, (_, index) =>
    JSON.stringify({ op: 'create', pet: { name: `Pet ${index}`, status: 'available' } }),
  );
  const body = Buffer.from(lines.join('\n'));
  await playground.call('POST', 'bulk', { body, headers: { ...headers, 'content-type': 'application/x-ndjson' } });
  await Promise.all(
    lines.map(() => playground.call('POST', 'pet', { json: { name: 'Luna', status: 'available' }, headers })),
  );
  assert.equal((await namesOf(playground)).length, 5);
  const json = { url: 'https://example.org/hook', events: ['*'] };
  const created = await Promise.all(lines.map(() => playground.call('POST', 'admin/webhooks', { headers, json })));
  assert.equal(created.filter(({ status }) => status === 200).length, 2);
  assertRefused(await call('POST', 'playgrounds', { json: { limits: { webhooks: 11 } } }), 400);
});

void test('playground memory: uploads that are still arriving count', options, async (t) => {
  const { call, bytes } = await startSmall(t);
  const playground = await createPlayground(call, { contents: 'empty' });
  await playground.call('POST', 'pet', { json: { name: 'Luna' } });
  const before = await bytes();
  const body = Buffer.alloc(5 * 1024 * 1024, 'x');
  assertRefused(await playground.call('POST', 'pet/1/uploadImage', fileUpload(body)), 507);
  await until('nothing is kept of it', async () => (await bytes()) <= before + 64 * 1024);
});

void test('faults: delayed requests are limited, also those of one connection', options, async (t) => {
  const { call } = await startSmall(t);
  const { base } = await createPlayground(call, { contents: 'empty' });
  const { host, hostname, port, pathname } = new URL(base);
  const socket = connect(Number(port), hostname);
  t.after(() => socket.destroy());
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => (received += text));
  const request = `GET ${pathname}/pet/1 HTTP/1.1\r\nHost: ${host}\r\nMenagerie-Fault: latency;delay-ms=1\r\n\r\n`;
  socket.write(request.repeat(1000));
  await until('all are answered', async () => received.split('HTTP/1.1 ').length > 1000);
  const statuses = received
    .split('HTTP/1.1 ')
    .slice(1)
    .map((each) => each.slice(0, 3));
  assert.ok(statuses.includes('404'), 'some are handled');
  assert.ok(
    statuses.some((each) => each === '429' || each === '503'),
    'others are refused',
  );
});

void test('operations on a playground count as its requests, except its deletion', options, async (t) => {
  const { call } = await startSmall(t);
  const limits = { requestsPerMinute: 4 };
  const { token } = await createPlayground(call, { contents: 'empty', limits });
  assert.equal((await call('GET', `playgrounds/${token}`)).status, 200);
  assert.equal((await call('POST', `playgrounds/${token}/reset`)).status, 200);
  assert.equal((await snapshot(call, { token })).status, 200);
  assert.equal((await call('GET', `playgrounds/${token}/requests`)).status, 200);
  for (const [method, path] of [
    ['GET', ''],
    ['POST', '/reset'],
    ['POST', '/snapshots'],
    ['GET', '/requests'],
    ['GET', '/faults'],
    ['GET', '/bugs'],
  ] as const)
    assertRefused(await call(method, `playgrounds/${token}${path}`), 429, path);
  assert.equal((await call('DELETE', `playgrounds/${token}`)).status, 200);
});

void test('operations on a playground: at most ten wait', options, async (t) => {
  const { call } = await startSmall(t);
  const playground = await createPlayground(call, { contents: 'empty' });
  const responses = await Promise.all(
    Array.from({ length: 40 }, () => call('POST', `playgrounds/${playground.token}/reset`)),
  );
  const refused = responses.filter(({ status }) => status !== 200);
  assert.ok(refused.length > 0 && refused.length < 40);
  for (const response of refused) assertRefused(response, 429);
});
