import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { pino } from 'pino';
import { startService } from '../../src/server/service.ts';
import { clientOf } from '../support/client.ts';
import { inTime, startSlowlyStopping } from '../support/deadline.ts';
import { fileUpload } from '../support/multipart.ts';
import { dropDatabaseOf } from '../support/nodes.ts';
import { makePhoto } from '../support/photos.ts';
import { openRequest } from '../support/open-request.ts';
import { openSocket } from '../support/raw-http.ts';
import { startTestService, temporaryFolder, testConfigOn } from '../support/service.ts';

/* On shutdown, the service completes pending requests, closes idle connections, and does not wait for its timeout. */

const MANY = 350;
const DRAIN_MS = 60_000;
const STOP_TIMEOUT_MS = 1000;

void test('shutdown without requests: immediate, also with idle connections', async (t) => {
  const service = await startSlowlyStopping(t);
  const sockets = [await openSocket(service.origin), await openSocket(service.origin)];
  for (const socket of sockets) socket.on('error', () => {});
  sockets[0]?.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(sockets[0] ?? assert.fail(), 'data');
  await inTime('the stop', service.stop());
});

void test('shutdown after a photo was sent: immediate', async (t) => {
  const service = await startSlowlyStopping(t);
  const call = clientOf(service.base);
  await call('POST', 'pet', { json: { id: 1, name: 'Rex' } });
  await call('POST', 'pet/1/uploadImage', fileUpload(await makePhoto()));
  const { photoUrls } = JSON.parse((await call('GET', 'pet/1')).text) as { photoUrls: string[] };
  assert.equal((await call('GET', `${photoUrls[0]}/small`)).status, 200);
  await inTime('the stop', service.stop());
});

void test('shutdown after a drain: serves until then, not ready, and closes connections after a response', async (t) => {
  const dataDir = await temporaryFolder(t);
  const service = await startService(await testConfigOn(dataDir, ['--empty']), pino({ level: 'silent' }));
  t.after(() => dropDatabaseOf(dataDir));
  const socket = await openSocket(service.origin);
  const get = async (path: string) => {
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    return String((await once(socket, 'data'))[0]);
  };
  assert.match(await get('/readyz'), /^HTTP\/1.1 200 .*Connection: keep-alive/s);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const stopping = service.stop(DRAIN_MS);
  const closed = once(socket, 'close');
  assert.match(await get('/readyz'), /^HTTP\/1.1 503 .*Connection: close/s);
  await closed;
  const call = clientOf(`${service.origin}/v2`);
  assert.equal((await call('POST', 'pet', { json: { id: 1, name: 'Rex' } })).status, 200);
  assert.equal((await call('GET', 'pet/1')).headers.get('connection'), 'close');
  t.mock.timers.tick(DRAIN_MS);
  t.mock.timers.reset();
  await inTime('the stop', stopping);
  await assert.rejects(call('GET', 'pet/1'), { code: 'ECONNREFUSED' });
});

void test('shutdown with a request that does not end: closes its connection after the timeout', async (t) => {
  const service = await startTestService(t, { config: { stopTimeoutMs: STOP_TIMEOUT_MS } });
  const open = await openRequest(service.base, JSON.stringify({ name: 'Rex' }));
  const closed = new Promise((resolve) => open.once('close', resolve));
  const startedAt = performance.now();
  await inTime('the stop', service.stop());
  await closed;
  // Timers may be a millisecond early.
  assert.ok(performance.now() - startedAt >= STOP_TIMEOUT_MS - 10);
});

void test('shutdown during a list: completes it first', async (t) => {
  const service = await startSlowlyStopping(t);
  const call = clientOf(service.base);
  const photoUrls = Array.from({ length: 100 }, (_, index) => `https://example.org/${String(index).repeat(150)}`);
  // Longer than the buffers of sockets, so that most of it is still to be sent.
  for (let count = 0; count < MANY; count += 50) {
    await Promise.all(
      Array.from({ length: 50 }, () => call('POST', 'pet', { json: { name: 'Rex', photoUrls, status: 'sold' } })),
    );
  }
  const socket = await openSocket(service.origin);
  socket.setEncoding('latin1');
  socket.write('GET /v2/pet/findByStatus?status=sold HTTP/1.1\r\nHost: localhost\r\n\r\n');
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  await once(socket, 'data');
  socket.pause();
  const stopping = service.stop();
  socket.resume();
  await inTime('the stop', stopping);
  assert.ok(text.endsWith(']\r\n0\r\n\r\n'), `cut off: ${JSON.stringify(text.slice(-30))}`);
  assert.equal(text.match(/"status":"sold"/g)?.length, MANY);
});
