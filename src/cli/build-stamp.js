import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/*
 * Detects outdated builds of a checkout by a digest of their sources, because a checkout changes file times. Plain
 * JavaScript and synchronous, because every start checks the bundle first: 25 ms.
 */

const ROOT = join(import.meta.dirname, '../..');

/** The file of a build with the digest of its sources. */
export const STAMP_FILE = 'stamp';

/** The server and the command line as a few files of JavaScript. */
export const BUNDLE_FOLDER = join(ROOT, 'bundle');

const BUNDLE_SOURCES = [
  'src/api',
  'src/cli',
  'src/client',
  'src/domain',
  'src/http',
  'src/server',
  'src/services',
  'src/storage',
  'src/testing',
  'src/transfer',
  'package-lock.json',
  'scripts/build-bundle.ts',
  'scripts/bundle-layout.ts',
  'scripts/mapped-stacks.ts',
];

/** A digest of the names and contents of the files at these paths and below. */
export function stampOf(/** @type {readonly string[]} */ paths) {
  const hash = createHash('sha256');
  for (const path of paths.flatMap(filesAt)) {
    const content = readFileSync(join(ROOT, path));
    hash.update(`${path}\0${content.byteLength}\0`).update(content);
  }
  return hash.digest('hex');
}

export function stampOfBundle() {
  return stampOf(BUNDLE_SOURCES);
}

/** Whether the build in the folder has this stamp. */
export function hasStamp(/** @type {string} */ folder, /** @type {() => string} */ stamp) {
  const path = join(folder, STAMP_FILE);
  return existsSync(path) && readFileSync(path, 'utf8') === stamp();
}

/** Whether the bundle exists and matches the sources. */
export function isBundled() {
  return hasStamp(BUNDLE_FOLDER, stampOfBundle);
}

/** @returns {readonly string[]} */
function filesAt(/** @type {string} */ path) {
  // Other package managers than npm have no package-lock.json.
  if (!existsSync(join(ROOT, path))) return [];
  if (/\.\w+$/.test(path)) return [path];
  return readdirSync(join(ROOT, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) =>
      join(parentPath, name)
        .slice(ROOT.length + 1)
        .replaceAll(sep, '/'),
    )
    .toSorted();
}
