import assert from 'node:assert/strict';
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { getPriority, hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { pino } from 'pino';
import { BACKGROUND_NICENESS } from '../../src/server/system/background-threads.ts';
import { Backups, nextStart } from '../../src/server/backup/backups.ts';
import { newBackupName, startOfBackup, statusName } from '../../src/server/backup/manifest.ts';
import { placesOf } from '../../src/server/configuration/places.ts';
import { startService } from '../../src/server/service.ts';
import { originalsIn } from '../support/rich-installation.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { temporaryFolder, testConfig } from '../support/service.ts';
import { until } from '../support/until.ts';

const IS_LINUX = process.platform === 'linux';
const MINUTE_MS = 60_000;
const NIGHT_MS = Date.UTC(2026, 10, 23, 2, 59, 30);

/** A service, and backups of it whose log is read line by line. */
async function backupsOf(t: Lifetime, place = 'backups') {
  const folder = await temporaryFolder(t);
  const config = testConfig(join(folder, 'data'), []);
  const service = await startService(config, pino({ level: 'silent' }));
  t.after(() => service.stop());
  const output = new PassThrough({ encoding: 'utf8' });
  const lines: string[] = [];
  output.on('data', (text: string) => lines.push(text));
  const settings = { to: { folder: join(folder, place) }, atMinute: 180, keep: 2 };
  // The backup is due half a second after the start of the test.
  const aheadMs = NIGHT_MS + MINUTE_MS / 2 - 500 - Date.now();
  const clock = () => Date.now() + aheadMs;
  const deps = { from: placesOf(config), settings, niceness: 0, log: pino(output), clock, random: () => 0 };
  const backups = new Backups(deps);
  t.after(() => backups.stop());
  return { folder, settings, deps, backups, lines, output };
}

void test('schedule: the next start is today or tomorrow, in UTC', () => {
  const at = (hour: number, minute: number) => new Date(nextStart(NIGHT_MS, hour * 60 + minute)).toISOString();
  assert.equal(at(3, 0), '2026-11-23T03:00:00.000Z');
  assert.equal(at(2, 59), '2026-11-24T02:59:00.000Z');
  assert.equal(at(0, 0), '2026-11-24T00:00:00.000Z');
  assert.equal(nextStart(NIGHT_MS + 30_000, 180), NIGHT_MS + 30_000 + 86_400_000, 'not twice in the same minute');
});

void test('name of a backup: contains its start', () => {
  assert.equal(newBackupName(NIGHT_MS + 7), '2026-11-23T02-59-30-007Z');
  assert.equal(startOfBackup(newBackupName(NIGHT_MS + 7)), NIGHT_MS + 7);
});

void test('backups of a service: concurrent calls share one; it is listed with its counts', async (t) => {
  const { backups, lines } = await backupsOf(t);
  assert.deepEqual(await backups.list(), []);
  const [one, other] = await Promise.all([backups.run(), backups.run()]);
  assert.ok('report' in one, JSON.stringify(one));
  assert.equal(one, other);
  const [entry, ...more] = await backups.list();
  assert.deepEqual(more, []);
  assert.deepEqual(
    [entry?.state, entry?.name, entry?.pets, entry?.missingPhotos],
    ['finished', one.report.name, 20, 0],
  );
  assert.match(lines.join(''), /"msg":"backup finished"/);
});

void test('backups of a service: missing photos are counted, and logged as a warning', async (t) => {
  const { folder, backups, lines } = await backupsOf(t);
  const photos = join(folder, 'data', 'photos');
  const [original = ''] = await originalsIn(photos);
  await rm(join(photos, original));
  const end = await backups.run();
  assert.ok('report' in end, JSON.stringify(end));
  assert.deepEqual(end.report.missingPhotos, [original.split('/')[1]]);
  assert.equal((await backups.list())[0]?.missingPhotos, 1);
  assert.match(lines.join(''), /"level":40,.+"msg":"backup finished, but photos are missing"/);
});

void test('backup in progress: is joined by another process, and listed there', async (t) => {
  const { deps, backups } = await backupsOf(t);
  const other = new Backups(deps);
  const { backup, isNew } = await backups.start();
  assert.equal(isNew, true);
  assert.deepEqual((await other.list())[0], { ...backup, progress: { what: '', done: 0, total: 0 } });
  const joined = await other.start();
  assert.deepEqual([joined.backup.name, joined.isNew], [backup.name, false]);
  await backups.run();
  assert.equal((await other.list())[0]?.state, 'finished');
  assert.equal((await other.start()).isNew, true);
  await other.stop();
  assert.deepEqual(
    (await backups.list()).map(({ state, error }) => [state, error]),
    [
      ['failed', 'Stopped.'],
      ['finished', undefined],
    ],
  );
});

void test('killed backup: is not listed as running', async (t) => {
  const { settings, deps } = await backupsOf(t);
  const name = newBackupName(Date.now());
  const path = join(settings.to.folder, statusName(name));
  await mkdir(dirname(path), { recursive: true });
  const child = spawn(process.execPath, ['--version']);
  await once(child, 'close');
  const status = { atMs: Date.now(), what: 'pet', done: 1, total: 2 };
  for (const [process, state] of [
    [{ pid: child.pid, host: hostname() }, 'interrupted'],
    [{ pid: child.pid, host: 'elsewhere' }, 'running'],
    [{ pid: globalThis.process.pid, host: hostname() }, 'running'],
    [{}, 'running'],
  ] as const) {
    await writeFile(path, JSON.stringify({ ...status, ...process }));
    assert.equal((await new Backups(deps).list())[0]?.state, state, JSON.stringify(process));
  }
});

void test('backups of a service: the content of photos in the place is compared once a week', async (t) => {
  const { settings, deps, backups } = await backupsOf(t);
  const { folder } = settings.to;
  await backups.run();
  const [original = ''] = await originalsIn(join(folder, 'photos'));
  const path = join(folder, 'photos', original);
  const sound = await readFile(path);
  const damaged = Buffer.from(sound);
  damaged[damaged.length >> 1]! ^= 1;
  await writeFile(path, damaged);
  await backups.run();
  assert.deepEqual(await readFile(path), damaged, 'verified less than a week ago');
  for (const name of await readdir(join(folder, 'backups'))) {
    const manifest = join(folder, 'backups', name, 'manifest.json');
    await writeFile(manifest, (await readFile(manifest, 'utf8')).replace('"verified": true', '"verified": false'));
  }
  const end = await new Backups(deps).run();
  assert.ok('report' in end && end.report.repairedPhotos === 1, JSON.stringify(end));
  assert.deepEqual(await readFile(path), sound);
});

void test('damaged manifest: is listed with its reason, beside the other backups', async (t) => {
  const { settings, deps, backups } = await backupsOf(t);
  for (let count = 0; count < 2; count++) await backups.run();
  const [newest, oldest] = await backups.list();
  await writeFile(join(settings.to.folder, 'backups', newest?.name ?? '', 'manifest.json'), '{');
  const [damaged, ...others] = await new Backups(deps).list();
  assert.equal(damaged?.state, 'failed');
  assert.match(damaged.error ?? '', /^The backup is damaged: /);
  assert.deepEqual(others, [oldest]);
});

void test('daily backup: starts at its time, in a process of its own', async (t) => {
  const { backups, output } = await backupsOf(t);
  backups.startDaily();
  let isFinished = false;
  while (!isFinished) isFinished = String(await once(output, 'data')).includes('backup finished');
  assert.equal((await backups.list())[0]?.state, 'finished');
});

void test('daily backup whose node is killed: another one makes it', async (t) => {
  const { settings, deps } = await backupsOf(t);
  const killed = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)']);
  const path = join(settings.to.folder, statusName(newBackupName(Date.now())));
  await mkdir(dirname(path), { recursive: true });
  const status = { atMs: Date.now(), what: 'pet', done: 1, total: 2, pid: killed.pid, host: hostname() };
  await writeFile(path, JSON.stringify(status));
  const looks: number[] = [];
  const clock = () => {
    looks.push(0);
    return deps.clock();
  };
  const backups = new Backups({ ...deps, clock, lookAgainMs: 100 });
  t.after(() => backups.stop());
  backups.startDaily();
  await until('it has looked often', async () => looks.length > 20);
  assert.equal((await backups.list()).length, 1, 'the other node makes the backup');
  killed.kill('SIGKILL');
  await until('the backup', async () => (await backups.list())[0]?.state === 'finished');
});

for (const entry of ['backup/backup-entry.js', 'health/health-entry.js'])
  void test(`${entry}: all threads of the process have a lower priority`, { skip: !IS_LINUX }, async (t) => {
    // It waits for its job.
    const child = fork(join(import.meta.dirname, '../../src/server', entry), [String(BACKGROUND_NICENESS)]);
    t.after(async () => {
      child.kill('SIGKILL');
      await once(child, 'close');
    });
    await until('all threads have the priority', async () => {
      const threads = await readdir(`/proc/${child.pid}/task`);
      return threads.length > 1 && threads.every((thread) => getPriority(Number(thread)) === BACKGROUND_NICENESS);
    });
  });

void test('failed backup: is logged with its reason, and the next one is made', async (t) => {
  const { folder, backups, lines } = await backupsOf(t, 'taken/backups');
  await writeFile(join(folder, 'taken'), '');
  await backups.probe();
  assert.match(lines.join(''), /"level":50,.*"msg":"daily backups cannot be written"/);
  const failed = await backups.run();
  assert.ok('error' in failed);
  assert.match(lines.join(''), /"reason":"[^"]+","msg":"backup failed"/);
  assert.doesNotMatch(failed.error, /\n {4}at /);
});
