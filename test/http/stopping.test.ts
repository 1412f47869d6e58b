import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import { clientOf } from '../support/client.ts';
import { fileUpload } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';
import { openSocket } from '../support/raw-http.ts';
import { startTestService, type TestService } from '../support/service.ts';

/* On shutdown, the service completes pending requests, closes idle connections, and does not wait for them. */

/** A faster stop has not waited for the timeout. */
const STOP_TIMEOUT_SECONDS = 24;
const PROMPTLY_MS = 20_000;

async function startStoppable(t: TestContext): Promise<TestService> {
  return startTestService(t, { flags: ['--empty', '--stop-timeout-seconds', String(STOP_TIMEOUT_SECONDS)] });
}

async function timeToStopMs(service: TestService): Promise<number> {
  const startedMs = performance.now();
  await service.stop();
  return Math.round(performance.now() - startedMs);
}

function assertPrompt(tookMs: number): void {
  assert.ok(tookMs < PROMPTLY_MS, `it took ${tookMs} ms`);
}

void test('shutdown without requests: immediate, also with idle connections', async (t) => {
  const service = await startStoppable(t);
  const sockets = [await openSocket(service.origin), await openSocket(service.origin)];
  for (const socket of sockets) socket.on('error', () => {});
  sockets[0]?.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(sockets[0] ?? assert.fail(), 'data');
  assertPrompt(await timeToStopMs(service));
});

void test('shutdown after a photo was sent: immediate', async (t) => {
  const service = await startStoppable(t);
  const call = clientOf(service.base);
  await call('POST', 'pet', { json: { id: 1, name: 'Rex' } });
  await call('POST', 'pet/1/uploadImage', fileUpload(await makePhoto()));
  const { photoUrls } = JSON.parse((await call('GET', 'pet/1')).text) as { photoUrls: string[] };
  assert.equal((await call('GET', `${photoUrls[0]}/small`)).status, 200);
  assertPrompt(await timeToStopMs(service));
});

void test('shutdown during a list: completes it first', async (t) => {
  const service = await startStoppable(t);
  const call = clientOf(service.base);
  const photoUrls = Array.from({ length: 100 }, (_, index) => `https://example.org/${String(index).repeat(150)}`);
  for (let count = 0; count < 1000; count += 50) {
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
  const stopping = timeToStopMs(service);
  socket.resume();
  const tookMs = await stopping;
  assert.ok(text.endsWith(']\r\n0\r\n\r\n'), `cut off: ${JSON.stringify(text.slice(-30))}`);
  assert.equal(text.match(/"status":"sold"/g)?.length, 1000);
  assertPrompt(tookMs);
});
