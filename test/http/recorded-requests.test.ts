import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { after, describe, it, test } from 'node:test';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { curlCommand } from '../../src/api/curl-command.ts';
import type { RecordedRequest } from '../../src/api/records/playgrounds/recorded-request.ts';
import { assertRefused, clientOf } from '../support/client.ts';
import { callTool, connectAgent, sendCall } from '../support/agents.ts';
import { followEvents } from '../support/event-client.ts';
import { setUpTotp } from '../support/factors.ts';
import { fileUpload } from '../support/multipart.ts';
import { skipWithoutPlaygrounds } from '../support/nodes.ts';
import { makePhoto } from '../support/photos.ts';
import { createPlayground, playgroundState, type TestPlayground } from '../support/playgrounds.ts';
import { bearer, createKey, logIn } from '../support/secured.ts';
import { startTestService } from '../support/service.ts';
import { until } from '../support/until.ts';

/* The recorded requests of a playground: what is recorded and masked, filters, formats and limits. */

const options = { skip: skipWithoutPlaygrounds() };

let nowMs = Date.now();
const { base, origin } = await startTestService(
  { after },
  { flags: ['--empty', '--access=sandbox'], clock: () => nowMs },
);
const call = clientOf(base);

type Side = Pick<TestPlayground, 'token'>;

async function recorded({ token }: Side, query = ''): Promise<RecordedRequest[]> {
  const response = await call('GET', `playgrounds/${token}/requests${query}`);
  assert.equal(response.status, 200, response.text);
  return JSON.parse(response.text) as RecordedRequest[];
}

const create = (options: object = {}) => createPlayground(call, { contents: 'empty', ...options });

const headerOf = (headers: RecordedRequest['request']['headers'] = [], wanted: string) =>
  headers.find(({ name }) => name.toLowerCase() === wanted)?.value;

void test('recorded request: has request and response as the client saw them', options, async () => {
  const playground = await create();
  const added = await playground.call('POST', 'pet?x=1', { json: { name: 'Grüße 🐈' }, headers: { 'x-mine': 'yes' } });
  const [request, ...others] = await recorded(playground);
  assert.ok(request !== undefined && others.length === 0);
  assert.deepEqual(
    [request.number, request.operation, request.method, request.path, request.status, request.httpVersion],
    [1, 'addPet', 'POST', '/v2/pet?x=1', 200, '1.1'],
  );
  assert.equal(request.request.body, '{"name":"Grüße 🐈"}');
  assert.equal(request.request.bodyBytes, Buffer.byteLength('{"name":"Grüße 🐈"}'));
  assert.equal(headerOf(request.request.headers, 'x-mine'), 'yes');
  const { response } = request;
  assert.ok(response !== null);
  assert.equal(response.body, added.text);
  assert.equal(response.isComplete, true);
  assert.equal(response.statusText, 'OK');
  const sent = [...added.headers].map(([name, value]) => [name, headerOf(response.headers, name) === value]);
  assert.deepEqual(
    sent.filter(([, isEqual]) => isEqual !== true),
    [],
  );
  assert.ok(request.durationMs > 0);
});

void test('recorded requests: are filtered by operation, method, status and ID', options, async () => {
  const playground = await create();
  await playground.call('POST', 'pet', { json: { name: 'Luna' } });
  await playground.call('POST', 'pet', { json: { name: '' } });
  await playground.call('GET', 'pet/1');
  await playground.call('GET', 'pet/2');
  await playground.call('GET', 'unknown');
  const ids = async (query: string) => (await recorded(playground, query)).map(({ number }) => number);
  assert.deepEqual(await ids(''), [1, 2, 3, 4, 5]);
  assert.deepEqual(await ids('?operation=addPet'), [1, 2]);
  assert.deepEqual(await ids('?operation=addPet&status=200'), [1]);
  assert.deepEqual(await ids('?status=4xx'), [2, 4, 5]);
  assert.deepEqual(await ids('?status=404&method=get'), [4, 5]);
  assert.deepEqual(await ids('?after=3'), [4, 5]);
  assert.deepEqual(await ids('?operation=deletePet'), []);
  assert.deepEqual(await ids('?path=/pet/*'), [3, 4]);
  assert.deepEqual(await ids('?path=/v2/pet/2/'), [4]);
  assert.deepEqual(await ids('?path=/pe.'), []);
  assert.deepEqual(await ids('?bodyText=Luna'), [1, 3]);
  for (const query of ['operation=addPets', 'status=600', 'after=x', 'operations=addPet', 'path=pet', 'path=/a*a*'])
    assertRefused(await call('GET', `playgrounds/${playground.token}/requests?${query}`), 400);
});

