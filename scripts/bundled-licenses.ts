import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Names, versions and licenses of the packages that are bundled into the web application and the API page, in their
 * folder.
 */
export const BUNDLED_FILE = '.vite/licenses.json';

/** The part of it that the build of the API page writes. */
export const BUNDLED_IN_DOCS_FILE = '.vite/docs-licenses.json';

/** Packages of which only files that are not code are bundled, which Vite leaves out. */
const FONTS = ['@fontsource/young-serif'];

/** Contains further packages, whose notices are in its own files. */
const SWAGGER_UI = 'swagger-ui-dist';
const SWAGGER_UI_NOTICES = ['NOTICE', 'swagger-ui-es-bundle.js.LICENSE.txt'];

const MODULES = join(import.meta.dirname, '../node_modules');

interface License {
  name: string;
  version: string;
  identifier: string;
  text: string;
}

/**
 * Completes the licenses that Vite has written: adds those of the API page, the fonts, and the packages inside Swagger
 * UI.
 */
export async function completeLicenses(folder: string): Promise<void> {
  const path = join(folder, BUNDLED_FILE);
  const docsPath = join(folder, BUNDLED_IN_DOCS_FILE);
  const ofVite = [path, docsPath].map(async (each) => JSON.parse(await readFile(each, 'utf8')) as License[]);
  const licenses = [...(await Promise.all(ofVite)).flat(), ...(await Promise.all(FONTS.map(licenseOf)))];
  const notices = await Promise.all(SWAGGER_UI_NOTICES.map((name) => readModule(SWAGGER_UI, name)));
  for (const license of licenses)
    if (license.name === SWAGGER_UI) license.text = [license.text, ...notices].join('\n\n');
  await writeFile(path, JSON.stringify(licenses));
  await rm(docsPath);
}

async function licenseOf(name: string): Promise<License> {
  const { version, license } = JSON.parse(await readModule(name, 'package.json')) as {
    version: string;
    license: string;
  };
  return { name, version, identifier: license, text: await readModule(name, 'LICENSE') };
}

function readModule(name: string, file: string): Promise<string> {
  return readFile(join(MODULES, name, file), 'utf8');
}
