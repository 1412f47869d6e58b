import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientOf } from '../support/client.ts';
import { startFtpReceiver } from '../support/ftp-receiver.ts';
import { dropDatabaseOf } from '../support/nodes.ts';
import { bearer, logIn, newSecuredFolder, startSecuredService } from '../support/secured.ts';
import { removeFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const HOUR_MS = 3_600_000;

/** Nodes look for changes every five seconds. */
const PATIENCE_MS = 60_000;

interface System {
  jobs: readonly { name: string; startedAt?: string }[];
}

void test('listing uploads on several nodes: each change is uploaded once', async (t) => {
  const isReleased = Promise.withResolvers<undefined>();
  t.after(async () => isReleased.resolve(undefined));
  const uploads = () => site.commands.filter((line) => line.startsWith('STOR')).length;
  const site = await startFtpReceiver(t, (line) => (line.startsWith('STOR') ? isReleased.promise : undefined));
  const dataDir = await newSecuredFolder({ onPostgres: true });
  t.after(async () => {
    await dropDatabaseOf(dataDir);
    await removeFolder(dataDir);
  });
  const flags = ['--public-url', 'https://pets.example.org', '--rescuegroups-upload-url', `${site.url}/`];
  let aheadMs = 0;
  const clock = () => Date.now() + aheadMs;
  const { base, nodes } = await startSecuredService(t, { dataDir, flags, clock, nodes: 3 });
  const call = clientOf(base);
  const headers = { ...bearer(await logIn(call, 'root')), host: 'pets.example.org' };
  const ok = async (method: string, path: string, json: object) =>
    assert.equal((await call(method, path, { headers, json })).status, 200);
  const looksOf = async (origin: string) => {
    const { text } = await clientOf(`${origin}/v2`)('GET', 'admin/system', { headers });
    return (JSON.parse(text) as System).jobs.find(({ name }) => name === 'listing-uploads')?.startedAt;
  };
  /** The nodes that have looked for changes twice since now: once completely. */
  const watchLooks = () => {
    const seen = nodes.map(() => new Set<string | undefined>());
    return async () => {
      for (const [index, { origin }] of nodes.entries()) seen[index]?.add(await looksOf(origin));
      return seen.filter(({ size }) => size > 2).length;
    };
  };
  const allLooked = async () => {
    const looked = watchLooks();
    await until('all nodes have looked', async () => (await looked()) === nodes.length, PATIENCE_MS);
  };

  await ok('POST', 'pet', { id: 5, name: 'Rex', status: 'available' });
  await ok('PUT', 'pet/5/profile', { species: 'dog' });
  await ok('PATCH', 'admin/listings/rescuegroups', { on: true });
  await until('an upload has begun', async () => uploads() > 0, PATIENCE_MS);
  const looked = watchLooks();
  await until('the other nodes have looked', async () => (await looked()) === nodes.length - 1, PATIENCE_MS);
  isReleased.resolve(undefined);
  await until('the file is there', async () => site.files.get('pets.csv')?.includes('"Rex"') === true, PATIENCE_MS);
  await allLooked();
  assert.equal(uploads(), 1, 'a node that looked during the upload');

  await ok('PATCH', 'pet/5', { name: 'Bella' });
  await allLooked();
  aheadMs += 60_000;
  await allLooked();
  assert.ok(site.files.get('pets.csv')?.includes('"Bella"'));
  assert.equal(uploads(), 2, 'a change that all nodes have seen');

  aheadMs += HOUR_MS;
  await allLooked();
  assert.equal(uploads(), 3, 'an hour later');

  await ok('POST', 'admin/listings/rescuegroups/upload', {});
  await allLooked();
  assert.equal(uploads(), 4, 'at the request of an administrator');
});
