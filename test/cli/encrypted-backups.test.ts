import assert from 'node:assert/strict';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { outputOf, runCommand } from '../support/operator-commands.ts';
import { contentsOf, makeRichInstallation, originalsIn } from '../support/rich-installation.ts';
import { temporaryFolder } from '../support/service.ts';
import type { Lifetime } from '../support/lifetime.ts';

async function makeKey(folder: string, name: string): Promise<{ file: string; recipient: string; identity: string }> {
  const text = outputOf(await runCommand(['backup-key']));
  const file = join(folder, name);
  await writeFile(file, text, { mode: 0o600 });
  const [, recipient = ''] = /^# public key: (age1\S+)$/m.exec(text) ?? [];
  const [identity = ''] = /^AGE-SECRET-KEY-1\S+$/m.exec(text) ?? [];
  return { file, recipient, identity };
}

/** An installation, a place for its backups, and two keys. */
async function prepare(t: Lifetime) {
  const folder = await temporaryFolder(t);
  const [data, place] = [join(folder, 'data'), join(folder, 'place')];
  await makeRichInstallation(t, data);
  const [key, other] = [await makeKey(folder, 'key.txt'), await makeKey(folder, 'other.txt')];
  const backUp = async (...flags: string[]) => {
    const output = outputOf(await runCommand(['backup', place, '--data-dir', data, ...flags]));
    return /^Backup (\S+) is in /m.exec(output)?.[1] ?? assert.fail(output);
  };
  const restore = (target: string, ...flags: string[]) =>
    runCommand(['restore', place, '--data-dir', join(folder, target), ...flags]);
  return { folder, data, place, key, other, backUp, restore };
}

async function textsIn(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return (await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), 'latin1')))).join('\n');
}

void test('encrypted backup: is restored with its identity only', async (t) => {
  const { folder, data, place, key, other, backUp, restore } = await prepare(t);
  const name = await backUp('--recipients', `${other.recipient},${key.recipient}`);
  assert.deepEqual((await readdir(join(place, 'photos'))).toSorted(), ['incoming', 'installation-id']);
  const [, original = ''] = await originalsIn(join(data, 'photos'));
  const photo = await readFile(join(data, 'photos', original), 'latin1');
  const stored = await textsIn(place);
  assert.equal(stored.includes(photo.slice(0, 200)), false, 'photos are encrypted');
  assert.equal(stored.includes(key.identity) || stored.includes('lastKey'), false);

  const missing = await restore('missing');
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /^The backup \S+ is encrypted to age1\S+, age1\S+: the identity of this recipient is /m);
  const third = await makeKey(folder, 'third.txt');
  const wrong = await restore('missing', '--identity-file', third.file);
  assert.match(wrong.stderr, /^The identity does not decrypt the backup \S+, which is encrypted to age1/m);
  assert.equal(wrong.stderr.includes(third.identity), false);
  await writeFile(third.file, `${third.identity}X\n`);
  const invalid = await restore('missing', '--identity-file', third.file);
  assert.match(invalid.stderr, /^This is not an age identity\. It begins with AGE-SECRET-KEY-1\.$/m);
  assert.equal(invalid.stderr.includes(third.identity), false);

  for (const [target, { file }] of [['one', key] as const, ['two', other] as const]) {
    assert.match(
      outputOf(await restore(target, '--identity-file', file)),
      /rows and 3 photos were restored and compared/,
    );
    assert.deepEqual(contentsOf(join(folder, target)), contentsOf(data));
    const restored = join(folder, target, 'photos');
    assert.equal((await originalsIn(restored)).length, 3);
    assert.equal(await readFile(join(restored, original), 'latin1'), photo);
  }
  assert.match(
    outputOf(await runCommand(['backup', place, '--list'])),
    new RegExp(`^${name} +finished, encrypted `, 'm'),
  );
});

