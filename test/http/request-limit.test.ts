import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  assertResponse,
  assertRefused,
  errorText,
  successText,
  type HttpResponse,
  type Call,
} from '../support/client.ts';
import { ENDPOINTS } from '../../src/api/endpoints.ts';
import { openConnection } from '../support/connection.ts';
import { skipOnNodes } from '../support/nodes.ts';
import { bearer, createKey, logIn, newSecuredFolder, PASSWORDS, startSecuredService } from '../support/secured.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { removeFolder } from '../support/service.ts';

/* A session or key may send as many requests an hour as the login reports. */

const HOUR_MS = 3_600_000;
const SECOND_MS = 1000;
const LIMIT = 5;

let nowMs = Date.UTC(2026, 0, 15, 12, 20, 0);
const clock = () => nowMs;
const dataDir = await newSecuredFolder();
/** For the whole file: an `after` called within a test belongs to that test. */
const ends: (() => Promise<void>)[] = [() => removeFolder(dataDir)];
const file: Lifetime = { after: (end) => ends.unshift(end) };
after(async () => {
  for (const end of ends) await end();
});
const config = { sessions: { requestsPerHour: LIMIT } };
let service = await startSecuredService(file, { dataDir, config, clock });
const call: Call = (...request) => service.call(...request);

async function restart(): Promise<void> {
  await service.stop();
  service = await startSecuredService(file, { dataDir, config, clock });
}

function atNextHour(): void {
  nowMs = (Math.floor(nowMs / HOUR_MS) + 1) * HOUR_MS;
}

function use(secret: string, path = 'pet/findByStatus?status=sold'): Promise<HttpResponse> {
  return call('GET', path, { headers: bearer(secret) });
}

function assertUsedUp(response: HttpResponse, limit = LIMIT): void {
  assertResponse(
    response,
    429,
    errorText(`Too many requests: the limit is ${limit} requests per hour. Try again later.`),
  );
  const untilNextHour = Math.ceil((HOUR_MS - (nowMs % HOUR_MS)) / SECOND_MS);
  assert.equal(response.headers.get('retry-after'), String(untilNextHour));
}

async function useTimes(secret: string, times: number): Promise<void> {
  for (let count = 0; count < times; count++) assert.equal((await use(secret)).status, 200, `request ${count + 1}`);
}

async function useUp(secret: string): Promise<void> {
  await useTimes(secret, LIMIT);
  assertUsedUp(await use(secret));
}

void test('rate limit: the login reports it, and exactly that many requests pass until the next hour of the clock', async () => {
  const json = { username: 'vera', password: PASSWORDS['vera'] };
  const { headers, text } = await call('POST', 'user/login', { json });
  assert.equal(headers.get('x-rate-limit'), String(LIMIT));
  assert.equal(headers.get('ratelimit-policy'), `"requests";q=${LIMIT};w=3600`);
  const token = text.slice(-44, -1);
  await useUp(token);
  atNextHour();
  nowMs -= 1;
  assertUsedUp(await use(token));
  nowMs += 1;
  await useUp(token);
  nowMs += 20 * 60 * SECOND_MS + 1;
  assertUsedUp(await use(token));
});

void test('rate limit: refusals of every operation have the time when it ends', async () => {
  atNextHour();
  const token = await logIn(call, 'vera');
  await useUp(token);
  const limited = Object.entries(ENDPOINTS).filter(([, { identifiesActor }]) => identifiesActor);
  assert.ok(limited.length > 100);
  for (const [operation, { method, path }] of limited) {
    const response = await call(method, path.replace('/v2/', '').replaceAll(/\{\w+\}/g, '7'), {
      headers: bearer(token),
    });
    const { status, headers } = response;
    const untilNextHour = Math.ceil((HOUR_MS - (nowMs % HOUR_MS)) / SECOND_MS);
    const expected = operation === 'logoutUser' ? [200, null] : [429, String(untilNextHour)];
    assert.deepEqual([status, headers.get('retry-after')], expected, operation);
  }
});

