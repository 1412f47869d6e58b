import assert from 'node:assert/strict';
import { after, test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Stamp } from '../../src/domain/audit.ts';
import { readDatabaseUrl, type DatabaseAddress } from '../../src/storage/postgres/engine/connection-url.ts';
import { Connections } from '../../src/storage/postgres/engine/connections.ts';
import { migrate } from '../../src/storage/postgres/migrations/migrations.ts';
import { createPostgresStores } from '../../src/storage/postgres/stores.ts';
import {
  STAMP,
  applyFailing,
  applyOne,
  beginSession,
  createKey,
  createUsers,
  findAll,
  loginAccount,
  putPet,
} from '../support/changes.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { startStandby } from '../support/postgres-standby.ts';
import { until } from './served-database.ts';

/* Reads of pets from a standby whose lag the test controls. */

const NO_WRITES_SEEN = 0n;
/** The interval of src/storage/postgres/engine/standby.ts plus one poll. */
const MAX_LAG_MS = 5000 + 1000;
const DEADLINE_MS = 30_000;

const file = { after: (end: () => Promise<void>) => void ends.push(end) };
const ends: (() => Promise<void>)[] = [];
const primary = await startPostgres(file);
const standby = await startStandby(file, primary);
after(async () => {
  for (const end of ends) await end();
});

function addressOf(url: string): DatabaseAddress {
  const address = readDatabaseUrl(url);
  assert.ok(typeof address !== 'string');
  return address;
}

async function openStores(t: TestContext, isUpToDate = true) {
  const connections = new Connections({ address: addressOf(primary.url), size: 4 });
  const standbys = new Connections({
    address: addressOf(standby.url),
    size: 2,
    readsOnly: true,
    responseTimeoutMs: 500,
  });
  await migrate(connections);
  const stores = createPostgresStores(connections, standbys);
  t.after(() => stores.close());
  if (isUpToDate) await standby.awaitReplay();
  // A standby is used only after it was checked; at the first check, it may not have the tables of a new database yet.
  await delay(1300);
  return stores;
}

async function pause(t: TestContext): Promise<() => Promise<unknown>> {
  await standby.query('select pg_wal_replay_pause()');
  const resume = () => standby.query('select pg_wal_replay_resume()');
  t.after(async () => {
    await resume().catch(() => {});
  });
  return resume;
}

const nameOf = (pet: { text: string } | undefined) => /"name":"([^"]*)"/.exec(pet?.text ?? '')?.[1];

void test('standby: may serve other clients, but clients that wrote read their own writes, by id and in lists', async (t) => {
  const { pets, users, sessions, keys } = await openStores(t);
  const [userId = 0n] = await applyOne(users, createUsers(loginAccount('ada', { role: 'editor' })));
  await applyOne(sessions, beginSession('s1', userId));
  await applyOne(sessions, beginSession('s2', userId));
  await applyOne(keys, createKey('k1', userId));
  const { id } = await applyOne(pets, putPet({ name: 'Old', status: 'sold', tags: [{ name: 'a' }] }));
  await standby.awaitReplay();
  const resume = await pause(t);

  const bySession: Stamp = { ...STAMP, via: 'session', actorId: userId, actorRole: 'editor', credentialId: 'id of s1' };
  const other = putPet({ name: 'New', status: 'sold', tags: [{ name: 'a' }] }, id, { stamp: bySession });
  const { version } = await applyOne(pets, other);
  const [writer, reader] = await findAll(sessions, ['s1', 's2']);
  assert.equal(writer?.lastWritten, version);
  assert.ok((reader?.lastWritten ?? 0n) < version);

  assert.equal(nameOf(await pets.find(id, NO_WRITES_SEEN)), 'Old', 'expected a read from the standby');
  assert.equal(nameOf(await pets.find(id, writer?.lastWritten)), 'New');
  assert.equal(nameOf(await pets.find(id)), 'New');
  const part = { afterId: 0n, limit: 10 };
  for (const list of [
    (noOlderThan?: bigint) => pets.listByStatus(['sold', 'pending'], { ...part, noOlderThan }),
    (noOlderThan?: bigint) => pets.listByTags(['a'], { ...part, noOlderThan }),
  ]) {
    assert.deepEqual((await list(NO_WRITES_SEEN)).map(nameOf), ['Old']);
    assert.deepEqual((await list(version)).map(nameOf), ['New']);
    assert.deepEqual((await list()).map(nameOf), ['New']);
  }

  const byKey: Stamp = { ...bySession, via: 'key', credentialId: 'id of k1' };
  const third = await applyOne(pets, putPet({ name: 'Third' }, undefined, { stamp: byKey }));
  const [key] = await findAll(keys, ['k1']);
  assert.equal(key?.lastWritten, third.version);
  assert.equal(await pets.find(third.id, NO_WRITES_SEEN), undefined);
  assert.equal(nameOf(await pets.find(third.id, key?.lastWritten)), 'Third');

  // Also after another login, and after a failed precondition or a change without effect.
  await applyOne(sessions, beginSession('s3', userId));
  const byReader: Stamp = { ...bySession, credentialId: 'id of s2' };
  await applyFailing(pets, { ...other, precondition: { ifNoneMatch: '*' }, stamp: byReader }, 'precondition-failed');
  for (const session of await findAll(sessions, ['s2', 's3']))
    assert.equal(nameOf(await pets.find(id, session?.lastWritten)), 'New');

  await resume();
  await standby.awaitReplay();
  assert.equal(nameOf(await pets.find(id, NO_WRITES_SEEN)), 'New');
});

