import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { after, test } from 'node:test';
import { Following } from '../../src/server/playgrounds/following.ts';
import { reasonForNoPlaygrounds } from '../../src/server/process/server.ts';
import { assertRefused, clientOf } from '../support/client.ts';
import { createPlayground, playgroundState } from '../support/playgrounds.ts';
import { limitIn } from '../support/rate-limit-fields.ts';
import { fileUpload } from '../support/multipart.ts';
import { skipWithoutPlaygrounds } from '../support/nodes.ts';
import { makePhoto } from '../support/photos.ts';
import { openSocket } from '../support/raw-http.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { startTestService, testConfig } from '../support/service.ts';
import { until } from '../support/until.ts';

/* Creating, resetting and deleting playgrounds; their limits, snapshots and sleep. */

const options = { skip: skipWithoutPlaygrounds() };

let nowMs = Date.now();
const { base, origin } = await startTestService(
  { after },
  { flags: ['--empty', '--access=sandbox'], clock: () => nowMs },
);
const call = clientOf(base);

const petsOf = async ({ call: own }: { call: typeof call }) =>
  JSON.parse((await own('GET', 'pet/findByStatus?status=available')).text) as { id: number; name: string }[];

void test('create: without a body, with the samples, for a day, open, below its own URL', options, async () => {
  const response = await call('POST', 'playgrounds');
  assert.equal(response.status, 200, response.text);
  const created = JSON.parse(response.text) as Record<string, unknown>;
  const { token } = created as { token: string };
  assert.match(token, /^[\w-]{22}$/);
  assert.equal(created['base'], `${origin}/s/${token}/v2`);
  assert.equal(created['page'], `${origin}/s/${token}/`);
  assert.equal(created['contents'], 'samples');
  assert.equal(created['access'], 'open');
  assert.equal(created['expiresAt'], new Date(nowMs + 86_400_000).toISOString());
  assert.deepEqual(created['users'], []);
  assert.equal(response.headers.get('cache-control'), 'no-store');
  const pet = await call('GET', `${origin}/s/${token}/v2/pet/1`);
  assert.equal(pet.status, 200);
  assert.match(pet.text, new RegExp(`"photoUrls":\\["${origin}/s/${token}/v2/photo/`));
});

void test('create: empty, and with a seed whose lines are pets', options, async () => {
  assert.deepEqual(await petsOf(await createPlayground(call, { contents: 'empty' })), []);
  const seed =
    '{"id":9223372036854775807,"name":"Luna","status":"available"}\n\n{"name":"Kiwi","status":"available"}\n';
  const seeded = await createPlayground(call, { seed });
  assert.equal(seeded.contents, 'seed');
  const { text } = await seeded.call('GET', 'pet/findByStatus?status=available');
  assert.match(text, /"id":9223372036854775807,/);
  assert.match(text, /"name":"Kiwi"/);
});

void test('create: a seed has the profiles of its pets', options, async () => {
  const seeded = await createPlayground(call, { seed: '{"id":7,"name":"Luna","profile":{"species":"cat"}}' });
  assert.equal((await seeded.call('GET', 'pet/7/profile')).text, '{"species":"cat"}');
});

void test('path: another form of it, or an unknown token, is handled as by the service', options, async () => {
  const { token } = await createPlayground(call);
  const first = token.charCodeAt(0).toString(16);
  for (const form of [`/s/%${first}${token.slice(1)}/v2/pet/1`, `/s/${token}/v2/pet/1/`, `/s/${token}/v2/pet/1?x=/y`]) {
    const { status, text } = await call('GET', origin + form);
    assert.deepEqual([status, (JSON.parse(text) as { id: number }).id], [200, 1], form);
  }
  for (const path of [`/s/${token}x/v2/pet/1`, '/s//v2/pet/1', `/s/x?/${token}/v2/pet/1`])
    assert.equal((await call('GET', origin + path)).status, 404, path);
});

void test('rate limit: a refused login in a playground reports one limit', options, async () => {
  const { call: own } = await createPlayground(call, { access: 'secured' });
  for (let count = 0; ; count++) {
    assert.ok(count < 100, 'logins are throttled');
    const { status, headers } = await own('POST', 'user/login', { json: { username: 'nobody', password: 'wrong' } });
    const policies = (headers.get('ratelimit-policy') ?? '').split(', ');
    assert.equal(policies.length, 1, headers.get('ratelimit-policy') ?? '');
    if (status !== 429) continue;
    assert.doesNotMatch(headers.get('ratelimit-policy') ?? '', /playground-requests/);
    return;
  }
});

