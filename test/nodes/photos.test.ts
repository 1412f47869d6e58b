import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { clientOf, type Call } from '../support/client.ts';
import { fileUpload } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';
import { bearer, createKey, logIn, newSecuredFolder, startSecuredService } from '../support/secured.ts';
import { openTables } from '../support/stored.ts';
import { removeFolder } from '../support/service.ts';

/* Photos of three nodes with one database and one photo store. */

const DAY_MS = 24 * 3_600_000;
/** Pause between retries, so that they do not slow down the deletion. */
const PAUSE_MS = 50;
const PATIENCE_MS = 30_000;
const SIZES = ['', '/small', '/medium', '/large'];

let aheadMs = 0;
const dataDir = await newSecuredFolder({ onPostgres: true });
const service = await startSecuredService({ after }, { dataDir, nodes: 3, clock: () => Date.now() + aheadMs });
after(() => removeFolder(dataDir));
const { query } = await openTables({ after }, dataDir);
const calls = service.nodes.map(({ origin }) => clientOf(`${origin}/v2`));
const token = await logIn(service.call, 'edna');
// The clock advances past the end of sessions.
const { key } = await createKey(service.call, token, ['write:pets'], { expiresInDays: 365 });
const headers = bearer(key);

function at(node: number): Call {
  return calls[node % calls.length] ?? assert.fail();
}

let lastId = 0;

/** Uploads to a new pet. */
async function upload(call: Call, photo: Buffer): Promise<{ id: number; path: string }> {
  const id = ++lastId;
  const made = await call('POST', 'pet', { headers, json: { id, name: 'Rex' } });
  assert.equal(made.status, 200, made.text);
  const file = fileUpload(photo);
  const response = await call('POST', `pet/${id}/uploadImage`, { ...file, headers: { ...file.headers, ...headers } });
  assert.equal(response.status, 200, response.text);
  const { text } = await call('GET', `pet/${id}`);
  return { id, path: /photo\/[0-9a-f]{64}/.exec(text)?.[0] ?? assert.fail(text) };
}

