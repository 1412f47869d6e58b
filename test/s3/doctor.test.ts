import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { randomUUID } from 'node:crypto';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import type { Finding } from '../../src/domain/health/finding.ts';
import { Doctor, type DoctorOptions } from '../../src/server/health/doctor.ts';
import { openPhotoStore as openBucketStore } from '../../src/storage/s3/photo-store.ts';
import { copyOn, makeInstallation } from '../support/copied-installation.ts';
import { PHOTO_DAMAGES, type DamagedPlace } from '../support/planted-damage.ts';
import { clientWithBucket, S3_CREDENTIALS, S3_REGION, startS3Server, type S3Server } from '../support/s3-server.ts';
import type { Lifetime } from '../support/lifetime.ts';

const server = await startS3Server();

if ('reason' in server) void test('doctor with photos in an S3 bucket', { skip: server.reason }, () => {});
else await testWith(server);

async function testWith(server: S3Server): Promise<void> {
  const Bucket = 'menagerie-doctor';
  // The SDK's environment variables take precedence over other credentials.
  process.env['AWS_ACCESS_KEY_ID'] = S3_CREDENTIALS.accessKeyId;
  process.env['AWS_SECRET_ACCESS_KEY'] = S3_CREDENTIALS.secretAccessKey;
  const client = await clientWithBucket(server, Bucket);
  const installation = await makeInstallation({ after });
  after(async () => {
    delete process.env['AWS_ACCESS_KEY_ID'];
    delete process.env['AWS_SECRET_ACCESS_KEY'];
    client.destroy();
    await server.stop();
  });

  /** A copy whose photos are in the bucket. */
  async function copyInBucket(t: Lifetime, engine: 'sqlite' | 'postgres'): Promise<DamagedPlace> {
    const place = await copyOn(t, installation, engine);
    const bucket = {
      bucket: Bucket,
      prefix: randomUUID(),
      endpoint: server.endpoint,
      region: S3_REGION,
      pathStyle: true,
    };
    const photoStore = await openBucketStore(bucket);
    t.after(async () => photoStore.close());
    for await (const digest of place.photoStore.listStoredBefore(Number.MAX_SAFE_INTEGER))
      await photoStore.put(digest, (await place.photoStore.read(digest)) ?? assert.fail());
    await photoStore.setInstallationId((await place.photoStore.findInstallationId()) ?? assert.fail());
    async function flipSize(): Promise<void> {
      const Key = `${bucket.prefix}/${place.digest.slice(0, 2)}/${place.digest}/small`;
      const { Body, Metadata } = await client.send(new GetObjectCommand({ Bucket, Key }));
      const bytes = (await Body?.transformToByteArray()) ?? assert.fail();
      bytes[100]! ^= 1;
      await client.send(new PutObjectCommand({ Bucket, Key, Body: bytes, Metadata }));
    }
    return { ...place, flipSize, photoStore, places: { ...place.places, bucket } };
  }

  for (const engine of ['sqlite', 'postgres'] as const) {
    void describe(`doctor on ${engine} with photos in a bucket`, () => {
      void it('a sound installation: nothing is found', async (t) => {
        const place = await copyInBucket(t, engine);
        assert.deepEqual(await problems(place, {}), []);
        assert.deepEqual(await problems(place, { isQuick: true }), []);
      });

      for (const damage of PHOTO_DAMAGES) {
        void it(`${damage.name}: found${damage.left === false ? '' : ', and repaired'}`, async (t) => {
          const place = await copyInBucket(t, engine);
          await damage.plant(place);
          const clock = () => Date.now() + (damage.aheadMs ?? 0);
          const found = await problems(place, { clock });
          assert.ok(found.includes(damage.problem), found.join());
          const left = await problems(place, { clock, isRepair: true });
          if (damage.left === false) assert.ok(left.includes(damage.problem));
          else assert.deepEqual(left, damage.left ?? []);
        });
      }

      void it('a moved photo: below the printed prefix', async (t) => {
        const place = await copyInBucket(t, engine);
        await place.photoStore.put(place.digest, Buffer.from('flipped'));
        const { aside } = await new Doctor(place.places, { isRepair: true }).run();
        const Prefix = String(aside).replace(`s3://${Bucket}/`, '');
        const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix }));
        assert.deepEqual(
          Contents.map(({ Key }) => Key),
          [`${Prefix}/${place.digest.slice(0, 2)}/${place.digest}/original`],
        );
      });
    });
  }
}

async function problems({ places }: DamagedPlace, options: DoctorOptions): Promise<Finding['problem'][]> {
  const { findings } = await new Doctor(places, options).run();
  const ignored = new Set<Finding['problem']>([null, 'clock-differs']);
  return findings.map(({ problem }) => problem).filter((problem) => !ignored.has(problem));
}
