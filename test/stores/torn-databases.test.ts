import assert from 'node:assert/strict';
import { copyFile, cp, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import {
  checkBeforeServing,
  checkInBackground,
  checkpoint,
  lastEndOf,
} from '../../src/storage/sqlite/engine/files/maintenance.ts';
import { openDatabase } from '../../src/storage/sqlite/engine/database.ts';
import { openInstallation } from '../../src/server/backup/installation.ts';
import { placesOf } from '../../src/server/configuration/places.ts';
import { Doctor } from '../../src/server/health/doctor.ts';
import { planMigration } from '../../src/server/stores/migrate-database.ts';
import { openStores, openStoresBesideServer } from '../../src/server/stores/open-stores.ts';
import { newAccount, createUsers, putPet } from '../support/changes.ts';
import { overwritePages, takeLogIn } from '../support/damage.ts';
import { keepLog } from '../support/kept-log.ts';
import { temporaryFolder } from '../support/service.ts';

const DATABASE = 'menagerie.db';

/** A data folder whose service is still running, and a copy of the folder. */
async function copyOfRunning(t: TestContext): Promise<string> {
  const dataDir = await temporaryFolder(t);
  const stores = await openStores({ dataDir });
  const photoUrls = ['x'.repeat(2000)];
  await Promise.all(Array.from({ length: 200 }, () => stores.pets.apply(putPet({ photoUrls }))));
  takeLogIn(join(dataDir, DATABASE));
  const copy = join(await temporaryFolder(t), 'copy');
  await cp(dataDir, copy, { recursive: true, preserveTimestamps: true });
  await stores.close();
  return copy;
}

async function refusedStart(dataDir: string): Promise<string> {
  const outcome = await openStores({ dataDir }).then(
    (stores) => stores.close(),
    (error: Error) => error,
  );
  assert.ok(outcome instanceof Error, 'expected a refusal');
  return outcome.message;
}

void test('torn copy: refused with instructions', async (t) => {
  const copy = await copyOfRunning(t);
  await overwritePages(join(copy, DATABASE), 0.5, 0.6);
  const message = await refusedStart(copy);
  assert.match(
    message,
    // Without the lines of SQLite's check, such as "*** in database main ***".
    /^The database [^\n*]+menagerie\.db is damaged \([^\n*]+\)\. Stop the service and restore [^\n*]+ backup[^\n*]+recover[^\n*]+\.$/,
  );
});

void test('torn copy of the database file alone: refused', async (t) => {
  const copy = await copyOfRunning(t);
  const alone = await temporaryFolder(t);
  await overwritePages(join(copy, DATABASE), 0.5, 0.6);
  await copyFile(join(copy, DATABASE), join(alone, DATABASE));
  assert.match(await refusedStart(alone), /is damaged/);
});

void test('truncated copy: refused', async (t) => {
  const copy = await copyOfRunning(t);
  await truncate(join(copy, DATABASE), 100 * 4096);
  assert.match(await refusedStart(copy), /is damaged/);
  await truncate(join(copy, DATABASE), 0);
  await writeFile(join(copy, `${DATABASE}-wal`), Buffer.alloc(8192, 1));
  assert.match(await refusedStart(copy), /is damaged \(the file is empty, but has a log\)/);
});

void test('sound copy of a running service: checked and started', async (t) => {
  const copy = await copyOfRunning(t);
  assert.equal(lastEndOf(join(copy, DATABASE)), 'unclean');
  const stores = await openStores({ dataDir: copy });
  assert.notEqual(await stores.pets.find(1n), undefined);
  await stores.close();
});

void test('after a clean end: the next start checks nothing, also after a command', async (t) => {
  const dataDir = await temporaryFolder(t);
  const path = join(dataDir, DATABASE);
  assert.equal(lastEndOf(path), 'clean', 'the folder has no database yet');
  const stores = await openStores({ dataDir });
  assert.equal(lastEndOf(path), 'unclean', 'the service is running');
  await stores.close();
  assert.equal(lastEndOf(path), 'clean');
  const command = await openStoresBesideServer({ dataDir }, false);
  await command.users.apply(createUsers(newAccount('edna')));
  await command.close();
  assert.equal(lastEndOf(path), 'clean');
  const running = await openStores({ dataDir });
  const beside = await openStoresBesideServer({ dataDir }, false);
  await beside.users.apply(createUsers(newAccount('vera')));
  await beside.close();
  assert.equal(lastEndOf(path), 'unclean');
  await running.close();
});

/** The data folder of a service that was killed after a change, which is only in the log. */
async function copyOfKilled(t: TestContext): Promise<string> {
  const dataDir = await temporaryFolder(t);
  await (await openStores({ dataDir })).close();
  const stores = await openStores({ dataDir });
  await stores.pets.apply(putPet({ name: 'Last' }));
  const copy = join(await temporaryFolder(t), 'copy');
  await cp(dataDir, copy, { recursive: true, preserveTimestamps: true });
  await stores.close();
  return copy;
}

/** Starts and stops. @returns whether the start said that the log is missing, and whether the pet is there */
async function startOn(dataDir: string) {
  const { log, lines } = keepLog();
  const stores = await openStores({ dataDir }, log);
  const isThere = (await stores.pets.find(1n)) !== undefined;
  await stores.close();
  return { isSaid: lines.some(({ msg }) => /write-ahead log of the database is missing/.test(msg)), isThere };
}

async function isLogLost(dataDir: string): Promise<boolean> {
  const { findings } = await new Doctor({ dataDir }).run();
  return findings.some(({ problem }) => problem === 'log-lost');
}

void test('kill without its log: the start and the doctor say so, also after a command', async (t) => {
  const dataDir = await copyOfKilled(t);
  await rm(join(dataDir, `${DATABASE}-wal`));
  assert.equal(await isLogLost(dataDir), true);
  await (await openStoresBesideServer({ dataDir }, false)).close();
  await planMigration({ dataDir }, false);
  assert.equal(await isLogLost(dataDir), true);
  assert.deepEqual(await startOn(dataDir), { isSaid: true, isThere: false });
  assert.deepEqual([await isLogLost(dataDir), lastEndOf(join(dataDir, DATABASE))], [false, 'clean']);
});

void test('kill with its log: nothing is missing, also after a command that writes the log back', async (t) => {
  for (const use of [
    async () => {},
    async (dataDir: string) => (await openStoresBesideServer({ dataDir }, false)).close(),
    async (dataDir: string) => void (await isLogLost(dataDir)),
    async (dataDir: string) => void (await planMigration({ dataDir }, false)),
    async (dataDir: string) => (await openInstallation(placesOf({ dataDir }), 'source')).close(),
  ]) {
    const dataDir = await copyOfKilled(t);
    await use(dataDir);
    assert.equal(await isLogLost(dataDir), false);
    assert.deepEqual(await startOn(dataDir), { isSaid: false, isThere: true });
  }
});

void test('copy of the database file alone after a clean end: is checked, and nothing is missing', async (t) => {
  const dataDir = await temporaryFolder(t);
  await (await openStores({ dataDir })).close();
  const copy = await temporaryFolder(t);
  for (const name of [DATABASE, `${DATABASE}-closed`]) await copyFile(join(dataDir, name), join(copy, name));
  assert.equal(lastEndOf(join(copy, DATABASE)), 'unclean');
  assert.deepEqual(await startOn(copy), { isSaid: false, isThere: false });
});

void test('after a clean end and a write by another program: the next start checks', async (t) => {
  const dataDir = await temporaryFolder(t);
  const path = join(dataDir, DATABASE);
  await (await openStores({ dataDir })).close();
  await overwritePages(path, 0.5, 0.6);
  assert.match(await refusedStart(dataDir), /is damaged/);
});

void test('database too large for a check at the start: checked in the background', async (t) => {
  const copy = await copyOfRunning(t);
  const path = join(copy, DATABASE);
  assert.equal(checkBeforeServing(path, 1000), true);
  assert.equal(await checkInBackground(path), undefined);
  await overwritePages(path, 0.5, 0.6);
  assert.match((await checkInBackground(path)) ?? '', /^the database is damaged/);
});

void test('checkpoint: fails with the reason while a reader keeps an old state', async (t) => {
  const path = join(await copyOfRunning(t), DATABASE);
  const [reader, writer] = [openDatabase(path), openDatabase(path)];
  reader.exec('begin');
  reader.prepare('select count(*) from pet').get();
  writer.exec('update next_id set id = id + 1');
  writer.exec('update next_id set id = id + 1');
  await assert.rejects(checkpoint(path), /\d+ pages remain, in use by a reader/);
  reader.exec('commit');
  await checkpoint(path);
  reader.close();
  writer.close();
});
