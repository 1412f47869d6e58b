import assert from 'node:assert/strict';
import { after, test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Stamp } from '../../src/domain/audit.ts';
import { readDatabaseUrl, type DatabaseAddress } from '../../src/storage/postgres/engine/connection-url.ts';
import { openConnections } from '../../src/storage/postgres/engine/connections.ts';
import { migrate } from '../../src/storage/postgres/engine/migrations.ts';
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

/*
 * Pets read from a standby that lags behind, which here it does exactly as far as the test wants.
 */

const NOBODY_KNOWN = 0n;
/** As src/storage/postgres/engine/standby.ts has it, and one look more. */
const MAX_LAG_MS = 5000 + 1000;

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
  const connections = openConnections({ address: addressOf(primary.url), size: 4 });
  const standbys = openConnections({ address: addressOf(standby.url), size: 2, readsOnly: true, answerTimeoutMs: 500 });
  await migrate(connections);
  const stores = createPostgresStores(connections, standbys);
  t.after(() => stores.close());
  if (isUpToDate) await standby.awaitReplay();
  // Before it was looked at, no standby is read; of a new database it may not have the tables at the first look.
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

void test('strangers may be told what a standby has; whoever has written is told what they wrote, by one pet and by list', async (t) => {
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

  assert.equal(nameOf(await pets.find(id, NOBODY_KNOWN)), 'Old', 'it was not read from the standby');
  assert.equal(nameOf(await pets.find(id, writer?.lastWritten)), 'New');
  assert.equal(nameOf(await pets.find(id)), 'New');
  const part = { afterId: 0n, limit: 10 };
  for (const list of [
    (noOlderThan?: bigint) => pets.listByStatus(['sold', 'pending'], { ...part, noOlderThan }),
    (noOlderThan?: bigint) => pets.listByTags(['a'], { ...part, noOlderThan }),
  ]) {
    assert.deepEqual((await list(NOBODY_KNOWN)).map(nameOf), ['Old']);
    assert.deepEqual((await list(version)).map(nameOf), ['New']);
    assert.deepEqual((await list()).map(nameOf), ['New']);
  }

  const byKey: Stamp = { ...bySession, via: 'key', credentialId: 'id of k1' };
  const third = await applyOne(pets, putPet({ name: 'Third' }, undefined, { stamp: byKey }));
  const [key] = await findAll(keys, ['k1']);
  assert.equal(key?.lastWritten, third.version);
  assert.equal(await pets.find(third.id, NOBODY_KNOWN), undefined);
  assert.equal(nameOf(await pets.find(third.id, key?.lastWritten)), 'Third');

  // Also who logs in again, and who was told that it has changed, or is as they want it.
  await applyOne(sessions, beginSession('s3', userId));
  const byReader: Stamp = { ...bySession, credentialId: 'id of s2' };
  await applyFailing(pets, { ...other, precondition: { ifNoneMatch: '*' }, stamp: byReader }, 'precondition-failed');
  for (const session of await findAll(sessions, ['s2', 's3']))
    assert.equal(nameOf(await pets.find(id, session?.lastWritten)), 'New');

  await resume();
  await standby.awaitReplay();
  assert.equal(nameOf(await pets.find(id, NOBODY_KNOWN)), 'New');
});

void test('a standby that has fallen silent keeps nobody waiting for long, and is read again when it answers', async (t) => {
  const { pets } = await openStores(t);
  const { id } = await applyOne(pets, putPet({ name: 'Rex' }));
  await standby.awaitReplay();
  await standby.freeze();
  t.after(() => standby.thaw());
  for (let round = 0; round < 30; round++) {
    const startedAtMs = performance.now();
    const found = await Promise.all(Array.from({ length: 20 }, async () => pets.find(id, NOBODY_KNOWN)));
    assert.ok(found.every((pet) => nameOf(pet) === 'Rex'));
    const tookMs = performance.now() - startedAtMs;
    assert.ok(tookMs < (round === 0 ? 2500 : 1000), `round ${round} took ${tookMs} ms`);
    await delay(100);
  }
  await standby.thaw();
  await delay(2500);
  await standby.awaitReplay();
  await pause(t);
  await applyOne(pets, putPet({ name: 'Max' }, id));
  assert.equal(nameOf(await pets.find(id, NOBODY_KNOWN)), 'Rex', 'it was not read from the standby');
});

void test('nobody is told what a standby has when it has fallen far behind', async (t) => {
  const { pets } = await openStores(t);
  const { id } = await applyOne(pets, putPet({ name: 'Old' }));
  await standby.awaitReplay();
  const resume = await pause(t);
  await applyOne(pets, putPet({ name: 'New' }, id));
  assert.equal(nameOf(await pets.find(id, NOBODY_KNOWN)), 'Old');
  // What was there when a node started is seen by all who ask it.
  const { pets: ofNewNode } = await openStores(t, false);
  assert.equal(nameOf(await ofNewNode.find(id, NOBODY_KNOWN)), 'New');
  await delay(MAX_LAG_MS + 1500);
  assert.equal(nameOf(await pets.find(id, NOBODY_KNOWN)), 'New');
  await resume();
});

void test('without the standby everything is read from the primary, and without the primary what strangers read from the standby', async (t) => {
  const { pets } = await openStores(t);
  const { id } = await applyOne(pets, putPet({ name: 'Rex' }));
  await standby.awaitReplay();
  await standby.kill();
  assert.equal(nameOf(await pets.find(id, NOBODY_KNOWN)), 'Rex');
  await standby.restart();
  // After it did not answer, it is left alone for a while.
  await delay(2500);
  await primary.kill();
  assert.equal(nameOf(await pets.find(id, NOBODY_KNOWN)), 'Rex');
  await assert.rejects(async () => pets.find(id), /cannot be reached/);
});
