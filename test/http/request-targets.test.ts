import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { after, test } from 'node:test';
import * as fc from 'fast-check';
import { pino } from 'pino';
import { pathIn, searchParamsIn } from '../../src/http/pipeline/base-path.ts';
import { rawExchange } from '../support/raw-http.ts';
import { startSecuredService } from '../support/secured.ts';

/* Request targets as no client library sends them. */

const output = new PassThrough({ encoding: 'utf8' });
let logged = '';
output.on('data', (text: string) => (logged += text));
const service = await startSecuredService({ after }, { web: true, log: pino({ level: 'debug' }, output) });
const host = new URL(service.origin).host;

async function statusOf(target: string, accept: string): Promise<number> {
  const head = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nAccept: ${accept}\r\nConnection: close\r\n\r\n`;
  const { text } = await rawExchange(service.origin, head, { quietMs: 30_000, patienceMs: 30_000 });
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? assert.fail(`${target}: ${text}`));
}

const QUERY = '?username=ada&password=hunter2';
const PATHS = [
  '/',
  '//',
  '///',
  '//evil.example',
  '//evil.example/',
  '//%',
  '/%',
  '/%2f',
  '/%2F%2F',
  '/.',
  '/..',
  '/./',
  '/../v2',
  '/;',
  '/;a=b',
  '/\\',
  '/\\\\evil.example',
  '//\\',
  '/?',
  '/??',
  '/#',
  '//#',
  '/v2//pet/1',
  '//v2/pet/1',
  '/v2/pet//1',
  '/v2/pet/%31',
  '/v2/pet/1;a',
  '/v2/%70et/1',
  '/v2/pet/findByStatus//',
  '/pets//',
  '/pets/%00',
  '/%73etup',
  '/livez//',
  '*',
  'v2/pet/1',
  `http://${host}`,
  `http://${host}//`,
  'http://',
  'http:///',
  'http://[',
  'https://evil.example//x',
  '//[',
  '//:',
  '//:0',
  '//user:hunter2@',
  '/\u00e9',
  '/%c3%28',
  '/%ff',
  '//?',
  '/docs//',
  '/docs/%2e%2e',
  '/assets/%2e%2e/x',
];

for (const accept of ['text/html', 'application/json', '*/*'])
  void test(`request targets, accepting ${accept}: no unexpected error, and no query is logged`, async () => {
    for (const path of PATHS)
      for (const query of ['', QUERY]) {
        const status = await statusOf(path + query, accept);
        assert.ok([200, 400, 404, 406].includes(status), `${path}${query}: ${status}`);
      }
    assert.doesNotMatch(logged, /hunter2|unexpected error/);
  });

void test('request targets at random: no unexpected error', async () => {
  const piece = fc.constantFrom(
    '/',
    '//',
    '%',
    '%2f',
    ';',
    '\\',
    '?',
    '#',
    '.',
    '..',
    'v2',
    'pet',
    '1',
    ':',
    '@',
    '[',
    ']',
    '&',
    '=',
    'a',
  );
  const target = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => `/${pieces.join('')}`);
  await fc.assert(
    fc.asyncProperty(target, fc.constantFrom('text/html', 'application/json'), async (path, accept) => {
      const status = await statusOf(path, accept);
      assert.ok(status < 500, `${path}: ${status}`);
    }),
    { numRuns: 300 },
  );
  assert.doesNotMatch(logged, /unexpected error/);
});

void test('request target: its parts are those of a URL', () => {
  for (const [target, path, query] of [
    ['/v2/pet?limit=5&a=%20', '/v2/pet', 'limit=5&a=+'],
    ['//?text=luna', '//', 'text=luna'],
    ['/a?b?c#d?e', '/a', 'b%3Fc='],
    ['/a#b?c', '/a', ''],
    ['/', '/', ''],
  ] as const)
    assert.deepEqual([pathIn(target), searchParamsIn(target).toString()], [path, query], target);
});
