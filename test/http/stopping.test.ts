import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { clientOf } from '../support/client.ts';
import { inTime, startSlowlyStopping } from '../support/deadline.ts';
import { fileUpload } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';
import { openSocket } from '../support/raw-http.ts';

/* On shutdown, the service completes pending requests, closes idle connections, and does not wait for its timeout. */

const MANY = 350;

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
