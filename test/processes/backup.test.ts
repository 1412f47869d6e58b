import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { listBackups, newBackupName } from '../../src/server/backup/manifest.ts';
import { openBackupFiles } from '../../src/server/backup/backup-files.ts';
import { startServer, type Ended } from '../support/menagerie-process.ts';
import { clientOf } from '../support/client.ts';
import { fileUpload } from '../support/multipart.ts';
import { assertRefusal, outputOf, runCommand } from '../support/operator-commands.ts';
import { makePhoto } from '../support/photos.ts';
import { continueSequences, makeRichInstallation, originalsIn, serveOn } from '../support/rich-installation.ts';
import { temporaryFolder } from '../support/service.ts';
import { newDatabaseFor } from '../support/shared-postgres.ts';

const DAY_MS = 86_400_000;

function backup(place: string, dataDir: string, ...flags: readonly string[]): Promise<Ended> {
  return runCommand(['backup', place, '--data-dir', dataDir, ...flags]);
}

function restore(place: string, dataDir: string, ...flags: readonly string[]): Promise<Ended> {
  return runCommand(['restore', place, '--data-dir', dataDir, ...flags]);
}

async function backupsIn(folder: string): Promise<readonly string[]> {
  const files = (await openBackupFiles({ folder }, false)) ?? assert.fail();
  return listBackups(files);
}

void test('backup of a running service: has what was acknowledged before it; photos are stored once', async (t) => {
  const folder = await temporaryFolder(t);
  const [data, place] = [join(folder, 'data'), join(folder, 'place')];
  const server = await startServer(t, data, ['--empty']);
  const call = clientOf(server.base);
  const added: string[] = [];
  for (const seed of [1, 2]) {
    const pet = await call('POST', 'pet', { json: { name: `Pet ${seed}`, photoUrls: [] } });
    const { id } = JSON.parse(pet.text) as { id: number };
    const photo = await makePhoto({ seed, width: 300, height: 200 });
    assert.equal((await call('POST', `pet/${id}/uploadImage`, fileUpload(photo))).status, 200);
    added.push(outputOf(await backup(place, data)));
  }
  assert.match(added[0] ?? '', /and 1 photos \(1 new\)/);
  assert.match(added[1] ?? '', /and 2 photos \(1 new\)/);
  const [first = '', second = ''] = await backupsIn(place);
  for (const [name, pets] of [
    [first, 1],
    [second, 2],
  ] as const) {
    const target = join(folder, `restored-${pets}`);
    outputOf(await restore(place, target, '--backup', name));
    const restored = await startServer(t, target);
    const { text } = await clientOf(restored.base)('GET', 'pet?sort=id');
    const { pets: found } = JSON.parse(text) as { pets: { photoUrls: string[] }[] };
    assert.equal(found.length, pets);
    for (const { photoUrls } of found) assert.equal((await fetch(photoUrls[0] ?? '')).status, 200);
    await restored.end('SIGTERM');
  }
  const listed = outputOf(await backup(place, data, '--list', '--json'))
    .trim()
    .split('\n');
  const [newest] = listed.map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.equal(listed.length, 2);
  assert.equal(newest?.['name'], second);
  assert.equal(newest?.['pets'], 2);
});

void test('old backups: the newest are kept, with their photos; unfinished ones are deleted after a day', async (t) => {
  const folder = await temporaryFolder(t);
  const [data, place] = [join(folder, 'data'), join(folder, 'place')];
  const server = await startServer(t, data, ['--empty']);
  const call = clientOf(server.base);
  const pet = await call('POST', 'pet', { json: { id: 1, name: 'Rex', photoUrls: [] } });
  assert.equal(pet.status, 200);
  await call('POST', 'pet/1/uploadImage', fileUpload(await makePhoto({ seed: 1, width: 300, height: 200 })));
  outputOf(await backup(place, data));
  await server.end('SIGTERM');
  const [ofRex = ''] = await originalsIn(join(place, 'photos'));

  // The next backups are of a state without the photo.
  const db = new DatabaseSync(join(data, 'menagerie.db'));
  db.exec('delete from pet_photo; delete from photo');
  db.close();
  const abandoned = newBackupName(Date.now() - 2 * DAY_MS);
  const unfinished = newBackupName(Date.now() - DAY_MS / 2);
  const [first = ''] = await backupsIn(place);
  for (const name of [abandoned, unfinished]) {
    await mkdir(join(place, 'backups', name));
    const file = 'photo-000001.ndjson.zst';
    await cp(join(place, 'backups', first, file), join(place, 'backups', name, file));
  }
  outputOf(await backup(place, data, '--keep', '2'));
  assert.deepEqual(await readdir(join(place, 'backups')), [unfinished, ...(await backupsIn(place))].toSorted());
  assert.deepEqual(await originalsIn(join(place, 'photos')), [ofRex], 'the first backup is kept, and has the photo');
  const output = outputOf(await backup(place, data, '--keep', '1'));
  assert.match(output, new RegExp(`^Deleted: ${first}, `, 'm'));
  assert.deepEqual(await readdir(join(place, 'backups')), [unfinished, ...(await backupsIn(place))].toSorted());
  assert.deepEqual(await originalsIn(join(place, 'photos')), [ofRex], 'the unfinished backup may need it');
  await rm(join(place, 'backups', unfinished), { recursive: true });
  outputOf(await backup(place, data, '--keep', '1'));
  assert.equal((await backupsIn(place)).length, 1);
  assert.deepEqual(await originalsIn(join(place, 'photos')), []);
  assert.deepEqual(await readdir(join(place, 'photos', 'trash')), [ofRex.slice(0, 2)]);
});

