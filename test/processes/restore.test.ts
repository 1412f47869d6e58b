import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { CopyStopped, type RestoreWatch } from '../../src/server/backup/copy-to-target.ts';
import { openInstallation } from '../../src/server/backup/installation.ts';
import { restoreBackup } from '../../src/server/backup/restore-backup.ts';
import { placesOf } from '../../src/server/configuration/places.ts';
import { readDatabaseUrl } from '../../src/storage/postgres/engine/connection-url.ts';
import { createPostgresStores } from '../../src/storage/postgres/stores.ts';
import { askOnce, until } from '../faults/served-database.ts';
import { applyAll, putPet } from '../support/changes.ts';
import { type Ended, startMenagerie, startServer } from '../support/menagerie-process.ts';
import { assertRefusal, outputOf, runCommand } from '../support/operator-commands.ts';
import { connectTo, openPostgresStoresAt } from '../support/postgres-stores.ts';
import { newDatabaseFor } from '../support/shared-postgres.ts';
import {
  contentsOf,
  continueSequences,
  makeRichInstallation,
  originalsIn,
  seenBy,
  serveOn,
} from '../support/rich-installation.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { temporaryFolder } from '../support/service.ts';
import { changeDatabase, openSqliteStoresAt } from '../support/sqlite-stores.ts';

/* Backups restored on either engine, final backups, and restores that are interrupted or refused. */

const IS_NODE = `datname = current_database() and application_name like 'menagerie/%'`;
const RESTORED = /^\d+ rows and \d+ photos were restored and compared with the backup\. Start/m;
const UNFINISHED = /A restore into this (?:data folder|database) has not finished/;
const REFUSES_CHANGES = /The database refuses changes since its final backup\./;

/** Rows that the operations of the test do not write. */
const FURTHER_ROWS = `
  insert into confirmed_email values (1, 'root@example.org', 'root@example.org', 1, 'en');
  insert into email_confirmation values (1, 'digest', 'new@example.org', 2);
  insert into totp values (1, 'SECRET', 3, 4);
  insert into recovery_code values (1, 'digest', null);
  insert into passkey values ('id', 1, 'credential', 'handle', 'key', 5, '[]', 1, 'Phone', 6, null);
  insert into provider_login values ('https://issuer.example', 'subject', 1, 'root', 7, null);
  insert into oauth_client values ('program', 1, 'Program', null, '[]', 'read:pets', 8);
  insert into mail values ('id', 'test', 1, 'root@example.org', '{}', 9, 0, 9, 0, null, 0);
  insert into listing (site, is_on, changes, key_digest, key_created_at_ms) values ('open', 1, 2, 'digest', 10);
  insert into unlisted_pet values ('open', 1);
  insert into listed_pet values ('open', 1, 2);
  insert into enquiry values (11, 2, 1, 'Rex', 'new', 1, 'Ada', 'Ada@example.org', 'ada@example.org', null, 'Hello', '[]',
    'en', 'rex', 'form', 12, 13);
  insert into enquiry_entry values (11, 1, 'note', 1, 'root', 14, 'Note');
  insert into saved_search values ('search', 'ada@example.org', 'ada@example.org', 'en', 'species=dog', 1, 2, 3, 4, 5, 6);
  insert into saved_search_link values ('digest', 'search');
  insert into saved_search_pet values ('search', 1)`;

/** Runs the command on a data folder, or on the database of a URL with its photos in the data folder. */
function run(command: 'backup' | 'restore', place: string, dataDir: string, url = '', ...flags: readonly string[]) {
  const args = [command, place, '--data-dir', dataDir, ...flags];
  return runCommand(args, url === '' ? {} : { environment: { MENAGERIE_DATABASE_URL: url } });
}

function backup(place: string, dataDir: string, url?: string): Promise<Ended> {
  return run('backup', place, dataDir, url);
}

function finalBackup(place: string, dataDir: string, url?: string): Promise<Ended> {
  return run('backup', place, dataDir, url, '--final');
}

function restore(place: string, dataDir: string, url?: string): Promise<Ended> {
  return run('restore', place, dataDir, url);
}

