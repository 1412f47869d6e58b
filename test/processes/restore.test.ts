import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openInstallation } from '../../src/server/backup/installation.ts';
import { moveInstallation, MoveStopped, type MoveProgress } from '../../src/server/backup/copy-to-target.ts';
import { readPlaces } from '../../src/server/configuration/places.ts';
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
import { DUMP_TABLES } from '../../src/domain/dump.ts';
import { changeDatabase, openSqliteStoresAt } from '../support/sqlite-stores.ts';

const IS_NODE = `datname = current_database() and application_name like 'menagerie/%'`;
const FINISHED = /The move is finished/;
const TABLES = DUMP_TABLES.length;

/** Rows that the operations of the test do not write. */
const FURTHER_ROWS = `
  insert into confirmed_email values (1, 'root@example.org', 'root@example.org', 1, 'en');
  insert into email_confirmation values (1, 'digest', 'new@example.org', 2);
  insert into totp values (1, 'SECRET', 3, 4);
  insert into recovery_code values (1, 'digest', null);
  insert into passkey values ('id', 1, 'credential', 'handle', 'key', 5, '[]', 1, 'Phone', 6, null);
  insert into provider_login values ('https://issuer.example', 'subject', 1, 'root', 7, null);
  insert into oauth_client values ('program', 1, 'Program', null, '[]', 'read:pets', 8);
  insert into mail values ('id', 'test', 1, 'root@example.org', '{}', 9, 0, 9, 0, null);
  insert into listing (site, is_on, changes, key_digest, key_created_at_ms) values ('open', 1, 2, 'digest', 10);
  insert into unlisted_pet values ('open', 1);
  insert into enquiry values (11, 2, 1, 'Rex', 'new', 1, 'Ada', 'Ada@example.org', 'ada@example.org', null, 'Hello', '[]',
    'en', 'rex', 'form', 12, 13);
  insert into enquiry_entry values (11, 1, 'note', 1, 'root', 14, 'Note');
  insert into saved_search values ('search', 'ada@example.org', 'ada@example.org', 'en', 'species=dog', 1, 2, 3, 4, 5, 6);
  insert into saved_search_link values ('digest', 'search');
  insert into saved_search_pet values ('search', 1)`;

