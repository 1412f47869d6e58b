import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENDPOINTS } from '../../src/api/endpoints.ts';
import { processFamilies } from '../../src/server/metrics/exposition.ts';
import { startService } from '../../src/server/service.ts';
import { pino } from 'pino';
import { assertRefused, callAs, clientOf } from '../support/client.ts';
import { readMetrics, requestsOf, seriesIn, type Series } from '../support/metrics.ts';
import { dropDatabaseOf, newDatabase } from '../support/nodes.ts';
import { fileUpload } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';
import { bearer, createKey, logIn, startSecuredService } from '../support/secured.ts';
import type { Lifetime } from '../support/lifetime.ts';
import {
  startTestService,
  temporaryFolder,
  testConfig,
  testConfigOn,
  withSettings,
  type OtherSettings,
} from '../support/service.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { until } from '../support/until.ts';

const OPENMETRICS = { accept: 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.2' };

const ONE_RETRY = { features: { webhookRetryDelaysMs: [1000] } };

/** One node, whatever the environment says: each node counts its own requests. */
async function startNode(t: Lifetime, flags: readonly string[] = [], others: OtherSettings = {}) {
  const folder = await temporaryFolder(t);
  const config = withSettings(testConfig(folder, ['--empty', ...flags]), others);
  const service = await startService(config, pino({ level: 'silent' }));
  t.after(() => service.stop());
  return { ...service, call: clientOf(`${service.origin}/v2`) };
}

void test('metrics: count requests by operation and status, whatever the path', async (t) => {
  const { origin, call } = await startNode(t);
  await call('POST', 'pet', { json: { name: 'Rex' } });
  for (const path of ['pet/1', 'pet/1/', 'pet/2', 'pet/x', 'nothing/4711', '%zz']) await call('GET', path);
  const series = await readMetrics(origin);
  assert.deepEqual(
    [requestsOf(series, 'addPet'), ...[200, 404, 400].map((status) => requestsOf(series, 'getPetById', status))],
    [1, 2, 1, 1],
  );
  assert.equal(series.get('menagerie_http_request_duration_seconds_count{operation="getPetById"}'), 4);
  assert.equal(series.get('menagerie_http_request_duration_seconds_bucket{operation="getPetById",le="+Inf"}'), 4);
  const operations = [...series.keys()].flatMap((name) => /operation="([^"]*)"/.exec(name)?.[1] ?? []);
  assert.deepEqual(
    new Set(operations).difference(new Set(Object.keys(ENDPOINTS))),
    new Set(['other']),
    'no label has a value from a request',
  );
  assert.doesNotMatch([...series.keys()].join(), /4711/);
});

