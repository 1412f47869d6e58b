import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientOf } from '../support/client.ts';
import { startFtpReceiver } from '../support/ftp-receiver.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { startServer } from '../support/menagerie-process.ts';
import { databaseOf } from '../support/nodes.ts';
import { bearer, logIn, newSecuredFolder } from '../support/secured.ts';
import { removeFolder, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

/** Longer than a claim. */
const PATIENCE_MS = 120_000;

const PUBLIC = ['--empty', '--access', 'secured', '--public-url', 'https://pets.example.org'];

/** A server that holds the second file until the test lets it go on. */
async function startSlowSite(t: Lifetime) {
  const [held, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<undefined>()];
  let stored = 0;
  const site = await startFtpReceiver(t, (line) => {
    if (!line.startsWith('STOR') || ++stored !== 2) return undefined;
    held.resolve();
    return letGo.promise;
  });
  t.after(async () => letGo.resolve(undefined));
  return { url: `${site.url}/`, isHeld: held.promise, names: () => site.files.get('pets.csv') ?? '' };
}

/** Lists a pet, which is adopted then. Returns when the file without it is being uploaded. */
async function adopt(base: string, { isHeld, names }: Awaited<ReturnType<typeof startSlowSite>>): Promise<void> {
  const call = clientOf(base);
  const headers = { ...bearer(await logIn(call, 'root')), host: 'pets.example.org' };
  await call('POST', 'pet', { headers, json: { id: 5, name: 'Rex', status: 'available' } });
  await call('PUT', 'pet/5/profile', { headers, json: { species: 'dog' } });
  const { status } = await call('PATCH', 'admin/listings/rescuegroups', { headers, json: { on: true } });
  assert.equal(status, 200);
  await until('the pet is listed', async () => names().includes('"Rex"'), PATIENCE_MS);
  await call('PATCH', 'pet/5', { headers, json: { status: 'sold' } });
  await isHeld;
}

void test('server killed during an upload: the next one takes the adopted pet off the site', async (t) => {
  const folder = await newSecuredFolder();
  t.after(() => removeFolder(folder));
  const site = await startSlowSite(t);
  const flags = [...PUBLIC, '--rescuegroups-upload-url', site.url];
  const killed = await startServer(t, folder, flags);
  await adopt(killed.base, site);
  await killed.end('SIGKILL');
  await startServer(t, folder, flags);
  await until('the pet has left', async () => !site.names().includes('"Rex"'), PATIENCE_MS);
});

void test('node killed during an upload: another takes the adopted pet off the site', async (t) => {
  const secured = await newSecuredFolder({ onPostgres: true });
  t.after(() => removeFolder(secured));
  const url = (await databaseOf(secured)) ?? assert.fail();
  const site = await startSlowSite(t);
  const flags = [...PUBLIC, '--database-url', url, '--rescuegroups-upload-url', site.url];
  const killed = await startServer(t, secured, flags);
  await adopt(killed.base, site);
  const others = [await temporaryFolder(t), await temporaryFolder(t)];
  await Promise.all(others.map((folder) => startServer(t, folder, flags)));
  await killed.end('SIGKILL');
  await until('the pet has left', async () => !site.names().includes('"Rex"'), PATIENCE_MS);
});