function move(...args: readonly string[]): Promise<Ended> {
  return runCommand(['move', ...args]);
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

void test('move: to PostgreSQL and back, the data is identical and usable in each place', async (t) => {
  const folder = await temporaryFolder(t);
  const [first, last, photos] = ['first', 'last', 'photos'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const url = await newDatabaseFor(t);
  const credentials = await makeRichInstallation(t, first);
  changeDatabase(first, 'delete from audit where id > (select max(id) - 2 from audit)');
  changeDatabase(first, FURTHER_ROWS);
  const before = contentsOf(first);
  for (const [table, rows] of Object.entries(before)) assert.ok(rows.length > 0, `${table} has rows`);

  const there = outputOf(await move('--from', first, '--to', url, '--to-photos', photos));
  assert.match(there, FINISHED);
  assert.match(there, /1 stored photo that is not in the database was not copied/);
  assert.equal(there.match(/ {2}yes$/gm)?.length, TABLES + 1, there);
  const back = outputOf(await move('--from', url, '--from-photos', photos, '--to', last));
  assert.deepEqual(digestsIn(back), digestsIn(there));
  assert.deepEqual(contentsOf(first), before, 'the source is only read');
  assert.deepEqual(contentsOf(last), before);
  assert.equal((await originalsIn(photos)).length, 3);
  assert.deepEqual(await originalsIn(join(last, 'photos')), await originalsIn(photos));

  const ids = [join(first, 'photos'), photos, join(last, 'photos')].map((place) => join(place, 'installation-id'));
  const [id, ...others] = await Promise.all(ids.map((path) => readFile(path, 'utf8')));
  assert.deepEqual(others, [id, id], 'a moved installation keeps its id');

  await cp(photos, join(folder, 'node', 'photos'), { recursive: true });
  await assertRetired(t, url);
  const places = [
    await serveOn(t, first),
    await serveOn(t, join(folder, 'node'), ['--database-url', url]),
    await serveOn(t, last),
  ];
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
 * The source of a finished move on PostgreSQL: refuses servers and changes, until the statement of the message is
 * executed.
 */
async function assertRetired(t: Lifetime, url: string): Promise<void> {
  const stores = createPostgresStores(connectTo(url));
  await assert.rejects(stores.pets.apply(putPet({ name: 'Late' })), /^Failure: The data was moved to another place\./);
  await stores.close();
  const starting = startServer(t, join(await temporaryFolder(t), 'node'), ['--empty', '--database-url', url]);
  const refusal = await starting.then(
    () => assert.fail('It has started.'),
    (error: Error) => error.message,
  );
  const [, statement = ''] =
    /The data was moved to another place\. .+, execute in it: (update .+\))/.exec(refusal) ?? [];
  await askOnce(url, statement);
}

function digestsIn(output: string): string[] {
  return [...output.matchAll(/^(\w+ +\d+ +[0-9a-f]{12}) +yes$/gm)].map(([, line]) => line ?? '');
}

void test('move: between two folders and between two databases', async (t) => {
  const folder = await temporaryFolder(t);
  const source = join(folder, 'source');
  await makeRichInstallation(t, source);
  const [one, other] = [await newDatabaseFor(t), await newDatabaseFor(t)];
  const photos = ['--from-photos', join(source, 'photos'), '--to-photos', join(source, 'photos')];
  outputOf(await move('--from', source, '--to', join(folder, 'copy')));
  assert.deepEqual(contentsOf(join(folder, 'copy')), contentsOf(source));
  outputOf(await move('--from', source, '--to', one, ...photos));
  const same = outputOf(await move('--from', one, '--to', other, ...photos));
  assert.match(same, /^photos +3 +yes$/m);
  outputOf(await move('--from', other, ...photos.slice(0, 2), '--to', join(folder, 'back')));
  assert.deepEqual(contentsOf(join(folder, 'back')), contentsOf(source));
});

void test('killed move: is resumed by the same command; until then no server starts on its target', async (t) => {
  const folder = await temporaryFolder(t);
  const source = join(folder, 'source');
  const back = join(folder, 'back');
  await folderWithPets(source, 20_000);
  const url = await newDatabaseFor(t);
  const photos = join(folder, 'photos');
  const there = ['--from', source, '--to', url, '--to-photos', photos];
  const pets = async () => {
    const [found] = await askOnce(url, `select to_regclass('pet') is not null as is_there`);
    return found?.['is_there'] === true ? Number((await askOnce(url, 'select count(*) from pet'))[0]?.['count']) : 0;
  };
  const killed = await stopWhen(t, there, async () => (await pets()) > 2000, 'SIGKILL');
  assert.equal(killed.signal, 'SIGKILL');
  const node = join(folder, 'node');
  const unfinished = /A move or restore into this (?:data folder|database) has not finished/;
  await assert.rejects(startServer(t, node, ['--empty', '--database-url', url]), unfinished);
  assertRefusal(await move('--from', url, '--from-photos', photos, '--to', back), {
    code: 1,
    says: /The source is the target of an unfinished move/,
  });
  assert.equal(existsSync(back), false);
  const resumed = outputOf(await move(...there));
  assert.match(resumed, /^Resuming the move from /);
  assert.match(resumed, FINISHED);

  const again = ['--from', url, '--from-photos', photos, '--to', back];
  const stopped = await stopWhen(t, again, async () => readNumber(back, 'select count(*) from pet') > 2000, 'SIGKILL');
  assert.equal(stopped.signal, 'SIGKILL');
  await assert.rejects(startServer(t, back), unfinished);
  assertRefusal(await runCommand(['user', 'list', '--data-dir', back]), { code: 1, says: unfinished });
  assertRefusal(await move('--from', source, '--to', back), {
    code: 1,
    says: /unfinished copy of another source/,
  });
  assert.match(outputOf(await move(...again)), FINISHED);
  assert.deepEqual(contentsOf(back), contentsOf(source));
  await (await startServer(t, back)).end('SIGTERM');
});

/** Starts a move, and sends the signal once the condition holds. */
async function stopWhen(
  t: Lifetime,
  args: readonly string[],
  condition: () => Promise<boolean>,
  signal: NodeJS.Signals,
): Promise<Ended> {
  const { child, ended } = startMenagerie(t, ['move', ...args]);
  while (child.exitCode === null && !(await condition())) await delay(5);
  child.kill(signal);
  return ended;
}

void test('Ctrl-C during a move: ends it after the current batch, and the same command resumes it', async (t) => {
  const folder = await temporaryFolder(t);
  const [source, target] = [join(folder, 'source'), join(folder, 'target')];
  await folderWithPets(source, 20_000);
  const args = ['--from', source, '--to', target];
  const stopped = await stopWhen(t, args, async () => readNumber(target, 'select count(*) from pet') > 1000, 'SIGINT');
  assert.equal(stopped.code, 130, stopped.stderr);
  assert.equal(stopped.stderr, 'Stopped.\nRun the same command again to resume.\n');
  const resumed = outputOf(await move(...args));
  assert.match(resumed, /^Resuming the move from /);
  assert.match(resumed, FINISHED);
  assert.deepEqual(contentsOf(target), contentsOf(source));
});

void test('source changed since an interrupted move began: the move is not resumed', async (t) => {
  const folder = await temporaryFolder(t);
  const [source, target] = [join(folder, 'source'), join(folder, 'target')];
  await folderWithPets(source, 20_000);
  const args = ['--from', source, '--to', target];
  await stopWhen(t, args, async () => readNumber(target, 'select count(*) from pet') > 1000, 'SIGINT');
  const stores = openSqliteStoresAt(join(source, 'menagerie.db'));
  await applyAll(stores.pets, [putPet({ name: 'Late' })]);
  await stores.close();
  assertRefusal(await move(...args), { code: 1, says: /^The source has changed since the move into this target/ });
});

function isAt(progress: MoveProgress, step: MoveProgress['step'], what: MoveProgress['what']): boolean {
  return progress.step === step && progress.what === what;
}

void test('source changed during a move: the move does not finish, whatever the change', async (t) => {
  const folder = await temporaryFolder(t);
  const source = join(folder, 'source');
  await makeRichInstallation(t, source);
  const changes: { when: (progress: MoveProgress) => boolean; sql: string; different: readonly string[] }[] = [
    {
      when: (progress) => isAt(progress, 'copying', 'photos') && progress.done === 0,
      sql: 'update session set last_used_at_ms = last_used_at_ms + 1',
      different: ['session'],
    },
    {
      when: (progress) => isAt(progress, 'copying', 'pet_tag') && progress.done === 0,
      sql: `insert into account (id, username, username_key, role) values (0, 'x', 'x', 'viewer')`,
      different: ['account'],
    },
    // During the comparison, in a table that has been compared already.
    {
      when: (progress) => isAt(progress, 'comparing', 'audit'),
      sql: `insert into pet_version (version, pet_id, action, changed_at_ms) values (1000000, 1, 'edited', 1)`,
      different: [],
    },
  ];
  for (const [index, { when, sql, different }] of changes.entries()) {
    const target = join(folder, `target-${index}`);
    const places = readPlaces({ from: source, to: target, fromPhotos: undefined, toPhotos: undefined });
    assert.ok('from' in places);
    let isChanged = false;
    const report = await moveInstallation(places.from, places.to, {
      onBegin() {},
      onProgress(progress) {
        if (!isChanged && when(progress)) changeDatabase(source, sql);
        isChanged ||= when(progress);
      },
      signal: new AbortController().signal,
    });
    assert.ok(isChanged);
    assert.deepEqual(
      report.tables.filter(({ isSame }) => !isSame).map(({ name }) => name),
      different,
    );
    assert.equal(report.areCountersSame, different.length > 0);
    assert.equal(report.isFinished, false);
    await assert.rejects(startServer(t, target), /has not finished/);
  }
});

void test('target that is not empty: is refused and not changed', async (t) => {
  const folder = await temporaryFolder(t);
  const [source, used, onPostgres] = ['source', 'used', 'on-postgres'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await makeRichInstallation(t, source);
  await folderWithPets(used, 1);
  const before = contentsOf(used);
  const theirs = join(folder, 'theirs');
  await mkdir(theirs);
  await writeFile(join(theirs, 'installation-id'), 'theirs');
  for (const side of ['from', 'to'])
    assertRefusal(await move('--from', source, '--to', join(folder, 'fresh'), `--${side}-photos`, theirs), {
      code: 1,
      says: new RegExp(`^The photos of .* belong to another database\\. Check --${side}-photos`),
    });
  const says = /^The target is not empty: .+ contains Menagerie data\. Choose a new data folder or a new database\.\n$/;
  assertRefusal(await move('--from', source, '--to', used), { code: 1, says });
  assert.deepEqual(contentsOf(used), before);

  const url = await newDatabaseFor(t);
  outputOf(await move('--from', used, '--to', url, '--to-photos', join(onPostgres, 'photos')));
  const refused = await move('--from', source, '--to', url, '--to-photos', join(onPostgres, 'photos'));
  assertRefusal(refused, { code: 1, says });
  assert.doesNotMatch(refused.stderr, new RegExp(new URL(url).password));
  assert.deepEqual(await askOnce(url, 'select count(*)::int as count from account'), [{ count: 0 }]);

  // No pets are left, but their IDs were used.
  changeDatabase(used, 'delete from pet_tag; delete from pet; delete from pet_version; delete from audit');
  assertRefusal(await move('--from', source, '--to', used), { code: 1, says });
  await mkdir(join(folder, 'foreign'));
  await writeFile(join(folder, 'foreign', 'menagerie.db'), 'hello world '.repeat(1000));
  assertRefusal(await move('--from', source, '--to', join(folder, 'foreign')), { code: 1, says: /another program/ });
  changeDatabase(used, 'pragma user_version = 1');
  assertRefusal(await move('--from', used, '--to', join(folder, 'new')), { code: 1, says: /another version/ });
  assert.equal(existsSync(join(folder, 'new')), false);
});

void test('running server on the source or the target: the move is refused', async (t) => {
  const folder = await temporaryFolder(t);
  const [source, target] = [join(folder, 'source'), join(folder, 'target')];
  await folderWithPets(source, 1);
  const says = /^The data folder .+ is in use by a server, a move or a restore\. Stop it first\.\n$/;
  const atSource = await startServer(t, source);
  assertRefusal(await move('--from', source, '--to', target), { code: 1, says });
  assert.equal(existsSync(target), false);
  await atSource.end('SIGTERM');
  const atTarget = await startServer(t, target);
  assertRefusal(await move('--from', source, '--to', target), { code: 1, says });
  await atTarget.end('SIGTERM');
  // A server has created the target, but it was never used.
  assert.match(outputOf(await move('--from', source, '--to', target)), FINISHED);
});

void test('node on PostgreSQL: refuses the move, also one that connects during it, and is named', async (t) => {
  const folder = await temporaryFolder(t);
  const [url, other] = [await newDatabaseFor(t), await newDatabaseFor(t)];
  const [source, photos] = [join(folder, 'source'), join(folder, 'node', 'photos')];
  await folderWithPets(source, 1);
  const node = await startServer(t, join(folder, 'node'), ['--empty', '--database-url', url]);
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
  const from = ['--from', url, '--from-photos', photos];
  assertRefusal(await move(...from, '--to', other, '--to-photos', photos), { code: 1, says });
  assert.deepEqual(await askOnce(other, `select to_regclass('pet') as pet`), [{ pet: null }]);
  assertRefusal(await move('--from', source, '--to', url, '--to-photos', photos), { code: 1, says });
  await node.end('SIGTERM');

  const places = readPlaces({ from: url, to: other, fromPhotos: photos, toPhotos: photos });
  assert.ok('from' in places);
  const opened = await openInstallation(places.from, 'from');
  t.after(() => opened.close());
  const counters = await opened.dump.readCounters();
  const stores = await openPostgresStoresAt(`${url}&application_name=mine`);
  await assert.rejects(opened.retire?.(counters) ?? assert.fail(), /^Failure: The database .+ is in use by menagerie/);
  await applyAll(stores.pets, [putPet({ name: 'Late' })]);
  await stores.close();
  assert.equal(await opened.retire?.(counters), false, 'it has changed');
  assert.equal(await opened.retire?.(await opened.dump.readCounters()), true);
  await assertRetired(t, url);
});

void test('damaged and missing photos: are listed by name, and everything else is moved', async (t) => {
  const folder = await temporaryFolder(t);
  const [source, target] = [join(folder, 'source'), join(folder, 'target')];
  const credentials = await makeRichInstallation(t, source);
  const db = new DatabaseSync(join(source, 'menagerie.db'));
  const digests = db.prepare('select digest from photo order by digest').all();
  db.close();
  const [damaged = '', missing = '', sound = ''] = digests.map(({ digest }) => String(digest));
  const pathOf = (digest: string) => join(source, 'photos', digest.slice(0, 2), digest, 'original');
  await writeFile(pathOf(damaged), 'not what it was');
  await rm(pathOf(missing));
  const { code, stdout, stderr } = await move('--from', source, '--to', target);
  assert.equal(code, 1);
  assert.match(stdout, /^photos +1 +NO$/m);
  assert.match(stdout, FINISHED);
  assert.equal(
    stderr,
    `Photo ${missing} is missing in the source; it was not copied.\nPhoto ${damaged} is damaged in the source; it was not copied.\n`,
  );
  assert.deepEqual(contentsOf(target), contentsOf(source));
  assert.deepEqual(await originalsIn(join(target, 'photos')), [join(sound.slice(0, 2), sound, 'original')]);
  const { call } = await serveOn(t, target);
  assert.equal((await call('GET', `photo/${sound}`)).status, 200);
  assert.equal(
    (await call('GET', 'account', { headers: { authorization: `Bearer ${credentials.session}` } })).status,
    200,
  );
});

void test('resumed move: photos copied before are not copied again, unless they are damaged', async (t) => {
  const folder = await temporaryFolder(t);
  const [source, target] = [join(folder, 'source'), join(folder, 'target')];
  await makeRichInstallation(t, source);
  const places = readPlaces({ from: source, to: target, fromPhotos: undefined, toPhotos: undefined });
  assert.ok('from' in places);
  const stop = new AbortController();
  const stopped = moveInstallation(places.from, places.to, {
    onBegin() {},
    onProgress(progress) {
      if (progress.what === 'photos' && progress.done > 0) stop.abort();
    },
    signal: stop.signal,
  });
  await assert.rejects(stopped, MoveStopped);
  const paths = (await originalsIn(join(target, 'photos'))).map((name) => join(target, 'photos', name));
  const [damaged = '', ...sound] = paths;
  assert.equal(paths.length, 3);
  await writeFile(damaged, 'half a pic');
  const before = await Promise.all(sound.map(async (path) => (await stat(path)).ino));
  assert.match(outputOf(await move('--from', source, '--to', target)), /^photos +3 +yes$/m);
  assert.deepEqual(await Promise.all(sound.map(async (path) => (await stat(path)).ino)), before);
  assert.equal(hash('sha256', await readFile(damaged)), basename(dirname(damaged)));
});

void test('invalid usage: is reported without passwords', async (t) => {
  const folder = await temporaryFolder(t);
  const url = 'postgres://user:hidden-word@127.0.0.1:1/pets';
  const cases: [args: readonly string[], code: 1 | 2, says: RegExp][] = [
    [[], 2, /^--from \(MENAGERIE_MOVE_FROM\) must be a data folder/],
    [['--from', folder, '--to', url], 2, /--to-photos \(MENAGERIE_MOVE_TO_PHOTOS\) must be set/],
    [[url], 2, /^There are too many arguments\.\nUsage: menagerie move/],
    [['--form', url], 2, /^Unknown option --form\. Did you mean --from\?\nUsage: menagerie move/],
    [['--from', folder, '--to', 'mysql://user:hidden-word@host/x'], 2, /must be like postgres:/],
    [['--from', folder, '--to', folder, '--to-photos', 's3://key:hidden-word@b'], 2, /Credentials/],
    [['--from', folder, '--to', join(folder, 'x')], 1, /^No Menagerie data found in /],
    [['--from', folder, '--to', folder], 1, /^The source and the target are the same/],
    [['--from', url, '--from-photos', folder, '--to', folder], 1, /127\.0\.0\.1:1\/pets cannot be used/],
  ];
  for (const [args, code, says] of cases) {
    const ended = await move(...args);
    assertRefusal(ended, { code, says });
    assert.doesNotMatch(ended.stderr, /hidden-word/);
  }
  assert.equal(existsSync(join(folder, 'x')), false);
});

void test('places from environment variables: are used', async (t) => {
  const folder = await temporaryFolder(t);
  const source = join(folder, 'source');
  await folderWithPets(source, 3);
  const url = await newDatabaseFor(t);
  const environment = {
    MENAGERIE_MOVE_FROM: source,
    MENAGERIE_MOVE_TO: url,
    MENAGERIE_MOVE_TO_PHOTOS: join(folder, 'photos'),
  };
  const ended = await runCommand(['move'], { environment });
  assert.match(outputOf(ended), /^pet +3 /m);
  assert.doesNotMatch(ended.stdout, new RegExp(new URL(url).password));
});