void test('recorded requests: have the calls of tools by agents, with their operations', options, async (t) => {
  const playground = await create();
  const root = playground.base.replace(/\/v2$/, '');
  const agent = await connectAgent(t, root);
  await agent.listTools();
  await callTool(agent, 'add_pet', { name: 'Luna' });
  await callTool(agent, 'get_pet', { id: '2' });
  await callTool(agent, 'search_pets');
  const secured = await create({ access: 'secured' });
  await sendCall(secured.call, secured.base.replace(/\/v2$/, ''), 'delete_pet', { id: '1' });
  const seen = async (of: Side) => (await recorded(of)).map(({ operation, path, status }) => [operation, path, status]);
  assert.deepEqual(await seen(playground), [
    ['addPet', '/mcp', 200],
    ['getPetById', '/mcp', 200],
    ['findPets', '/mcp', 200],
  ]);
  assert.deepEqual(await seen(secured), [['deletePet', '/mcp', 401]]);
  const [added] = await recorded(playground, '?operation=addPet');
  assert.match(added?.request.body ?? '', /"name":"add_pet","arguments":\{"name":"Luna"\}/);
  assert.match(added?.response?.body ?? '', /"isError":false|"structuredContent"/);
});

void test('recorded requests: as NDJSON, and deleted', options, async () => {
  const playground = await create();
  await playground.call('GET', 'pet/1');
  await playground.call('GET', 'pet/2');
  const path = `playgrounds/${playground.token}/requests`;
  const lines = await call('GET', path, { headers: { accept: 'application/x-ndjson' } });
  assert.equal(lines.headers.get('content-type'), 'application/x-ndjson');
  assert.deepEqual(
    lines.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
    await recorded(playground),
  );
  assert.equal((await call('DELETE', path)).status, 200);
  assert.deepEqual(await recorded(playground), []);
  await playground.call('GET', 'pet/3');
  assert.deepEqual(
    (await recorded(playground)).map(({ number }) => number),
    [3],
  );
});

void test('recorded requests: as a valid HTTP Archive', options, async () => {
  const playground = await create();
  await playground.call('POST', 'pet', { json: { name: 'Luna', status: 'available' } });
  await playground.call('GET', 'pet/findByStatus?status=available');
  await playground.call('HEAD', 'pet/1');
  const archive = await call('GET', `playgrounds/${playground.token}/requests/har`);
  assert.match(archive.headers.get('content-disposition') ?? '', /requests\.har/);
  const require = createRequire(import.meta.url);
  const ajv = addFormats.default(new Ajv({ strict: false }));
  ajv.addMetaSchema(require('ajv/dist/refs/json-schema-draft-06.json') as object);
  ajv.addSchema(Object.values(require('har-schema') as Readonly<Record<string, object>>));
  const har = JSON.parse(archive.text) as { log: { entries: { request: { url: string; queryString: unknown } }[] } };
  assert.equal(ajv.validate('har.json#', har), true, ajv.errorsText());
  assert.equal(har.log.entries.length, 3);
  const [, list] = har.log.entries;
  assert.equal(list?.request.url, `${origin}/s/${playground.token}/v2/pet/findByStatus?status=available`);
  assert.deepEqual(list?.request.queryString, [{ name: 'status', value: 'available' }]);
  const deleted = await call('GET', `playgrounds/${playground.token}/requests/har?operation=deletePet`);
  assert.deepEqual((JSON.parse(deleted.text) as typeof har).log.entries, []);
});

