import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { readMigrations } from '../../src/storage/postgres/engine/migration-files.ts';
import { startService, type Service } from '../../src/server/service.ts';
import { clientOf, type HttpResponse, type Call } from '../support/client.ts';
import { dropDatabaseOf, newEmptyDatabase } from '../support/nodes.ts';
import { temporaryFolder, testConfigOn } from '../support/service.ts';
import { openTables } from '../support/stored.ts';

/* Nodes that start at the same moment on an empty database. */

const ROUNDS = 3;
const silent = pino({ level: 'silent' });

async function newPlace(t: TestContext): Promise<string> {
  const dataDir = await temporaryFolder(t);
  await newEmptyDatabase(dataDir);
  return dataDir;
}

/** Three nodes, each as it becomes ready. */
async function startThree(t: TestContext, dataDir: string, flags: readonly string[]) {
  const config = await testConfigOn(dataDir, flags);
  const starting = [0, 1, 2].map(async (number) => {
    await delay(number * 5);
    return startService(config, silent);
  });
  t.after(async () => {
    const started = await Promise.allSettled(starting);
    await Promise.all(started.map((node) => (node.status === 'fulfilled' ? node.value.stop() : Promise.resolve())));
    await dropDatabaseOf(dataDir);
  });
  return starting;
}

function callOf({ origin }: Service): Call {
  return clientOf(`${origin}/v2`);
}

for (let round = 1; round <= ROUNDS; round++) {
  void test(`three nodes starting together: migrate an empty database once (${round})`, async (t) => {
    const dataDir = await newPlace(t);
    const nodes = await Promise.all(await startThree(t, dataDir, ['--empty']));
    const { query } = await openTables(t, dataDir);
    assert.deepEqual(await query('select only_row, version from menagerie_schema'), [
      { only_row: 1, version: readMigrations().length },
    ]);
    assert.equal((await query('select * from change_order')).length, 1);
    for (const [index, node] of nodes.entries()) {
      const made = await callOf(node)('POST', 'pet', { json: { name: 'Rex' } });
      assert.equal(made.status, 200, made.text);
      assert.equal((JSON.parse(made.text) as { id: number }).id, index + 1);
    }
  });
}

async function allPets(call: Call): Promise<readonly { id: number; name: string; photoUrls: string[] }[]> {
  const { text } = await call('GET', 'pet/findByStatus?status=available,pending,sold');
  return JSON.parse(text) as { id: number; name: string; photoUrls: string[] }[];
}

/** The ETag and the content of a version. */
function versionOf({ status, headers, text }: HttpResponse): string {
  return `${status} ${headers.get('etag')} ${text.replaceAll(/127\.0\.0\.1:\d+/g, '')}`;
}

for (let round = 1; round <= ROUNDS; round++) {
  void test(`three nodes starting together: add the samples once, and keep changes of a client (${round})`, async (t) => {
    const dataDir = await newPlace(t);
    const starting = await startThree(t, dataDir, []);
    const first = callOf(await Promise.any(starting));
    assert.equal((await allPets(first)).length, 20);
    const { photoUrls } = JSON.parse((await first('GET', 'pet/2')).text) as { photoUrls: string[] };
    assert.equal((await first('GET', `${photoUrls[0]}/small`)).status, 200);
    // Changes of a client that arrives before the other nodes are ready.
    assert.equal((await first('DELETE', 'pet/3')).status, 200);
    assert.equal(
      (await first('PUT', 'pet', { json: { id: 5, name: 'Mine', photoUrls: [], status: 'sold' } })).status,
      200,
    );
    assert.equal((await first('PUT', 'user/user4', { json: { firstName: 'Changed' } })).status, 200);
    assert.equal((await first('DELETE', 'user/user3')).status, 200);
    const paths = [...Array.from({ length: 20 }, (_, index) => `pet/${index + 1}`), 'user/user1', 'user/user4'];
    const versions = async (call: Call) => (await Promise.all(paths.map((path) => call('GET', path)))).map(versionOf);
    const before = await versions(first);
    assert.match(before[2] ?? '', /^404 /);

    const nodes = await Promise.all(starting);
    for (const node of nodes) {
      const call = callOf(node);
      assert.deepEqual(await versions(call), before);
      assert.equal((await allPets(call)).length, 19);
      assert.equal((await call('GET', 'user/user3')).status, 404);
      assert.equal((await clientOf(node.origin)('GET', 'readyz')).status, 200);
    }
    const { query } = await openTables(t, dataDir);
    const [pets] = await query("select count(*) as count from audit where action = 'pet.added'");
    const [users] = await query("select count(*) as count from audit where action = 'account.created'");
    assert.deepEqual([pets?.['count'], users?.['count']], [20n, 11n]);
    assert.deepEqual(await query('select count(*) as count from account'), [{ count: 10n }]);
    assert.ok(
      nodes.some(({ samples }) => samples !== undefined),
      'the change of the client must be visible',
    );
  });
}
