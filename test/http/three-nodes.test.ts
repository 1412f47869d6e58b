import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createAddresses, fromAddress } from '../support/addresses.ts';
import { assertRefused, clientOf, successText, type HttpResponse, type Call } from '../support/client.ts';
import { openConnection } from '../support/connection.ts';
import { bearer, createKey, logIn, newSecuredFolder, PASSWORDS, startSecuredService } from '../support/secured.ts';
import { removeFolder } from '../support/service.ts';

/* Three nodes on one database: a change at one is visible to the next request at any other. */

const HOUR_MS = 3_600_000;
const SECOND_MS = 1000;
const LIMIT = 60;
const WRONG = 'not the password of anybody here';
const NEW_PASSWORD = 'twelve green parrots read the news';

let nowMs = Date.UTC(2026, 0, 15, 12, 20, 0);
const dataDir = await newSecuredFolder({ onPostgres: true });
const flags = ['--trusted-proxies', '1'];
const config = { sessions: { requestsPerHour: LIMIT } };
const service = await startSecuredService({ after }, { dataDir, nodes: 3, flags, config, clock: () => nowMs });
after(() => removeFolder(dataDir));

const calls = service.nodes.map(({ origin }) => clientOf(`${origin}/v2`));
const nextAddress = createAddresses();

function at(node: number): Call {
  return calls[node % calls.length] ?? assert.fail();
}

function atNextHour(): void {
  nowMs = (Math.floor(nowMs / HOUR_MS) + 1) * HOUR_MS;
}

/** Its status at each node. */
function statusesOf(secret: string, path = 'account'): Promise<readonly number[]> {
  return Promise.all(calls.map(async (call) => (await call('GET', path, { headers: bearer(secret) })).status));
}

function writePet(call: Call, secret: string): Promise<HttpResponse> {
  return call('POST', 'pet', { headers: bearer(secret), json: { name: 'Rex' } });
}

async function succeed(responding: Promise<HttpResponse>): Promise<HttpResponse> {
  const response = await responding;
  assert.equal(response.status, 200, response.text);
  return response;
}

/** Number of responses by status. */
function tally(responses: readonly HttpResponse[]): Readonly<Record<number, number>> {
  const groups = Object.groupBy(responses, ({ status }) => status);
  return Object.fromEntries(Object.entries(groups).map(([status, group = []]) => [status, group.length]));
}

void test('proxy: gives each node the next request, on one connection or many', async (t) => {
  const connection = openConnection(service.base);
  t.after(async () => connection.close());
  for (const call of [connection.call, service.call]) {
    const words: (string | undefined)[] = [];
    for (let count = 0; count < 9; count++)
      words.push((await call('GET', 'pet/1')).headers.get('x-request-id')?.slice(0, 8));
    assert.equal(new Set(words).size, 3);
    assert.ok(words.every((word, index) => word !== words[index - 1]));
  }
});

for (const [here, title] of ['the first', 'the second', 'the third'].entries()) {
  void test(`sessions: begin and end on all nodes by a request to ${title}`, async () => {
    atNextHour();
    const [token, other] = [await logIn(at(here), 'vera'), await logIn(at(here + 1), 'vera')];
    assert.deepEqual(await statusesOf(token), [200, 200, 200]);
    await succeed(at(here)('GET', 'user/logout', { headers: bearer(token) }));
    assert.deepEqual(await statusesOf(token), [401, 401, 401]);
    assert.deepEqual(await statusesOf(other), [200, 200, 200]);
    const root = bearer(await logIn(at(here + 2), 'root'));
    await succeed(at(here)('DELETE', 'admin/users/vera/sessions', { headers: root }));
    assert.deepEqual(await statusesOf(other), [401, 401, 401]);
  });

  void test(`roles, closed accounts and revoked keys: take effect everywhere by a request to ${title}`, async () => {
    atNextHour();
    const root = bearer(await logIn(at(here), 'root'));
    const username = `viewer-${here}`;
    await succeed(at(here)('POST', 'user', { headers: root, json: { username, password: NEW_PASSWORD } }));
    const token = await logIn(at(here + 1), username, NEW_PASSWORD);
    const writes = () => Promise.all(calls.map(async (call) => (await writePet(call, token)).status));
    const setRole = (role: string) =>
      succeed(at(here)('PUT', `admin/users/${username}/role`, { headers: root, json: { role } }));
    assert.deepEqual(await writes(), [403, 403, 403]);
    await setRole('editor');
    assert.deepEqual(await writes(), [200, 200, 200]);
    const keys = [
      await createKey(at(here + 1), token, ['write:pets']),
      await createKey(at(here + 2), token, ['write:pets']),
    ];
    for (const { key, id } of keys) {
      for (const call of calls) await succeed(writePet(call, key));
      await succeed(at(here)('DELETE', `account/keys/${id}`, { headers: bearer(token) }));
      for (const call of calls) assert.equal((await writePet(call, key)).status, 401);
    }
    await setRole('viewer');
    assert.deepEqual(await writes(), [403, 403, 403]);
    await succeed(at(here)('POST', `admin/users/${username}/close`, { headers: root }));
    assert.deepEqual(await statusesOf(token), [401, 401, 401]);
  });
}

