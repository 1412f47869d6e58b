import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import type { HttpSettings } from '../../src/http/pipeline/settings.ts';
import { assertRefused, clientOf } from '../support/client.ts';
import { openConnection } from '../support/connection.ts';
import { inTime } from '../support/deadline.ts';
import { skipOnNodes } from '../support/nodes.ts';
import { startTestService } from '../support/service.ts';
import { until } from '../support/until.ts';

/* Limits per address and in total: connections, and the duration of bodies. Probes always get a response. */

const SLOW_BODIES = {
  JSON: 'POST /v2/pet HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"name":"',
  'a form':
    'POST /v2/pet/7 HTTP/1.1\r\nHost: localhost\r\nContent-Type: ' +
    'application/x-www-form-urlencoded\r\nContent-Length: 90\r\n\r\nname=',
  'a body that the operation ignores':
    'GET /v2/pet/7 HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{',
  'a body for an unknown path': 'POST /v2/nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\nx',
};
const SLOW_UPLOAD =
  'POST /v2/pet/7/uploadImage HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; ' +
  'boundary=x\r\nContent-Length: 1000\r\n\r\n--x\r\n';

/** Each node has its own limit, and only some systems have several loopback addresses. */
const options = {
  skip:
    skipOnNodes() || (process.platform !== 'linux' && 'Clients call from 127.0.0.2, which only Linux has by default.'),
};

interface Opened {
  socket: Socket;
  closed: Promise<unknown>;
  text: string;
}

/** Held requests end with their test, however slow the machine is. */
const PATIENT = { bodyTimeoutMs: 600_000, idleTimeoutMs: 600_000 };

const sockets: Socket[] = [];

/** A service with these limits. Connections close before it stops, which would wait for their requests. */
async function start(t: TestContext, http: Partial<HttpSettings>, ...flags: string[]) {
  t.after(() => sockets.splice(0).forEach((socket) => socket.destroy()));
  return startTestService(t, { flags: ['--empty', ...flags], config: { http } });
}

async function open(origin: string, bytes = '', localAddress = '127.0.0.1'): Promise<Opened> {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port), localAddress });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const opened = { socket, closed, text: '' };
  socket.on('error', () => {});
  socket.setEncoding('latin1').on('data', (chunk) => (opened.text += String(chunk)));
  sockets.push(socket);
  await once(socket, 'connect');
  if (bytes !== '') await new Promise((resolve) => socket.write(bytes, resolve));
  return opened;
}

function openMany(count: number, ...args: [origin: string, bytes?: string, from?: string]) {
  return Promise.all(Array.from({ length: count }, () => open(...args)));
}

/** One request on a separate connection. */
async function get(base: string, path: string, localAddress = '127.0.0.1') {
  const connection = openConnection(base, { localAddress });
  try {
    return await connection.call('GET', path);
  } finally {
    connection.close();
  }
}

function from(address: string) {
  return { headers: { 'x-forwarded-for': address } };
}

void test(
  'one address: beyond its limit only probes get a response, and other addresses are served',
  options,
  async (t) => {
    const { base, origin } = await start(t, { maxConnectionsPerAddress: 4, ...PATIENT });
    await openMany(4, origin, SLOW_BODIES.JSON);
    await openMany(20, origin, SLOW_BODIES.JSON);
    const refusal = assertRefused(await get(base, 'pet/7'), 429);
    assert.match(refusal.message, /Too many connections from your address/);
    for (const probe of ['livez', 'readyz']) assert.equal((await get(origin, probe)).status, 200);
    assert.equal((await get(base, 'pet/7', '127.0.0.2')).status, 404);
  },
);

void test('all connections: probes get a response, others are refused until there is room', options, async (t) => {
  const { base, origin } = await start(t, { maxConnections: 4, ...PATIENT });
  const held = await openMany(4, origin, SLOW_BODIES.JSON);
  // More connections than the service keeps for probes: the oldest are closed.
  await openMany(600, origin);
  const refused = await get(base, 'pet/7', '127.0.0.2');
  assert.match(assertRefused(refused, 503).message, /Too many connections/);
  assert.equal(refused.headers.get('retry-after'), '10');
  for (const probe of ['livez', 'readyz']) assert.equal((await get(origin, probe)).status, 200);
  for (const { socket } of held) socket.resetAndDestroy();
  await until('there is room', async () => (await get(base, 'pet/7')).status === 404);
});

void test('all connections: idle ones are closed for new ones', options, async (t) => {
  const { base } = await start(t, { maxConnections: 4 });
  const idle = openConnection(base, { connections: 4 });
  t.after(() => idle.close());
  await Promise.all(Array.from({ length: 4 }, () => idle.call('GET', 'pet/7')));
  assert.equal((await get(base, 'pet/7', '127.0.0.2')).status, 404);
});

void test('behind a trusted proxy: the limit is for requests of each client, not for the proxy', options, async (t) => {
  const { origin, base } = await start(t, { maxConnectionsPerAddress: 4, ...PATIENT }, '--trusted-proxies', '1');
  const bytes = SLOW_UPLOAD.replace('Host', 'X-Forwarded-For: 203.0.113.1\r\nHost');
  const held = await openMany(4, origin, bytes);
  await openMany(4, origin, SLOW_BODIES.JSON.replace('Host', 'X-Forwarded-For: 203.0.113.2\r\nHost'));
  const call = clientOf(base);
  const statusOfNext = async () => (await call('GET', 'pet/7', from('203.0.113.1'))).status;
  await until('the limit', async () => (await statusOfNext()) === 429);
  assert.equal((await call('GET', 'pet/7', from('203.0.113.3'))).status, 404);
  assert.equal((await clientOf(origin)('GET', 'livez', from('203.0.113.1'))).status, 200);
  for (const { socket } of held) socket.resetAndDestroy();
  await until('there is room', async () => (await statusOfNext()) === 404);
});

void test('late bodies: a small one ends its connection, an upload has more time', options, async (t) => {
  const { origin } = await start(t, { bodyTimeoutMs: 1000 });
  const upload = await open(origin, SLOW_UPLOAD);
  const slow = await Promise.all(Object.values(SLOW_BODIES).map((bytes) => open(origin, bytes)));
  const drops = setInterval(() => slow.forEach(({ socket }) => socket.write('x')), 100);
  t.after(() => clearInterval(drops));
  await inTime('the end of the connections', Promise.all(slow.map(({ closed }) => closed)));
  assert.match(slow[0]?.text ?? '', /^HTTP\/1\.1 408 /);
  assert.equal(upload.socket.closed, false);
});
