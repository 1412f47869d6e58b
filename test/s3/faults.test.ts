import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { pino } from 'pino';
import { readConfig } from '../../src/server/configuration/config.ts';
import { startService } from '../../src/server/service.ts';
import { startServer, type RunningServer } from '../support/menagerie-process.ts';
import { makePhoto } from '../support/photos.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { clientWithBucket, S3_CREDENTIALS, S3_REGION, startS3Server, type S3Server } from '../support/s3-server.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { temporaryFolder } from '../support/service.ts';
import { askOnce } from '../faults/served-database.ts';

/** The longest that a request may take with a failing bucket. */
const MAX_WAIT_MS = 15_000;
const BUCKET = 'menagerie-faults';

const server = await startS3Server();

if ('reason' in server) void it('service with a failing bucket', { skip: server.reason }, () => {});
else await testWith(server);

async function testWith(s3: S3Server): Promise<void> {
  after(() => s3.stop());
  (await clientWithBucket(s3, BUCKET)).destroy();

  void describe('service with a failing bucket', () => {
    const troubles = [
      { name: 'refuses connections', begin: () => s3.shutDown(), end: () => s3.restart() },
      { name: 'no response', begin: async () => s3.pause(), end: async () => s3.resume() },
    ];
    for (const { name, begin, end } of troubles) {
      void it(`serves the catalogue while the bucket ${name}, reports photos as unavailable, and recovers`, async (t) => {
        const url = await (await sharedPostgres()).createDatabase();
        const service = await serve(t, url, s3);
        assert.equal((await send(`${service.base}/pet`, jsonOf('POST', 'before'))).status, 200);
        const stored = await upload(service, 1);
        assert.equal(stored.status, 200, stored.text);
        const { text } = await send(`${service.base}/pet/1`);
        const photo = /\/v2\/photo\/[0-9a-f]{64}/.exec(text)?.[0] ?? assert.fail(text);
        const rows = await rowsOf(url);
        await begin();
        try {
          const responses = await Promise.all([
            upload(service, 2),
            upload(service, 1),
            send(service.origin + photo),
            send(`${service.origin}${photo}/small`),
          ]);
          for (const { status, retryAfter, tookMs } of responses) {
            assert.equal(status, 503);
            assert.match(retryAfter ?? '', /^[1-9]/);
            assert.ok(tookMs < MAX_WAIT_MS, `it took ${tookMs} ms`);
          }
          t.diagnostic(`responded after ${responses.map(({ tookMs }) => tookMs).join(', ')} ms`);
          assert.deepEqual(await rowsOf(url), rows, 'no record may refer to a photo that was not stored');
          assert.equal((await send(`${service.base}/pet`, jsonOf('PUT', 'meanwhile'))).status, 200);
          assert.match((await send(`${service.base}/pet/1`)).text, /meanwhile/);
          assert.equal((await send(`${service.origin}/readyz`)).status, 200);
        } finally {
          await end();
        }
        assert.equal((await upload(service, 2)).status, 200);
        const again = await send(service.origin + photo);
        assert.equal(again.status, 200);
        assert.ok(photo.endsWith(again.digest));
        assert.equal((await send(`${service.origin}${photo}/small`)).status, 200);
        const { code, stdout, stderr } = await service.end('SIGTERM');
        assert.equal(code, 0);
        assert.ok(!(stdout + stderr).includes('unexpected error'), stdout);
      });
    }

    void it('pauses the deletion of photos while the bucket is unavailable', async (t) => {
      const url = await (await sharedPostgres()).createDatabase();
      const environment = environmentOf(url, s3);
      for (const [name, value] of Object.entries(environment)) if (name.startsWith('AWS_')) process.env[name] = value;
      const flags = ['--port', '0', '--empty', '--log-level', 'silent', '--data-dir', await temporaryFolder(t)];
      const result = readConfig(flags, environment);
      assert.ok('config' in result);
      const service = await startService(result.config, pino({ level: 'silent' }));
      t.after(() => service.stop());
      const base = `${service.origin}/v2`;
      assert.equal((await send(`${base}/pet`, jsonOf('POST', 'before'))).status, 200);
      assert.equal((await upload({ base }, 3)).status, 200);
      assert.equal((await send(`${base}/pet/1`, { method: 'DELETE' })).status, 200);
      // Ages it beyond the grace time.
      await askOnce(url, 'update photo set unused_since_ms = 1');
      await s3.shutDown();
      try {
        await assert.rejects(service.photoFiles.clearUnused(), { code: 'unavailable' });
        assert.deepEqual(await askOnce(url, 'select doomed::int from photo'), [{ doomed: 0 }]);
      } finally {
        await s3.restart();
      }
      assert.equal(await service.photoFiles.clearUnused(), 1);
      assert.deepEqual(await askOnce(url, 'select 1 from photo'), []);
    });
  });
}

function environmentOf(url: string, { endpoint }: S3Server): Readonly<Record<string, string>> {
  return {
    MENAGERIE_DATABASE_URL: url,
    MENAGERIE_PHOTOS_URL: `s3://${BUCKET}/${new URL(url).pathname.slice(1).replaceAll('_', '-')}?endpoint=${endpoint}&region=${S3_REGION}&path-style=true`,
    AWS_ACCESS_KEY_ID: S3_CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: S3_CREDENTIALS.secretAccessKey,
    AWS_EC2_METADATA_DISABLED: 'true',
  };
}

async function serve(t: Lifetime, url: string, s3: S3Server): Promise<RunningServer> {
  const environment = environmentOf(url, s3);
  return startServer(t, await temporaryFolder(t), ['--empty', '--log-format', 'json'], { environment });
}

async function send(url: string, init: RequestInit = {}) {
  const startedMs = Date.now();
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(2 * MAX_WAIT_MS) });
  const bytes = Buffer.from(await response.arrayBuffer());
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    tookMs: Date.now() - startedMs,
    text: bytes.toString(),
    digest: hash('sha256', bytes),
  };
}

function jsonOf(method: string, name: string): RequestInit {
  const pet = { id: 1, name, photoUrls: [] };
  return { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(pet) };
}

async function upload({ base }: { base: string }, seed: number) {
  const body = new FormData();
  const photo = await makePhoto({ format: 'png', width: 40, height: 30, seed });
  body.set('file', new Blob([new Uint8Array(photo)]), 'picture.png');
  return send(`${base}/pet/1/uploadImage`, { method: 'POST', body });
}

async function rowsOf(url: string): Promise<readonly unknown[]> {
  return [
    await askOnce(url, 'select * from photo order by digest'),
    await askOnce(url, 'select * from pet_photo order by digest'),
  ];
}
