import { join } from 'node:path';
import { hasStamp, STAMP_FILE, stampOf } from '../src/cli/build-stamp.js';

/* Detects an outdated build of the web application. */

/** The build, and in it the digest of its sources. */
export const WEB_FOLDER = join(import.meta.dirname, '../dist/web');
export { STAMP_FILE };

/** Includes the folders that the application may import: api/, client/ and features/, which may import domain/. */
const SOURCES = [
  'src/web',
  'src/api',
  'src/client',
  'src/domain',
  'src/features',
  'src/transfer',
  'vite.config.ts',
  'tsconfig.json',
  'package-lock.json',
  'scripts/build-web.ts',
  'scripts/bundled-licenses.ts',
  'scripts/web-icons.ts',
  'scripts/web-stamp.ts',
];

export function stampOfSources(): string {
  return stampOf(SOURCES);
}

/** Whether the build exists and matches the sources. */
export function isWebBuilt(): boolean {
  return hasStamp(WEB_FOLDER, stampOfSources);
}