void test('recorded bodies: at most 16 KiB of text, and nothing of photos', options, async () => {
  const playground = await create({ contents: 'samples' });
  await playground.call('GET', 'pet/findByStatus?status=available,pending,sold');
  const upload = await playground.call('POST', 'pet/1/uploadImage', fileUpload(await makePhoto()));
  const digest = /photo\/([0-9a-f]{64})/.exec((await playground.call('GET', 'pet/1')).text)?.[1];
  const photo = await playground.call('GET', `photo/${digest}`);
  await playground.call('HEAD', 'pet/1');
  const [list, uploaded, , read, head] = await recorded(playground);
  assert.equal(Buffer.byteLength(list?.response?.body ?? ''), Math.min(16_384, list?.response?.bodyBytes ?? 0));
  assert.equal(upload.status, 200);
  assert.equal(uploaded?.request.body, null);
  assert.ok((uploaded?.request.bodyBytes ?? 0) > 1000);
  assert.deepEqual([read?.response?.body, read?.response?.bodyBytes], [null, photo.bytes.byteLength]);
  assert.deepEqual([head?.response?.body, head?.response?.bodyBytes], [null, 0]);
});

void test('long bodies: end with a whole character', options, async () => {
  const playground = await create();
  const json = { name: 'x', photoUrls: ['ä'.repeat(20_000)] };
  for (const name of ['x', 'xx']) await playground.call('POST', 'pet', { json: { ...json, name } });
  for (const { request } of await recorded(playground)) {
    assert.equal(request.isTruncated, true);
    assert.match(request.body ?? '', /ä$/);
  }
});

void test('thousand requests: the last are kept, also asleep', options, async () => {
  const playground = await create();
  const sent = Array.from({ length: 1030 }, (_, index) => index + 1);
  for (const index of sent) await playground.call('GET', `pet/${index}`);
  const before = await recorded(playground);
  assert.equal(before.length, 1000);
  assert.deepEqual([before[0]?.path, before.at(-1)?.path], ['/v2/pet/31', '/v2/pet/1030']);
  nowMs += 61_000;
  await until('it sleeps', async () => (await playgroundState(call, playground)).state === 'asleep');
  assert.deepEqual(await recorded(playground), before);
  assert.equal((await recorded(playground, '?after=1028')).length, 2);
});

const random = () => Buffer.from(crypto.getRandomValues(new Uint8Array(12_000))).toString('base64');

void test('large requests: older ones are dropped before the memory is used up', options, async () => {
  const playground = await create();
  for (let index = 0; index < 150; index++)
    await playground.call('POST', 'pet', { json: { name: 'x', text: random() } });
  const kept = await recorded(playground);
  assert.ok(kept.length >= 50 && kept.length < 150, `${kept.length}`);
  assert.equal(kept.at(-1)?.number, 150);
});

void test('recorder: off at creation', options, async () => {
  const playground = await create({ recordRequests: false });
  assert.equal(playground.recordRequests, false);
  await playground.call('GET', 'pet/1');
  const path = `playgrounds/${playground.token}/requests`;
  for (const [method, of] of [
    ['GET', path],
    ['GET', `${path}/har`],
    ['DELETE', path],
  ] as const)
    assertRefused(await call(method, of), 409);
});

void test('event stream: is recorded when it ends, as incomplete', options, async (t) => {
  const playground = await create();
  await playground.call('POST', 'pet', { json: { name: 'Luna' } });
  const stream = followEvents(() => `${playground.base}/events`, { lastEventId: '0' });
  t.after(async () => stream.close());
  await until('the event arrives', async () => stream.events.length > 0);
  assert.deepEqual(await recorded(playground, '?operation=streamEvents'), []);
  stream.close();
  await until('it is recorded', async () => (await recorded(playground, '?operation=streamEvents')).length === 1);
  const [request] = await recorded(playground, '?operation=streamEvents');
  assert.equal(request?.response?.isComplete, false);
  assert.match(request?.response?.body ?? '', /Luna/);
});

