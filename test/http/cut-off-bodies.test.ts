import assert from 'node:assert/strict';
import { EventEmitter, on, once } from 'node:events';
import { test } from 'node:test';
import { pino } from 'pino';
import { clientOf } from '../support/client.ts';
import { BOUNDARY } from '../support/multipart.ts';
import { skipOnNodes } from '../support/nodes.ts';
import { openSocket } from '../support/raw-http.ts';
import { startTestService } from '../support/service.ts';

/* Clients that disconnect within a body. This is no error of the service, and must not fill its log. */

interface LogLine {
  level: number;
  msg: string;
  requestId?: string;
  err?: object;
}

const INFO = 30;
const CUT_OFF = 'the client closed the connection before the end of the body';

interface CutOffBody {
  request: string;
  type: string;
  sent: string;
}

const BODIES: Readonly<Record<string, CutOffBody>> = {
  JSON: { request: 'POST /v2/pet', type: 'application/json', sent: '{"name":"Rex' },
  'a merge patch': { request: 'PATCH /v2/pet/7', type: 'application/merge-patch+json', sent: '{"name":"Rex' },
  XML: { request: 'POST /v2/pet', type: 'application/xml', sent: '<Pet><name>Rex' },
  'a form': { request: 'POST /v2/pet/7', type: 'application/x-www-form-urlencoded', sent: 'name=Rex' },
  'an upload': {
    request: 'POST /v2/pet/7/uploadImage',
    type: `multipart/form-data; boundary=${BOUNDARY}`,
    sent: `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="rex.jpg"\r\n\r\nhalf a photo`,
  },
  'lines before the end of the first': {
    request: 'POST /v2/bulk',
    type: 'application/x-ndjson',
    sent: '{"op":"delete",',
  },
  'lines with an idempotency key': {
    request: 'POST /v2/bulk',
    type: 'application/x-ndjson\r\nIdempotency-Key: 9ef1a6c4-9c1e-4dd6-b7ea-0b6e5f6dfb6c',
    sent: '{"op":"delete","id":1}\n{"op"',
  },
};

const HOW = ['end', 'destroy', 'resetAndDestroy'] as const;
type How = (typeof HOW)[number];

const LENGTHS = { 'with a length': 'Content-Length: 5000', chunked: 'Transfer-Encoding: chunked' } as const;

const title = 'disconnect within a body: one log line at debug level, without a stack';

void test(title, { skip: skipOnNodes() }, async (t) => {
  const lines: LogLine[] = [];
  const written = new EventEmitter();
  const log = pino(
    { level: 'debug', base: null },
    {
      write: (text: string) => {
        const line = JSON.parse(text) as LogLine;
        lines.push(line);
        written.emit('line', line);
      },
    },
  );
  const service = await startTestService(t, { log });
  assert.equal((await clientOf(service.base)('POST', 'pet', { json: { id: 7, name: 'Rex' } })).status, 200);

  async function cutOff(id: string, { request, type, sent }: CutOffBody, length: string, how: How): Promise<void> {
    const socket = await openSocket(service.origin);
    socket.on('error', () => {});
    const head = `${request} HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: ${id}\r\nContent-Type: ${type}\r\n${length}`;
    socket.write(`${head}\r\nExpect: 100-continue\r\n\r\n`);
    await once(socket, 'data');
    const cut = waitForLine(id);
    const bytes = length === LENGTHS.chunked ? `${Buffer.byteLength(sent).toString(16)}\r\n${sent}\r\n` : sent;
    await new Promise((resolve) => socket.write(bytes, resolve));
    socket[how]();
    await cut;
  }

  async function waitForLine(id: string): Promise<void> {
    const isIt = ({ requestId, msg }: LogLine) => requestId === id && msg === CUT_OFF;
    for await (const [line] of on(written, 'line', { signal: AbortSignal.timeout(30_000) }))
      if (isIt(line as LogLine)) return;
  }

  for (const [name, body] of Object.entries(BODIES)) {
    for (const [form, length] of Object.entries(LENGTHS)) {
      for (const how of HOW) {
        await t.test(`${name}, ${form}, ${how}`, () =>
          cutOff(`${name} ${form} ${how}`.replaceAll(' ', '-'), body, length, how),
        );
      }
    }
  }
  await t.test('lines after the first, which already has its response', async () => {
    const socket = await openSocket(service.origin);
    socket.on('error', () => {});
    const head = 'POST /v2/bulk HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n';
    socket.write(`${head}Content-Length: 5000\r\n\r\n{"op":"delete","id":1}\n{"op":`);
    await once(socket, 'data');
    socket.resetAndDestroy();
  });
  await service.stop();
  const cutOffLines = lines.filter(({ msg }) => msg === CUT_OFF);
  assert.ok(cutOffLines.every(({ level }) => level < INFO));
  assert.equal(new Set(cutOffLines.map(({ requestId }) => requestId)).size, cutOffLines.length, 'one log line each');
  assert.deepEqual(
    lines.filter(({ level, err }) => level > INFO || err !== undefined),
    [],
  );
});