function readNumber(dataDir: string, sql: string): number {
  if (!existsSync(join(dataDir, 'menagerie.db'))) return 0;
  const db = new DatabaseSync(join(dataDir, 'menagerie.db'), { readOnly: true, timeout: 5000 });
  try {
    return Number(Object.values(db.prepare(sql).get() ?? {})[0]);
  } catch {
    return 0;
  } finally {
    db.close();
  }
}

async function folderWithPets(dataDir: string, count: number): Promise<void> {
  await mkdir(join(dataDir, 'photos'), { recursive: true });
  const stores = openSqliteStoresAt(join(dataDir, 'menagerie.db'));
  for (let left = count; left > 0; left -= 1000) {
    const changes = Array.from({ length: Math.min(left, 1000) }, (_, index) => putPet({ name: `Pet ${left - index}` }));
    await applyAll(stores.pets, changes);
  }
  await stores.close();
}

/** A place with a backup of a folder with this many pets. */
async function placeWithPets(folder: string, count: number): Promise<{ place: string; source: string }> {
  const [source, place] = [join(folder, 'source'), join(folder, 'place')];
  await folderWithPets(source, count);
  outputOf(await backup(place, source));
  return { place, source };
}

void test('restore: on PostgreSQL and back, the data is identical and usable in each place', async (t) => {
  const folder = await temporaryFolder(t);
  const [first, node, last, place, archive] = ['first', 'node', 'last', 'place', 'back.tar'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string, string];
  const url = await newDatabaseFor(t);
  const credentials = await makeRichInstallation(t, first);
  changeDatabase(first, 'delete from audit where id > (select max(id) - 2 from audit)');
  changeDatabase(first, FURTHER_ROWS);
  const before = contentsOf(first);
  for (const [table, rows] of Object.entries(before)) assert.ok(rows.length > 0, `${table} has rows`);

  assert.match(outputOf(await finalBackup(place, first)), /^Do not use this data folder again\. Restore/m);
  const restored = outputOf(await restore(place, node, url));
  assert.match(restored, RESTORED);
  assert.doesNotMatch(restored, new RegExp(new URL(url).password));
  assert.match(outputOf(await finalBackup(archive, node, url)), /^The database refuses changes now\. Restore/m);
  assert.match(outputOf(await restore(archive, last)), RESTORED);
  assert.deepEqual(contentsOf(first), before, 'the source is only read');
  assert.deepEqual(contentsOf(last), before);
  const photos = [node, last].map((dataDir) => join(dataDir, 'photos'));
  for (const path of photos) assert.equal((await originalsIn(path)).length, 3);
  const [id, ...others] = await Promise.all(
    [join(first, 'photos'), ...photos].map((path) => readFile(join(path, 'installation-id'), 'utf8')),
  );
  assert.deepEqual(others, [id, id], 'a restored installation keeps its id');

  await assertRetired(t, url, node);
  const places = [await serveOn(t, first), await serveOn(t, node, ['--database-url', url]), await serveOn(t, last)];
  const seen = await Promise.all(places.map(({ call }) => seenBy(call, credentials)));
  assert.match(seen[0] ?? '', /photo\/[0-9a-f]{64}\/large/);
  assert.equal(seen[1], seen[0]);
  assert.equal(seen[2], seen[0]);
  for (const { call } of places) {
    const reset = { token: credentials.resetToken, newPassword: 'another viewer with a wooden boat' };
    assert.equal((await call('POST', 'password-reset', { json: reset })).status, 200);
    assert.deepEqual(
      await continueSequences(call, credentials),
      ['6', '5', '"24"'],
      'new IDs are greater than all that were ever used',
    );
  }
  for (const { stop } of places) await stop();
  // The IDs of the two deleted entries are not used again.
  const newest = readNumber(first, 'select max(id) from audit');
  const lastBefore = Number(/"seq":"(\d+)n"/.exec(before['sqlite_sequence']?.[0] ?? '')?.[1]);
  assert.ok(newest > lastBefore);
  assert.equal(readNumber(first, `select count(*) from audit where id > ${lastBefore - 2} and id <= ${lastBefore}`), 0);
  assert.equal(readNumber(last, 'select max(id) from audit'), newest);
  assert.deepEqual(await askOnce(url, 'select max(id)::int as id from audit'), [{ id: newest }]);
});

