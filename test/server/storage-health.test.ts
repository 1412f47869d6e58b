import assert from 'node:assert/strict';
import { copyFile, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { StorageHealth } from '../../src/server/background/storage-health.ts';
import { openDatabase } from '../../src/storage/sqlite/engine/database.ts';
import { clientOf } from '../support/client.ts';
import { keepLog, until } from '../support/kept-log.ts';
import { fileUpload } from '../support/multipart.ts';
import { skipOnPostgres } from '../support/nodes.ts';
import { uploaded } from '../support/pet-photos.ts';
import { makePhoto } from '../support/photos.ts';
import { startTestService } from '../support/service.ts';

/*
 * A running service detects deleted, replaced and damaged files, most of them without a request.
 */

async function startKept(t: TestContext) {
  const kept = keepLog();
  const service = await startTestService(t, { log: kept.log });
  const call = clientOf(service.base);
  const readiness = async () => (await call('GET', `${service.origin}/readyz`)).status;
  const change = async () => (await call('POST', 'pet', { json: { name: 'Rex' } })).status;
  assert.deepEqual([await readiness(), await change()], [200, 200]);
  return { service, call, readiness, change, ...kept };
}

const LOST_DATABASE = /^changes cannot be stored and get 503: \S+menagerie\.db\S* was (?:removed|replaced) under/;

/** Health checks may write to the folder while it is deleted. */
const RETRYING = { recursive: true, maxRetries: 10 } as const;

void describe('storage health', { concurrency: true }, () => {
  void it(
    'deleted data folder: no change is acknowledged, readiness fails, one log entry',
    { skip: skipOnPostgres() },
    async (t) => {
      const { service, readiness, change, find } = await startKept(t);
      await rm(service.dataDir, RETRYING);
      assert.equal(await change(), 503);
      await until('readiness fails', async () => (await readiness()) === 503);
      assert.equal(await change(), 503);
      assert.equal((await find(LOST_DATABASE)).length, 1);
      assert.equal((await find(/^a photo folder is missing: /)).length, 1);
    },
  );

  void it(
    'data folder replaced by a file: no change is acknowledged, and the service keeps running',
    { skip: skipOnPostgres() },
    async (t) => {
      const { service, readiness, change, find } = await startKept(t);
      await rm(service.dataDir, RETRYING);
      await writeFile(service.dataDir, 'no folder');
      assert.equal(await change(), 503);
      await find(/^a photo folder is missing: /);
      await until('readiness fails', async () => (await readiness()) === 503);
    },
  );

  void it(
    'deleted database file: readiness fails without a request, with a log entry',
    { skip: skipOnPostgres() },
    async (t) => {
      const { service, readiness, find } = await startKept(t);
      await rm(join(service.dataDir, 'menagerie.db'));
      await until('readiness fails', async () => (await readiness()) === 503);
      await find(LOST_DATABASE);
    },
  );

  void it('deleted write-ahead log: no change is acknowledged', { skip: skipOnPostgres() }, async (t) => {
    const { service, change, find } = await startKept(t);
    await rm(join(service.dataDir, 'menagerie.db-wal'));
    assert.equal(await change(), 503);
    await find(LOST_DATABASE);
  });

  void it(
    'replaced database file: no change is acknowledged until the old one is restored',
    { skip: skipOnPostgres() },
    async (t) => {
      const { service, readiness, change, find } = await startKept(t);
      const path = join(service.dataDir, 'menagerie.db');
      await copyFile(path, `${path}-copy`);
      await rename(path, `${path}-old`);
      await rename(`${path}-copy`, path);
      assert.equal(await change(), 503);
      await until('readiness fails', async () => (await readiness()) === 503);
      await find(LOST_DATABASE);
      await rename(`${path}-old`, path);
      assert.equal(await change(), 200);
      await until('readiness is back', async () => (await readiness()) === 200);
    },
  );

  void it(
    'database migrated to a newer version: changes get 503, and the log has the reason',
    { skip: skipOnPostgres() },
    async (t) => {
      const { service, change, find } = await startKept(t);
      const db = openDatabase(join(service.dataDir, 'menagerie.db'));
      db.exec('pragma user_version = 1000');
      db.close();
      assert.equal(await change(), 503);
      assert.match((await find(/^changes cannot be stored/))[0]?.msg ?? '', /was migrated by a newer version/);
    },
  );

  void it('deleted photo folder: readiness fails, photos and uploads get 503', async (t) => {
    const { service, call, readiness, find } = await startKept(t);
    const file = await makePhoto();
    const photo = await uploaded(call, file);
    await rename(join(service.dataDir, 'photos'), join(service.dataDir, 'photos-away'));
    await until('readiness fails', async () => (await readiness()) === 503);
    assert.equal((await find(/^a photo folder is missing: /)).length, 1);
    for (const path of [photo, `${photo}/small`]) assert.equal((await call('GET', path)).status, 503);
    assert.equal((await call('POST', 'pet/1/uploadImage', fileUpload(file))).status, 503);
    await rename(join(service.dataDir, 'photos-away'), join(service.dataDir, 'photos'));
    await until('readiness is back', async () => (await readiness()) === 200);
    assert.equal((await call('GET', `${photo}/small`)).status, 200);
  });

  void it('folder that is not writable: uploads get 503, with one log entry', async (t) => {
    const { service, call, find, lines } = await startKept(t);
    const file = await makePhoto();
    const uploads = join(service.dataDir, 'uploads');
    await rm(uploads, RETRYING);
    await writeFile(uploads, 'no folder');
    for (let attempt = 0; attempt < 3; attempt++)
      assert.equal((await call('POST', 'pet/1/uploadImage', fileUpload(file))).status, 503);
    // The service may notice the folder before an upload fails: then only that is logged.
    const reasons = [/^photos cannot be stored or read: ENOTDIR/, /^a photo folder is missing: /];
    await find(new RegExp(reasons.map(({ source }) => source).join('|')));
    for (const reason of reasons) assert.ok(lines.filter(({ msg }) => reason.test(msg)).length <= 1, reason.source);
    assert.ok(lines.every(({ msg }) => msg !== 'unexpected error'));
  });

  void it('damaged original: its sizes get 503, with one log entry, until it is uploaded again', async (t) => {
    const { service, call, find } = await startKept(t);
    const file = await makePhoto({ seed: 7 });
    const photo = await uploaded(call, file);
    const digest = /[0-9a-f]{64}/.exec(photo)?.[0] ?? '';
    const path = join(service.dataDir, 'photos', digest.slice(0, 2), digest, 'original');
    const bytes = await readFile(path);
    bytes[bytes.length - 20] = (bytes.at(-20) ?? 0) ^ 0xff;
    await writeFile(path, bytes);
    for (const size of ['small', 'small?format=jpeg', 'medium'])
      assert.equal((await call('GET', `${photo}/${size}`)).status, 503);
    assert.equal((await find(/^a stored photo is damaged/)).length, 1);
    assert.equal((await call('POST', 'pet/1/uploadImage', fileUpload(file))).status, 200);
    assert.equal((await call('GET', `${photo}/small`)).status, 200);
  });

  void it('write-ahead log that cannot be shortened: the log has the reason', async (t) => {
    const { log, find } = keepLog();
    const health = new StorageHealth(log);
    t.after(() => health.close());
    health.watch({
      probeChange: async () => {},
      probePhotos: async () => {},
      folders: [],
      files: {
        findProblem: () => undefined,
        logBytes: () => 2,
        maxLogBytes: 1,
        waitingMs: () => 0,
        checkpoint: () => Promise.reject(new Error('the disk is full')),
      },
    });
    const lines = await find(/cannot be shortened/);
    assert.deepEqual(
      lines.map(({ msg }) => msg),
      ['the write-ahead log of the database cannot be shortened: the disk is full'],
    );
  });
});
