import assert from 'node:assert/strict';
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gatherIterations } from '../../src/storage/sqlite/engine/iterations.ts';
import { putPet } from '../support/changes.ts';
import { assertNothingLeaks } from '../support/client.ts';
import { startComposed } from '../support/composed-service.ts';
import { skipOnPostgres } from '../support/nodes.ts';
import { overriding } from '../support/overriding.ts';
import { bearer } from '../support/secured.ts';
import { until } from '../support/until.ts';

/* A failing database: every request gets an error in time. */

const outOfReach = () => {
  throw new Error('database disk image is malformed');
};
const TOKEN = bearer('x'.repeat(43));

void test('snapshots fail: every request gets a response, and those without the database work', async (t) => {
  const { call, origin } = await startComposed(t, { change: () => ({ iterations: gatherIterations(outOfReach) }) });
  const responses = await Promise.all([
    ...Array.from({ length: 20 }, () => call('GET', 'pet/1')),
    ...Array.from({ length: 20 }, () => call('POST', 'pet', { json: { name: 'Rex' } })),
  ]);
  // The reads find no pet, or the one being created: only the snapshot fails here.
  assert.ok(responses.slice(0, 20).every(({ status }) => status === 404 || status === 200));
  assert.ok(responses.slice(20).every(({ status }) => status === 200));
  assert.equal((await call('GET', `${origin}/livez`)).status, 200);
  assert.equal((await call('GET', `${origin}/reset-password`)).status, 200);
});

void test('request that fails at its beginning: 500, and requests of the same iteration get responses', async (t) => {
  const { call } = await startComposed(t, {
    change: ({ sessions }) => ({ sessions: overriding(sessions, { find: outOfReach }) }),
  });
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
    const { call, origin, stores, dataDir } = await startComposed(t);
    // The thread of the search has opened the database: a later opening would find an empty file, and delete the log.
    await until('search is ready', async () => (await stores.search.state()).state === 'ready');
    const photoUrls = ['y'.repeat(2000), 'z'.repeat(2000)];
    await Promise.all(Array.from({ length: 500 }, () => stores.pets.apply(putPet({ photoUrls }))));
    truncateSync(join(dataDir, 'menagerie.db'), 0);
    truncateSync(join(dataDir, 'menagerie.db-wal'), 4096);
    const responses = await Promise.all(Array.from({ length: 20 }, (_, index) => call('GET', `pet/${index * 20 + 1}`)));
    for (const { status } of responses) assert.ok([200, 404, 500, 503].includes(status), String(status));
    assert.ok(responses.some(({ status }) => status >= 500));
    assert.equal((await call('GET', `${origin}/livez`)).status, 200);
  },
);
