import assert from 'node:assert/strict';
import { hash, randomUUID } from 'node:crypto';
import { after, describe, it, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { Failure } from '../../src/domain/failure.ts';
import { openStoresInMemory } from '../../src/server/stores/memory-stores.ts';
import { pairPhotos } from '../../src/server/stores/pairing.ts';
import type { BucketOptions } from '../../src/storage/s3/bucket.ts';
import { openPhotoStore, type S3PhotoStore } from '../../src/storage/s3/photo-store.ts';
import type { S3Settings } from '../../src/storage/s3/s3-url.ts';
import { clientWithBucket, S3_CREDENTIALS, S3_REGION, startS3Server, type S3Server } from '../support/s3-server.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { describePhotoStore } from '../stores/photo-store-suite.ts';
import { respondInstead, httpResponse, openProxy } from './faulty-servers.ts';

/** The longest that a call may take with a failing bucket. */
const MAX_WAIT_MS = 15_000;
/** The server may round up to whole seconds, and the store counts to the end of the second. */
const CLOCK_STEP_MS = 2_050;

const server = await startS3Server();

if ('reason' in server) void test('photos in an S3 bucket', { skip: server.reason }, () => {});
else await testWith(server);

async function testWith(server: S3Server): Promise<void> {
  const Bucket = 'menagerie-photos';
  // The SDK's environment variables take precedence over other credentials.
  useCredentials(S3_CREDENTIALS);
  const client = await clientWithBucket(server, Bucket);
  after(async () => {
    client.destroy();
    await server.stop();
  });

  const settingsOf = (prefix: string, changes: Partial<S3Settings> = {}): S3Settings => {
    return { bucket: Bucket, prefix, endpoint: server.endpoint, region: S3_REGION, pathStyle: true, ...changes };
  };
  const openStore = async (t: Lifetime, settings = settingsOf(randomUUID()), options?: BucketOptions) => {
    const store = await openPhotoStore(settings, options);
    t.after(async () => store.close());
    return store;
  };
  const headOf = (prefix: string, name: string) =>
    client.send(new HeadObjectCommand({ Bucket, Key: `${prefix}/${name}` }));

  describePhotoStore('an S3 bucket', (t) => openStore(t), { clockStepMs: CLOCK_STEP_MS });

  void describe('S3 bucket of photos', () => {
    const bytes = Buffer.from('a picture');
    const digest = digestOf(bytes);
    const folder = `${digest.slice(0, 2)}/${digest}`;

    void it('stores each original beside its sizes, with its media type', async (t) => {
      const prefix = 'shop/photos';
      const store = await openStore(t, settingsOf(prefix));
      const cases: readonly [Buffer, string][] = [
        [Buffer.from('\xff\xd8\xff\xe0 and so on', 'latin1'), 'image/jpeg'],
        [Buffer.from('\x89PNG\r\n\x1a\n and so on', 'latin1'), 'image/png'],
        [Buffer.from('RIFF\x0a\x00\x00\x00WEBP and so on', 'latin1'), 'image/webp'],
        [Buffer.from('a'), 'application/octet-stream'],
      ];
      for (const [content, type] of cases) {
        const digest = digestOf(content);
        await store.put(digest, content);
        const head = await headOf(prefix, `${digest.slice(0, 2)}/${digest}/original`);
        assert.deepEqual([head.ContentType, head.ContentLength], [type, content.byteLength]);
      }
      await store.putSize(digest, 'small', bytes);
      assert.equal((await headOf(prefix, `${folder}/small`)).ContentType, 'image/webp');
      await store.putSize(digest, 'small.avif', bytes);
      assert.equal((await headOf(prefix, `${folder}/small.avif`)).ContentType, 'image/avif');
    });

    void it('sizes of another length or without one are missing; others with other bytes are found', async (t) => {
      const prefix = randomUUID();
      const store = await openStore(t, settingsOf(prefix));
      const Key = `${prefix}/${folder}/small`;
      await store.put(digest, bytes);
      await store.putSize(digest, 'small', Buffer.from('small'));
      const { Metadata } = await headOf(prefix, `${folder}/small`);
      const isServed = async () => (await store.open(digest, 'small')) !== undefined;
      assert.ok(await isServed());
      await client.send(new PutObjectCommand({ Bucket, Key, Body: 'smALL', Metadata }));
      assert.deepEqual(await store.findDamagedSizes(digest), ['small']);
      await store.deleteSizes(digest, ['small']);
      assert.ok(!(await isServed()));
      await client.send(new PutObjectCommand({ Bucket, Key, Body: 'sma', Metadata }));
      assert.ok(!(await isServed()));
      assert.deepEqual(await store.findDamagedSizes(digest), ['small']);
      // As an earlier version stores it.
      await client.send(new PutObjectCommand({ Bucket, Key, Body: 'small' }));
      assert.ok(!(await isServed()));
      assert.deepEqual(await store.findDamagedSizes(digest), []);
    });

    void it('may be shared: other prefixes are invisible', async (t) => {
      const prefix = randomUUID();
      const cats = await openStore(t, settingsOf(prefix));
      const inside = await openStore(t, settingsOf(`${prefix}/ab`));
      const beside = await openStore(t, settingsOf(`${prefix}2`));
      await cats.put(digest, bytes);
      for (const store of [inside, beside]) {
        assert.equal(await store.open(digest), undefined);
        assert.deepEqual(await listAll(store), []);
        await store.put(digestOf(Buffer.from(prefix)), Buffer.from(prefix));
        await store.trash(digest);
      }
      await client.send(new PutObjectCommand({ Bucket, Key: `${prefix}/notes/${folder}/original`, Body: 'not ours' }));
      await client.send(new PutObjectCommand({ Bucket, Key: `${prefix}/ff/${digest}/original`, Body: 'not ours' }));
      assert.deepEqual(await listAll(cats), [digest]);
    });

    void it('belongs to one database: a new one is refused, with the command that helps', async (t) => {
      const settings = settingsOf(randomUUID());
      const photoStore = await openStore(t, settings);
      const places = { dataDir: '/srv/pets', bucket: settings };
      const [stores, others] = [openStoresInMemory(), openStoresInMemory()];
      t.after(() => Promise.all([stores.close(), others.close()]));
      await pairPhotos({ ...stores, photoStore }, places);
      await pairPhotos({ ...stores, photoStore }, places);
      assert.equal(await photoStore.findInstallationId(), await stores.installation.find());
      await assert.rejects(pairPhotos({ ...others, photoStore }, places), (error) => {
        assert.ok(error instanceof Failure);
        assert.ok(error.message.includes(`the photos in s3://${Bucket}/${settings.prefix} belong to another database`));
        assert.match(error.message, /npx menagerie photos adopt --data-dir \S+, with the same MENAGERIE_PHOTOS_URL$/);
        return true;
      });
    });

    void it('keeps originals in the trash, where a copy restores them from', async (t) => {
      const prefix = randomUUID();
      const store = await openStore(t, settingsOf(prefix));
      await store.put(digest, bytes);
      await store.trash(digest);
      await store.emptyTrash(Date.now() - 60_000);
      const { ContentType } = await headOf(prefix, `trash/${folder}/original`);
      assert.equal(ContentType, 'application/octet-stream');
      await store.emptyTrash(Date.now() + 60_000);
      await assert.rejects(headOf(prefix, `trash/${folder}/original`), { name: 'NotFound' });
    });

    void it('works without a prefix', async (t) => {
      await client.send(new CreateBucketCommand({ Bucket: 'menagerie-alone' }));
      const store = await openStore(t, settingsOf('', { bucket: 'menagerie-alone' }));
      await store.put(digest, bytes);
      assert.deepEqual(await listAll(store), [digest]);
      await client.send(new HeadObjectCommand({ Bucket: 'menagerie-alone', Key: `${folder}/original` }));
    });

    void it('lists 2,500 originals over several pages', async (t) => {
      const store = await openStore(t);
      const photos = Array.from({ length: 2_500 }, (_, index) => Buffer.from(`picture ${index}`));
      await inParallel(20, photos, (photo) => store.put(digestOf(photo), photo));
      await inParallel(20, photos.slice(0, 100), (photo) => store.putSize(digestOf(photo), 'small', photo));
      const expected = photos.map(digestOf).toSorted();
      assert.deepEqual((await listAll(store)).toSorted(), expected);
    });

    void it('lists all originals once, while listed ones are deleted and pages are small', async (t) => {
      const store = await openStore(t, settingsOf(randomUUID()), { keysPerPage: 7 });
      const photos = Array.from({ length: 50 }, (_, index) => Buffer.from(`picture ${index}`));
      await inParallel(10, photos, (photo) => store.put(digestOf(photo), photo));
      await inParallel(10, photos.slice(0, 20), (photo) => store.putSize(digestOf(photo), 'large', photo));
      const seen: string[] = [];
      for await (const found of store.listStoredBefore(Date.now() + 60_000)) {
        seen.push(found);
        await store.trash(found);
      }
      assert.deepEqual(seen.toSorted(), photos.map(digestOf).toSorted());
      assert.deepEqual(await listAll(store), []);
    });

    void it('never lists an original stored at or after the given time', async (t) => {
      const store = await openStore(t);
      for (let round = 0; round < 8; round += 1) {
        const beforeMs = Date.now();
        const photo = Buffer.from(`picture ${round}`);
        await store.put(digestOf(photo), photo);
        assert.ok(!(await Array.fromAsync(store.listStoredBefore(beforeMs))).includes(digestOf(photo)));
        await delay(130);
      }
    });

    void it('lists an original whose deletion was interrupted', async (t) => {
      const prefix = randomUUID();
      const store = await openStore(t, settingsOf(prefix));
      await store.put(digest, bytes);
      await store.putSize(digest, 'small', bytes);
      await client.send(new DeleteObjectCommand({ Bucket, Key: `${prefix}/${folder}/small` }));
      assert.deepEqual(await listAll(store), [digest]);
    });

    void it('holds no connection for a photo that is not read, or not to its end', async (t) => {
      const proxy = await openProxy(t, server.endpoint);
      const store = await openStore(t, settingsOf(randomUUID(), { endpoint: proxy.endpoint }));
      const large = Buffer.alloc(9_000_000, 'abc');
      await store.put(digestOf(large), large);
      const contents = await Promise.all(Array.from({ length: 20 }, () => store.open(digestOf(large))));
      assert.ok(proxy.connections() > 0);
      for (const content of contents.slice(0, 10)) {
        for await (const chunk of content?.chunks() ?? []) {
          assert.ok(chunk.byteLength > 0);
          break;
        }
      }
      // Idle connections are closed after 4 s; those of unread photos would stay.
      await until(
        () => proxy.connections() === 0,
        8_000,
        () => `${proxy.connections()} connections are open`,
      );
      assert.equal((await store.read(digestOf(large)))?.byteLength, large.byteLength);
    });

    void it('waits for a slow reader without a limit', async (t) => {
      const store = await openStore(t);
      const large = Buffer.alloc(9_000_000, 'abc');
      await store.put(digestOf(large), large);
      let byteLength = 0;
      for await (const chunk of (await store.open(digestOf(large)))?.chunks() ?? []) {
        if (byteLength === 0) await delay(7_000);
        byteLength += chunk.byteLength;
      }
      assert.equal(byteLength, large.byteLength);
    });

    void it('aborts a photo that is deleted before it is read', async (t) => {
      const store = await openStore(t);
      await store.put(digest, bytes);
      const content = await store.open(digest);
      await store.trash(digest);
      await assert.rejects(Array.fromAsync(content?.chunks() ?? []), isUnavailable);
    });

    void it('aborts a photo when the server stalls or disconnects during the transfer, and not before', async (t) => {
      const proxy = await openProxy(t, server.endpoint);
      const store = await openStore(t, settingsOf(randomUUID(), { endpoint: proxy.endpoint }));
      const large = Buffer.alloc(9_000_000, 'abc');
      await store.put(digestOf(large), large);
      for (const trouble of [proxy.stall, proxy.disconnect]) {
        const content = await store.open(digestOf(large));
        const startedMs = Date.now();
        await assert.rejects(async () => {
          for await (const chunk of content?.chunks() ?? []) if (chunk.byteLength > 0) trouble();
        }, isUnavailable);
        assert.ok(Date.now() - startedMs < MAX_WAIT_MS);
        proxy.mend();
      }
      assert.equal((await store.read(digestOf(large)))?.byteLength, large.byteLength);
    });
  });

  void describe('failing S3 bucket', () => {
    const bytes = Buffer.from('a picture');
    const digest = digestOf(bytes);

    const everyCall = (store: S3PhotoStore) => ({
      put: () => store.put(digest, bytes),
      putSize: () => store.putSize(digest, 'small', bytes),
      open: () => store.open(digest),
      read: () => store.read(digest),
      trash: () => store.trash(digest),
      emptyTrash: () => store.emptyTrash(Date.now()),
      findInstallationId: () => store.findInstallationId(),
      setInstallationId: () => store.setInstallationId('an id'),
      listStoredBefore: () => listAll(store),
    });

    async function assertUnavailable(store: S3PhotoStore, maxMs: number): Promise<void> {
      const calls = Object.entries(everyCall(store)).map(async ([name, call]) => {
        const startedMs = Date.now();
        await assert.rejects(call(), isUnavailable, name);
        assert.ok(Date.now() - startedMs < maxMs, `${name} took ${Date.now() - startedMs} ms`);
      });
      await Promise.all(calls);
    }

    void it('server down: fails immediately, and recovers', async (t) => {
      const store = await openStore(t);
      await store.put(digest, bytes);
      await server.shutDown();
      try {
        await assertUnavailable(store, 3_000);
        await assert.rejects(openPhotoStore(settingsOf('photos')), hasMessage(/cannot be reached/));
      } finally {
        await server.restart();
      }
      assert.deepEqual(await listAll(store), [digest]);
      await store.put(digest, bytes);
    });

    void it('server unresponsive: fails within seconds, and recovers', async (t) => {
      const store = await openStore(t);
      await store.put(digest, bytes);
      server.pause();
      try {
        await assertUnavailable(store, MAX_WAIT_MS);
      } finally {
        server.resume();
      }
      assert.equal((await store.read(digest))?.toString(), 'a picture');
    });

    void it('no connection possible: fails within seconds', async () => {
      // TEST-NET-1 (RFC 5737) is unused; a network may also refuse it immediately.
      const startedMs = Date.now();
      const settings = settingsOf('photos', { endpoint: 'http://192.0.2.1' });
      await assert.rejects(openPhotoStore(settings), hasMessage(/cannot be reached/));
      assert.ok(Date.now() - startedMs < MAX_WAIT_MS);
    });

    void it('bucket deleted: unavailable, not empty', async (t) => {
      await client.send(new CreateBucketCommand({ Bucket: 'menagerie-gone' }));
      const store = await openStore(t, settingsOf('photos', { bucket: 'menagerie-gone' }));
      await client.send(new DeleteBucketCommand({ Bucket: 'menagerie-gone' }));
      await assertUnavailable(store, 3_000);
    });

    void it('missing bucket: reported at the start', async () => {
      await assert.rejects(
        openPhotoStore(settingsOf('photos', { bucket: 'menagerie-nowhere' })),
        hasMessage(/Bucket "menagerie-nowhere" does not exist.*Create it/),
      );
    });

    void it('wrong credentials: reported at the start, without revealing them', async (t) => {
      t.after(() => useCredentials(S3_CREDENTIALS));
      for (const wrong of [
        { accessKeyId: S3_CREDENTIALS.accessKeyId, secretAccessKey: 'wrong-secret' },
        { accessKeyId: 'wrong-key', secretAccessKey: 'wrong-secret' },
      ]) {
        useCredentials(wrong);
        await assert.rejects(openPhotoStore(settingsOf('photos')), (error) => {
          hasMessage(/does not accept the credentials.*AWS_ACCESS_KEY_ID/)(error);
          assert.doesNotMatch(error instanceof Error ? error.message : '', /wrong|test:tester/);
          return true;
        });
      }
    });

    void it('missing credentials: reported at the start', async (t) => {
      t.after(() => useCredentials(S3_CREDENTIALS));
      useCredentials(undefined);
      await assert.rejects(
        openPhotoStore(settingsOf('photos')),
        hasMessage(/No usable credentials.*AWS_ACCESS_KEY_ID/),
      );
    });

    void it('missing or wrong region: reported at the start', async () => {
      await assert.rejects(openPhotoStore(settingsOf('photos', { region: undefined })), hasMessage(/No region given/));
      await assert.rejects(openPhotoStore(settingsOf('photos', { region: 'eu-west-9' })), hasMessage(/another region/));
    });

    void it('a server that is busy for some requests: does not end the start', async (t) => {
      const fake = await respondInstead(t, Bucket);
      fake.first = Array<string>(5).fill(httpResponse('503 Slow Down', '<Error><Code>SlowDown</Code></Error>'));
      const store = await openStore(t, settingsOf('photos', { endpoint: fake.endpoint }));
      assert.deepEqual([fake.first, await listAll(store)], [[], []]);
    });

    void it('endpoint of another service: reported at the start', async (t) => {
      const fake = await respondInstead(t, Bucket);
      for (const response of [
        httpResponse('200 OK', '<p>Hello</b></i'),
        httpResponse('200 OK', '<html>Hello</html>'),
        httpResponse('400 Bad Request', '<html>The plain HTTP request was sent to HTTPS port</html>'),
        httpResponse('404 Not Found', '<html>Not Found</html>'),
        httpResponse('502 Bad Gateway', ''),
        'SSH-2.0-OpenSSH_9.2\r\n',
      ]) {
        fake.response = response;
        const settings = settingsOf('photos', { endpoint: fake.endpoint });
        await assert.rejects(openPhotoStore(settings), hasMessage(/is not an S3 server/), response);
      }
    });

    for (const [status, code] of [
      ['301 Moved Permanently', 'PermanentRedirect'],
      ['400 Bad Request', 'ExpiredToken'],
      ['403 Forbidden', 'AccessDenied'],
      ['404 Not Found', 'NoSuchBucket'],
      ['429 Too Many Requests', 'TooManyRequests'],
      ['500 Internal Server Error', 'InternalError'],
      ['503 Slow Down', 'SlowDown'],
      ['504 Gateway Timeout', ''],
    ] as const) {
      void it(`${status} ${code} from the server: unavailable`, async (t) => {
        const fake = await respondInstead(t, Bucket);
        const store = await openStore(t, settingsOf('photos', { endpoint: fake.endpoint }));
        fake.response = httpResponse(status, `<Error><Code>${code}</Code><Message>127.0.0.1</Message></Error>`);
        const { put, read, trash, listStoredBefore, findInstallationId } = everyCall(store);
        for (const call of [put, read, trash, listStoredBefore, findInstallationId])
          await assert.rejects(call(), isUnavailable);
      });
    }

    void it('400 from the server: an error, but not unavailability', async (t) => {
      const fake = await respondInstead(t, Bucket);
      const store = await openStore(t, settingsOf('photos', { endpoint: fake.endpoint }));
      fake.response = httpResponse('400 Bad Request', '<Error><Code>InvalidArgument</Code></Error>');
      await assert.rejects(store.put(digest, bytes), (error) => !(error instanceof Failure));
    });
  });
}

function digestOf(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

function listAll(store: S3PhotoStore): Promise<string[]> {
  return Array.fromAsync(store.listStoredBefore(Date.now() + 60_000));
}

function isUnavailable(error: unknown): true {
  assert.ok(error instanceof Failure, String(error));
  assert.equal(error.code, 'unavailable');
  assert.ok((error.details.retryAfterSeconds ?? 0) > 0);
  assert.doesNotMatch(error.message, /menagerie-|127\.0\.0\.1/);
  return true;
}

function hasMessage(sentence: RegExp) {
  return (error: unknown): true => {
    assert.ok(error instanceof Failure, String(error));
    assert.equal(error.code, 'unavailable');
    assert.match(error.message, sentence);
    return true;
  };
}

/** Isolated from SDK configuration of this machine. */
function useCredentials(credentials: { accessKeyId: string; secretAccessKey: string } | undefined): void {
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name];
  process.env['AWS_EC2_METADATA_DISABLED'] = 'true';
  process.env['AWS_CONFIG_FILE'] = '/dev/null';
  process.env['AWS_SHARED_CREDENTIALS_FILE'] = '/dev/null';
  if (credentials === undefined) return;
  process.env['AWS_ACCESS_KEY_ID'] = credentials.accessKeyId;
  process.env['AWS_SECRET_ACCESS_KEY'] = credentials.secretAccessKey;
}

async function inParallel<T>(width: number, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const workers = Array.from({ length: width }, async () => {
    for (const item of rest) await work(item);
  });
  await Promise.all(workers);
}

async function until(isMet: () => boolean, maxMs: number, message: () => string): Promise<void> {
  const giveUpAtMs = Date.now() + maxMs;
  while (!isMet()) {
    assert.ok(Date.now() < giveUpAtMs, message());
    await delay(50);
  }
}
