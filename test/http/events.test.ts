import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, describe, it, test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { assertRefused, clientOf, type Call } from '../support/client.ts';
import { inTime, startSlowlyStopping } from '../support/deadline.ts';
import {
  followEvents,
  type EventClient,
  type EventClientOptions,
  type ReceivedEvent,
} from '../support/event-client.ts';
import { fileUpload } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';
import { openSocket } from '../support/raw-http.ts';
import { bearer, createKey, logIn, PASSWORDS, startSecuredService } from '../support/secured.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

interface EventData {
  version: number;
  type: string;
  at: string;
  actor?: { id: number } | null;
  id: number;
  pet?: { id: number; name: string; photoUrls: string[] } | null;
  account?: { id: number; username: string };
  details?: Record<string, string> | null;
}

function dataOf({ data }: ReceivedEvent): EventData {
  return JSON.parse(data) as EventData;
}

function follow(t: TestContext, base: string, query = '', options: EventClientOptions = {}): EventClient {
  const client = followEvents(() => `${base}/events${query}`, options);
  t.after(() => client.close());
  return client;
}

async function waitForEvents(client: EventClient, count: number): Promise<readonly ReceivedEvent[]> {
  await until(`${count} events`, async () => client.events.length >= count);
  return client.events;
}

/** The service notices later that a client has closed its stream. */
async function untilThereIsRoom(t: TestContext, base: string, options: EventClientOptions = {}): Promise<void> {
  await until('there is room', async () => {
    const next = follow(t, base, '', options);
    return Promise.race([next.opened.then(() => true), next.ended.then(() => false)]);
  });
}

function typesOf(events: readonly ReceivedEvent[]): readonly string[] {
  return events.map(({ event }) => event);
}

async function addPets(call: Call, count: number): Promise<void> {
  for (let index = 0; index < count; index++)
    await call('POST', 'pet', { json: { name: `Rex ${index}`, photoUrls: [] } });
}

/** For tests that change nothing. */
/** Positions and heartbeats each second. */
const FREQUENT = { http: { eventHeartbeatMs: 1000 } };

const unchanged = await startTestService({ after });