void describe('secrets', options, () => {
  const PASSWORD = 'correct horse battery';
  const secrets: string[] = [PASSWORD, encodeURIComponent(PASSWORD)];

  void it('are in no record', async () => {
    const playground = await create({ access: 'secured' });
    const { call: own, users } = playground;
    const { username, password } = users.find(({ role }) => role === 'admin') ?? assert.fail();
    const session = await logIn(own, username, password);
    const headers = bearer(session);
    secrets.push(password, session);
    await own('POST', 'user', { headers, json: { username: 'kim', password: PASSWORD } });
    await own('GET', `user/login?username=kim&p%61ssword=${encodeURIComponent(PASSWORD)}`);
    await own('POST', 'user/login', {
      body: Buffer.from(String.raw`{"username":"kim","p\u0061ssword":"${PASSWORD}"}`),
      headers: { 'content-type': 'application/json' },
    });
    await own('POST', 'user/login', { body: Buffer.from(`{"password":"${PASSWORD}`) });
    await own('POST', 'unknown', { body: Buffer.from(`<user><password>${PASSWORD}</password></user>`) });
    await own('GET', 'account', { headers: { cookie: `a=b; menagerie_playground_session=${session}` } });
    const { key } = await createKey(own, session, ['read:pets']);
    for (const each of [{ api_key: key }, bearer(key)]) await own('GET', 'pet/1', { headers: each });
    const factors = await setUpTotp(own, await logIn(own, 'kim', PASSWORD), nowMs);
    secrets.push(key, ...stringsIn(factors).filter((text) => text.length > 5));
    const link = await own('POST', 'admin/users/kim/reset-link', { headers });
    secrets.push((JSON.parse(link.text) as { token: string }).token);
    const redirectUris = ['https://example.org/back'];
    const client = await own('POST', 'account/oauth-clients', {
      headers,
      json: { name: 'x', redirectUris, scopes: ['read:pets'], isPublic: false },
    });
    const { id: clientId, secret } = JSON.parse(client.text) as { id: string; secret: string };
    assert.ok(secret.length > 20, client.text);
    secrets.push(secret);
    const form = { grant_type: 'authorization_code', client_id: clientId, client_secret: secret, code: 'the-code' };
    await own('POST', 'oauth/token', { form: { ...form, code_verifier: 'the-verifier' } });
    secrets.push('the-code', 'the-verifier');
    const text = JSON.stringify(await recorded(playground));
    const archive = await call('GET', `playgrounds/${playground.token}/requests/har`);
    for (const each of secrets)
      for (const [name, of] of Object.entries({ text, archive: archive.text }))
        assert.ok(
          !of.includes(each),
          `${name} has ${each}: …${of.slice(of.indexOf(each) - 300, of.indexOf(each) + 50)}`,
        );
    assert.match(text, /Bearer \[masked\]/);
    assert.match(text, /\{\\"username\\":\\"kim\\",\\"password\\":\\"\[masked\]\\"\}/);
  });
});

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

void test('curl command: a shell reads every argument as it was', options, async () => {
  const playground = await create();
  const name = `it's "$HOME" \`id\` \\ ! 100% \n end`;
  await playground.call('POST', `pet?a=[1]&b=%27;id`, { json: { name }, headers: { 'x-odd': `a'b;$(id)` } });
  const [request] = await recorded(playground);
  assert.ok(request !== undefined);
  const command = curlCommand(request, playground.page.replace(/\/$/, ''));
  const shown = execFileSync('sh', ['-c', `curl() { for each in "$@"; do printf '%s\\0' "$each"; done; }; ${command}`]);
  const parts = shown.toString('utf8').split('\0');
  assert.deepEqual(parts.slice(0, 4), ['--globoff', '--request', 'POST', `${playground.base}/pet?a=[1]&b=%27;id`]);
  assert.ok(parts.includes(`x-odd: a'b;$(id)`));
  assert.equal(parts.at(-2), JSON.stringify({ name }));
  const upload = await playground.call('POST', 'pet/1/uploadImage', fileUpload(await makePhoto()));
  assert.equal(upload.status, 200);
  const [, photo] = await recorded(playground);
  assert.match(curlCommand(photo ?? assert.fail(), playground.base), /^# The body was not recorded/);
});
