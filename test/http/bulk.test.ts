import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { request, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { assertRefused, clientOf, errorText, type HttpResponse } from '../support/client.ts';
import { readMetrics, requestsOf } from '../support/metrics.ts';
import { startTestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const NDJSON = { 'content-type': 'application/x-ndjson' };
const MAX_INT64 = '9223372036854775807';
const MAX_LINES = 100_000;

const service = await startTestService({ after });
const call = clientOf(service.base);
let count = 1000;

interface Outcome {
  line: number;
  status: number;
  id?: number;
  etag?: string;
  message?: string;
  errors?: { path: string }[];
}

const send = (body: string | Buffer): Promise<HttpResponse> =>
  call('POST', 'bulk', { body: Buffer.from(body), headers: NDJSON });

async function outcomesOf(...lines: (string | object)[]): Promise<readonly Outcome[]> {
  const response = await send(lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  assert.equal(response.status, 200, response.text);
  assert.equal(response.headers.get('content-type'), 'application/x-ndjson');
  return linesOf(response.text);
}

function linesOf(text: string): readonly Outcome[] {
  assert.ok(text.endsWith('\n'));
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as Outcome);
}

const pathsOf = (outcome: Outcome | undefined) => outcome?.errors?.map(({ path }) => path).toSorted();
const statusesOf = (outcomes: readonly Outcome[]) => outcomes.map(({ status }) => status);

void test('bulk: each line has the effect of its single operation, and gets its response in order', async () => {
  const id = ++count;
  const outcomes = await outcomesOf(
    { op: 'create', pet: { id, name: 'Rex', tags: ['t'] } },
    { op: 'update', pet: { id, name: 'Max', status: 'sold' } },
    { op: 'patch', id, patch: { status: null, category: { name: 'Dogs' } } },
    { op: 'patch', id: String(id), patch: {} },
  );
  assert.deepEqual(
    outcomes.map(({ line, status, id: of }) => [line, status, of]),
    [1, 2, 3, 4].map((line) => [line, 200, id]),
  );
  const now = await call('GET', `pet/${id}`);
  assert.equal(now.text, `{"id":${id},"category":{"name":"Dogs"},"name":"Max","photoUrls":[],"tags":[]}`);
  assert.equal(outcomes[2]?.etag, now.headers.get('etag'));
  assert.equal(outcomes[3]?.etag, now.headers.get('etag'), 'the patch changes nothing');
  assert.deepEqual(await outcomesOf({ op: 'delete', id }), [{ line: 1, status: 200, id }]);
  assert.equal((await call('GET', `pet/${id}`)).status, 404);
});

void test('bulk: stores a profile in the same change as the pet, and leaves it without one', async () => {
  const id = ++count;
  const profile = { species: 'dog', externalId: `A-${id}`, bondedWith: [{ id: '7' }], goodWithCats: null };
  const [created] = await outcomesOf({ op: 'create', pet: { id, name: 'Rex' }, profile });
  assert.equal(created?.status, 200);
  const profileOf = async () => (await call('GET', `pet/${id}/profile`)).text;
  assert.equal(await profileOf(), `{"species":"dog","bondedWith":[{"id":7}],"externalId":"A-${id}"}`);
  const [change, ...others] = JSON.parse((await call('GET', `pet/${id}/history`)).text) as { version: number }[];
  assert.deepEqual([`"${change?.version}"`, others], [created.etag, []]);
  await outcomesOf(
    { op: 'update', pet: { id, name: 'Max' } },
    { op: 'patch', id, profile: { species: null, sex: 'male' } },
    { op: 'patch', id, patch: { status: 'sold' }, profile: { isPublished: false } },
  );
  assert.equal(await profileOf(), `{"sex":"male","bondedWith":[{"id":7}],"externalId":"A-${id}","isPublished":false}`);
  await outcomesOf({ op: 'update', pet: { id, name: 'Max' }, profile: {} });
  assert.equal(await profileOf(), '{"isPublished":false}');
});

void test('bulk: reports each wrong field of a profile, and an external id of another pet for its line only', async () => {
  const id = ++count;
  const pet = { name: 'Rex' };
  const outcomes = await outcomesOf(
    { op: 'create', pet: { ...pet, id }, profile: { externalId: `B-${id}` } },
    { op: 'create', pet, profile: { externalId: `B-${id}` } },
    { op: 'create', pet, profile: { externalId: `C-${id}` } },
    { op: 'create', pet, profile: { species: 'dragon', own: { size: [] } } },
    { op: 'update', pet: { ...pet, id }, profile: { feeCurrency: 'ZZZ', feeAmount: 1.234 } },
    { op: 'patch', id, profile: { location: 'nowhere', intakeDate: '9999-01-01', own: { unknown: 1 } } },
    { op: 'patch', id, profile: 7 },
  );
  assert.deepEqual(statusesOf(outcomes), [200, 409, 200, 400, 400, 400, 400]);
  assert.equal(outcomes[1]?.message, `Pet ${id} already has the externalId "B-${id}".`);
  assert.deepEqual(outcomes.slice(3).map(pathsOf), [
    ['/profile/own/size', '/profile/species'],
    ['/profile/feeAmount', '/profile/feeCurrency'],
    ['/profile/intakeDate', '/profile/location', '/profile/own/unknown'],
    ['/profile'],
  ]);
});

void test('bulk: takes the profile in the pet as well, but not in both places', async () => {
  const id = ++count;
  const pet = { id, name: 'Rex' };
  const [profile, wrong] = [{ species: 'dog' }, { location: 'nowhere' }];
  const outcomes = await outcomesOf(
    { op: 'create', pet: { ...pet, profile } },
    { op: 'patch', id, patch: { profile: { sex: 'male' } } },
    { op: 'create', pet: { ...pet, profile }, profile },
    { op: 'patch', id, patch: { profile }, profile },
    { op: 'update', pet: { ...pet, profile: wrong } },
    { op: 'patch', id, patch: { profile: wrong } },
    { op: 'patch', id, patch: { profile: { ...profile, species: 'dragon' } } },
  );
  assert.deepEqual(statusesOf(outcomes), [200, 200, 400, 400, 400, 400, 400]);
  assert.deepEqual(outcomes.slice(2).map(pathsOf), [
    ['/profile'],
    ['/profile'],
    ['/pet/profile/location'],
    ['/patch/profile/location'],
    ['/patch/profile/species'],
  ]);
  assert.equal((await call('GET', `pet/${id}/profile`)).text, '{"species":"dog","sex":"male"}');
});

void test('bulk: assigns ids, exact to the last digit', async () => {
  const { text } = await send(
    `{"op":"create","pet":{"id":${MAX_INT64},"name":"Last"}}\n{"op":"create","pet":{"name":"Next"}}`,
  );
  assert.match(
    text,
    new RegExp(
      String.raw`^\{"line":1,"status":200,"id":${MAX_INT64},"etag":"\\"\d+\\""\}\n\{"line":2,"status":200,"id":\d+,`,
    ),
  );
  assert.equal((await send(`{"op":"delete","id":${MAX_INT64}}`)).text, `{"line":1,"status":200,"id":${MAX_INT64}}\n`);
});

void test('bulk: an invalid line fails alone, with the reason', async () => {
  const id = ++count;
  const outcomes = await outcomesOf(
    '{"op":"create","pet":{"name":"broken"',
    { op: 'create', pet: { name: 1, tags: [2] } },
    { op: 'update', pet: { name: 'no id' } },
    { op: 'update', pet: { id: 987654321, name: 'nobody' } },
    { op: 'patch', id, patch: { name: null } },
    { op: 'patch', id: 1, patch: { id: 2 } },
    { op: 'patch', patch: {} },
    { op: 'delete', id: 987654321 },
    { op: 'delete', id: '9223372036854775808' },
    { op: 'destroy', id: 1 },
    {},
    '[]',
    'null',
    '7',
    { op: 'create', pet: { id, name: 'Good' } },
    { op: 'create', pet: { id, name: 'Again' }, ifNoneMatch: '*' },
    { op: 'delete', id, ifMatch: '"0"' },
    { op: 'delete', id, ifMatch: 'no tag' },
  );
  assert.deepEqual(
    statusesOf(outcomes),
    [400, 400, 400, 404, 400, 400, 400, 404, 400, 400, 400, 400, 400, 400, 200, 412, 412, 400],
  );
  assert.deepEqual(
    outcomes.map(({ line }) => line),
    outcomes.map((_outcome, index) => index + 1),
  );
  assert.deepEqual(pathsOf(outcomes[1]), ['/pet/name', '/pet/tags/0']);
  assert.deepEqual(pathsOf(outcomes[2]), ['/pet/id']);
  assert.deepEqual(pathsOf(outcomes[4]), ['/patch/name']);
  assert.deepEqual(pathsOf(outcomes[5]), ['/patch/id']);
  assert.deepEqual(pathsOf(outcomes[6]), ['/id']);
  assert.deepEqual(pathsOf(outcomes[9]), ['/op']);
  assert.match(outcomes[0]?.message ?? '', /^The line is not valid JSON/);
  assert.equal((await call('GET', `pet/${id}`)).text, `{"id":${id},"name":"Good","photoUrls":[],"tags":[]}`);
});

void test('bulk: skips and counts blank lines, and accepts any line ends', async () => {
  const response = await send('\uFEFF{"op":"delete","id":987654321}\r\n\n  \t\r\n{"op":"delete","id":987654321}');
  assert.deepEqual(
    linesOf(response.text).map(({ line, status }) => [line, status]),
    [
      [1, 404],
      [4, 404],
    ],
  );
});

void test('bulk: a line that is not UTF-8 and one that is too long fail alone', async () => {
  const long = JSON.stringify({ op: 'create', pet: { name: 'x'.repeat(1024 * 1024) } });
  const response = await send(
    Buffer.concat([
      Buffer.from('{"op":"'),
      Buffer.from([0xff]),
      Buffer.from(`"}\n${long}\n{"op":"delete","id":987654321}\n`),
    ]),
  );
  assert.deepEqual(statusesOf(linesOf(response.text)), [400, 413, 404]);
  assert.match(linesOf(response.text)[0]?.message ?? '', /UTF-8/);
});

void test('bulk: changes of one pet apply in order, among many others', async () => {
  const [one, two] = [++count, ++count];
  const lines = Array.from({ length: 600 }, (_, index) => {
    const id = index % 2 === 0 ? one : two;
    if (index < 2) return { op: 'create', pet: { id, name: 'First' } };
    if (index % 7 === 0) return { op: 'create', pet: { name: 'Between' } };
    return index % 3 === 0
      ? { op: 'update', pet: { id, name: `Name ${index}` } }
      : { op: 'patch', id, patch: { name: `Name ${index}` } };
  });
  assert.deepEqual(new Set(statusesOf(await outcomesOf(...lines))), new Set([200]));
  for (const id of [one, two]) {
    const history = JSON.parse((await call('GET', `pet/${id}/history?limit=1000`)).text) as {
      changes: { field: string; after?: string }[];
    }[];
    const names = history.map(({ changes }) => changes.find(({ field }) => field === 'name')?.after);
    const sent = lines.flatMap(({ id: patched, pet, patch }) =>
      (patched ?? pet?.id) === id ? [(pet ?? patch)?.name] : [],
    );
    assert.deepEqual(names.toReversed(), sent);
  }
});

void test('bulk: an empty request, or one of another type, is refused as a whole', async () => {
  for (const body of ['', '\n', ' \r\n\n']) assert.match(assertRefused(await send(body), 400).message, /no line/);
  assertRefused(
    await call('POST', 'bulk', { body: Buffer.from('{}'), headers: { 'content-type': 'application/json' } }),
    415,
  );
  assertRefused(
    await call('POST', 'bulk', { body: Buffer.from('{}'), headers: { ...NDJSON, 'content-encoding': 'gzip' } }),
    415,
  );
  assert.equal((await call('GET', 'bulk')).text, errorText('Method not allowed; allowed methods: POST, OPTIONS'));
});

void test('bulk: reports the limit after the last accepted line', async () => {
  // Blank lines count.
  const outcomes = linesOf((await send(`${'\n'.repeat(MAX_LINES - 2)}${'{}\n'.repeat(10)}`)).text);
  assert.deepEqual(
    outcomes.map(({ line, status }) => [line, status]),
    [
      [MAX_LINES - 1, 400],
      [MAX_LINES, 400],
      [MAX_LINES + 1, 413],
    ],
  );
});

/** A request that is sent, and gets its response, piece by piece. */
function open(origin = service.origin) {
  const sent = request(`${origin}/v2/bulk`, { method: 'POST', headers: NDJSON, agent: false });
  sent.on('error', () => {});
  return sent;
}

void test('bulk: responses lines before the request ends', async () => {
  const sent = open();
  const create = JSON.stringify({ op: 'create', pet: { id: ++count, name: 'Early' } });
  sent.write(`${create}\n{"op":"delete","id":987`);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const lines = createInterface({ input: response })[Symbol.asyncIterator]();
  assert.equal((JSON.parse(String((await lines.next()).value)) as Outcome).status, 200);
  assert.equal((await call('GET', `pet/${count}`)).status, 200);
  sent.end('654321}\n');
  assert.equal((JSON.parse(String((await lines.next()).value)) as Outcome).status, 404);
  assert.equal((await lines.next()).done, true);
});

void test('bulk: after a disconnect, lines with a response are done, and incomplete lines have no effect', async () => {
  const [whole, half] = [++count, ++count];
  const origin = service.nodes[0]?.origin ?? assert.fail();
  const sent = open(origin);
  sent.write(`${JSON.stringify({ op: 'create', pet: { id: whole, name: 'Whole' } })}\n`);
  sent.write(JSON.stringify({ op: 'create', pet: { id: half, name: 'Half' } }));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  await once(response, 'data');
  const countEnded = async () => requestsOf(await readMetrics(origin), 'changePets');
  const before = await countEnded();
  sent.destroy();
  await until('the service has noticed the disconnect', async () => (await countEnded()) > before);
  assert.equal((await call('GET', `pet/${whole}`)).status, 200);
  assert.equal((await call('GET', `pet/${half}`)).status, 404);
});

void test('bulk: a client that sends everything before reading gets all responses', async () => {
  const { hostname, port } = new URL(service.base);
  const socket = connect({ host: hostname, port: Number(port) });
  // Three times what socket buffers hold, so the service must buffer the responses.
  const pet = { name: 1, tags: Array.from({ length: 10 }, () => 1) };
  const many = 8000;
  const body = `${JSON.stringify({ op: 'create', pet })}\n`.repeat(many);
  const head = ['POST /v2/bulk HTTP/1.1', `Host: ${hostname}:${port}`, `Content-Type: ${NDJSON['content-type']}`];
  socket.write(`${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`);
  await promisify<string, void>((text, done) => socket.write(text, done))(body);
  const chunks = (await socket.toArray()) as readonly Buffer[];
  const text = Buffer.concat(chunks).toString('latin1');
  assert.match(text, /^HTTP\/1\.1 200 /);
  assert.ok(text.length > 12_000_000, `${text.length} bytes`);
  assert.equal(text.match(/"status":400/g)?.length, many);
  assert.match(text.slice(-5000), /\{"line":8000,/);
});

const withKey = (key: string, lines: readonly (string | object)[]): Promise<HttpResponse> =>
  call('POST', 'bulk', {
    body: Buffer.from(lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')),
    headers: { ...NDJSON, 'idempotency-key': key },
  });

/** Waits for the response of a pending request. */
async function untilResponse(key: string, lines: readonly object[]): Promise<HttpResponse> {
  let response = await withKey(key, lines);
  await until('the request has ended', async () => {
    if (response.status !== 409) return true;
    assert.match(response.text, /still in progress/);
    response = await withKey(key, lines);
    return false;
  });
  return response;
}

const newPets = (name: string, many: number) =>
  Array.from({ length: many }, () => ({ op: 'create', pet: { name, status: 'pending' } }));

async function countNamed(name: string): Promise<number> {
  const all: { name: string }[] = JSON.parse((await call('GET', 'pet/findByStatus?status=pending')).text) as [];
  return all.filter((pet) => pet.name === name).length;
}

void test('bulk with an idempotency key: done once for repeated and concurrent requests', async () => {
  const key = 'bulk-done-once';
  const lines = [...newPets('Once', 20), { op: 'delete', id: 987654321 }];
  const responses = await Promise.all(Array.from({ length: 10 }, () => withKey(key, lines)));
  const done = responses.filter(({ status }) => status === 200);
  assert.equal(done.filter(({ headers }) => !headers.has('idempotency-replayed')).length, 1);
  for (const { status, text } of responses) if (status !== 200) assert.match(text, /still in progress/);
  const again = await untilResponse(key, lines);
  assert.equal(again.headers.get('idempotency-replayed'), 'true');
  assert.equal(again.text, done[0]?.text);
  assert.equal(statusesOf(linesOf(again.text)).at(-1), 404);
  assert.equal(await countNamed('Once'), 20);
  assertRefused(await withKey(key, lines.slice(1)), 422);
});

void test('bulk with an idempotency key: after a disconnect, a retry gets the complete response', async () => {
  const key = 'bulk-gone-away';
  const lines = newPets('Gone', 3000);
  const sent = request(`${service.base}/bulk`, {
    method: 'POST',
    headers: { ...NDJSON, 'idempotency-key': key },
    agent: false,
  });
  sent.on('error', () => {});
  sent.end(lines.map((line) => JSON.stringify(line)).join('\n'));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.destroy();
  const outcomes = linesOf((await untilResponse(key, lines)).text);
  assert.deepEqual([outcomes.length, new Set(statusesOf(outcomes)).size], [3000, 1]);
  assert.equal(await countNamed('Gone'), 3000);
});

void test('bulk with an idempotency key: an empty or excessive request is refused, and does not use the key', async () => {
  const key = 'bulk-refused';
  assert.match(assertRefused(await withKey(key, ['', ' ']), 400).message, /no line/);
  const much = [`{"op":"delete","id":1}${' '.repeat(4 * 1024 * 1024)}`];
  assert.match(assertRefused(await withKey(key, much), 413).message, /smaller batches/);
  assert.equal((await withKey(key, newPets('Small', 1))).status, 200);
});

void test('bulk with an idempotency key: a response too long to keep is returned once, then only its completion', async () => {
  const key = 'bulk-long-response';
  // Each is refused with a message about all of its fields.
  const lines = [
    ...newPets('Long', 1),
    ...Array.from({ length: 6000 }, () => ({ op: 'create', pet: { tags: [1, 2] } })),
  ];
  const first = await withKey(key, lines);
  assert.ok(first.text.length > 1024 * 1024, String(first.text.length));
  const { message } = assertRefused(await withKey(key, lines), 409);
  assert.match(message, /perhaps only partly.*the pets and their history/);
  assert.equal(await countNamed('Long'), 1);
});