/**
 * The database refuses servers and changes after its final backup, until the statement of the message is executed.
 * Another final backup is possible.
 */
async function assertRetired(t: Lifetime, url: string, dataDir: string): Promise<void> {
  const folder = await temporaryFolder(t);
  const stores = createPostgresStores(connectTo(url));
  await assert.rejects(stores.pets.apply(putPet({ name: 'Late' })), REFUSES_CHANGES);
  await stores.close();
  outputOf(await finalBackup(join(folder, 'again'), dataDir, url));
  const starting = startServer(t, join(folder, 'node'), ['--empty', '--database-url', url]);
  const refusal = await starting.then(
    () => assert.fail('It has started.'),
    (error: Error) => error.message,
  );
  const [, statement = ''] = /since its final backup\. .+, execute in it: (update .+\))/.exec(refusal) ?? [];
  await askOnce(url, statement);
}

void test('killed restore: is resumed by the same command; until then no server starts on its target', async (t) => {
  const folder = await temporaryFolder(t);
  const { place, source } = await placeWithPets(folder, 20_000);
  const [node, back] = [join(folder, 'node'), join(folder, 'back')];
  const url = await newDatabaseFor(t);
  const pets = async () => {
    const [found] = await askOnce(url, `select to_regclass('pet') is not null as is_there`);
    return found?.['is_there'] === true ? Number((await askOnce(url, 'select count(*) from pet'))[0]?.['count']) : 0;
  };
  const killed = await stopWhen(t, [place, node, url], async () => (await pets()) > 2000, 'SIGKILL');
  assert.equal(killed.signal, 'SIGKILL');
  await assert.rejects(startServer(t, node, ['--empty', '--database-url', url]), UNFINISHED);
  const other = join(folder, 'other');
  assertRefusal(await backup(other, node, url), { code: 1, says: /is the target of an unfinished restore/ });
  const resumed = outputOf(await restore(place, node, url));
  assert.match(resumed, /^Resuming backup /);
  assert.match(resumed, RESTORED);

  outputOf(await backup(place, node, url));
  const isHalf = async () => readNumber(back, 'select count(*) from pet') > 2000;
  const stopped = await stopWhen(t, [place, back], isHalf, 'SIGKILL');
  assert.equal(stopped.signal, 'SIGKILL');
  await assert.rejects(startServer(t, back), UNFINISHED);
  assertRefusal(await runCommand(['user', 'list', '--data-dir', back]), { code: 1, says: UNFINISHED });
  outputOf(await backup(other, source));
  assertRefusal(await restore(other, back), { code: 1, says: /unfinished restore of another backup/ });
  assert.match(outputOf(await restore(place, back)), RESTORED);
  assert.deepEqual(contentsOf(back), contentsOf(source));
  await (await startServer(t, back)).end('SIGTERM');
});

/** Starts a restore, and sends the signal once the condition holds. */
async function stopWhen(
  t: Lifetime,
  [place, dataDir, url]: readonly [place: string, dataDir: string, url?: string],
  condition: () => Promise<boolean>,
  signal: NodeJS.Signals,
): Promise<Ended> {
  const environment: Record<string, string> = url === undefined ? {} : { MENAGERIE_DATABASE_URL: url };
  const { child, ended } = startMenagerie(t, ['restore', place, '--data-dir', dataDir], { environment });
  while (child.exitCode === null && !(await condition())) await delay(5);
  child.kill(signal);
  return ended;
}

void test('Ctrl-C during a restore: ends it after the current batch, and the same command resumes it', async (t) => {
  const folder = await temporaryFolder(t);
  const { place, source } = await placeWithPets(folder, 20_000);
  const target = join(folder, 'target');
  const isBegun = async () => readNumber(target, 'select count(*) from pet') > 1000;
  const stopped = await stopWhen(t, [place, target], isBegun, 'SIGINT');
  assert.equal(stopped.code, 130, stopped.stderr);
  assert.equal(stopped.stderr, 'Run the same command again to resume.\nStopped.\n');
  assert.match(outputOf(await restore(place, target)), RESTORED);
  assert.deepEqual(contentsOf(target), contentsOf(source));
});