void test('throttle: counts wrong passwords at all nodes, and none admits a login early', async () => {
  const address = nextAddress();
  const guess = (node: number, password = WRONG) =>
    fromAddress(at(node), address)('POST', 'user/login', { json: { username: 'otto', password } });
  for (let count = 0; count < 10; count++) assert.equal((await guess(count)).status, 400);
  for (const seconds of [1, 2, 4, 8]) {
    for (const node of calls.keys()) {
      const response = await guess(node, PASSWORDS['otto']);
      assertRefused(response, 429);
      assert.equal(response.headers.get('retry-after'), String(seconds));
    }
    nowMs += seconds * SECOND_MS;
    assert.equal((await guess(seconds)).status, 400);
  }
  nowMs += 16 * SECOND_MS;
  await succeed(guess(2, PASSWORDS['otto']));
  for (const node of calls.keys()) assert.equal((await guess(node)).status, 400);
});

void test('rate limit: counts the requests of a session at all nodes together', async (t) => {
  atNextHour();
  const connections = service.nodes.map(({ origin }) => openConnection(`${origin}/v2`, { connections: 10 }));
  t.after(async () => connections.forEach(({ close }) => close()));
  const token = await logIn(at(0), 'vera');
  atNextHour();
  const responses = await Promise.all(
    Array.from({ length: 3 * LIMIT }, (_, index) =>
      (connections[index % 3] ?? assert.fail()).call('GET', 'pet/findByStatus?status=sold', { headers: bearer(token) }),
    ),
  );
  assert.deepEqual(tally(responses), { 200: LIMIT, 429: 2 * LIMIT });
  assert.deepEqual(await statusesOf(token), [429, 429, 429]);
  atNextHour();
  assert.deepEqual(await statusesOf(token), [200, 200, 200]);
});

const PETS = 90;

function idOf({ text }: HttpResponse): number {
  return Number(/^\{"id":(\d+),/.exec(text)?.[1] ?? assert.fail(text));
}

function assertNoneLeftOut(ids: readonly number[]): void {
  const sorted = ids.toSorted((one, other) => one - other);
  const [first = 0] = sorted;
  assert.deepEqual(
    sorted,
    sorted.map((_, index) => first + index),
  );
}

void test('ids assigned concurrently: unique, ascending, without gaps', async () => {
  const keys: string[] = [];
  for (const node of calls.keys()) {
    atNextHour();
    keys.push((await createKey(at(node), await logIn(at(node), 'edna'), ['write:pets'])).key);
  }
  const add = (index: number) => writePet(at(index), keys[Math.floor(index / 40)] ?? assert.fail());
  const petIds = (await Promise.all(Array.from({ length: PETS }, (_, index) => succeed(add(index))))).map(idOf);
  assertNoneLeftOut(petIds);
  for (let count = 0; count < 9; count++) petIds.push(idOf(await succeed(add(PETS + count))));
  assertNoneLeftOut(petIds);
  assert.deepEqual(
    petIds.slice(PETS),
    petIds.slice(PETS).toSorted((one, other) => one - other),
  );
});

void test('concurrent sign-ups: each name once, and failed ones consume no id', async () => {
  const responses = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      fromAddress(at(index), nextAddress())('POST', 'user', { json: { username: `name-${index % 20}` } }),
    ),
  );
  assert.deepEqual(tally(responses), { 200: 20, 409: 40 });
  const won = responses.filter(({ status }) => status === 200);
  assertNoneLeftOut(won.map(({ text }) => Number((JSON.parse(text) as { message: string }).message)));
});

