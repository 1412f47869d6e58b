import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';

/* Which responses of the API are compressed. Pages are in web-pages.test.ts. */

const { call } = await startSecuredService({ after });
const root = bearer(await logIn(call, 'root'));

before(async () => {
  for (let id = 1; id <= 40; id++)
    await call('POST', 'pet', { headers: root, json: { id, name: `Rex ${id}`, tags: [{ name: 'calm' }] } });
});

async function get(path: string, headers: Readonly<Record<string, string>> = {}) {
  const { status, headers: sent, bytes } = await call('GET', path, { headers });
  assert.equal(status, 200);
  return { encoding: sent.get('content-encoding'), length: Number(sent.get('content-length')), sent, bytes };
}

void test('public lists: compressed for anonymous clients that accept it', async () => {
  const plain = await get('pet?limit=40');
  assert.deepEqual([plain.encoding, plain.sent.get('vary')], [null, 'Accept, Accept-Encoding']);
  for (const [accepted, encoding, decompress] of [
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
  ] as const) {
    const compressed = await get('pet?limit=40', { 'accept-encoding': accepted });
    assert.deepEqual([compressed.encoding, compressed.length], [encoding, compressed.bytes.length]);
    assert.ok(compressed.length < plain.length / 3, `${compressed.length} of ${plain.length}`);
    assert.equal(decompress(compressed.bytes).toString(), plain.bytes.toString());
    assert.equal(compressed.sent.get('content-type'), 'application/json');
    assert.equal(compressed.sent.get('vary'), 'Accept, Accept-Encoding');
    const head = await call('HEAD', 'pet?limit=40', { headers: { 'accept-encoding': accepted } });
    assert.deepEqual([head.headers.get('content-encoding'), head.bytes.length], [encoding, 0]);
  }
});

void test('not compressed: responses with credentials, short ones, with entity tags, XML, and if it is refused', async () => {
  const accepts = { 'accept-encoding': 'br' };
  for (const [path, headers] of [
    ['pet?limit=40', { ...root, ...accepts }],
    ['pet?limit=2', accepts],
    ['pet/1', accepts],
    ['pet/findByStatus?status=available', accepts],
    ['pet?limit=40', { 'accept-encoding': 'identity, br;q=0' }],
    ['pet?limit=40', { 'accept-encoding': 'zstd' }],
  ] as const)
    assert.equal((await get(path, headers)).encoding, null, path);
});