void describe('event stream', () => {
  void it('starts with the next change, and has a position from the beginning', async (t) => {
    const { base } = await startTestService(t);
    const call = clientOf(base);
    await addPets(call, 3);
    const client = follow(t, base);
    await client.opened;
    assert.equal(client.lastEventId(), '3');
    assert.deepEqual(client.events, []);
    assert.ok((client.retryHint() ?? 0) > 0);
    await call('POST', 'pet', { json: { id: 9, name: 'Zoe', photoUrls: [] } });
    await call('PUT', 'pet', { json: { id: 9, name: 'Zoe II', photoUrls: [] } });
    await call('POST', 'pet/9', { form: { status: 'sold' } });
    await call('DELETE', 'pet/9');
    const events = await waitForEvents(client, 4);
    assert.deepEqual(typesOf(events), ['pet.added', 'pet.replaced', 'pet.edited', 'pet.deleted']);
    assert.deepEqual(
      events.map(({ id }) => id),
      ['4', '5', '6', '7'],
    );
    const received = events.map(dataOf);
    assert.deepEqual(
      received.map(({ version, type, id }) => [version, type, id]),
      [
        [4, 'pet.added', 9],
        [5, 'pet.replaced', 9],
        [6, 'pet.edited', 9],
        [7, 'pet.deleted', 9],
      ],
    );
    assert.deepEqual(received[1]?.pet, { id: 9, name: 'Zoe II', photoUrls: [], tags: [] });
    assert.equal(received[3]?.pet, null);
    assert.ok(Math.abs(Date.parse(received[0]?.at ?? '') - Date.now()) < 60_000);
  });

  void it('declares its type, and forbids caching and buffering', async (t) => {
    const client = follow(t, unchanged.base);
    await client.opened;
    const headers = client.headers();
    assert.equal(headers['content-type'], 'text/event-stream');
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['x-accel-buffering'], 'no');
    const head = await clientOf(unchanged.base)('HEAD', 'events');
    assert.deepEqual([head.status, head.headers.get('content-type'), head.text], [200, 'text/event-stream', '']);
  });

  void it('continues after the last event of the client, by header or parameter; after 0 from the beginning', async (t) => {
    const { base } = await startTestService(t);
    await addPets(clientOf(base), 250);
    const all = await waitForEvents(follow(t, base, '', { lastEventId: '0' }), 250);
    assert.deepEqual(
      all.map(({ id }) => Number(id)),
      Array.from({ length: 250 }, (_, index) => index + 1),
    );
    assert.deepEqual(await waitForEvents(follow(t, base, '', { lastEventId: '240' }), 10), all.slice(240));
    assert.deepEqual(await waitForEvents(follow(t, base, '?lastEventId=247'), 3), all.slice(247));
    // An EventSource reconnects with the same URL.
    assert.deepEqual(await waitForEvents(follow(t, base, '?lastEventId=1', { lastEventId: '249' }), 1), all.slice(249));
  });

  void it('has absolute URLs of photos', async (t) => {
    const { base } = await startTestService(t);
    const call = clientOf(base);
    await call('POST', 'pet', { json: { id: 1, name: 'Rex', photoUrls: [] } });
    await call('POST', 'pet/1/uploadImage', fileUpload(await makePhoto()));
    const { photoUrls } = JSON.parse((await call('GET', 'pet/1')).text) as { photoUrls: string[] };
    const events = await waitForEvents(follow(t, base, '?lastEventId=1'), 1);
    assert.deepEqual(events.map(dataOf)[0]?.pet?.photoUrls, photoUrls);
    assert.equal((await call('GET', photoUrls[0] ?? '')).status, 200);
  });

  void it('escapes line breaks, and keeps every digit', async (t) => {
    const { base } = await startTestService(t);
    const name = 'a\nb\r\nc: \u2028 d\u0085 🦜';
    const id = '9223372036854775807';
    const body = Buffer.from(`{"id":${id},"name":${JSON.stringify(name)},"photoUrls":[]}`);
    await clientOf(base)('POST', 'pet', { body, headers: { 'content-type': 'application/json' } });
    const [event] = await waitForEvents(follow(t, base, '?lastEventId=0'), 1);
    assert.match(event?.data ?? '', new RegExp(`"id":${id},"pet":\\{"id":${id},`));
    assert.equal(event === undefined ? '' : dataOf(event).pet?.name, name);
  });

  void it('can be limited to one pet, and reports its position', async (t) => {
    const { base } = await startTestService(t, { config: FREQUENT });
    const call = clientOf(base);
    await addPets(call, 5);
    const client = follow(t, base, '?petId=2&lastEventId=0');
    await waitForEvents(client, 1);
    await until('the position', async () => client.lastEventId() === '5');
    await call('DELETE', 'pet/1');
    await call('DELETE', 'pet/2');
    assert.deepEqual(
      (await waitForEvents(client, 2)).map(dataOf).map(({ id }) => id),
      [2, 2],
    );
    assert.equal(client.lastEventId(), '7');
  });

  void it('sends heartbeats, and is exempt from the idle timeout', async (t) => {
    const config = { http: { ...FREQUENT.http, idleTimeoutMs: 1000 } };
    const { base } = await startTestService(t, { config });
    const client = follow(t, base);
    await until('two comments', async () => client.comments() >= 2);
    await addPets(clientOf(base), 1);
    await waitForEvents(client, 1);
    assert.deepEqual(client.statuses, [200]);
  });

  for (const [title, query, lastEventId, status] of [
    ['a position after the last change', '', '1', 400],
    ['the largest 64-bit integer', '', '9223372036854775807', 400],
    ['an integer beyond 64 bits', '', '9223372036854775808', 400],
    ['text', '', 'abc', 400],
    ['a negative number', '', '-1', 400],
    ['text in the parameter', '?lastEventId=x', undefined, 400],
    ['two parameters', '?lastEventId=0&lastEventId=0', undefined, 400],
    ['an unknown category of events', '?kinds=pet,dog', undefined, 400],
    ['an empty list of event categories', '?kinds=', undefined, 400],
    ['a malformed pet id', '?petId=x', undefined, 400],
    ['account events for an anonymous client', '?kinds=account', undefined, 401],
  ] as const) {
    void it(`refuses ${title}`, async () => {
      const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
      assertRefused(await clientOf(unchanged.base)('GET', `events${query}`, { headers }), status);
    });
  }

  void it('requires an Accept header that allows events', async (t) => {
    const { base } = unchanged;
    for (const accept of ['application/json', 'text/html, application/xml;q=0.9', 'text/event-stream;q=0'])
      assertRefused(await clientOf(base)('GET', 'events', { headers: { accept } }), 406, accept);
    for (const accept of ['text/event-stream', '*/*', 'text/*', 'text/event-stream;charset=utf-8']) {
      const client = follow(t, base, '', { headers: { accept } });
      await client.opened;
    }
  });

  void it('is limited in number; a closed stream makes room for another', async (t) => {
    const { nodes } = await startTestService(t, { config: { http: { maxEventStreams: 2 } } });
    const base = `${nodes[0]?.origin}/v2`;
    const [first, second] = [follow(t, base), follow(t, base)];
    await Promise.all([first.opened, second.opened]);
    const refused = await clientOf(base)('GET', 'events');
    assertRefused(refused, 503);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    first.close();
    await untilThereIsRoom(t, base);
  });
});