void test('metrics: OpenMetrics for clients that name it, else the text format of Prometheus', async (t) => {
  const { origin } = await startNode(t);
  const call = clientOf(origin);
  const plain = await call('GET', 'metrics');
  assert.equal(plain.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  assert.equal(plain.headers.get('cache-control'), 'no-store');
  assert.match(plain.text, /^# TYPE menagerie_events_sent_total counter\nmenagerie_events_sent_total 0$/m);
  const open = await call('GET', 'metrics', { headers: OPENMETRICS });
  assert.match(open.headers.get('content-type') ?? '', /^application\/openmetrics-text; version=1\.0\.0/);
  assert.match(open.text, /^# TYPE menagerie_events_sent counter\nmenagerie_events_sent_total 0$/m);
  assert.ok(open.text.endsWith('\n# EOF\n'));
  // The first scrape itself.
  assert.deepEqual(
    [...names(open.text).difference(names(plain.text))].filter((name) => !/"other"/.test(name)),
    [],
  );
});

void test('metrics: changes, photos, searches, events and webhooks', async (t) => {
  const receiver = await startReceiver(t);
  const { origin, call } = await startNode(t, ['--webhook-private-addresses'], ONE_RETRY);
  const before = await readMetrics(origin);
  const grows = (series: Series, name: string) => assert.ok((series.get(name) ?? 0) > (before.get(name) ?? 0), name);
  const events = await fetch(`${origin}/v2/events`);
  await Promise.all(Array.from({ length: 20 }, () => call('POST', 'pet', { json: { name: 'Rex' } })));
  const photo = await makePhoto({ width: 900, height: 600 });
  const uploaded = await call('POST', 'pet/1/uploadImage', fileUpload(photo));
  assert.equal(uploaded.status, 200, uploaded.text);
  const [url = ''] = (JSON.parse((await call('GET', 'pet/1')).text) as { photoUrls: string[] }).photoUrls;
  assert.equal((await call('GET', `${url}/small?format=webp`)).status, 200);
  assert.equal((await call('GET', 'pet?text=rex')).status, 200);
  await call('POST', 'user', { json: { username: 'ada', password: 'correct horse battery' } });
  let series = await readMetrics(origin);
  for (const name of [
    'menagerie_writer_batch_size_sum',
    'menagerie_commit_duration_seconds_count',
    'menagerie_wal_size_bytes',
    'menagerie_search_duration_seconds_count',
    'menagerie_photo_duration_seconds_count{task="store"}',
    'menagerie_photo_duration_seconds_count{task="webp"}',
    'menagerie_password_hash_duration_seconds_count{task="argon2id"}',
    'menagerie_event_streams',
  ])
    grows(series, name);
  await until('events are sent', async () => {
    series = await readMetrics(origin);
    return (series.get('menagerie_events_sent_total') ?? 0) >= 20;
  });
  await events.body?.cancel();
  await until('the stream has ended', async () => {
    series = await readMetrics(origin);
    return series.get('menagerie_event_streams') === 0 && requestsOf(series, 'streamEvents') === 1;
  });
  assert.equal(receiver.calls.length, 0);
});

void test('metrics: webhook deliveries by outcome', async (t) => {
  const receiver = await startReceiver(t);
  const flags = ['--webhook-private-addresses'];
  const { call, origin } = await startSecuredService(t, { flags, config: ONE_RETRY, nodes: 1 });
  const headers = bearer(await logIn(call, 'root'));
  receiver.respond((received, response) =>
    response.writeHead(received.headers['webhook-id']?.includes('_') && receiver.calls.length > 1 ? 500 : 200).end(),
  );
  const json = { url: `${receiver.origin}/hook`, events: ['pet.*'] };
  assert.equal((await call('POST', 'admin/webhooks', { headers, json })).status, 200);
  for (let count = 0; count < 2; count++) await call('POST', 'pet', { headers, json: { name: 'Rex' } });
  const outcomes = async () => {
    const series = await readMetrics(origin, headers);
    return ['delivered', 'failed', 'dead'].map((outcome) =>
      series.get(`menagerie_webhook_deliveries_total{outcome="${outcome}"}`),
    );
  };
  await until('the second delivery is dead', async () => (await outcomes())[2] === 1);
  assert.deepEqual(await outcomes(), [1, 1, 1]);
  const end = await readMetrics(origin, headers);
  assert.equal(end.get('menagerie_webhook_deliveries_pending'), 0);
  const lag = async () => (await readMetrics(origin, headers)).get('menagerie_webhook_lag_seconds') ?? 0;
  assert.equal(await lag(), 0);
  receiver.respond(() => {});
  await call('POST', 'pet', { headers, json: { name: 'Rex' } });
  await until('the lag grows', async () => (await lag()) > 0.5);
});

void test('metrics: in secured access, for administrators and their keys with the scope read:metrics', async (t) => {
  const { call, origin } = await startSecuredService(t);
  const statusFor = async (headers: Readonly<Record<string, string>>) => {
    const response = await clientOf(origin)('GET', 'metrics', { headers });
    if (response.status !== 200) assertRefused(response, response.status);
    return response.status;
  };
  const [root, edna, vera] = await Promise.all(['root', 'edna', 'vera'].map((name) => logIn(call, name)));
  assert.ok(root !== undefined && edna !== undefined && vera !== undefined);
  const { key } = await createKey(call, root, ['read:metrics']);
  const { key: other } = await createKey(call, root, ['read:pets', 'write:pets']);
  const { key: ofEditor } = await createKey(call, edna, ['read:metrics']);
  assert.equal(await statusFor({}), 401);
  assert.deepEqual(await Promise.all([root, edna, vera].map((token) => statusFor(bearer(token)))), [200, 403, 403]);
  assert.deepEqual(await Promise.all([key, other, ofEditor].map((each) => statusFor(bearer(each)))), [200, 401, 401]);
  assertRefused(await call('POST', 'pet', { headers: bearer(key), json: { name: 'Rex' } }), 401);
  assertRefused(await call('GET', 'admin/users', { headers: bearer(key) }), 401);
});

void test('metrics listener: serves only metrics, without credentials', async (t) => {
  const port = await freePort();
  const flags = ['--metrics-listen', String(port)];
  await startSecuredService(t, { flags, nodes: 1 });
  const origin = `http://127.0.0.1:${port}`;
  const ask = clientOf(origin);
  assert.ok((await readMetrics(origin)).has('menagerie_healthy'));
  assert.equal((await ask('HEAD', 'metrics')).status, 200);
  assert.equal((await ask('POST', 'metrics')).status, 405);
  assert.equal((await ask('GET', 'readyz')).status, 404);
  assert.equal((await callAs(origin, 'GET', 'metrics', { headers: { host: 'pets.example.org' } })).status, 403);
  const config = testConfig(await temporaryFolder(t), flags);
  await assert.rejects(
    startService(config, pino({ level: 'silent' })),
    /^Failure: Port \d+ on 127\.0\.0\.1 is in use by another program\. Use another with --metrics-listen; /,
  );
});

void test('metrics of the process: CPU time since its start, and no event loop delay before it was measured', async () => {
  const { user, system } = process.cpuUsage();
  const [, again] = await Promise.all([processFamilies(), processFamilies()]);
  const values = new Map(again.map(({ name, values }) => [name, values.map(({ value }) => value)]));
  assert.ok((values.get('process_cpu_seconds_total')?.[0] ?? 0) >= (user + system) / 1e6);
  assert.ok((values.get('process_resident_memory_bytes')?.[0] ?? 0) > 0);
  assert.deepEqual(
    [...values].filter(([name, each]) => name.includes('lag_') && each.some((value) => !(value >= 0 && value < 1e6))),
    [],
  );
});

void test('metrics: on PostgreSQL, the connections and the transactions of the node', async (t) => {
  const dataDir = await temporaryFolder(t);
  await newDatabase(dataDir);
  t.after(() => dropDatabaseOf(dataDir));
  const service = await startService(await testConfigOn(dataDir, ['--empty']), pino({ level: 'silent' }));
  t.after(() => service.stop());
  await clientOf(`${service.origin}/v2`)('POST', 'pet', { json: { name: 'Rex' } });
  const series = await readMetrics(service.origin);
  assert.ok((series.get('menagerie_commit_duration_seconds_count') ?? 0) > 0);
  assert.ok((series.get('menagerie_postgres_connections{state="idle"}') ?? 0) > 0);
  assert.equal(series.get('menagerie_postgres_waiting'), 0);
  assert.ok(!series.has('menagerie_wal_size_bytes'));
});

void test('metrics: a service in memory has them, too', async (t) => {
  const { origin } = await startTestService(t);
  assert.ok((await readMetrics(origin)).has('menagerie_writer_batch_size_count'));
});

function names(text: string): ReadonlySet<string> {
  return new Set([...seriesIn(text).keys()].filter((name) => name.startsWith('menagerie')));
}

async function freePort(): Promise<number> {
  const { createServer } = await import('node:net');
  const { promise, resolve } = Promise.withResolvers<number>();
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const address = probe.address();
    probe.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
  });
  return promise;
}
