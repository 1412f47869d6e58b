import assert from 'node:assert/strict';
import { readdir, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { skipOnNodes } from '../support/nodes.ts';
import { fileUpload } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';
import { clientOf } from '../support/client.ts';
import { startTestService } from '../support/service.ts';
import { until } from '../support/until.ts';

/* Stored photos that were damaged, replaced or deleted in the data folder. */

const output = new PassThrough({ encoding: 'utf8' });
let logged = '';
output.on('data', (text: string) => (logged += text));
const service = await startTestService({ after }, { log: pino(output) });
const call = clientOf(service.base);

/** Uploads a photo. @returns its digest, and the path of its original */
async function upload(seed: number): Promise<{ digest: string; path: string }> {
  await call('POST', 'pet', { json: { id: seed, name: 'Rex' } });
  await call('POST', `pet/${seed}/uploadImage`, fileUpload(await makePhoto({ seed })));
  const digest = /photo\/([0-9a-f]{64})/.exec((await call('GET', `pet/${seed}`)).text)?.[1] ?? assert.fail();
  return { digest, path: join(service.dataDir, 'photos', digest.slice(0, 2), digest, 'original') };
}

const damages: Readonly<Record<string, { damage: (path: string) => Promise<void>; status: number; problem: string }>> =
  {
    emptied: { damage: (path) => writeFile(path, ''), status: 503, problem: 'damaged' },
    'cut off': {
      damage: async (path) => writeFile(path, (await readFile(path)).subarray(0, -1)),
      status: 503,
      problem: 'damaged',
    },
    'replaced by a link': {
      async damage(path) {
        await rename(path, `${path}.moved`);
        await symlink(`${path}.moved`, path);
      },
      status: 404,
      problem: 'missing',
    },
    deleted: { damage: (path) => rm(path), status: 404, problem: 'missing' },
  };

for (const [index, [what, { damage, status, problem }]] of Object.entries(damages).entries())
  void test(
    `original that was ${what}: is refused and logged, until it is uploaded again`,
    { skip: skipOnNodes() },
    async () => {
      const { digest, path } = await upload(index + 1);
      const { bytes } = await call('GET', `photo/${digest}`);
      await damage(path);
      for (const request of [`photo/${digest}`, `photo/${digest}/large`]) {
        const response = await call('GET', request);
        assert.deepEqual([response.status, response.headers.get('cache-control')], [status, 'no-store'], request);
      }
      assert.match(logged, new RegExp(`"digest":"${digest}","msg":"a stored photo is ${problem};`));
      const metrics = await call('GET', `${service.origin}/metrics`);
      assert.match(metrics.text, /^menagerie_unsound_photos 1$/m);
      await rm(path, { force: true });
      await call('POST', `pet/${index + 1}/uploadImage`, fileUpload(await makePhoto({ seed: index + 1 })));
      const again = await call('GET', `photo/${digest}`);
      assert.equal(again.status, 200);
      assert.deepEqual(again.bytes, bytes);
      assert.match((await call('GET', `${service.origin}/metrics`)).text, /^menagerie_unsound_photos 0$/m);
    },
  );

void test(
  'original that was changed: is found after the first request, and refused',
  { skip: skipOnNodes() },
  async () => {
    const { digest, path } = await upload(20);
    const bytes = await readFile(path);
    bytes[bytes.length >> 1]! ^= 1;
    await writeFile(path, bytes);
    await until('the photo is refused', async () => (await call('GET', `photo/${digest}`)).status === 503);
    assert.match(logged, new RegExp(`"digest":"${digest}","msg":"a stored photo is damaged;`));
  },
);

/** The path of the only stored size of a photo. */
async function sizeBeside(original: string): Promise<string> {
  const folder = dirname(original);
  const [name = assert.fail()] = (await readdir(folder)).filter((each) => each !== 'original');
  return join(folder, name);
}

for (const kept of [0, 0.5])
  void test(`size of which ${kept} is left: is created again, and logged`, { skip: skipOnNodes() }, async () => {
    const { digest, path } = await upload(30 + kept * 2);
    const { bytes } = await call('GET', `photo/${digest}/small?format=jpeg`);
    const size = await sizeBeside(path);
    await truncate(size, Math.floor(bytes.byteLength * kept));
    const again = await call('GET', `photo/${digest}/small?format=jpeg`);
    assert.deepEqual([again.status, again.bytes], [200, bytes]);
    assert.deepEqual(await readFile(size), Buffer.from(bytes));
    assert.match(
      logged,
      new RegExp(`"digest":"${digest}","name":"small.jpeg-\\S+","msg":"a stored size of a photo is`),
    );
  });

void test('size that was changed: is found after a request, and created again', { skip: skipOnNodes() }, async () => {
  const { digest, path } = await upload(40);
  const { bytes } = await call('GET', `photo/${digest}/small`);
  const size = await sizeBeside(path);
  const changed = await readFile(size);
  changed[changed.length >> 1]! ^= 1;
  await writeFile(size, changed);
  await until('the size is as before', async () => {
    const again = await call('GET', `photo/${digest}/small`);
    return again.status === 200 && Buffer.from(again.bytes).equals(bytes);
  });
  assert.match(logged, new RegExp(`"digest":"${digest}","name":"small-\\S+","msg":"a stored size of a photo is`));
});
