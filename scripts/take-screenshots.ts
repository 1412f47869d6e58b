import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { createClient } from '../src/client/client.ts';
import { ensureWebBuilt } from '../test/support/web-build.ts';
import { startChromium } from '../test/web/support/chromium.ts';

/*
 * Takes the screenshots of the README: `npm run take-screenshots`. The service has the samples, with a few changes.
 */

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'docs/screenshots');

interface Shot {
  name: string;
  path: string;
  theme: 'light' | 'dark';
  width: number;
  height: number;
  /** Runs before the screenshot. */
  prepare?: (page: Page) => Promise<void>;
}

const DESKTOP = { width: 1280, height: 800 } as const;
const PHONE = { width: 390, height: 800 } as const;

const SHOTS: readonly Shot[] = [
  { name: 'catalogue', path: '/?status=available', theme: 'light', ...DESKTOP },
  { name: 'pet', path: '/pets/3', theme: 'light', ...DESKTOP },
  { name: 'edit', path: '/pets/7/edit', theme: 'dark', ...DESKTOP },
  { name: 'history', path: '/pets/7/history', theme: 'light', ...DESKTOP },
  {
    name: 'selection',
    path: '/',
    theme: 'dark',
    ...DESKTOP,
    prepare: async (page) => {
      const boxes = page.getByRole('main').getByRole('checkbox', { name: /^(?:Select )?(?:Zuri|Sefu|Kito)/ });
      await boxes.first().waitFor();
      for (const box of await boxes.all()) await box.check();
    },
  },
  { name: 'telephone', path: '/', theme: 'dark', ...PHONE },
];

const SETTLING_MS = 4000;

await ensureWebBuilt();
const { origin, stop } = await startService();
const browser = await startChromium();
try {
  await mkdir(FOLDER, { recursive: true });
  await changePets(origin);
  for (const shot of SHOTS) {
    const bytes = await take(browser, origin, shot);
    console.log(`${shot.name}: ${Math.round(bytes / 1024)} KB`);
  }
} finally {
  await browser.close();
  await stop();
}

async function startService(): Promise<{ origin: string; stop: () => Promise<void> }> {
  const args = [join(ROOT, 'src/cli/menagerie.js'), 'serve', '--ephemeral', '--port', '0'];
  const service = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const stop = async () => {
    service.kill();
    await once(service, 'exit');
  };
  for await (const line of createInterface(service.stdout)) {
    const found = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (found !== undefined) return { origin: found, stop };
  }
  throw new Error('The service did not start.');
}

/** Makes some changes, for the history page. */
async function changePets(origin: string): Promise<void> {
  const client = createClient({ base: `${origin}/v2` });
  await client.patchPet({ petId: 7n, body: { status: 'pending', tags: ['playful', 'indoor', 'good-with-kids'] } });
  await client.patchPet({ petId: 7n, body: { name: 'Miso the Second' } });
  await client.patchPet({ petId: 7n, body: { name: 'Miso', status: 'available' } });
  const [photo] = await client.listPetPhotos({ petId: 7n });
  if (photo !== undefined && 'digest' in photo)
    await client.updatePetPhoto({
      petId: 7n,
      digest: photo.digest,
      body: { alt: 'An orange tabby at a window, looking at the plants' },
    });
}

/** @returns its size in bytes */
async function take(browser: Browser, origin: string, { name, path, theme, width, height, prepare }: Shot) {
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: 1.5,
    colorScheme: theme,
    locale: 'en-GB',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await page.goto(origin + path);
  await prepare?.(page);
  // The Content Security Policy prevents a script that waits for the last photo; this is long enough on an idle
  // machine.
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForTimeout(SETTLING_MS);
  const { size } = await sharp(await page.screenshot({ animations: 'disabled' }))
    .webp({ quality: 82 })
    .toFile(join(FOLDER, `${name}.webp`));
  await context.close();
  return size;
}