/** Watches a restore in this process. */
function watching(onProgress: RestoreWatch['onProgress'], signal = new AbortController().signal): RestoreWatch {
  return { onBegin() {}, onProgress, signal };
}

void test('target changed during a restore: it does not finish, whatever the change', async (t) => {
  const folder = await temporaryFolder(t);
  const [source, place] = [join(folder, 'source'), join(folder, 'place')];
  await makeRichInstallation(t, source);
  outputOf(await backup(place, source));
  for (const [index, [step, what, sql]] of (
    [
      ['copying', 'photos', 'update session set last_used_at_ms = last_used_at_ms + 1'],
      ['copying', 'photos', `insert into account (id, username, username_key, role) values (0, 'x', 'x', 'viewer')`],
      // During the comparison, in a table that has been compared already.
      ['comparing', 'audit', `update next_id set id = id + 1 where kind = 'pet'`],
    ] as const
  ).entries()) {
    const target = join(folder, `target-${index}`);
    let isChanged = false;
    const watch = watching((progress) => {
      if (isChanged || progress.step !== step || progress.what !== what) return;
      changeDatabase(target, sql);
      isChanged = true;
    });
    const to = placesOf({ dataDir: target });
    const report = await restoreBackup({ from: { folder: place }, backup: undefined, to, watch });
    assert.ok(isChanged);
    assert.equal(report.isFinished, false);
    await assert.rejects(startServer(t, target), UNFINISHED);
  }
});