void test('create: refuses invalid options with the field', options, async () => {
  const cases: [options: object, path: string][] = [
    [{ contents: 'other' }, '/contents'],
    [{ contents: 'seed' }, '/seed'],
    [{ contents: 'empty', seed: '{"name":"Luna"}' }, '/contents'],
    [{ seed: '{"name":"Luna"}\n{"name":""}' }, '/seed'],
    [{ seed: '{' }, '/seed'],
    [{ seed: '{"name":"Luna","profile":{"species":"unicorn"}}' }, '/seed'],
    [{ seed: '{"name":"Luna","profile":{"location":"river"}}' }, '/seed'],
    [{ access: 'sandbox' }, '/access'],
    [{ lifetimeSeconds: 0 }, '/lifetimeSeconds'],
    [{ lifetimeSeconds: 8 * 86_400 }, '/lifetimeSeconds'],
    [{ limits: { pets: 100_000 } }, '/limits/pets'],
    [{ limits: { pets: 1 }, seed: '{"name":"Luna"}\n{"name":"Kiwi"}' }, '/seed'],
  ];
  for (const [options, path] of cases) {
    const response = await call('POST', 'playgrounds', { json: options });
    assertRefused(response, 400);
    assert.match(response.text, new RegExp(`"path":"${path}"`), response.text);
  }
});

void test('secured: has a user for each role, whose password works only there', options, async () => {
  const { users, call: own, token } = await createPlayground(call, { access: 'secured', contents: 'empty' });
  assert.deepEqual(
    users.map(({ username, role }) => [username, role]),
    [
      ['viewer', 'viewer'],
      ['editor', 'editor'],
      ['admin', 'admin'],
    ],
  );
  assertRefused(await own('POST', 'pet', { json: { name: 'Luna' } }), 401);
  const { password = '' } = users.find(({ role }) => role === 'editor') ?? {};
  const login = await own('POST', 'user/login', { json: { username: 'editor', password } });
  assert.equal(login.status, 200);
  const session = JSON.parse(login.text) as string;
  const headers = bearer(session);
  assert.equal((await own('POST', 'pet', { json: { name: 'Luna' }, headers })).status, 200);
  assertRefused(await call('POST', 'user/login', { json: { username: 'editor', password } }), 400);
  const state = await playgroundState(call, { token });
  assert.doesNotMatch(JSON.stringify(state), /password/);
  await call('POST', `playgrounds/${token}/reset`);
  assertRefused(await own('POST', 'pet', { json: { name: 'Luna' }, headers }), 401);
  assert.notEqual(await logIn(own, 'editor', password), session);
});