void test('rate limit: counts every request and outcome; refused requests have no effect', async () => {
  atNextHour();
  const headers = bearer(await logIn(call, 'edna'));
  assert.equal((await call('GET', 'account', { headers })).status, 200);
  assert.equal((await call('POST', 'pet', { headers, json: { name: 'Rex', status: 'sold' } })).status, 200);
  assert.equal((await call('GET', 'pet/987654', { headers })).status, 404);
  assert.equal((await call('PUT', 'user/otto', { headers, json: {} })).status, 403);
  assert.equal((await call('POST', 'pet', { headers, json: {} })).status, 400);
  const refused: [method: string, path: string, json?: unknown][] = [
    ['GET', 'account'],
    ['HEAD', 'account'],
    ['GET', 'pet/987654'],
    ['POST', 'pet', { name: 'Late', status: 'pending' }],
    ['PUT', 'user/edna', { phone: '1' }],
    ['DELETE', 'user/edna'],
    ['POST', 'account/keys', { name: 'late', scopes: ['write:pets'] }],
  ];
  for (const [method, path, json] of refused) {
    const response = await call(method, path, { headers, ...(json !== undefined && { json }) });
    assert.equal(response.status, 429, `${method} ${path}`);
    if (method !== 'HEAD') assertUsedUp(response);
  }
  assert.equal((await call('GET', 'pet/findByStatus?status=pending')).text, '[]');
  atNextHour();
  assert.equal((await call('GET', 'account/keys', { headers })).text, '[]');
  assert.ok(!(await call('GET', 'account', { headers })).text.includes('phone'));
});

void test('rate limit: separate for each session; anonymous requests have none', async () => {
  atNextHour();
  const [first, second] = [await logIn(call, 'vera'), await logIn(call, 'vera')];
  await useUp(first);
  for (let count = 0; count <= LIMIT; count++)
    assert.equal((await call('GET', 'pet/findByStatus?status=sold')).status, 200);
  await useUp(second);
  await useUp(await logIn(call, 'vera'));
  assertUsedUp(await use(first));
});

void test('rate limit: the same session in any form', async () => {
  atNextHour();
  const token = await logIn(call, 'vera');
  for (const headers of [
    bearer(token),
    { api_key: token },
    { cookie: `menagerie_session=${token}` },
    bearer(`logged in user session:${token}`),
    { ...bearer(token), api_key: token, cookie: `menagerie_session=${token}` },
  ])
    assert.equal((await call('GET', 'account', { headers })).status, 200);
  assertUsedUp(await use(token));
});

void test('rate limit: kept across a restart', async () => {
  atNextHour();
  const token = await logIn(call, 'vera');
  await useTimes(token, 3);
  await restart();
  await useTimes(token, 2);
  assertUsedUp(await use(token));
  await restart();
  assertUsedUp(await use(token));
  atNextHour();
  await useTimes(token, 1);
});

void test('rate limit: separate for each key', async () => {
  atNextHour();
  const token = await logIn(call, 'edna');
  const [first, second] = [await createKey(call, token, ['write:pets']), await createKey(call, token, ['read:pets'])];
  atNextHour();
  await useUp(first.key);
  const refused = await call('POST', 'pet', {
    headers: { api_key: first.key },
    json: { name: 'Late', tags: ['late'] },
  });
  assertUsedUp(refused);
  assert.equal((await call('GET', 'pet/findByTags?tags=late')).text, '[]');
  await restart();
  assertUsedUp(await use(first.key));
  await useUp(second.key);
  await useUp(token);
  atNextHour();
  await useUp(first.key);
});

void test('used-up session: can log out, and log in again', async () => {
  atNextHour();
  const token = await logIn(call, 'vera');
  await useUp(token);
  const json = { username: 'vera', password: PASSWORDS['vera'] };
  assert.equal((await call('POST', 'user/login', { json, headers: bearer(token) })).status, 200);
  assertResponse(await call('GET', 'user/logout', { headers: bearer(token) }), 200, successText('ok'));
  assertRefused(await use(token, 'account'), 401);
});

void test('invalid token: not counted, and affects no other client', async () => {
  for (let count = 0; count < 2 * LIMIT; count++) assert.equal((await use('x'.repeat(43))).status, 200);
});

for (const limit of [1, 7, 1001]) {
  void test(`concurrent requests: exactly ${limit} pass`, { skip: limit > 1000 && skipOnNodes() }, async (t) => {
    const busy = await startSecuredService(t, { config: { sessions: { requestsPerHour: limit } }, clock });
    const { call: ask, close } = openConnection(busy.base, { connections: 50 });
    t.after(async () => close());
    const headers = bearer(await logIn(busy.call, 'vera'));
    const responses = await Promise.all(
      Array.from({ length: limit + 100 }, () => ask('GET', 'pet/findByStatus?status=sold', { headers })),
    );
    assert.equal(responses.filter(({ status }) => status === 200).length, limit);
    for (const response of responses) if (response.status !== 200) assertUsedUp(response, limit);
  });
}
