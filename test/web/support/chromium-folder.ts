import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/*
 * Unpacks the browser of the tests. By default, the package would unpack it under a predictable name into the folder
 * for temporary files, where another user of the machine could plant a program, and where two test files would see each
 * other's incomplete files.
 */

const run = promisify(execFile);

const PACKAGE = '@sparticuz/chromium';

/**
 * Only the fonts of the package, so that texts have the same width on every machine. Its own configuration names
 * folders that do not exist.
 */
function listOfFonts(folder: string): string {
  const path = folder.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig><dir>${path}/fonts/fonts</dir><cachedir>${path}/fonts/cache</cachedir></fontconfig>
`;
}

export interface ChromiumFolder {
  executable: string;
  /** The FONTCONFIG_PATH. */
  fonts: string;
}

/** Unpacks the browser next to the packages, unless it is there: it takes two seconds and 210 MB. */
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

/** Atomic: several processes may unpack at the same time, and the first one renames its folder. */
async function unpackInto(cache: string, folder: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const own = await mkdtemp(`${folder}-`);
  try {
    const script = `const { default: chromium } = await import('${PACKAGE}'); await chromium.executablePath();`;
    await run(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: import.meta.dirname,
      env: { ...process.env, TMPDIR: own, TMP: own, TEMP: own },
    });
    await writeFile(join(own, 'fonts', 'fonts.conf'), listOfFonts(folder));
    await rename(own, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}