/** The service of the tests in secured access, with a session of each role. */
async function startSecured() {
  const { base, call } = await startSecuredService({ after }, { config: FREQUENT });
  const as = async (name: string) => ({ headers: bearer(await logIn(call, name)) });
  const [root, edna, vera] = await Promise.all(['root', 'edna', 'vera'].map(as));
  return { base, call, root: root ?? assert.fail(), edna: edna ?? assert.fail(), vera: vera ?? assert.fail() };
}

const secured = await startSecured();
let userCount = 0;

/** A new editor with a session. */
async function newEditor() {
  const { call, root } = secured;
  const username = `editor-${++userCount}`;
  const password = PASSWORDS['otto'] ?? assert.fail();
  assert.equal((await call('POST', 'user', { ...root, json: { username, password } })).status, 200);
  await call('PUT', `admin/users/${username}/role`, { ...root, json: { role: 'editor' } });
  return { username, token: await logIn(call, username, password) };
}

/** An open stream that receives the next change. */
async function assertFollows(client: EventClient): Promise<void> {
  const { length } = client.events;
  const added = await secured.call('POST', 'pet', { ...secured.root, json: { name: 'Rex', photoUrls: [] } });
  assert.equal(added.status, 200, added.text);
  await waitForEvents(client, length + 1);
}

const at = (address: string) => ({ headers: { 'x-forwarded-for': address } });

