import assert from 'node:assert/strict';
import { mkdtemp, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { pino } from 'pino';
import { overriding } from '../support/overriding.ts';
import { gatherTurns } from '../../src/storage/sqlite/engine/turns.ts';
import { compose } from '../../src/server/composition.ts';
import { startServer } from '../../src/server/server.ts';
import type { Stores } from '../../src/server/stores.ts';
import { openStores } from '../../src/server/open-stores.ts';
import { putPet } from '../support/changes.ts';
import { assertNothingLeaks, clientOf } from '../support/client.ts';
import { skipOnPostgres } from '../support/nodes.ts';
import { bearer } from '../support/secured.ts';
import { removeFolder, testConfigOn } from '../support/service.ts';

/* A failing database: every request gets an error in time. */

async function startWith(t: TestContext, change: (stores: Stores) => Partial<Stores>) {
  const dataDir = await mkdtemp(join(tmpdir(), 'menagerie-test-'));
  const config = await testConfigOn(dataDir, ['--empty', '--stop-timeout-seconds', '1']);
  const stores = await openStores(config);
  const log = pino({ level: 'silent' });
  const changed = { ...stores, ...change(stores) };
  const server = await startServer({
    stores: changed,
    composition: compose(changed, config, log, Date.now),
    config,
    log,
  });
  server.markFilled();
  t.after(async () => {
    await server.stop();
    await stores.close();
    // Not earlier: a starting writer needs to open its file.
    await removeFolder(dataDir);
  });
  return { call: clientOf(`${server.origin}/v2`), origin: server.origin, stores, dataDir };
}

const outOfReach = () => {
  throw new Error('database disk image is malformed');
};
const TOKEN = bearer('x'.repeat(43));

void test('snapshots fail: every request is answered, and those without the database work', async (t) => {
  const { call, origin } = await startWith(t, () => ({ turns: gatherTurns(outOfReach) }));
  const answers = await Promise.all([
    ...Array.from({ length: 20 }, () => call('GET', 'pet/1')),
    ...Array.from({ length: 20 }, () => call('POST', 'pet', { json: { name: 'Rex' } })),
  ]);
  // The reads find no pet, or the one being created: only the snapshot fails here.
  assert.ok(answers.slice(0, 20).every(({ status }) => status === 404 || status === 200));
  assert.ok(answers.slice(20).every(({ status }) => status === 200));
  assert.equal((await call('GET', `${origin}/livez`)).status, 200);
  assert.equal((await call('GET', `${origin}/reset-password`)).status, 200);
});

void test('request that fails at its beginning: 500, and requests of the same turn are answered', async (t) => {
  const { call } = await startWith(t, ({ sessions }) => ({
    sessions: overriding(sessions, { find: outOfReach }),
  }));
  const [wrong, ...others] = await Promise.all([
    call('GET', 'account', { headers: TOKEN }),
    ...Array.from({ length: 10 }, () => call('GET', 'pet/1')),
    call('GET', 'account', { headers: TOKEN }),
  ]);
  assert.equal(wrong?.status, 500);
  assertNothingLeaks(wrong);
  assert.deepEqual(
    others.map(({ status }) => status),
    [...Array.from({ length: 10 }, () => 404), 500],
  );
});

void test(
  'database file truncated at runtime: errors, and the service keeps running',
  { skip: skipOnPostgres() },
  async (t) => {
    const { call, origin, stores, dataDir } = await startWith(t, () => ({}));
    const photoUrls = ['y'.repeat(2000), 'z'.repeat(2000)];
    await Promise.all(Array.from({ length: 500 }, () => stores.pets.apply(putPet({ photoUrls }))));
    // Everything is still in the WAL; without it, the database is empty.
    await truncate(join(dataDir, 'menagerie.db'), 0);
    await truncate(join(dataDir, 'menagerie.db-wal'), 4096);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => call('GET', `pet/${index * 20 + 1}`)));
    for (const { status } of answers) assert.ok([200, 404, 500, 503].includes(status), String(status));
    assert.ok(answers.some(({ status }) => status >= 500));
    assert.equal((await call('GET', `${origin}/livez`)).status, 200);
  },
);