async function originals(): Promise<number> {
  const entries = await readdir(join(dataDir, 'photos'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && entry.name === 'original').length;
}

async function assertShown(path: string): Promise<void> {
  for (const call of calls) {
    for (const size of SIZES) {
      const { status, bytes } = await call('GET', `${path}${size}`);
      assert.equal(status, 200, `${path}${size}`);
      assert.ok(bytes.byteLength > 0);
    }
  }
}

void test('upload at one node: the others serve the photo immediately, in every size', async () => {
  for (const node of calls.keys()) {
    const { path } = await upload(at(node), await makePhoto({ width: 900, height: 700, seed: node }));
    for (const size of SIZES) {
      const responses = await Promise.all(calls.map((call) => call('GET', `${path}${size}`)));
      assert.deepEqual(
        responses.map(({ status }) => status),
        [200, 200, 200],
      );
      const [first, ...others] = responses;
      for (const other of others) assert.ok(first?.bytes.equals(other.bytes), `${size} must be the same everywhere`);
    }
  }
});

void test('concurrent uploads of one photo at three nodes: stored once', async () => {
  for (let round = 0; round < 3; round++) {
    const before = await originals();
    const photo = await makePhoto({ seed: 100 + round });
    const uploads = await Promise.all(Array.from({ length: 6 }, (_, index) => upload(at(index), photo)));
    assert.equal(new Set(uploads.map(({ path }) => path)).size, 1);
    assert.equal(await originals(), before + 1);
    const digest = uploads[0]?.path.slice('photo/'.length) ?? '';
    assert.equal((await query('select digest from photo where digest = $1', digest)).length, 1);
    assert.equal((await query('select pet_id from pet_photo where digest = $1', digest)).length, 6);
    await assertShown(uploads[0]?.path ?? '');
  }
});

void test('unused photos: deleted once by three concurrent nodes', async () => {
  const before = await originals();
  const photos = await Promise.all(Array.from({ length: 12 }, (_, index) => makePhoto({ seed: 200 + index })));
  const kept = await Promise.all(photos.slice(0, 4).map((photo, index) => upload(at(index), photo)));
  const unused = await Promise.all(photos.slice(4).map((photo, index) => upload(at(index), photo)));
  for (const { id } of unused) assert.equal((await at(id)('DELETE', `pet/${id}`, { headers })).status, 200);
  aheadMs += 31 * DAY_MS;
  const removed = await Promise.all(service.nodes.map(({ photoFiles }) => photoFiles.clearUnused()));
  assert.equal(
    removed.reduce((sum, count) => sum + count, 0),
    unused.length,
  );
  assert.equal(await originals(), before + kept.length);
  for (const { path } of unused) for (const call of calls) assert.equal((await call('GET', path)).status, 404);
  for (const { path } of kept) await assertShown(path);
});

void test('upload during the deletion at three nodes: the photo is not lost', async () => {
  const seeds = Array.from({ length: 6 }, (_, index) => 300 + index);
  const photos = await Promise.all(seeds.map((seed) => makePhoto({ seed })));
  for (let round = 0; round < 4; round++) {
    const unused = await Promise.all(photos.map((photo, index) => upload(at(index), photo)));
    for (const { id } of unused) assert.equal((await at(id)('DELETE', `pet/${id}`, { headers })).status, 200);
    aheadMs += 31 * DAY_MS;
    const clearing = Promise.all(service.nodes.map(({ photoFiles }) => photoFiles.clearUnused()));
    const again = await Promise.all(photos.map((photo, index) => uploadWithRetries(at(index + round), photo)));
    await clearing;
    await Promise.all(service.nodes.map(({ photoFiles }) => photoFiles.clearUnused()));
    for (const { path } of again) await assertShown(path);
    for (const { id } of again) assert.equal((await at(id)('DELETE', `pet/${id}`, { headers })).status, 200);
  }
});

void test('node stopped before a deletion: its photos can be uploaded again immediately', async () => {
  const photos = await Promise.all(Array.from({ length: 6 }, (_, index) => makePhoto({ seed: 400 + index })));
  const unused = await Promise.all(photos.map((photo, index) => upload(at(index), photo)));
  for (const { id } of unused) assert.equal((await at(id)('DELETE', `pet/${id}`, { headers })).status, 200);
  aheadMs += 31 * DAY_MS;
  const before = await originals();
  const isCutOff = async () => (await originals()) < before;
  let isStopping = false;
  const clearing = service.nodes[0]?.photoFiles.clearUnused(() => isStopping);
  while (!(await isCutOff())) await new Promise((resolve) => setImmediate(resolve));
  isStopping = true;
  await clearing;
  // `upload` accepts no other status than 200.
  const again = await Promise.all(photos.map((photo, index) => upload(at(index + 1), photo)));
  await Promise.all(service.nodes.map(({ photoFiles }) => photoFiles.clearUnused()));
  for (const { path } of again) await assertShown(path);
});

/** Retries when the response has Retry-After, as clients do. */
async function uploadWithRetries(call: Call, photo: Buffer): Promise<{ id: number; path: string }> {
  const id = ++lastId;
  assert.equal((await call('POST', 'pet', { headers, json: { id, name: 'Rex' } })).status, 200);
  const file = fileUpload(photo);
  const endMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const response = await call('POST', `pet/${id}/uploadImage`, { ...file, headers: { ...file.headers, ...headers } });
    if (response.status === 200) break;
    assert.equal(response.status, 503, response.text);
    assert.match(response.headers.get('retry-after') ?? '', /^\d+$/);
    assert.ok(performance.now() < endMs, response.text);
    await delay(PAUSE_MS);
  }
  const { text } = await call('GET', `pet/${id}`);
  return { id, path: /photo\/[0-9a-f]{64}/.exec(text)?.[0] ?? assert.fail(text) };
}