void describe('event stream in secured access', () => {
  void it('has account events for administrators only, and actors for clients that may change pets', async (t) => {
    const { base, call, root, edna, vera } = secured;
    const clients = {
      root: follow(t, base, '', root),
      accounts: follow(t, base, '?kinds=account', root),
      pets: follow(t, base, '?kinds=pet', root),
      edna: follow(t, base, '', edna),
      vera: follow(t, base, '', vera),
      anonymous: follow(t, base),
    };
    await Promise.all(Object.values(clients).map(({ opened }) => opened));
    await call('PUT', 'admin/users/otto/role', { ...root, json: { role: 'editor' } });
    await call('POST', 'admin/users/otto/close', root);
    await call('POST', 'pet', { ...edna, json: { name: 'Rex', photoUrls: [] } });
    const seen = await waitForEvents(clients.root, 3);
    assert.deepEqual(typesOf(seen), ['account.role-set', 'account.closed', 'pet.added']);
    const [roleSet, closed, added] = seen.map(dataOf);
    assert.equal(roleSet?.account?.username, 'otto');
    assert.deepEqual(roleSet?.details, { from: 'viewer', to: 'editor' });
    assert.equal(closed?.actor?.id, 1);
    assert.equal(added?.actor?.id, 2);
    assert.deepEqual(await waitForEvents(clients.accounts, 2), seen.slice(0, 2));
    assert.deepEqual(await waitForEvents(clients.pets, 1), seen.slice(2));
    assert.deepEqual(await waitForEvents(clients.edna, 1), seen.slice(2));
    for (const client of [clients.vera, clients.anonymous]) {
      const [event] = await waitForEvents(client, 1);
      assert.deepEqual([event?.event, event?.id], ['pet.added', seen[2]?.id]);
      assert.equal(event !== undefined && 'actor' in dataOf(event), false);
    }
    const { key } = await createKey(call, await logIn(call, 'root'), ['read:pets', 'write:pets']);
    for (const [who, status] of [
      [vera, 403],
      [edna, 403],
      [{ headers: bearer(key) }, 401],
    ] as const)
      assertRefused(await call('GET', 'events?kinds=account,pet', who), status);
  });

  for (const [title, method, pathOf, json] of [
    ['has its sessions ended', 'DELETE', (name) => `admin/users/${name}/sessions`],
    ['is closed', 'POST', (name) => `admin/users/${name}/close`],
    ['gets another role', 'PUT', (name) => `admin/users/${name}/role`, { role: 'viewer' }],
    ['is deleted', 'DELETE', (name) => `user/${name}`],
    ['logs out', 'GET', () => 'user/logout'],
  ] as [title: string, method: string, pathOf: (username: string) => string, json?: unknown][]) {
    void it(`ends when the user ${title}, and streams of others continue`, async (t) => {
      const { base, call, root, vera } = secured;
      const { username, token } = await newEditor();
      const stays = follow(t, base, '', vera);
      const own = { headers: bearer(token) };
      const client = follow(t, base, '', own);
      await Promise.all([client.opened, stays.opened]);
      const response = await call(method, pathOf(username), { ...(title === 'logs out' ? own : root), json });
      assert.equal(response.status, 200, response.text);
      await inTime('the end of the stream', client.ended);
      await assertFollows(stays);
    });
  }

  void it('ends with an otherwise idle session, and is refused to clients with that session or unusable credentials', async (t) => {
    let nowMs = Date.now();
    const { base, call } = await startSecuredService(t, { clock: () => nowMs });
    const token = await logIn(call, 'root');
    const client = follow(t, base, '', { headers: bearer(token), retryMs: 20 });
    await client.opened;
    nowMs += 25 * 3_600_000;
    await until('the client reconnects', async () => client.statuses.length > 1);
    assert.deepEqual(client.statuses.slice(0, 2), [200, 401]);
    client.close();
    const { key } = await createKey(call, await logIn(call, 'edna'), ['read:pets']);
    for (const headers of [bearer(token), { ...bearer(token), api_key: key }, { api_key: token }]) {
      const refused = await call('GET', 'events', { headers });
      assertRefused(refused, 401);
      assert.ok(refused.headers.has('www-authenticate'));
    }
    // Invalid additional credentials count as none.
    for (const headers of [{}, { ...bearer(key), api_key: token }, { authorization: 'Basic eDp5' }, { api_key: 'x' }])
      await follow(t, base, '', { headers }).opened;
  });

  void it('is limited per address, so that other addresses have room', async (t) => {
    const flags = ['--max-event-streams-per-address', '2', '--trusted-proxies', '1'];
    const { nodes } = await startSecuredService(t, { flags });
    const base = `${nodes[0]?.origin}/v2`;
    for (const [address, sameAddress] of [
      ['10.0.0.1', '10.0.0.1'],
      ['2001:db8:1:1::1', '2001:db8:1:1:2::7'],
    ] as const) {
      const [first, second] = [follow(t, base, '', at(address)), follow(t, base, '', at(sameAddress))];
      await Promise.all([first.opened, second.opened]);
      const refused = await clientOf(base)('GET', 'events', at(address));
      assertRefused(refused, 429);
      assert.ok(Number(refused.headers.get('retry-after')) > 0);
      first.close();
      await untilThereIsRoom(t, base, at(sameAddress));
    }
    await follow(t, base, '', at('10.0.0.2')).opened;
  });

  void it('ends when its API key is revoked', async (t) => {
    const { base, call } = secured;
    const token = await logIn(call, 'edna');
    const { key, id } = await createKey(call, token, ['read:pets']);
    const client = follow(t, base, '', { headers: { api_key: key } });
    await client.opened;
    // The first check of the key is in the same second.
    await until('a heartbeat', async () => client.comments() >= 1);
    await assertFollows(client);
    await call('DELETE', `account/keys/${id}`, { headers: bearer(token) });
    await inTime('the end of the stream', client.ended);
  });
});

