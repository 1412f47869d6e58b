import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { extract } from 'tar-stream';
import { newBackupName } from '../../src/server/backup/manifest.ts';
import { checkBackup } from '../../src/server/backup/check-backup.ts';
import { newKeyFile } from '../../src/server/backup/encrypted-files.ts';
import { restoreArchive, restoreBackup } from '../../src/server/backup/restore-backup.ts';
import { dropDatabaseOf } from '../support/nodes.ts';
import { assertRefused, type HttpResponse, type CallOptions } from '../support/client.ts';
import { fileUpload } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';
import { bearer, logIn, newSecuredFolder, PASSWORDS, startSecuredService } from '../support/secured.ts';
import { removeFolder, temporaryFolder } from '../support/service.ts';
import { serveOn } from '../support/rich-installation.ts';
import { until } from '../support/until.ts';

interface BackupView {
  name: string;
  state: string;
  startedAt: string;
  finishedAt?: string;
  pets?: number;
  photos?: number;
  missingPhotos?: number;
  bytes?: number;
  error?: string;
}

interface Overview {
  place?: string;
  dailyAt?: string;
  keep?: number;
  nextStartAt?: string;
  backups: BackupView[];
}

type Ask = (method: string, path: string, options?: CallOptions) => Promise<HttpResponse>;

/** A service with a place for backups, and requests of its administrator. */
async function start(t: TestContext, { onPostgres = false, flags = [] as readonly string[], clock = Date.now } = {}) {
  const folder = await temporaryFolder(t);
  const place = join(folder, 'place');
  const dataDir = await newSecuredFolder({ onPostgres });
  t.after(async () => {
    await dropDatabaseOf(dataDir);
    await removeFolder(dataDir);
  });
  const service = await startSecuredService(t, { dataDir, flags: ['--backup-to', place, ...flags], clock });
  return { folder, place, service, ask: await askAsRoot(service.call) };
}

async function askAsRoot(call: Ask): Promise<Ask> {
  const headers = bearer(await logIn(call, 'root'));
  return (method, path, options = {}) =>
    call(method, path, { ...options, headers: { ...headers, ...options.headers } });
}

async function list(ask: Ask): Promise<Overview> {
  const { status, text } = await ask('GET', 'admin/backups');
  assert.equal(status, 200, text);
  return JSON.parse(text) as Overview;
}

/** Starts a backup, and waits until it is finished. */
async function backUp(ask: Ask): Promise<BackupView> {
  const { status, text } = await ask('POST', 'admin/backups');
  assert.equal(status, 202, text);
  const { name } = JSON.parse(text) as BackupView;
  let backup: BackupView | undefined;
  const hasEnded = async () => {
    backup = (await list(ask)).backups.find((each) => each.name === name);
    return backup !== undefined && backup.state !== 'running';
  };
  await until('the backup has ended', hasEnded);
  return backup ?? assert.fail();
}

/** The actions of the audit log on backups, oldest first. */
async function audited(ask: Ask): Promise<readonly string[]> {
  const entries = JSON.parse((await ask('GET', 'admin/audit?kind=backup')).text) as {
    action: string;
    subject: { id: string };
  }[];
  return entries.map(({ action, subject }) => `${action} ${subject.id}`).toReversed();
}

/** Unpacks an archive. @returns the names of the files in its order */
async function unpack(bytes: Uint8Array, folder: string): Promise<readonly string[]> {
  const archive = extract();
  Readable.from([bytes]).pipe(archive);
  const names: string[] = [];
  for await (const entry of archive) {
    const { name, mode } = entry.header;
    assert.equal(mode, 0o600, name);
    names.push(name);
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), await buffer(entry as AsyncIterable<Buffer>));
  }
  return names;
}