void test('damaged backup: is refused, and nothing can be started on the target', async (t) => {
  const folder = await temporaryFolder(t);
  const [source, place] = [join(folder, 'source'), join(folder, 'place')];
  await makeRichInstallation(t, source);
  outputOf(await backup(place, source));
  const [name = ''] = await backupsIn(place);
  const chunks = (await readdir(join(place, 'backups', name))).filter((file) => file !== 'manifest.json');
  const broken = join(folder, 'broken');
  for (const [index, file] of chunks.entries()) {
    await cp(place, broken, { recursive: true });
    const path = join(broken, 'backups', name, file);
    const bytes = await readFile(path);
    bytes[bytes.length >> 1]! ^= 1;
    await (index % 2 === 0 ? writeFile(path, bytes) : rename(path, `${path}.gone`));
    const target = join(folder, `target-${index}`);
    const { code, stderr } = await restore(broken, target);
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`^The backup is damaged: backups/${name}/${file} is missing or was changed`));
    if (index === 0) await assert.rejects(startServer(t, target), /has not finished/);
    await rm(broken, { recursive: true });
  }
});

void test('damaged photos in a place: are copied again if their size differs, and with --verify whatever differs', async (t) => {
  const folder = await temporaryFolder(t);
  const [source, place, target] = [join(folder, 'source'), join(folder, 'place'), join(folder, 'target')];
  await makeRichInstallation(t, source);
  outputOf(await backup(place, source));
  const paths = (await originalsIn(join(place, 'photos'))).map((original) => join(place, 'photos', original));
  const [emptied = '', changed = '', deleted = ''] = paths;
  const sound = await Promise.all(paths.map((path) => readFile(path)));
  const flipped = Buffer.from(sound[1] ?? assert.fail());
  flipped[flipped.length >> 1]! ^= 1;
  await writeFile(emptied, '');
  await writeFile(changed, flipped);
  await rm(deleted);
  const first = outputOf(await backup(place, source));
  assert.match(first, /and 3 photos \(1 new\)/);
  assert.match(first, /^Photos that were damaged in the place, and copied again: 1\.$/m);
  assert.deepEqual(await readFile(changed), flipped, 'its size is right');
  assert.match(outputOf(await backup(place, source, '--verify')), /^Photos that were damaged in the place, .+: 1\.$/m);
  assert.deepEqual(await Promise.all(paths.map((path) => readFile(path))), sound);
  assert.doesNotMatch(outputOf(await backup(place, source, '--verify')), /damaged/);
  outputOf(await restore(place, target));
});

void test('damaged photo in a backup: is reported by name, and everything else is restored', async (t) => {
  const folder = await temporaryFolder(t);
  const [source, place, target] = [join(folder, 'source'), join(folder, 'place'), join(folder, 'target')];
  await makeRichInstallation(t, source);
  outputOf(await backup(place, source));
  const [original = ''] = await originalsIn(join(place, 'photos'));
  await writeFile(join(place, 'photos', original), 'changed');
  const { code, stdout, stderr } = await restore(place, target);
  assert.equal(code, 1);
  assert.match(
    stdout,
    /^\d+ rows and 2 photos were restored and compared with the backup\. Missing photos: 1\. Start/m,
  );
  assert.equal(stderr, `Photo ${original.split('/')[1]} is not in the backup, or is damaged.\n`);
  await (await startServer(t, target)).end('SIGTERM');
});