void test('shutdown: ends event streams immediately, also unread ones', async (t) => {
  const service = await startSlowlyStopping(t);
  const call = clientOf(service.base);
  await addLargePets(call, 60);
  const reader = follow(t, service.base);
  const sleeper = await openSocket(service.nodes[0]?.origin ?? '');
  sleeper.on('error', () => {});
  sleeper.write('GET /v2/events?lastEventId=0 HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(sleeper, 'data');
  sleeper.pause();
  await reader.opened;
  await inTime('the stop', service.stop());
  await reader.ended;
});

async function addLargePets(call: Call, count: number): Promise<void> {
  const photoUrls = Array.from({ length: 100 }, (_, index) => `https://example.org/${String(index).repeat(900)}`);
  await Promise.all(Array.from({ length: count }, () => call('POST', 'pet', { json: { name: 'Rex', photoUrls } })));
}

void test('event client that stops reading: uses no memory, delays no others, and gets all events later', async (t) => {
  const { base, nodes } = await startTestService(t);
  const call = clientOf(base);
  const origin = nodes[0]?.origin ?? '';
  const slow = follow(t, `${origin}/v2`, '?lastEventId=0');
  await slow.opened;
  slow.freeze();
  const quick = follow(t, `${origin}/v2`, '?lastEventId=0');
  await addLargePets(call, 120);
  await waitForEvents(quick, 120);
  // Far more than the socket buffers hold.
  assert.ok(slow.events.length < 120, `${slow.events.length} were read`);
  slow.thaw();
  assert.deepEqual(await waitForEvents(slow, 120), quick.events);
});

const CHANGES = 400;
const CUTS = 40;

void test('event clients cut off at random: receive each event once and in order', async (t) => {
  const seed = Number(process.env['MENAGERIE_TEST_SEED'] ?? Date.now() % 2 ** 31);
  t.diagnostic(`seed ${seed}`);
  const random = mulberry32(seed);
  const service: TestService = await startTestService(t, { config: FREQUENT });
  const bases = service.nodes.map(({ origin }) => `${origin}/v2`);
  const clients = Array.from({ length: 12 }, () =>
    followEvents(() => `${bases[Math.floor(random() * bases.length)]}/events`, { lastEventId: '0', retryMs: 20 }),
  );
  t.after(() => clients.forEach((client) => client.close()));
  const cuts = () => clients.reduce((sum, { statuses }) => sum + statuses.length - 1, 0);
  let changes = 0;
  const endMs = performance.now() + 60_000;
  const isAtWork = () => {
    assert.ok(performance.now() < endMs, `only ${changes} changes and ${cuts()} disconnects`);
    return changes < CHANGES || cuts() < CUTS;
  };
  const cutting = (async () => {
    while (isAtWork()) {
      clients[Math.floor(random() * clients.length)]?.cut();
      await delay(5 + random() * 20);
    }
  })();
  await Promise.all(
    Array.from({ length: 8 }, async (_, writer) => {
      const call = clientOf(bases[writer % bases.length] ?? '');
      for (let count = 0; isAtWork(); count++) {
        const id = 1 + Math.floor(random() * 30);
        const kind = random();
        const response =
          kind < 0.2
            ? await call('DELETE', `pet/${id}`)
            : kind < 0.4
              ? await call('POST', `pet/${id}`, { form: { name: `edited ${writer} ${count}` } })
              : kind < 0.5
                ? await call('POST', 'user', { json: { username: `user ${writer} ${count}` } })
                : await call('POST', 'pet', { json: { id, name: `pet ${writer} ${count}`, photoUrls: [] } });
        if (response.status === 200) changes++;
      }
    }),
  );
  await cutting;
  const whole = follow(t, bases[0] ?? '', '', { lastEventId: '0' });
  const position = (await positionOf(bases[0] ?? '')).toString();
  await until('the whole history', async () => Number(whole.lastEventId()) >= Number(position));
  const history = whole.events;
  const ofAccounts = Number(position) - history.length;
  assert.equal(Number(position), changes, 'every acknowledged change must have a position');
  assert.ok(ofAccounts > 0, 'changes of accounts must have positions in between, hidden from other clients');
  assert.deepEqual(
    history.map(({ id }) => Number(id)),
    [...new Set(history.map(({ id }) => Number(id)))].toSorted((a, b) => a - b),
  );
  for (const client of clients) {
    await until('the last event', async () => client.events.length >= history.length);
    assert.deepEqual(client.events, history);
  }
  t.diagnostic(`${changes} changes, ${history.length} events, ${cuts()} disconnects`);
});

async function positionOf(base: string): Promise<number> {
  const client = followEvents(() => `${base}/events`);
  await client.opened;
  client.close();
  return Number(client.lastEventId());
}

/** Small pseudorandom numbers, the same for each seed. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
