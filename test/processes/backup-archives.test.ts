import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { ArchiveWriter } from '../../src/server/backup/archive-file.ts';
import type { BackupManifest } from '../../src/server/backup/manifest.ts';
import { decryptWithAge, findAge } from '../support/age.ts';
import { startServer, type Ended } from '../support/menagerie-process.ts';
import { assertRefusal, outputOf, runCommand } from '../support/operator-commands.ts';
import { contentsOf, makeRichInstallation } from '../support/rich-installation.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const PASSPHRASE = 'quiet otters juggle yellow lemons';

const source = join(await temporaryFolder({ after }), 'source');
await makeRichInstallation({ after }, source);

/** A folder with a passphrase, and commands with it. */
async function prepare(t: Lifetime) {
  const folder = await temporaryFolder(t);
  const passphraseFile = join(folder, 'passphrase');
  await writeFile(passphraseFile, `${PASSPHRASE}\n`, { mode: 0o600 });
  const environment = { MENAGERIE_BACKUP_PASSPHRASE_FILE: passphraseFile };
  const run = (command: string, file: string, dataDir: string, ...flags: readonly string[]): Promise<Ended> =>
    runCommand([command, file, '--data-dir', dataDir, ...flags], { environment });
  return { folder, run };
}

void test('archives: compressed, encrypted or neither, each is restored with identical data', async (t) => {
  const { folder, run } = await prepare(t);
  await mkdir(join(folder, 'archives'));
  const expected = contentsOf(source);
  for (const suffix of ['tar', 'tar.zst', 'tar.zst.age']) {
    const file = join(folder, 'archives', `pets.${suffix}`);
    assert.match(outputOf(await run('backup', file, source)), /\d+ rows and 3 photos \(3 new\)/);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const target = join(folder, suffix);
    assert.match(outputOf(await run('restore', file, target)), /^\d+ rows and 3 photos were restored/m);
    assert.deepEqual(contentsOf(target), expected, suffix);
    assert.equal(existsSync(join(target, 'restoring')), false);
  }
  assert.equal((await readdir(join(folder, 'archives'))).length, 3, 'no temporary files');
  const plain = await readFile(join(folder, 'archives', 'pets.tar'));
  assert.ok(plain.includes('manifest.json'));
});

void test('archives: no service starts where a killed restore has unpacked one, until it is resumed', async (t) => {
  const { folder, run } = await prepare(t);
  const [file, target] = [join(folder, 'pets.tar'), join(folder, 'target')];
  outputOf(await run('backup', file, source));
  // As a kill leaves it.
  await mkdir(join(target, 'restoring'), { recursive: true });
  const says = /^A restore into this data folder has not finished\. Run the same command again, or delete the folder /;
  await assert.rejects(startServer(t, target), /Menagerie cannot start: A restore into this data folder/);
  assertRefusal(await runCommand(['user', 'create', 'ada', '--role', 'admin', '--data-dir', target]), {
    code: 1,
    says,
  });
  outputOf(await run('restore', file, target));
  assert.equal(existsSync(join(target, 'restoring')), false);
  assert.deepEqual(contentsOf(target), contentsOf(source));
});

void test('archives: a folder with backups that tar has packed is restored', async (t) => {
  const { folder, run } = await prepare(t);
  const [place, file, target] = [join(folder, 'place'), join(folder, 'place.tar'), join(folder, 'target')];
  outputOf(await run('backup', place, source));
  execFileSync('tar', ['-c', '-f', file, '-C', place, '.']);
  outputOf(await run('restore', file, target));
  assert.deepEqual(contentsOf(target), contentsOf(source));
});

const age = await findAge();

void test(
  'archives: the age command decrypts them with the passphrase',
  { skip: 'reason' in age ? age.reason : false },
  async (t) => {
    const { folder, run } = await prepare(t);
    const [file, decrypted] = [join(folder, 'pets.tar.zst.age'), join(folder, 'pets.tar.zst')];
    outputOf(await run('backup', file, source));
    assert.ok('program' in age);
    await decryptWithAge(age.program, file, decrypted, PASSPHRASE);
    const archive = zstdDecompressSync(await readFile(decrypted));
    assert.equal(archive.subarray(257, 262).toString(), 'ustar');
    outputOf(await run('restore', decrypted, join(folder, 'target')));
    assert.deepEqual(contentsOf(join(folder, 'target')), contentsOf(source));
  },
);

