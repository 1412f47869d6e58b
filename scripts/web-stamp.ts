import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * Whether what is built of the web application is what its sources say. All of it at once and without waiting: a start looks at it every time.
 */

const ROOT = join(import.meta.dirname, '..');

/** What is served, and the digest of what it was made of. */
export const WEB_FOLDER = join(ROOT, 'dist/web');
export const STAMP_FILE = 'stamp';

/** With all that it imports of the service: it may import api/ and client/, which may import domain/. */
const SOURCES = ['src/web', 'src/api', 'src/client', 'src/domain'];
const SINGLE_SOURCES = [
  'vite.config.ts',
  'tsconfig.json',
  'package-lock.json',
  'scripts/build-web.ts',
  'scripts/web-icons.ts',
  'scripts/web-stamp.ts',
];

/** A digest over the names and the contents of all sources. */
export function stampOfSources(): string {
  const hash = createHash('sha256');
  // The lock file is npm's: who installs by other means has none, and starts all the same.
  const singles = SINGLE_SOURCES.filter((path) => existsSync(join(ROOT, path)));
  for (const path of [...SOURCES.flatMap(filesBelow), ...singles]) {
    const content = readFileSync(join(ROOT, path));
    hash.update(`${path}\0${content.byteLength}\0`).update(content);
  }
  return hash.digest('hex');
}

/** Is there a build of these very sources? */
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
