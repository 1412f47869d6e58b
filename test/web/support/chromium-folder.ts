import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/*
 * Where the browser of the tests is. The package brings it packed, and would unpack it under a name that anybody can guess into the folder for
 * temporary files, where another user of the machine may have put something else to run, and where two test files at a time find each other's halves.
 */

const run = promisify(execFile);

const PACKAGE = '@sparticuz/chromium';

/** The fonts of the package and no others, so that texts are as wide on every machine. Its own list names folders that are not there. */
function listOfFonts(folder: string): string {
  const path = folder.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig><dir>${path}/fonts/fonts</dir><cachedir>${path}/fonts/cache</cachedir></fontconfig>
`;
}

export interface ChromiumFolder {
  executable: string;
  /** What it reads its fonts by, as FONTCONFIG_PATH. */
  fonts: string;
}

/** Unpacks the browser beside the packages, where it has not been done: it takes two seconds and 210 MB. */
export async function unpackChromium(): Promise<ChromiumFolder> {
  const packages = dirname(dirname(dirname(dirname(createRequire(import.meta.url).resolve(PACKAGE)))));
  const { version } = JSON.parse(await readFile(join(packages, PACKAGE, 'package.json'), 'utf8')) as {
    version: string;
  };
  const cache = join(packages, '.cache');
  const folder = join(cache, `menagerie-chromium-${version}`);
  if (!existsSync(folder)) await unpackInto(cache, folder);
  return { executable: join(folder, 'chromium'), fonts: join(folder, 'fonts') };
}

/** Whole or not at all: several may unpack at once, and the first of them names its folder. */
async function unpackInto(cache: string, folder: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const mine = await mkdtemp(`${folder}-`);
  try {
    const script = `const { default: chromium } = await import('${PACKAGE}'); await chromium.executablePath();`;
    await run(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: import.meta.dirname,
      env: { ...process.env, TMPDIR: mine, TMP: mine, TEMP: mine },
    });
    await writeFile(join(mine, 'fonts', 'fonts.conf'), listOfFonts(folder));
    await rename(mine, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    await rm(mine, { recursive: true, force: true });
  }
}