void test('archives: damaged, incomplete, wrongly encrypted and existing ones are refused, and nothing is changed', async (t) => {
  const { folder, run } = await prepare(t);
  const target = join(folder, 'target');
  const refusesToRestore = async (file: string, says: RegExp, code: 1 | 2 = 1, ...flags: readonly string[]) => {
    assertRefusal(await run('restore', file, target, ...flags), { code, says });
    assert.equal(existsSync(target), false, file);
  };
  for (const suffix of ['tar', 'tar.zst']) {
    const file = join(folder, `pets.${suffix}`);
    outputOf(await run('backup', file, source));
    const bytes = await readFile(file);
    const cut = join(folder, `cut.${suffix}`);
    await writeFile(cut, bytes.subarray(0, bytes.length >> 1));
    await refusesToRestore(cut, /^The file .+ is damaged, incomplete or not a backup\.\n$/);
    assertRefusal(await run('backup', file, source), {
      code: 1,
      says: /^The file .+ exists\. Choose another name\.\n$/,
    });
    assert.deepEqual(await readFile(file), bytes);
  }
  outputOf(await run('backup', join(folder, 'pets.tar.age'), source));
  const bytes = await readFile(join(folder, 'pets.tar.age'));
  bytes[bytes.length >> 1]! ^= 1;
  await writeFile(join(folder, 'changed.tar.age'), bytes);
  await refusesToRestore(join(folder, 'changed.tar.age'), /^The file .+ is damaged/);
  await writeFile(join(folder, 'wrong'), 'another passphrase', { mode: 0o600 });
  const wrong = ['--passphrase-file', join(folder, 'wrong')];
  await refusesToRestore(join(folder, 'pets.tar.age'), /^The passphrase is wrong\.\n$/, 1, ...wrong);
  await refusesToRestore(join(folder, 'pets.tar'), /^Only archives are encrypted with a passphrase: /, 2, ...wrong);
  await refusesToRestore(
    join(folder, 'none.tar'),
    /^The file .+none\.tar cannot be read: no such file or directory\.\n$/,
  );
  const withoutPassphrase = await runCommand(['restore', join(folder, 'pets.tar.age'), '--data-dir', target]);
  assertRefusal(withoutPassphrase, { code: 2, says: /^The archive is encrypted: set --passphrase-file/ });
  assertRefusal(await run('restore', join(folder, 'pets.tar'), source), { code: 1, says: /^The target is not empty/ });
  for (const flags of [['--keep', '2'], ['--list']])
    assertRefusal(await run('backup', join(folder, 'new.tar'), source, ...flags), { code: 2, says: /^An archive has/ });
  assert.equal(existsSync(join(folder, 'new.tar')), false);
});

void test('archives: a backup to the same file deletes what killed backups left, and no file of others', async (t) => {
  const { folder, run } = await prepare(t);
  const [now, long] = [new Date(), new Date(Date.now() - 3_600_000)];
  const [killed = '', current = '', other = ''] = ['pets.tar', 'pets.tar', 'other.tar'].map(
    (name) => `.${name}.${randomUUID()}`,
  );
  for (const [name, time] of [
    [killed, long],
    [current, now],
    [other, long],
    ['.pets.tar.notes', long],
  ] as const) {
    await writeFile(join(folder, name), 'half');
    await utimes(join(folder, name), time, time);
  }
  const [place, incoming] = [join(folder, 'place'), join(folder, 'place', `.incoming-${randomUUID()}`)];
  await mkdir(place);
  await writeFile(incoming, 'half');
  await utimes(incoming, long, long);
  outputOf(await run('backup', join(folder, 'pets.tar'), source));
  outputOf(await run('backup', place, source));
  const names = (await readdir(folder)).toSorted();
  assert.deepEqual(names, ['.pets.tar.notes', current, other, 'passphrase', 'pets.tar', 'place'].toSorted());
  assert.deepEqual((await readdir(place)).toSorted(), ['backups', 'photos']);
});