interface Racer {
  title: string;
  /** One request for each node, distinguished by a number. */
  run: (call: Call, number: number, etag: string, headers: Readonly<Record<string, string>>) => Promise<HttpResponse>;
  losers: number;
}

const races: readonly Racer[] = [
  {
    title: 'replacements of one version (If-Match)',
    run: (call, number, etag, headers) =>
      call('PUT', 'pet', { headers: { ...headers, 'if-match': etag }, json: { id: 77, name: `Winner ${number}` } }),
    losers: 412,
  },
  {
    title: 'forms for one version (If-Match)',
    run: (call, number, etag, headers) =>
      call('POST', 'pet/77', { headers: { ...headers, 'if-match': etag }, form: { name: `Winner ${number}` } }),
    losers: 412,
  },
];
for (const { title, run, losers } of races) {
  void test(`of three concurrent ${title}, exactly one succeeds`, async () => {
    for (let round = 0; round < 10; round++) {
      atNextHour();
      const headers = bearer(await logIn(at(round), 'edna'));
      const made = await succeed(at(round)('POST', 'pet', { headers, json: { id: 77, name: 'Rex' } }));
      const etag = made.headers.get('etag') ?? assert.fail();
      const responses = await Promise.all(calls.map((call, number) => run(call, number, etag, headers)));
      assert.deepEqual(tally(responses), { 200: 1, [losers]: 2 });
      const winner = responses.findIndex(({ status }) => status === 200);
      for (const call of calls)
        assert.equal((JSON.parse((await call('GET', 'pet/77')).text) as { name: string }).name, `Winner ${winner}`);
    }
  });
}

void test('of three concurrent creations with If-None-Match, exactly one succeeds', async () => {
  for (let round = 0; round < 10; round++) {
    atNextHour();
    const headers = { ...bearer(await logIn(at(round), 'edna')), 'if-none-match': '*' };
    const responses = await Promise.all(
      calls.map((call, number) =>
        call('POST', 'pet', { headers, json: { id: 800 + round, name: `Winner ${number}` } }),
      ),
    );
    assert.deepEqual(tally(responses), { 200: 1, 412: 2 });
    const winner = responses.findIndex(({ status }) => status === 200);
    for (const call of calls) assert.equal((await call('GET', `pet/${800 + round}`)).text, responses[winner]?.text);
  }
});

void test('concurrent deletion and changes of one version: exactly one succeeds', async () => {
  for (let round = 0; round < 10; round++) {
    atNextHour();
    const headers = bearer(await logIn(at(round), 'edna'));
    const made = await succeed(at(round)('POST', 'pet', { headers, json: { id: 900 + round, name: 'Rex' } }));
    const guarded = { ...headers, 'if-match': made.headers.get('etag') ?? assert.fail() };
    const responses = await Promise.all([
      at(round)('DELETE', `pet/${900 + round}`, { headers: guarded }),
      at(round + 1)('POST', `pet/${900 + round}`, { headers: guarded, form: { name: 'Changed' } }),
      at(round + 2)('POST', `pet/${900 + round}`, { headers: guarded, form: { name: 'Changed' } }),
    ]);
    assert.equal(responses.filter(({ status }) => status === 200).length, 1);
    const isRemoved = responses[0]?.status === 200;
    if (isRemoved) assert.equal(responses[0]?.text, successText(String(900 + round)));
    for (const call of calls) assert.equal((await call('GET', `pet/${900 + round}`)).status, isRemoved ? 404 : 200);
  }
});
