import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { decryptWithAge, findAge } from '../support/age.ts';
import type { Ended } from '../support/menagerie-process.ts';
import { assertRefusal, outputOf, runCommand } from '../support/operator-commands.ts';
import { contentsOf, makeRichInstallation } from '../support/rich-installation.ts';
import { temporaryFolder, type Lifetime } from '../support/service.ts';

const PASSPHRASE = 'quiet otters juggle yellow lemons';

const source = join(await temporaryFolder({ after }), 'source');
await makeRichInstallation({ after }, source);

/** A folder with a passphrase, and commands with it. */
async function prepare(t: Lifetime) {
  const folder = await temporaryFolder(t);
  const passphraseFile = join(folder, 'passphrase');
  await writeFile(passphraseFile, `${PASSPHRASE}\n`);
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
  await writeFile(join(folder, 'wrong'), 'another passphrase');
  const wrong = ['--passphrase-file', join(folder, 'wrong')];
  await refusesToRestore(join(folder, 'pets.tar.age'), /^The passphrase is wrong\.\n$/, 1, ...wrong);
  await refusesToRestore(join(folder, 'pets.tar'), /^Only archives are encrypted: /, 2, ...wrong);
  await refusesToRestore(join(folder, 'none.tar'), /^There is no file .+none\.tar\.\n$/);
  const withoutPassphrase = await runCommand(['restore', join(folder, 'pets.tar.age'), '--data-dir', target]);
  assertRefusal(withoutPassphrase, { code: 2, says: /^The archive is encrypted: set --passphrase-file/ });
  assertRefusal(await run('restore', join(folder, 'pets.tar'), source), { code: 1, says: /^The target is not empty/ });
  for (const flags of [['--keep', '2'], ['--list']])
    assertRefusal(await run('backup', join(folder, 'new.tar'), source, ...flags), { code: 2, says: /^An archive has/ });
  assert.equal(existsSync(join(folder, 'new.tar')), false);
});