void test('target that is not empty: is refused and not changed', async (t) => {
  const folder = await temporaryFolder(t);
  const [source, used, place, onPostgres] = ['source', 'used', 'place', 'on-postgres'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string];
  await makeRichInstallation(t, source);
  outputOf(await backup(place, source));
  await folderWithPets(used, 1);
  const before = contentsOf(used);
  const theirs = join(folder, 'theirs');
  await mkdir(join(theirs, 'photos'), { recursive: true });
  await writeFile(join(theirs, 'photos', 'installation-id'), 'theirs');
  assertRefusal(await restore(place, theirs), {
    code: 1,
    says: /^The photos of the target belong to another database/,
  });
  assert.equal(readNumber(theirs, `select count(*) from sqlite_schema where name = 'unfinished_move'`), 0);
  const says = /^The target is not empty: .+ contains Menagerie data\. Choose a new data folder or a new database\.\n$/;
  assertRefusal(await restore(place, used), { code: 1, says });
  assert.deepEqual(contentsOf(used), before);

  const url = await newDatabaseFor(t);
  const ofUsed = join(folder, 'of-used');
  outputOf(await backup(ofUsed, used));
  outputOf(await restore(ofUsed, onPostgres, url));
  const refused = await restore(place, onPostgres, url);
  assertRefusal(refused, { code: 1, says });
  assert.doesNotMatch(refused.stderr, new RegExp(new URL(url).password));
  assert.deepEqual(await askOnce(url, 'select count(*)::int as count from account'), [{ count: 0 }]);

  // No pets are left, but their IDs were used.
  changeDatabase(used, 'delete from pet_tag; delete from pet; delete from pet_version; delete from audit');
  assertRefusal(await restore(place, used), { code: 1, says });
  await mkdir(join(folder, 'foreign'));
  await writeFile(join(folder, 'foreign', 'menagerie.db'), 'hello world '.repeat(1000));
  assertRefusal(await restore(place, join(folder, 'foreign')), { code: 1, says: /another program/ });
  changeDatabase(used, 'pragma user_version = 1');
  assertRefusal(await backup(join(folder, 'new'), used), { code: 1, says: /an older Menagerie \(schema 1;/ });
  assert.equal(existsSync(join(folder, 'new')), false);
});

void test('running server: final backups of its data and restores into it are refused', async (t) => {
  const folder = await temporaryFolder(t);
  const [source, target, place] = [join(folder, 'source'), join(folder, 'target'), join(folder, 'place')];
  await folderWithPets(source, 1);
  const says = /^The data folder .+ is in use by a server, a restore or a final backup\. Stop it first\.\n$/;
  const atSource = await startServer(t, source);
  assertRefusal(await finalBackup(place, source), { code: 1, says });
  assert.equal(existsSync(place), false);
  await atSource.end('SIGTERM');
  outputOf(await finalBackup(place, source));
  const atTarget = await startServer(t, target);
  assertRefusal(await restore(place, target), { code: 1, says });
  await atTarget.end('SIGTERM');
  // A server has created the target, but it was never used.
  assert.match(outputOf(await restore(place, target)), RESTORED);
});

void test('node on PostgreSQL: final backups and restores are refused, and it is named', async (t) => {
  const folder = await temporaryFolder(t);
  const url = await newDatabaseFor(t);
  const node = join(folder, 'node');
  const { place } = await placeWithPets(folder, 1);
  const server = await startServer(t, node, ['--empty', '--database-url', url]);
  // With a timeout, it returns after the connections have ended.
  await askOnce(url, `select pg_terminate_backend(pid, 10000) from pg_stat_activity where ${IS_NODE}`);
  // A node without requests connects again.
  await until(
    async () => (await askOnce(url, `select from pg_stat_activity where ${IS_NODE}`)).length > 0,
    30_000,
    'the node connects',
  );
  const says =
    /^The database \S+ is in use by menagerie\/\d+ from 127\.0\.0\.1 \(\d+ connections? since 20\S+Z\)\. Stop these/;
  assertRefusal(await finalBackup(join(folder, 'final'), node, url), { code: 1, says });
  assert.equal(existsSync(join(folder, 'final')), false);
  assertRefusal(await restore(place, node, url), { code: 1, says });
  await server.end('SIGTERM');
});

void test('database that is changed or used during its final backup: still accepts changes', async (t) => {
  const url = await newDatabaseFor(t);
  const dataDir = await temporaryFolder(t);
  const database = readDatabaseUrl(url);
  assert.ok(typeof database !== 'string');
  const change = async (whileOpen: () => Promise<void> = async () => {}) => {
    const stores = await openPostgresStoresAt(url);
    await applyAll(stores.pets, [putPet({ name: 'Late' })]);
    await whileOpen();
    await stores.close();
  };
  await change();
  const source = await openInstallation(placesOf({ dataDir, database }), 'final source');
  t.after(() => source.close());
  const retire = source.retire ?? assert.fail();
  await change(() => assert.rejects(retire(), /^Failure: The database .+ is in use by menagerie/));
  await assert.rejects(retire(), /^Failure: The backup is complete, but the database was changed during it/);
  await change();
  const again = await openInstallation(placesOf({ dataDir, database }), 'final source');
  t.after(() => again.close());
  await again.retire?.();
  await assertRetired(t, url, dataDir);
});

void test('resumed restore: photos copied before are not copied again, unless they are damaged', async (t) => {
  const folder = await temporaryFolder(t);
  const [source, target, place] = [join(folder, 'source'), join(folder, 'target'), join(folder, 'place')];
  await makeRichInstallation(t, source);
  outputOf(await backup(place, source));
  const stop = new AbortController();
  const watch = watching(({ what, done }) => {
    if (what === 'photos' && done > 0) stop.abort();
  }, stop.signal);
  const to = placesOf({ dataDir: target });
  await assert.rejects(restoreBackup({ from: { folder: place }, backup: undefined, to, watch }), CopyStopped);
  const paths = (await originalsIn(join(target, 'photos'))).map((name) => join(target, 'photos', name));
  const [damaged = '', ...sound] = paths;
  assert.equal(paths.length, 3);
  await writeFile(damaged, 'half a pic');
  const before = await Promise.all(sound.map(async (path) => (await stat(path)).ino));
  assert.match(outputOf(await restore(place, target)), / 3 photos were restored/);
  assert.deepEqual(await Promise.all(sound.map(async (path) => (await stat(path)).ino)), before);
  assert.equal(hash('sha256', await readFile(damaged)), basename(dirname(damaged)));
});