void test('encrypted backup: shares photos with those of the same recipients; old ones are deleted with their photos', async (t) => {
  const { folder, place, key, other, backUp, restore } = await prepare(t);
  const plain = await backUp();
  const first = await backUp('--recipients', key.recipient);
  const sets = join(place, 'encrypted');
  const [photoSet = ''] = await readdir(sets);
  const before = await originalsIn(join(sets, photoSet));
  assert.equal(before.length, 3);
  const made = outputOf(
    await runCommand(['backup', place, '--data-dir', join(folder, 'data'), '--recipients', key.recipient]),
  );
  assert.match(made, /3 photos \(0 new\)/);
  assert.match(outputOf(await restore('mixed', '--backup', plain)), /3 photos were restored/, 'a plain one beside it');

  await backUp('--recipients', other.recipient, '--keep', '1');
  assert.deepEqual(await originalsIn(join(place, 'photos')), [], 'those of the plain backup');
  assert.deepEqual(await originalsIn(join(sets, photoSet)), [], 'those of the other recipient');
  const gone = await restore('gone', '--backup', first, '--identity-file', key.file);
  assert.match(gone.stderr, /^There is no backup /m);
  assert.match(outputOf(await restore('new', '--identity-file', other.file)), /3 photos were restored/);
});

void test('check of a backup: reads all of it with the identity, and compares the stored files without it', async (t) => {
  const { place, key, other, backUp } = await prepare(t);
  const check = (...flags: string[]) => runCommand(['backup', place, '--check', ...flags]);
  const plain = await backUp();
  assert.match(
    outputOf(await check()),
    /^Backup \S+ of Menagerie \S+ was read as a restore does: \d+ rows and 3 photos\.$/m,
  );
  const name = await backUp('--recipients', key.recipient);
  assert.match(
    outputOf(await check()),
    /^The stored files of backup \S+ of Menagerie \S+ are undamaged: \d+ rows and 3 photos\. It is encrypted; whether it can be decrypted is checked with --identity-file\.$/m,
  );
  assert.match(outputOf(await check('--identity-file', key.file)), /was read as a restore does: \d+ rows and 3 photos/);
  assert.match((await check('--identity-file', other.file)).stderr, /does not decrypt the backup/);
  assert.match(outputOf(await check('--backup', plain)), /was read as a restore does/);

  const [photoSet = ''] = await readdir(join(place, 'encrypted'));
  const photos = join(place, 'encrypted', photoSet);
  const [original = ''] = await originalsIn(photos);
  await damage(join(photos, original));
  for (const flags of [[], ['--identity-file', key.file]]) {
    const damaged = await check(...flags);
    assert.match(damaged.stderr, /^Photo [0-9a-f]{64} is missing or damaged in the place\.$/m, flags.join(' '));
    assert.equal(damaged.code, 1);
  }
  assert.equal((await check('--backup', plain)).code, 0, 'the plain backup has its own photos');
  await backUp('--recipients', key.recipient, '--verify');
  assert.equal((await check('--identity-file', key.file)).code, 0, 'the damaged photo was written again');

  await damage(join(place, 'backups', name, 'pet-000001.ndjson.zst.age'));
  const rows = await check('--backup', name);
  assert.match(
    rows.stderr,
    /^The backup is damaged: backups\/\S+\/pet-000001\.ndjson\.zst\.age is missing or was changed/m,
  );
  await rm(join(place, 'backups', name, 'manifest.json.age'));
  assert.match((await check('--backup', name, '--identity-file', key.file)).stderr, /manifest\.json\.age is missing/);
});

void test('recipients: one that is invalid is refused without repeating it', async (t) => {
  const { data, place, key } = await prepare(t);
  for (const recipients of [
    key.identity,
    `${key.recipient}x`,
    `${key.recipient},`,
    'age1tag1qqq',
    'ssh-ed25519 AAAA',
  ]) {
    const refused = await runCommand(['backup', place, '--data-dir', data, '--recipients', recipients]);
    assert.equal(refused.code, 2);
    assert.match(
      refused.stderr,
      /^--recipients must be age recipients, separated by commas: each begins with age1\.$/m,
    );
    assert.equal(refused.stderr.includes(key.identity), false);
    const environment = { MENAGERIE_BACKUP_RECIPIENTS: recipients };
    const setting = await runCommand(['backup', place, '--data-dir', data], { environment });
    assert.match(setting.stderr, /MENAGERIE_BACKUP_RECIPIENTS\) must be age recipients, separated by commas/);
    assert.equal(setting.stderr.includes(key.identity), false);
  }
});

async function damage(path: string): Promise<void> {
  const bytes = await readFile(path);
  bytes[bytes.length >> 1]! ^= 1;
  await writeFile(path, bytes);
}