void test('archives: one that is damaged while it is written is reported and deleted', async (t) => {
  const folder = await temporaryFolder(t);
  const signal = new AbortController().signal;
  const [MANIFEST, BYTES] = ['backups/2026-11-23T03-00-00-000Z/manifest.json', 100_000];
  for (const suffix of ['tar', 'tar.zst', 'tar.age']) {
    const writer = await ArchiveWriter.open({
      path: join(folder, `pets.${suffix}`),
      passphrase: suffix.endsWith('.age') ? PASSPHRASE : undefined,
    });
    await writer.write(MANIFEST, randomBytes(10 * BYTES));
    const temporary = async () => join(folder, (await readdir(folder))[0] ?? '');
    await until('the first bytes are in the file', async () => (await stat(await temporary())).size > BYTES);
    const file = await open(await temporary(), 'r+');
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, BYTES / 2);
    await file.write(Buffer.from([(buffer[0] ?? 0) ^ 1]), 0, 1, BYTES / 2);
    await file.close();
    await assert.rejects(writer.finish(signal), /^Failure: The archive .+ was damaged while it was written/, suffix);
    await writer.close();
    assert.deepEqual(await readdir(folder), [], suffix);
  }
});

void test('hostile archives: use no more memory and disk than a backup of their size, and no file elsewhere', async (t) => {
  const { folder, run } = await prepare(t);
  const whole = join(folder, 'pets.tar');
  outputOf(await run('backup', whole, source));
  const unpacked = join(folder, 'unpacked');
  await mkdir(unpacked);
  execFileSync('tar', ['-xf', whole, '-C', unpacked]);
  const [name = ''] = await readdir(join(unpacked, 'backups'));
  const manifestPath = join(unpacked, 'backups', name, 'manifest.json');
  const manifest = await readFile(manifestPath, 'utf8');
  const { tables } = JSON.parse(manifest) as BackupManifest;
  const [chunk] = tables['pet']?.chunks ?? [];
  assert.ok(chunk);
  const zeros = zstdCompressSync(Buffer.alloc(400 * 1024 * 1024));
  const digest = hash('sha256', zeros);

  const hostile: readonly (readonly [what: string, says: RegExp, change: () => Promise<void>])[] = [
    [
      'rows that decompress to 400 MiB',
      /^The backup is damaged: backups\/\S+\/pet-000001\.ndjson\.zst is missing or was changed/,
      async () => {
        await writeFile(join(unpacked, chunk.file), zeros);
        await writeFile(manifestPath, manifest.replace(chunk.digest, digest));
      },
    ],
    [
      'a file elsewhere',
      /^The backup is damaged: backups\/\S+\/manifest\.json is missing/,
      () => writeFile(manifestPath, manifest.replace(chunk.file, '../../../../../../dev/zero')),
    ],
    [
      'escape sequences',
      /^The backup is damaged: backups\/\S+\/manifest\.json is missing/,
      () => writeFile(manifestPath, manifest.replace(/"version": "[^"]*"/, String.raw`"version": "9\u001b[2J"`)),
    ],
    [
      'a large file',
      /^The file \S+ has much more data than a backup of its size\.\n$/,
      () => writeFile(join(unpacked, 'backups', name, 'large.bin'), Buffer.alloc(400 * 1024 * 1024)),
    ],
  ];
  for (const [index, [what, says, change]] of hostile.entries()) {
    await change();
    const file = join(folder, `hostile-${index}.tar.zst`);
    await writeFile(file, zstdCompressSync(execFileSync('tar', ['-c', '-C', unpacked, '.'], { maxBuffer: 1024 ** 3 })));
    const target = join(folder, `target-${index}`);
    const refused = await run('restore', file, target);
    assert.equal(refused.code, 1, what);
    assert.match(refused.stderr, says);
    assert.ok(!refused.stderr.includes('\u001b'), what);
    await rm(join(target, 'menagerie.db'), { force: true });
    await writeFile(manifestPath, manifest);
    assert.equal(existsSync(join(target, 'restoring')), false, what);
  }
});