void test('photos that are missing: a backup fails and names them, and has everything else', async (t) => {
  const folder = await temporaryFolder(t);
  const [source, place] = [join(folder, 'source'), join(folder, 'place')];
  await makeRichInstallation(t, source);
  outputOf(await backup(join(folder, 'whole'), source));
  const [original = ''] = await originalsIn(join(folder, 'whole', 'photos'));
  await rm(join(source, 'photos', original));
  const named = `Photo ${original.split('/')[1]} is missing or damaged; it is not in the backup.\n`;
  for (const [to, isFinal] of [
    [place, false],
    [join(folder, 'final'), true],
    [join(folder, 'pets.tar'), false],
  ] as const) {
    const { code, stdout, stderr } = await backup(to, source, ...(isFinal ? ['--final'] : []));
    assert.deepEqual([code, stderr.startsWith(named)], [1, true], stderr);
    assert.match(stdout, / and 3 photos \(2 new, 1 missing\), /);
    assert.equal(/so the backup is not final\./.test(stderr), isFinal);
    assert.doesNotMatch(stdout, /Do not use this data folder again/);
  }
  const asJson = await backup(place, source, '--json');
  assert.equal(asJson.code, 1);
  const [report = ''] = asJson.stdout.trim().split('\n').slice(-1);
  assert.deepEqual((JSON.parse(report) as { missingPhotos: string[] }).missingPhotos, [original.split('/')[1]]);
  assert.match(outputOf(await backup(place, source, '--list')), /3, 1 missing/);
  assert.match((await restore(place, join(folder, 'target'))).stdout, /and 2 photos were restored/);
});

void test('final backup with the wrong place of the photos: fails, and the database still accepts changes', async (t) => {
  const folder = await temporaryFolder(t);
  const [source, node, place] = ['source', 'node', 'place'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const environment = { MENAGERIE_DATABASE_URL: await newDatabaseFor(t) };
  const run = (...args: readonly string[]) => runCommand(args, { environment });
  const credentials = await makeRichInstallation(t, source);
  outputOf(await backup(place, source));
  outputOf(await run('restore', place, '--data-dir', node));
  for (const to of [join(folder, 'wrong'), join(folder, 'wrong.tar')]) {
    const { code, stdout, stderr } = await run('backup', to, '--final', '--data-dir', join(folder, 'elsewhere'));
    assert.equal(code, 1);
    assert.doesNotMatch(stdout, /refuses changes/);
    assert.match(stderr, /^Photos are missing, so the backup is not final\. Check the place of the photos, /m);
  }
  const { call, stop } = await serveOn(t, node, ['--database-url', environment.MENAGERIE_DATABASE_URL]);
  assert.deepEqual(await continueSequences(call, credentials), ['6', '5', '"24"']);
  await stop();
  const last = outputOf(await run('backup', join(folder, 'wrong'), '--final', '--data-dir', node));
  assert.match(last, /^The database refuses changes now\./m);
});

void test('invalid use of backup and restore: is refused in one sentence, and changes nothing', async (t) => {
  const folder = await temporaryFolder(t);
  const [source, other, place] = ['source', 'other', 'place'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const missing = join(folder, 'missing');
  for (const dataDir of [source, other]) {
    const server = await startServer(t, dataDir);
    await clientOf(server.base)('POST', 'pet', { json: { name: 'Rex', photoUrls: [] } });
    await server.end('SIGTERM');
  }
  outputOf(await backup(place, source));
  const before = await readdir(place, { recursive: true });

  assertRefusal(await backup(place, missing), { code: 1, says: /^No Menagerie data found in .+missing\.\n$/ });
  assertRefusal(await backup(place, other), { code: 1, says: /^The place has backups of another database\./ });
  assertRefusal(await restore(place, source), { code: 1, says: /^The target is not empty: / });
  assertRefusal(await restore(missing, join(folder, 'new')), { code: 1, says: /^There is no folder .+missing\.\n$/ });
  assertRefusal(await restore(place, join(folder, 'new'), '--backup', '../x'), {
    code: 1,
    says: /^There is no backup \.\.\/x\.\n$/,
  });
  assertRefusal(await runCommand(['backup']), {
    code: 2,
    says: /^An argument is missing\.\nUsage: menagerie backup PLACE/,
  });
  assertRefusal(await runCommand(['restore', 's3://x']), { code: 2, says: /^PLACE: The name of the bucket/ });
  for (const keep of ['0', '-1', 'x', '1.5'])
    assertRefusal(await backup(place, source, `--keep=${keep}`), { code: 2, says: /^--keep must be a number/ });
  for (const flags of [['--final'], ['--verify'], ['--keep', '1']])
    assertRefusal(await backup(place, source, '--list', ...flags), {
      code: 2,
      says: /^--list and --check make no backup: omit /,
    });
  assert.deepEqual(await readdir(place, { recursive: true }), before);
  assert.equal(existsSync(missing), false);
  assert.equal(existsSync(join(folder, 'new')), false);
});
