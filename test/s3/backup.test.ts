import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { runMenagerie } from '../support/menagerie-process.ts';
import { outputOf } from '../support/operator-commands.ts';
import { newDatabaseFor } from '../support/shared-postgres.ts';
import { contentsOf, makeRichInstallation } from '../support/rich-installation.ts';
import { clientWithBucket, S3_CREDENTIALS, S3_REGION, startS3Server, type S3Server } from '../support/s3-server.ts';
import { temporaryFolder } from '../support/service.ts';

const server = await startS3Server();

if ('reason' in server) void test('backups of photos in a bucket', { skip: server.reason }, () => {});
else await testWith(server);

async function testWith(server: S3Server): Promise<void> {
  const Bucket = 'menagerie-backups';
  const client = await clientWithBucket(server, Bucket);
  after(async () => {
    client.destroy();
    await server.stop();
  });
  const environment = {
    AWS_ACCESS_KEY_ID: S3_CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: S3_CREDENTIALS.secretAccessKey,
  };

  const at = (prefix: string) => `s3://${Bucket}/${prefix}?endpoint=${server.endpoint}&region=${S3_REGION}`;

  void test('restore: on PostgreSQL and S3, and back', async (t) => {
    const folder = await temporaryFolder(t);
    const [first, last, place] = [join(folder, 'first'), join(folder, 'last'), join(folder, 'place')];
    await makeRichInstallation(t, first);
    const there = { MENAGERIE_DATABASE_URL: await newDatabaseFor(t), MENAGERIE_PHOTOS_URL: at('pets') };
    const node = ['--data-dir', join(folder, 'node')];
    const run = (args: readonly string[], variables: Readonly<Record<string, string>> = {}) =>
      runMenagerie(t, args, { environment: { ...environment, ...variables } });

    outputOf(await run(['backup', place, '--final', '--data-dir', first]));
    assert.match(outputOf(await run(['restore', place, ...node], there)), /and 3 photos were restored/);
    const { Contents: objects = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix: 'pets/' }));
    const Contents = objects.filter(({ Key }) => Key?.endsWith('/original'));
    assert.equal(Contents.length, 3);
    assert.deepEqual(
      objects.filter(({ Key }) => !Key?.endsWith('/original')).map(({ Key }) => Key),
      ['pets/installation-id'],
    );
    for (const { Key = '' } of Contents) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
      assert.equal(hash('sha256', (await Body?.transformToByteArray()) ?? ''), Key.split('/').at(-2));
    }

    outputOf(await run(['backup', at('back'), '--final', ...node], there));
    assert.match(outputOf(await run(['restore', at('back'), '--data-dir', last])), /and 3 photos were restored/);
    assert.deepEqual(contentsOf(last), contentsOf(first));
    const originals = await readdir(join(last, 'photos'), { recursive: true });
    assert.equal(originals.filter((name) => name.endsWith('original')).length, 3);

    // Content that does not match its digest is not copied.
    const Key = Contents[0]?.Key ?? assert.fail();
    await client.send(new PutObjectCommand({ Bucket, Key, Body: 'something else' }));
    const damaged = await run(['backup', join(folder, 'damaged'), ...node], there);
    assert.equal(damaged.stderr, `Photo ${Key.split('/').at(-2)} is missing or damaged; it is not in the backup.\n`);
    assert.equal(damaged.code, 1);
    assert.match(damaged.stdout, /\(2 new, 1 missing\)/);
  });

  void test('backup: of photos in a bucket to another prefix, twice, with deletion of the first, and back', async (t) => {
    const folder = await temporaryFolder(t);
    const [first, last] = [join(folder, 'first'), join(folder, 'last')];
    await makeRichInstallation(t, first);
    const onBucket = join(folder, 'on-bucket');
    const inUse = { environment: { ...environment, MENAGERIE_PHOTOS_URL: at('in-use') } };
    outputOf(await runMenagerie(t, ['backup', join(folder, 'place'), '--data-dir', first]));
    outputOf(await runMenagerie(t, ['restore', join(folder, 'place'), '--data-dir', onBucket], inUse));
    const backup = (...flags: readonly string[]) =>
      runMenagerie(t, ['backup', at('backups'), '--data-dir', onBucket, ...flags], inUse);
    assert.match(outputOf(await backup()), /3 photos \(3 new\)/);
    assert.match(outputOf(await backup('--keep', '1')), /3 photos \(0 new\)[^]*^Deleted: /m);
    assert.equal(
      outputOf(await backup('--list', '--json'))
        .trim()
        .split('\n').length,
      1,
    );
    const restored = await runMenagerie(t, ['restore', at('backups'), '--data-dir', last], { environment });
    assert.match(outputOf(restored), /and 3 photos were restored/);
    assert.deepEqual(contentsOf(last), contentsOf(first));
  });
}
