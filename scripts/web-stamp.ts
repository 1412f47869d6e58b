import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * Detects an outdated build of the web application. Synchronous, because every start checks it first.
 */

const ROOT = join(import.meta.dirname, '..');

/** The build, and in it the digest of its sources. */
export const WEB_FOLDER = join(ROOT, 'dist/web');
export const STAMP_FILE = 'stamp';

/** Includes the folders that the application may import: api/ and client/, which may import domain/. */
const SOURCES = ['src/web', 'src/api', 'src/client', 'src/domain', 'src/transfer'];
const SINGLE_SOURCES = [
  'vite.config.ts',
  'tsconfig.json',
  'package-lock.json',
  'scripts/build-web.ts',
  'scripts/bundled-licenses.ts',
  'scripts/plain-path.ts',
  'scripts/web-icons.ts',
  'scripts/web-stamp.ts',
];

/** A digest of the names and contents of all sources. */
export function stampOfSources(): string {
  const hash = createHash('sha256');
  // Other package managers than npm have no package-lock.json.
  const singles = SINGLE_SOURCES.filter((path) => existsSync(join(ROOT, path)));
  for (const path of [...SOURCES.flatMap(filesBelow), ...singles]) {
    const content = readFileSync(join(ROOT, path));
    hash.update(`${path}\0${content.byteLength}\0`).update(content);
  }
  return hash.digest('hex');
}

/** Whether the build exists and matches the sources. */
export function isWebBuilt(): boolean {
  const path = join(WEB_FOLDER, STAMP_FILE);
  return existsSync(path) && readFileSync(path, 'utf8') === stampOfSources();
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) =>
      join(parentPath, name)
        .slice(ROOT.length + 1)
        .replaceAll('\\', '/'),
    )
    .toSorted();
}
