import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTraceparent } from '../../src/domain/tracing.ts';
import { readConfig } from '../../src/server/configuration/config.ts';
import { clientOf } from '../support/client.ts';
import { startServer } from '../support/menagerie-process.ts';
import { startOtlpReceiver } from '../support/otlp-receiver.ts';
import { bearer, logIn, newSecuredFolder } from '../support/secured.ts';
import { removeFolder, temporaryFolder } from '../support/service.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { until } from '../support/until.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

/** Reports each package of OpenTelemetry that is loaded, and the part of the bundle that includes them. */
const REPORT_LOADED = `data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from 'node:module';
   registerHooks({ resolve(name, context, next) {
     if (/^@opentelemetry\\/|\\/otlp-tracing/.test(name)) console.error('LOADED ' + name);
     return next(name, context);
   } });`,
)}`;

interface LogLine {
  msg: string;
  route?: string;
  status?: number;
  trace_id?: string;
  span_id?: string;
}

function requestLines(stderr: string): readonly LogLine[] {
  const lines = stderr.split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line) as LogLine).filter(({ msg }) => msg === 'request');
}

void test('traceparent: is read as in W3C Trace Context', () => {
  const parent = { traceId: TRACE, spanId: SPAN };
  assert.deepEqual(readTraceparent(`00-${TRACE}-${SPAN}-01`), { ...parent, isSampled: true });
  assert.deepEqual(readTraceparent(`00-${TRACE}-${SPAN}-00`), { ...parent, isSampled: false });
  assert.deepEqual(readTraceparent(`01-${TRACE}-${SPAN}-03-later`), { ...parent, isSampled: true });
  for (const invalid of [
    undefined,
    '',
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE}-${SPAN}`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    [`00-${TRACE}-${SPAN}-01`],
  ])
    assert.equal(readTraceparent(invalid), undefined, String(invalid));
});

void test('without an OTLP endpoint: log lines continue the trace of the client, and OpenTelemetry is not loaded', async (t) => {
  const server = await startServer(t, await temporaryFolder(t), ['--empty', '--log-level', 'debug'], {
    environment: { NODE_OPTIONS: `--import=${REPORT_LOADED}`, OTEL_EXPORTER_OTLP_ENDPOINT: '' },
  });
  const call = clientOf(server.base);
  await call('GET', 'pet/1', { headers: { traceparent: `00-${TRACE}-${SPAN}-01` } });
  await call('GET', 'pet/2', { headers: { traceparent: 'invalid' } });
  const { stderr } = await server.end('SIGTERM');
  const [traced, other] = requestLines(stderr);
  assert.deepEqual([traced?.trace_id, traced?.span_id], [TRACE, SPAN]);
  assert.deepEqual([other?.status, other?.trace_id], [404, undefined]);
  assert.doesNotMatch(stderr, /LOADED/);
});

void test('with an OTLP endpoint: sends spans of requests and deliveries', async (t) => {
  const [collector, receiver] = [await startOtlpReceiver(t), await startReceiver(t)];
  const dataDir = await newSecuredFolder();
  t.after(() => removeFolder(dataDir));
  const flags = ['--empty', '--access', 'secured', '--log-level', 'debug', '--webhook-private-addresses'];
  const server = await startServer(t, dataDir, flags, {
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector-secret',
      NODE_OPTIONS: `--import=${REPORT_LOADED}`,
    },
  });
  const call = clientOf(server.base);
  const headers = bearer(await logIn(call, 'root'));
  await call('GET', 'pet/4711?secret=x', { headers: { traceparent: `00-${TRACE}-${SPAN}-01` } });
  await call('GET', 'pet/findByStatus?status=sold', { headers: { traceparent: `00-${TRACE}-${SPAN}-00` } });
  const json = { url: `${receiver.origin}/hook`, events: ['pet.*'] };
  assert.equal((await call('POST', 'admin/webhooks', { headers, json })).status, 200);
  await call('POST', 'pet', { headers, json: { name: 'Rex' } });
  await until('the webhook is called', async () => receiver.calls.length > 0);
  const { stderr } = await server.end('SIGTERM');
  assert.match(stderr, /LOADED \S*otlp-tracing/);

  const { spans, requests } = collector;
  assert.deepEqual([...new Set(requests.map(({ path }) => path))], ['/v1/traces']);
  assert.equal(requests[0]?.headers['authorization'], 'Bearer collector-secret');
  const [read, ...more] = spans.filter(({ traceId }) => traceId === TRACE);
  assert.deepEqual(more, [], 'a trace that the client does not sample is not sent');
  assert.deepEqual(
    { ...read, spanId: '' },
    {
      service: 'menagerie',
      traceId: TRACE,
      spanId: '',
      parentSpanId: SPAN,
      name: 'GET /v2/pet/:petId',
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/v2/pet/:petId',
        'menagerie.operation': 'getPetById',
        'http.response.status_code': '404',
      },
      status: 0,
    },
  );
  const logged = requestLines(stderr).find(({ trace_id: traceId }) => traceId === TRACE);
  assert.equal(logged?.span_id, read?.spanId);
  const added = spans.find(({ attributes }) => attributes['menagerie.operation'] === 'addPet');
  assert.deepEqual([added?.parentSpanId, added?.attributes['http.response.status_code']], ['', '200']);
  const delivery = spans.find(({ name }) => name === 'POST webhook');
  assert.equal(receiver.calls[0]?.headers['traceparent'], `00-${delivery?.traceId}-${delivery?.spanId}-01`);
  const texts = spans.map(({ name, attributes }) => ({ name, attributes }));
  assert.doesNotMatch(JSON.stringify(texts), /4711|secret|root|Rex/);
  assert.doesNotMatch(stderr, /collector-secret/);
});

void test('a collector that is down: is logged, and the service works', async (t) => {
  const server = await startServer(t, await temporaryFolder(t), ['--empty'], {
    environment: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' },
  });
  assert.equal((await clientOf(server.base)('GET', 'pet/1')).status, 404);
  const { code, stderr } = await server.end('SIGTERM');
  assert.equal(code, 0);
  assert.match(stderr, /"msg":"sending traces failed"/);
});

function problemsOf(environment: Record<string, string>): readonly string[] {
  const result = readConfig([], environment);
  return 'problems' in result ? result.problems : [];
}

void test('an invalid OTLP endpoint or ratio: is refused at the start', () => {
  assert.deepEqual(problemsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' }), [
    'OTEL_EXPORTER_OTLP_ENDPOINT must be a URL such as http://localhost:4318.',
  ]);
  assert.deepEqual(problemsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://[::1]:4318', OTEL_TRACES_SAMPLER_ARG: '2' }), [
    'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1.',
  ]);
});
