import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { clientOf } from '../support/client.ts';
import { createPlayground } from '../support/playgrounds.ts';
import { rawExchange } from '../support/raw-http.ts';
import { startTestService } from '../support/service.ts';

/*
 * DNS rebinding: a page at a name of the attacker, whose address becomes that of this machine, is of the same origin as
 * the service for its browser. In open access, only the Host gives it away.
 */

const service = await startTestService({ after }, { flags: ['--empty', '--mcp', 'write'] });
const call = clientOf(service.base);
const { port } = new URL(service.origin);
await call('POST', 'pet', { json: { id: 7, name: 'Rexford', status: 'available' } });
const { token } = await createPlayground(call, { contents: 'empty' });

const JSON_TYPE = { 'content-type': 'application/json' };
const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'get_pet', arguments: { id: '7' } },
});

const targets: readonly [method: string, path: string, headers?: Readonly<Record<string, string>>, body?: string][] = [
  ['GET', '/v2/pet/7'],
  ['GET', '/'],
  ['GET', '/pet/7'],
  ['GET', '/docs'],
  ['GET', '/sitemap.xml'],
  ['GET', '/embed/pets'],
  ['GET', `/oembed?url=${encodeURIComponent(`${service.origin}/pet/7`)}`],
  ['GET', '/v2/events', { accept: 'text/event-stream' }],
  ['GET', '/v2/events', { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }],
  ['GET', '/metrics'],
  ['POST', '/v2/pet', JSON_TYPE, '{"id":8,"name":"Intruder"}'],
  ['OPTIONS', '/v2/pet', { 'access-control-request-method': 'POST' }],
  ['POST', '/mcp', { ...JSON_TYPE, accept: 'application/json, text/event-stream' }, INITIALIZE],
  ['GET', '/mcp', { accept: 'text/event-stream' }],
  ['POST', '/v2/playgrounds', JSON_TYPE, '{}'],
  ['GET', `/v2/playgrounds/${token}`],
  ['GET', `/playgrounds/${token}/v2/pet/findByStatus?status=available`],
  ['DELETE', `/v2/playgrounds/${token}`],
];

const foreign: readonly string[] = [
  'rebound.example',
  `rebound.example:${port}`,
  'rebound.example.',
  'localhost.rebound.example',
  'rebound.example:localhost',
  '127.0.0.1.rebound.example',
  `[2001:db8::1]:${port}`,
  '[::ffff:192.0.2.1]',
  '0.0.0.0',
  '0',
  '2130706434',
  '192.0.2.1',
];

function requestText(
  [method, path, headers = {}, body = '']: (typeof targets)[number],
  host: string,
  { version = '1.1', origin }: { version?: string; origin?: string } = {},
): string {
  const lines = Object.entries({
    ...(host !== '' && { host }),
    ...(origin !== undefined && { origin, 'sec-fetch-site': 'same-origin' }),
    connection: 'close',
    'content-length': String(body.length),
    ...headers,
  });
  return `${method} ${path} HTTP/${version}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}

const nameOf = ([method, path]: (typeof targets)[number]) => `${method} ${path}`;

async function assertRefused(text: string, context: string): Promise<void> {
  const { text: response } = await rawExchange(service.origin, text);
  assert.match(response, /^HTTP\/1\.[01] 4(?:00|03|21) /, `${context}: ${response.slice(0, 200)}`);
  assert.doesNotMatch(response, /Rexford/, context);
}

for (const host of foreign)
  void test(`a page at ${host}: reads and changes nothing, whatever it requests`, async () => {
    for (const target of targets) {
      const origin = `http://${host}`;
      await assertRefused(requestText(target, host), nameOf(target));
      await assertRefused(requestText(target, host, { origin }), `${nameOf(target)} with Origin`);
    }
    assert.equal((await call('GET', 'pet/8')).status, 404);
  });

void test('a request without a name, with two, or with another one in its target is refused', async () => {
  for (const target of targets) {
    const context = nameOf(target);
    await assertRefused(requestText(target, '', { version: '1.0' }), context);
    await assertRefused(requestText(target, 'rebound.example', { version: '1.0' }), context);
    const [method, path, ...rest] = target;
    await assertRefused(requestText([method, `http://localhost${path}`, ...rest], 'rebound.example'), context);
    const two = requestText(target, 'localhost').replace('host: localhost', 'host: localhost\r\nhost: rebound.example');
    await assertRefused(two, context);
  }
});

void test('the same requests at localhost are not refused', async () => {
  // A stream has no end.
  for (const target of targets.filter(([, path]) => path !== '/v2/events' && path !== '/metrics')) {
    const { text } = await rawExchange(service.origin, requestText(target, 'localhost'));
    assert.match(text, /^HTTP\/1\.1 (?!4(?:00|03|21))/, nameOf(target));
  }
});