/** The pets and their photos, as anyone sees them. */
async function seenBy(ask: Ask): Promise<readonly string[]> {
  const { text } = await ask('GET', 'pet?sort=id');
  const { pets } = JSON.parse(text) as { pets: { id: number; name: string; photoUrls: string[] }[] };
  const photos = await Promise.all(
    pets.flatMap(({ photoUrls }) => photoUrls).map((url) => ask('GET', url.replace(/^.*\/v2\//, ''))),
  );
  return [...pets.map(({ id, name }) => `${id} ${name}`), ...photos.map(({ bytes }) => bytes.toString('base64'))];
}

for (const [title, onPostgres] of [
  ['SQLite', false],
  ['PostgreSQL', true],
] as const) {
  void test(`backup on ${title}: started, downloaded, unpacked and restored, it has the same pets`, async (t) => {
    const { folder, place, service, ask } = await start(t, {
      onPostgres,
      flags: ['--backup-at', '23:59', '--backup-keep', '2'],
    });
    for (const id of [1, 2]) {
      await ask('POST', 'pet', { json: { id, name: `Pet ${id}` } });
      await ask('POST', `pet/${id}/uploadImage`, fileUpload(await makePhoto({ seed: id })));
    }
    const before = await list(ask);
    assert.deepEqual([before.place, before.dailyAt, before.keep, before.backups], [place, '23:59', 2, []]);
    assert.match(before.nextStartAt ?? '', /T23:59:00\.000Z$/);

    const backup = await backUp(ask);
    assert.equal(backup.state, 'finished', JSON.stringify(backup));
    assert.deepEqual([backup.pets, backup.photos, backup.missingPhotos], [2, 2, 0]);
    assert.ok((backup.bytes ?? 0) > 0);
    assert.ok(Date.parse(backup.finishedAt ?? '') >= Date.parse(backup.startedAt));

    // It knows the result once the process has ended.
    const { finishedAt } = backup;
    await until('the health probe knows the result', async () => {
      const { text } = await ask('GET', `${service.origin}/readyz`);
      return isDeepStrictEqual((JSON.parse(text) as { backup: object }).backup, { state: 'finished', finishedAt });
    });

    const path = `admin/backups/${backup.name}/archive`;
    const head = await ask('HEAD', path);
    const { headers, bytes } = await ask('GET', path);
    for (const response of [head.headers, headers]) {
      assert.equal(response.get('content-type'), 'application/x-tar');
      assert.equal(response.get('content-disposition'), `attachment; filename="menagerie-${backup.name}.tar"`);
      assert.equal(response.get('cache-control'), 'no-store');
    }
    assert.deepEqual(await audited(ask), [`backup.started ${backup.name}`, `backup.downloaded ${backup.name}`]);

    const unpacked = join(folder, 'unpacked');
    const names = await unpack(bytes, unpacked);
    assert.equal(names.at(-1), `backups/${backup.name}/manifest.json`, 'an incomplete archive has no finished backup');
    const stored = (await readdir(place, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile() && entry.name !== 'installation-id')
      .map(({ parentPath, name }) => join(parentPath, name).slice(place.length + 1));
    assert.deepEqual(names.toSorted(), stored.toSorted());
    for (const name of names) assert.deepEqual(await readFile(join(unpacked, name)), await readFile(join(place, name)));

    const dataDir = join(folder, 'restored');
    const to = { database: { dataDir }, photos: { folder: join(dataDir, 'photos') } };
    const watch = { signal: new AbortController().signal, onProgress() {}, onBegin() {} };
    const report = await restoreBackup({ from: { folder: unpacked }, backup: undefined, to, watch });
    assert.ok(report.isFinished);
    const restored = await serveOn(t, dataDir);
    const seen = await seenBy(ask);
    assert.equal(seen.length, 4);
    assert.deepEqual(await seenBy(await askAsRoot(restored.call)), seen);
  });
}

void test('start of a backup: joins the one in progress', async (t) => {
  const { ask } = await start(t);
  const first = await ask('POST', 'admin/backups');
  const responses = [first, ...(await Promise.all([1, 2].map(() => ask('POST', 'admin/backups'))))];
  const started = responses.map(({ text }) => JSON.parse(text) as BackupView);
  assert.equal(new Set(started.map(({ name }) => name)).size, 1);
  assert.deepEqual(
    started.map(({ state }) => state),
    ['running', 'running', 'running'],
  );
  assert.equal((await list(ask)).backups[0]?.name, started[0]?.name, 'listed at once');
  assert.deepEqual(await audited(ask), [`backup.started ${started[0]?.name}`]);
});

void test('backups without a place: none are listed, and a start is refused with the setting', async (t) => {
  const { call } = await startSecuredService(t);
  const ask = await askAsRoot(call);
  assert.deepEqual(await list(ask), { backups: [] });
  const { message } = assertRefused(await ask('POST', 'admin/backups'), 409);
  assert.equal(message, 'No place for backups is configured. Start the service with --backup-to.');
  assertRefused(await ask('GET', `admin/backups/${newBackupName(0)}/archive`), 404);
  assert.deepEqual(await audited(ask), []);
});

void test('archive of an unknown or unfinished backup: not found', async (t) => {
  const { place, ask } = await start(t);
  const unfinished = newBackupName(Date.now());
  await mkdir(join(place, 'backups', unfinished), { recursive: true });
  await writeFile(join(place, 'backups', unfinished, 'pet-000001.ndjson.zst'), '');
  for (const name of [unfinished, newBackupName(0), 'none', '..', '%2e%2e%2fplace', '%00', 'a%22b'])
    assertRefused(await ask('GET', `admin/backups/${name}/archive`), 404, name);
  assert.deepEqual(await audited(ask), []);
});

void test('failed backup: is listed with its reason', async (t) => {
  const first = await start(t);
  const { name } = await backUp(first.ask);
  const other = await startSecuredService(t, { flags: ['--backup-to', first.place] });
  const failed = await backUp(await askAsRoot(other.call));
  assert.equal(failed.state, 'failed');
  assert.equal(failed.error, 'The place has backups of another database. Choose another place.');
  assert.equal((await list(first.ask)).backups.at(-1)?.name, name);
});

void test('unusable place: is reported by each operation', async (t) => {
  const { place, ask } = await start(t);
  await removeFolder(place);
  await writeFile(place, '');
  for (const method of ['GET', 'POST']) {
    const { status, text } = await ask(method, 'admin/backups');
    assert.equal(status, 503, text);
    assert.match(text, /cannot be used for backups/);
  }
});

void test('archive of a damaged backup: an error, or a reset connection after its beginning', async (t) => {
  const { place, ask } = await start(t);
  await ask('POST', 'pet', { json: { id: 1, name: 'Rex' } });
  await ask('POST', 'pet/1/uploadImage', fileUpload(await makePhoto()));
  const { name } = await backUp(ask);
  const path = `admin/backups/${name}/archive`;
  async function whileDamaged(file: string, work: () => Promise<void>): Promise<void> {
    const chunk = join(place, 'backups', name, file);
    const bytes = await readFile(chunk);
    await writeFile(chunk, bytes.subarray(1));
    await work();
    await writeFile(chunk, bytes);
  }
  // Read first, for the names of the photos.
  await whileDamaged('photo-000001.ndjson.zst', async () => {
    const response = await ask('GET', path);
    assert.match(assertRefused(response, 503).message, /^The backup is damaged: /);
    assert.equal(response.headers.get('content-disposition'), null);
  });
  await whileDamaged('account-000001.ndjson.zst', () => assert.rejects(ask('GET', path)));
  assert.equal((await ask('GET', path)).status, 200);
});

void test('a backup is downloaded only with a login or a proof of the last 15 minutes', async (t) => {
  let aheadMs = 0;
  const { ask, service } = await start(t, { clock: () => Date.now() + aheadMs });
  const { name } = await backUp(ask);
  const path = `admin/backups/${name}/archive`;
  aheadMs = 16 * 60_000;
  for (const method of ['GET', 'HEAD']) {
    const response = await ask(method, path);
    assert.equal(response.status, 403, method);
    assert.equal(response.headers.get('x-proof-required'), 'password');
  }
  assertRefused(await ask('GET', 'admin/backups/none/archive'), 403);
  assert.equal((await ask('GET', 'admin/backups')).status, 200);
  assert.deepEqual(await audited(ask), [`backup.started ${name}`]);
  assert.equal((await ask('POST', 'account/proof', { json: { password: PASSWORDS['root'] } })).status, 200);
  assert.equal((await ask('GET', path)).status, 200);
  aheadMs *= 2;
  assertRefused(await ask('GET', path), 403);
  const again = await askAsRoot(service.call);
  assert.equal((await again('GET', path)).status, 200);
});

void test('backups of a service with recipients: are encrypted; a downloaded one is restored with the identity', async (t) => {
  const text = await newKeyFile(Date.now());
  const [, recipient = ''] = /^# public key: (\S+)$/m.exec(text) ?? [];
  const { folder, place, ask } = await start(t, { flags: ['--backup-recipients', recipient] });
  const backup = await backUp(ask);
  assert.equal((backup as { encrypted?: boolean }).encrypted, true);
  assert.deepEqual(((await list(ask)) as { recipients?: string[] }).recipients, [recipient]);
  const check = (identity?: string) =>
    checkBackup({ place: { folder: place }, backup: undefined, identity, signal: new AbortController().signal });
  assert.deepEqual([(await check()).isRead, (await check(text)).isRead], [false, true]);

  const archive = await ask('GET', `admin/backups/${backup.name}/archive`);
  assert.equal(archive.status, 200);
  const path = join(folder, 'download.tar');
  await writeFile(path, archive.bytes);
  const restored = {
    database: { dataDir: join(folder, 'restored') },
    photos: { folder: join(folder, 'restored', 'photos') },
  };
  const watch = { onBegin() {}, onProgress() {}, signal: new AbortController().signal };
  const restore = (identity: string | undefined) =>
    restoreArchive({
      from: { path, passphrase: undefined },
      workFolder: join(folder, 'restored'),
      backup: undefined,
      identity,
      to: restored,
      watch,
    });
  await assert.rejects(restore(undefined), /is encrypted to age1/);
  const { isFinished, photos } = await restore(text);
  assert.deepEqual([isFinished, photos.missing], [true, []]);
});

void test('restore on PostgreSQL: the page checks a backup, and names the command that restores it', async (t) => {
  const { ask, place } = await start(t, { onPostgres: true });
  await ask('POST', 'pet', { json: { name: 'Rex' } });
  const { name } = await backUp(ask);
  const checked = await ask('POST', `admin/backups/${name}/check`, { json: {} });
  assert.equal(checked.status, 200, checked.text);
  const { tables } = JSON.parse(checked.text) as { tables: { table: string; now: number; restored: number }[] };
  assert.deepEqual(
    tables.find(({ table }) => table === 'pet'),
    { table: 'pet', now: 1, restored: 1 },
  );
  const refused = await ask('POST', `admin/backups/${name}/restore`, { json: { confirmation: name } });
  assertRefused(refused, 409);
  assert.ok(refused.text.includes(`menagerie restore ${place} --backup ${name}`), refused.text);
  assert.equal((await ask('GET', 'admin/restore')).text, '{"state":"none"}');
  assertRefused(await ask('POST', 'admin/restore/undo', { json: { confirmation: 'undo' } }), 409);
  assert.ok(!(await audited(ask)).some((entry) => entry.startsWith('backup.restore')), 'nothing was begun');
});
