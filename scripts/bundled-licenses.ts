import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Names, versions and licenses of the packages that are bundled into the web application, in its folder. */
export const BUNDLED_FILE = '.vite/licenses.json';

/** Packages of which only files that are not code are bundled, which Vite leaves out. */
const FONTS = ['@fontsource/young-serif'];

const MODULES = join(import.meta.dirname, '../node_modules');

/** Adds the fonts to the licenses that Vite has written. */
export async function addFontLicenses(folder: string): Promise<void> {
  const path = join(folder, BUNDLED_FILE);
  const licenses = JSON.parse(await readFile(path, 'utf8')) as object[];
  for (const name of FONTS) {
    const description = await readFile(join(MODULES, name, 'package.json'), 'utf8');
    const { version, license } = JSON.parse(description) as { version: string; license: string };
    licenses.push({ name, version, identifier: license, text: await readFile(join(MODULES, name, 'LICENSE'), 'utf8') });
  }
  await writeFile(path, JSON.stringify(licenses));
}