void test('unresponsive standby: delays reads only briefly, and is used again when it responds', async (t) => {
  const { pets } = await openStores(t);
  const { id } = await applyOne(pets, putPet({ name: 'Rex' }));
  await standby.awaitReplay();
  await standby.freeze();
  t.after(() => standby.thaw());
  for (let round = 0; round < 30; round++) {
    const startedAtMs = performance.now();
    const found = await Promise.all(Array.from({ length: 20 }, async () => pets.find(id, NO_WRITES_SEEN)));
    assert.ok(found.every((pet) => nameOf(pet) === 'Rex'));
    const tookMs = performance.now() - startedAtMs;
    assert.ok(tookMs < (round === 0 ? 2500 : 1000), `round ${round} took ${tookMs} ms`);
    await delay(100);
  }
  await standby.thaw();
  await standby.awaitReplay();
  const readFromStandby = async () => {
    await standby.awaitReplay();
    const resume = await pause(t);
    const name = nameOf(await pets.find(id));
    await applyOne(pets, putPet({ name: `${name}!` }, id));
    const found = nameOf(await pets.find(id, NO_WRITES_SEEN));
    await resume();
    return found === name;
  };
  await until(readFromStandby, DEADLINE_MS, 'a read from the standby');
});

void test('standby far behind: not used', async (t) => {
  const { pets } = await openStores(t);
  const { id } = await applyOne(pets, putPet({ name: 'Old' }));
  await standby.awaitReplay();
  const resume = await pause(t);
  await applyOne(pets, putPet({ name: 'New' }, id));
  assert.equal(nameOf(await pets.find(id, NO_WRITES_SEEN)), 'Old');
  // Everyone sees at least the state at the start of the node.
  const { pets: ofNewNode } = await openStores(t, false);
  assert.equal(nameOf(await ofNewNode.find(id, NO_WRITES_SEEN)), 'New');
  await delay(MAX_LAG_MS);
  await until(
    async () => nameOf(await pets.find(id, NO_WRITES_SEEN)) === 'New',
    DEADLINE_MS,
    'a read from the primary',
  );
  await resume();
});

void test('without the standby, the primary serves all reads; without the primary, the standby serves clients that did not write', async (t) => {
  const { pets } = await openStores(t);
  const { id } = await applyOne(pets, putPet({ name: 'Rex' }));
  await standby.awaitReplay();
  await standby.kill();
  assert.equal(nameOf(await pets.find(id, NO_WRITES_SEEN)), 'Rex');
  await standby.restart();
  // After a failure, it is not tried for a while.
  await delay(2500);
  await primary.kill();
  assert.equal(nameOf(await pets.find(id, NO_WRITES_SEEN)), 'Rex');
  await assert.rejects(async () => pets.find(id), /cannot be reached/);
});