void test('reset: restores contents and IDs, and keeps the base URL', options, async () => {
  const playground = await createPlayground(call, { contents: 'empty' });
  for (const name of ['Luna', 'Kiwi']) await playground.call('POST', 'pet', { json: { name, status: 'available' } });
  assert.equal((await petsOf(playground)).length, 2);
  assert.equal((await call('POST', `playgrounds/${playground.token}/reset`)).status, 200);
  assert.deepEqual(await petsOf(playground), []);
  const added = await playground.call('POST', 'pet', { json: { name: 'Milo' } });
  assert.match(added.text, /^\{"id":1,/);
});

void test('reset: changes that are pending end before it', options, async () => {
  const playground = await createPlayground(call, { contents: 'empty' });
  const changes = Array.from({ length: 30 }, (_, index) =>
    playground.call('POST', 'pet', { json: { name: `Pet ${index}`, status: 'available' } }),
  );
  const [reset, ...added] = await Promise.all([call('POST', `playgrounds/${playground.token}/reset`), ...changes]);
  assert.equal(reset.status, 200);
  for (const response of added) assert.equal(response.status, 200, response.text);
  const left = await petsOf(playground);
  const last = await playground.call('POST', 'pet', { json: { name: 'Last' } });
  assert.match(last.text, new RegExp(`^\\{"id":${left.length + 1},`));
});

void test('snapshots: restore pets, users and IDs, any number of times', options, async () => {
  const playground = await createPlayground(call, { contents: 'empty' });
  await playground.call('POST', 'pet', { json: { name: 'Luna', status: 'available' } });
  await playground.call('POST', 'user', { json: { username: 'kim', password: 'a long enough password' } });
  const taken = await call('POST', `playgrounds/${playground.token}/snapshots`);
  const { id } = JSON.parse(taken.text) as { id: string };
  for (let round = 0; round < 2; round++) {
    await playground.call('DELETE', 'pet/1');
    await playground.call('DELETE', 'user/kim');
    assert.equal((await call('POST', `playgrounds/${playground.token}/snapshots/${id}/restore`)).status, 200);
    assert.deepEqual(
      (await petsOf(playground)).map(({ name }) => name),
      ['Luna'],
    );
    assert.equal((await playground.call('GET', 'user/kim')).status, 200);
  }
  assert.deepEqual(
    (await playgroundState(call, playground)).snapshots.map((each) => each.id),
    [id],
  );
  assertRefused(await call('POST', `playgrounds/${playground.token}/snapshots/unknown/restore`), 404);
});

void test(
  'snapshots: another playground begins with one, and keeps it when the first is deleted',
  options,
  async () => {
    const first = await createPlayground(call, { contents: 'empty', access: 'secured' });
    const { password } = first.users.find(({ role }) => role === 'editor') ?? assert.fail();
    const headers = bearer(await logIn(first.call, 'editor', password));
    await first.call('POST', 'pet', { json: { name: 'Luna', status: 'available' }, headers });
    const upload = fileUpload(await makePhoto());
    await first.call('POST', 'pet/1/uploadImage', { ...upload, headers: { ...upload.headers, ...headers } });
    const { id } = JSON.parse((await call('POST', `playgrounds/${first.token}/snapshots`)).text) as { id: string };
    const snapshot = { token: first.token, id };
    for (const options of [
      { snapshot: { ...snapshot, id: 'unknown' } },
      { snapshot: { ...snapshot, token: 'unknown' } },
    ])
      assertRefused(await call('POST', 'playgrounds', { json: options }), 404);
    for (const options of [{ contents: 'snapshot' }, { contents: 'empty', snapshot }, { snapshot, access: 'open' }])
      assertRefused(await call('POST', 'playgrounds', { json: options }), 400);
    const second = await createPlayground(call, { snapshot });
    assert.deepEqual([second.contents, second.access, second.users], ['snapshot', 'secured', []]);
    assert.deepEqual((await playgroundState(call, second)).users, (await playgroundState(call, first)).users);
    await call('DELETE', `playgrounds/${first.token}`);
    const own = bearer(await logIn(second.call, 'editor', password));
    await second.call('DELETE', 'pet/1', { headers: own });
    await call('POST', `playgrounds/${second.token}/reset`);
    const [luna] = await petsOf(second);
    assert.equal(luna?.name, 'Luna');
    const photo = JSON.parse((await second.call('GET', 'pet/1')).text) as { photoUrls: string[] };
    assert.equal((await call('GET', photo.photoUrls[0] ?? '')).status, 200);
  },
);

void test('delete: the URL and the token are unknown then', options, async () => {
  const playground = await createPlayground(call, { contents: 'empty' });
  assert.equal((await call('DELETE', `playgrounds/${playground.token}`)).status, 200);
  assertRefused(await playground.call('GET', 'pet/1'), 404);
  for (const [method, path] of [
    ['GET', ''],
    ['DELETE', ''],
    ['POST', '/reset'],
    ['POST', '/snapshots'],
  ] as const)
    assertRefused(await call(method, `playgrounds/${playground.token}${path}`), 404);
});

void test('limits: of pets, photos, webhooks and requests', options, async () => {
  const limits = { pets: 2, requestsPerMinute: 6 };
  const { call: own } = await createPlayground(call, { contents: 'empty', limits });
  const add = () => own('POST', 'pet', { json: { name: 'Luna' } });
  assert.equal((await add()).status, 200);
  assert.equal((await add()).status, 200);
  assertRefused(await add(), 507);
  // Replacing and changing is possible.
  assert.equal((await own('POST', 'pet', { json: { id: 1, name: 'Kiwi' } })).status, 200);
  assert.equal((await own('DELETE', 'pet/2')).status, 200);
  assert.equal((await add()).status, 200);
  const limited = await own('GET', 'pet/1');
  assertRefused(limited, 429);
  nowMs += 60_000;
  const allowed = await own('GET', 'pet/1');
  assert.equal(allowed.status, 200);
  const { name, quota, windowSeconds, remaining, resetSeconds } = limitIn(allowed.headers);
  assert.deepEqual([name, quota, windowSeconds, remaining], ['playground-requests', 6, 60, 5]);
  assert.equal(resetSeconds, Math.ceil(60 - ((nowMs / 1000) % 60)));
});

void test(
  'sleep: an idle playground is compressed, and the next request wakes it with all its data',
  options,
  async () => {
    const playground = await createPlayground(call, { contents: 'empty' });
    await playground.call('POST', 'pet', { json: { name: 'Luna', status: 'available' } });
    nowMs += 61_000;
    await until('it sleeps', async () => (await playgroundState(call, playground)).state === 'asleep');
    assert.deepEqual(
      (await petsOf(playground)).map(({ name }) => name),
      ['Luna'],
    );
    assert.equal((await playgroundState(call, playground)).state, 'awake');
  },
);

void test('expiry: a playground is deleted after its lifetime', options, async () => {
  const playground = await createPlayground(call, { contents: 'empty', lifetimeSeconds: 600 });
  nowMs += 600_001;
  assertRefused(await playground.call('GET', 'pet/1'), 404);
  assertRefused(await call('GET', `playgrounds/${playground.token}`), 404);
});

void test(
  'https: the URLs and the cookie have the path of the playground below that of the service',
  options,
  async (t) => {
    const publicUrl = 'https://pets.example.org/zoo';
    const service = await startTestService(t, { flags: ['--access=sandbox', `--public-url=${publicUrl}`] });
    const created = await clientOf(service.base)('POST', 'playgrounds', { json: { contents: 'empty' } });
    const { token, base: own } = JSON.parse(created.text) as { token: string; base: string };
    assert.equal(own, `${publicUrl}/s/${token}/v2`);
    const inside = clientOf(`${service.origin}/s/${token}/v2`);
    await inside('POST', 'user', { json: { username: 'kim', password: 'a long enough password' } });
    const credentials = { username: 'kim', password: 'a long enough password' };
    const login = await inside('POST', 'user/login', { json: credentials });
    const [cookie = ''] = login.headers.getSetCookie();
    assert.match(cookie, /^__Secure-menagerie_playground_session=/);
    assert.ok(cookie.includes(`; Path=/zoo/s/${token};`) && cookie.includes('; Secure'), cookie);
    const { servers } = JSON.parse((await inside('GET', 'openapi.json')).text) as { servers: unknown };
    assert.deepEqual(servers, [{ url: own }]);
    const swagger = await inside('GET', 'swagger.json');
    assert.ok(swagger.text.includes(`${own}/`) || swagger.text.includes(`/zoo/s/${token}/v2`));
  },
);

void test(
  'secured, at a public URL: passkeys and programs have the site and the path of the playground',
  options,
  async (t) => {
    const publicUrl = 'https://pets.example.org/zoo';
    const service = await startTestService(t, { flags: ['--access=sandbox', `--public-url=${publicUrl}`] });
    const { token, page } = JSON.parse(
      (await clientOf(service.base)('POST', 'playgrounds', { json: { access: 'secured' } })).text,
    ) as { token: string; page: string };
    const inside = clientOf(`${service.origin}/s/${token}`);
    const started = await inside('POST', 'v2/sign-in/passkey/options');
    assert.match(started.text, /"rpId":"pets\.example\.org"/);
    for (const cookie of started.headers.getSetCookie()) assert.ok(cookie.includes(`; Path=/zoo/s/${token}`), cookie);
    const metadata = await inside('GET', '.well-known/oauth-authorization-server');
    const { issuer, token_endpoint: endpoint } = JSON.parse(metadata.text) as Record<string, string>;
    assert.deepEqual([issuer, endpoint], [page.replace(/\/$/, ''), `${page}v2/oauth/token`]);
  },
);

void test('webhooks: receive the changes of their playground, with its URLs', options, async (t) => {
  const receiver = await startReceiver(t);
  const flags = ['--access=sandbox', '--webhook-private-addresses'];
  const service = clientOf((await startTestService(t, { flags })).base);
  const { call: own, users } = await createPlayground(service, { contents: 'samples', access: 'secured' });
  const headers = bearer(await logIn(own, 'admin', users.find(({ role }) => role === 'admin')?.password));
  const json = { url: `${receiver.origin}/hook`, events: ['pet.*'] };
  assert.equal((await own('POST', 'admin/webhooks', { headers, json })).status, 200);
  await service('POST', 'pet', { json: { name: 'At the root' } });
  assert.equal((await own('PATCH', 'pet/1', { headers, json: { name: 'Kiwi' } })).status, 200);
  await until('the change is delivered', async () => receiver.calls.length > 0);
  const bodies = JSON.stringify(receiver.calls.map(({ body }) => body));
  assert.ok(bodies.includes('Kiwi') && bodies.includes('/s/') && !bodies.includes('At the root'), bodies);
});

void test('photos: are limited together', options, async () => {
  const { call: own } = await createPlayground(call, { contents: 'empty', limits: { photoBytes: 100 } });
  await own('POST', 'pet', { json: { name: 'Luna' } });
  assertRefused(await own('POST', 'pet/1/uploadImage', fileUpload(await makePhoto())), 507);
});

void test('photos: a body that arrives after its head, on a connection of other requests', options, async (t) => {
  const { token } = await createPlayground(call);
  const { headers, body } = fileUpload(await makePhoto({ width: 60, height: 40 }));
  const socket = await openSocket(origin);
  t.after(() => socket.destroy());
  socket.setEncoding('latin1');
  let text = '';
  socket.on('data', (chunk) => (text += String(chunk)));
  const countResponses = () => text.split('HTTP/1.1 ').length - 1;
  socket.write('GET /v2/pet/1 HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await until('the first response', async () => countResponses() === 1);
  const fields = Object.entries({
    ...headers,
    host: 'localhost',
    'content-length': body.byteLength,
    expect: '100-continue',
  });
  const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(`POST /s/${token}/v2/pet/1/uploadImage HTTP/1.1\r\n${head}\r\n`);
  await until('100 Continue', async () => text.includes('100 Continue'));
  socket.write(body);
  await until('the response', async () => countResponses() === 3);
  assert.match(text, /HTTP\/1\.1 200 OK[^]*File uploaded/);
});

void test('many: a thousand that expired leave nothing', options, async (t) => {
  let ownMs = Date.now();
  const flags = ['--empty', '--max-playgrounds=100', '--playground-memory-mib=512'];
  const service = await startTestService(t, { flags, clock: () => ownMs });
  const own = clientOf(service.base);
  const filesBefore = await readdir(service.dataDir, { recursive: true });
  const metrics = async () => (await own('GET', `${service.origin}/metrics`)).text;
  for (let round = 0; round < 10; round++) {
    for (let index = 0; index < 100; index++) {
      const { call: inside } = await createPlayground(own, { contents: 'empty', lifetimeSeconds: 60 });
      await inside('GET', 'pet/1');
    }
    assert.match(await metrics(), /^menagerie_playgrounds\{state="awake"\} 100$/m);
    ownMs += 60_001;
    await until('all are deleted', async () => /^menagerie_playgrounds\{state="awake"\} 0$/m.test(await metrics()));
    assert.match(await metrics(), /^menagerie_playground_memory_bytes 0$/m);
  }
  assert.match(await metrics(), /^menagerie_playgrounds_created_total 1000$/m);
  assert.deepEqual(await readdir(service.dataDir, { recursive: true }), filesBefore);
});

void test('network: without credentials, it can have fifty', options, async (t) => {
  const own = clientOf((await startTestService(t, { flags: ['--access=sandbox'] })).base);
  for (let index = 0; index < 50; index++) await createPlayground(own, { contents: 'empty' });
  assertRefused(await own('POST', 'playgrounds'), 429);
});

void test('PostgreSQL: is refused with the reason, and so is a service without playgrounds', async (t) => {
  assert.match(reasonForNoPlaygrounds(testConfig('/data', ['--database-url=postgres://a:b@c/d'])) ?? '', /PostgreSQL/);
  const own = clientOf((await startTestService(t, { flags: ['--max-playgrounds=0'] })).base);
  assert.match(assertRefused(await own('POST', 'playgrounds'), 403).message, /--max-playgrounds/);
});

void test('parts of a playground: throw outside of a context', () => {
  class Part {
    readonly #name: string;
    constructor(name: string) {
      this.#name = name;
    }
    read() {
      return this.#name;
    }
  }
  const [one, other] = ['one', 'other'].map((name) => ({ part: new Part(name), write: () => name }));
  assert.ok(one !== undefined && other !== undefined);
  const following = new Following(one);
  const { part, write } = following.parts;
  following.run(other, () => assert.deepEqual([part.read(), write()], ['other', 'other']));
  assert.throws(() => part.read(), /no playground/);
  assert.throws(write, /no playground/);
});

void test('secured: the audit log says who created one, without its token', options, async (t) => {
  const { call: secured } = await startSecuredService(t);
  const root = bearer(await logIn(secured, 'root'));
  const { token } = await createPlayground(secured, { contents: 'empty' }, root);
  const { text } = await secured('GET', 'admin/audit?action=playground.created', { headers: root });
  const entries = JSON.parse(text) as unknown[];
  assert.equal(entries.length, 1, text);
  assert.match(text, /"root"/);
  assert.ok(!text.includes(token));
});
