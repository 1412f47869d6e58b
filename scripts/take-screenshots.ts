import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { createClient, type Client } from '../src/client/client.ts';
import { startService } from '../src/server/service.ts';
import { newSecuredFolder, PASSWORDS } from '../test/support/secured.ts';
import { removeFolder, testConfig } from '../test/support/service.ts';
import { ensureWebBuilt } from '../test/support/web-build.ts';
import { startChromium } from '../test/web/support/chromium.ts';

/*
 * Takes the screenshots of the README and the guides: `npm run take-screenshots`, or those that are named:
 * `npm run take-screenshots -- pet enquiries`. The service has the samples, a shelter, enquiries and a playground.
 */

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'docs/screenshots');

interface Shot {
  name: string;
  path: string;
  theme: 'light' | 'dark';
  width: number;
  height: number;
  /** Of a logged-in member of the staff. By default, of a visitor. */
  username?: string;
  /** Runs before the screenshot. */
  prepare?: (page: Page) => Promise<void>;
}

const DESKTOP = { width: 1280, height: 800 } as const;
const PHONE = { width: 390, height: 800 } as const;

const PLAYGROUND = '{playground}';

const SHOTS: readonly Shot[] = [
  { name: 'catalogue', path: '/?status=available', theme: 'light', ...DESKTOP },
  { name: 'pet', path: '/pets/7', theme: 'light', ...DESKTOP },
  { name: 'enquiries', path: '/enquiries', username: 'edna', theme: 'light', ...DESKTOP },
  { name: 'playground', path: `${PLAYGROUND}/playground`, theme: 'dark', ...DESKTOP },
  { name: 'edit', path: '/pets/7/edit', username: 'edna', theme: 'dark', ...DESKTOP },
  { name: 'history', path: '/pets/7/history', username: 'edna', theme: 'light', ...DESKTOP },
  {
    name: 'selection',
    path: '/',
    username: 'edna',
    theme: 'dark',
    ...DESKTOP,
    prepare: async (page) => {
      const boxes = page.getByRole('main').getByRole('checkbox', { name: /^(?:Select )?(?:Zuri|Sefu|Kito)/ });
      await boxes.first().waitFor();
      for (const box of await boxes.all()) await box.check();
    },
  },
  { name: 'telephone', path: '/pets/7', theme: 'dark', ...PHONE },
];

const QUESTIONS = [
  { petId: 7n, name: 'Maria Lindqvist', message: 'We have a quiet flat and another young cat. Could Miso meet her?' },
  { petId: 5n, name: 'Aylin Kaya', message: 'Is Olive used to cats? Ours is old and likes her peace.' },
  { petId: 11n, name: 'Jonas Weber', message: 'We both work at home, three days a week. Would that suit Nimbus?' },
  { petId: 2n, name: 'Tom Okafor', message: 'I run every morning, and would love company. Is Juno good off the lead?' },
  { petId: 13n, name: 'Ines Baumann', message: 'Do Clover and Button need a garden, or is a large room enough?' },
  { petId: 1n, name: 'Samir Haddad', message: 'My daughter is six. May we visit Biscuit on Saturday?' },
];

const SETTLING_MS = 4000;

const { origin, stop } = await startShelter();
const browser = await startChromium();
try {
  await mkdir(FOLDER, { recursive: true });
  const client = createClient({ base: `${origin}/v2` });
  await client.login('root', PASSWORDS['root'] ?? '');
  await changePets(client);
  await openShelter(client);
  await addEnquiries(client);
  const playground = await addPlayground(client);
  const names = process.argv.slice(2);
  for (const shot of SHOTS) {
    if (names.length > 0 && !names.includes(shot.name)) continue;
    const address = shot.path.startsWith(PLAYGROUND) ? shot.path.replace(PLAYGROUND, playground) : origin + shot.path;
    const bytes = await take(browser, address, shot);
    console.log(`${shot.name}: ${Math.round(bytes / 1024)} KB`);
  }
} finally {
  await browser.close();
  await stop();
}

/** With the samples and staff, in secured access: pages show visitors what they show them in a shelter. */
async function startShelter() {
  const dataDir = await newSecuredFolder();
  const config = {
    ...testConfig(dataDir, ['--access', 'secured']),
    webFolder: await ensureWebBuilt(),
    hasChosenSamples: true,
  };
  const service = await startService(config, pino({ level: 'silent' }));
  const stop = async () => {
    await service.stop();
    await removeFolder(dataDir);
  };
  return { origin: service.origin, stop };
}

/** Makes some changes, for the history page. */
async function changePets(client: Client): Promise<void> {
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

async function openShelter(client: Client): Promise<void> {
  const contact = {
    telephone: '+49 30 1234567',
    email: 'office@happy-paws.example',
    address: 'Am See 1\n13353 Berlin',
    openingHours: 'Wed to Fri 15:00 to 18:00\nSat 10:00 to 16:00',
  };
  await client.updateOrganisation({
    body: {
      name: 'Happy Paws',
      summary: 'The animal shelter of Berlin-Wedding, run by volunteers since 1987.',
      adoptionSteps: ['Ask about a pet.', 'Visit it, twice if you like.', 'Take it home on trial for two weeks.'],
      donationUrl: 'https://happy-paws.example/give',
      accentColour: '#7a3b8f',
      country: 'DE',
      language: 'en',
      contact,
    },
  });
  await client.updateEnquirySettings({ body: { enabled: true, recipient: contact.email } });
}

async function addEnquiries(client: Client): Promise<void> {
  const forms = await Promise.all(QUESTIONS.map(({ petId }) => client.getEnquiryForm({ petId })));
  // The form refuses programs that are faster.
  await delay(1000 * Math.max(...forms.map(({ minSeconds }) => minSeconds)) + 500);
  for (const [index, { petId, name, message }] of QUESTIONS.entries()) {
    const email = `${name.toLowerCase().replace(' ', '.')}@example.org`;
    await client.sendEnquiry({ petId, body: { name, email, message, token: forms[index]?.token ?? '' } });
  }
  const [newest, second] = await client.listEnquiries({});
  if (newest === undefined || second === undefined) throw new Error('There are too few enquiries.');
  await client.updateEnquiry({ enquiryId: newest.id, body: { assignee: 'edna' } });
  await client.updateEnquiry({ enquiryId: second.id, body: { state: 'answered', assignee: 'root' } });
}

/** @returns the address of its pages */
async function addPlayground(client: Client): Promise<string> {
  const { token, base } = await client.createPlayground({ body: { bugs: ['bug-03', 'bug-07'] } });
  const rules = [
    { fault: 'unavailable', operation: 'addPet', share: 0.2, seed: 7 },
    { fault: 'latency', delayMs: 300, spreadMs: 200 },
  ] as const;
  await client.setPlaygroundFaults({ token, body: { rules } });
  const own = createClient({ base, retries: 0 });
  for (let count = 0; count < 10; count += 1)
    await own.addPet({ body: { name: `Rex ${count}` } }).catch(() => undefined);
  return base.replace(/\/v2$/, '');
}

/** @returns its size in bytes */
async function take(browser: Browser, address: string, { name, theme, width, height, username, prepare }: Shot) {
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: 1.5,
    colorScheme: theme,
    locale: 'en-GB',
    reducedMotion: 'reduce',
  });
  const data = { username, password: PASSWORDS[username ?? ''] };
  if (username !== undefined) await context.request.post(`${origin}/v2/user/login`, { data });
  const page = await context.newPage();
  await page.goto(address);
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
