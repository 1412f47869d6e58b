import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { PAGE_PATHS, type PagePath } from '../../../src/api/pages.ts';
import { agedToken, ENQUIRY } from '../../support/enquiries.ts';
import type { SecuredService } from '../../support/secured.ts';
import type { Lifetime } from '../../support/lifetime.ts';
import { openTables } from '../../support/stored.ts';
import { checkAccessibility, checkContrast } from './accessibility.ts';
import { keepScreenshot } from './screenshots.ts';
import { addManyPets, addShelter, patchPet, startStaffedService } from './stock.ts';
import { openVisit, type Visit, type VisitOptions } from './visit.ts';

/*
 * Checks of each page: one top-level heading, landmarks, a title and no horizontal overflow. A visit also fails on
 * layout shifts and console messages.
 */

/** The users whose pages are visited; undefined is anonymous. */
export const USERS = [undefined, 'edna', 'root'] as const;

const HEIGHT = 900;

interface Place {
  page: PagePath;
  path: string;
  as: (typeof USERS)[number];
}

export interface Screen {
  width: number;
  theme: 'light' | 'dark';
}

export interface Pages {
  service: SecuredService;
  places: readonly Place[];
}

/** Starts a service with content for each page. */
export async function startPages(t: Lifetime): Promise<Pages> {
  const { service, call, root } = await startStaffedService(t);
  const { Luna: luna = '', Pepper: pepper = '' } = await addShelter(call, root);
  await patchPet(call, luna, { name: 'Luna Lovegood' }, root);
  await patchPet(call, luna, { status: 'pending', tags: [{ name: 'calm' }] }, root);
  await call('DELETE', `pet/${pepper}`, { headers: root });
  await addManyPets(call, 60, root);
  // A webhook that sends nothing in these tests.
  const json = { url: 'https://shelter.example.org/hooks/menagerie', events: ['account.deleted'] };
  const webhook = JSON.parse((await call('POST', 'admin/webhooks', { headers: root, json })).text) as { id: string };
  await takeEnquiries(t, service, luna, root);
  const [enquiry] = JSON.parse((await call('GET', 'enquiries', { headers: root })).text) as { id: number }[];
  const parameters = {
    $petId: luna,
    $username: 'edna',
    $webhookId: webhook.id,
    $site: 'petfinder',
    $enquiryId: String(enquiry?.id),
  };
  const places = PAGE_PATHS.map((page) => ({
    page,
    path: page.replace(/\$\w+/, (name) => parameters[name as keyof typeof parameters]),
    as: userOf(page),
  }));
  return { service, places };
}

/** Opens the form for enquiries, and sends one. */
async function takeEnquiries(
  t: Lifetime,
  { call, dataDir }: SecuredService,
  petId: string,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const text = { en: 'Do you have a garden?', de: 'Haben Sie einen Garten?' };
  const choice = { id: 'garden', text, type: 'choice', choices: [{ value: 'Yes' }, { value: 'No' }] };
  const settings = { enabled: true, recipient: 'office@example.org', questions: [choice] };
  const stored = await call('PUT', 'enquiry-settings', { headers, json: settings });
  assert.equal(stored.status, 200, stored.text);
  const token = await agedToken((await openTables(t, dataDir)).query, BigInt(petId));
  const json = { ...ENQUIRY, phone: '030 1234', answers: { garden: 'Yes' }, token };
  const sent = await call('POST', `pet/${petId}/enquiries`, { json });
  assert.equal(sent.status, 200, sent.text);
}

function userOf(page: PagePath): Place['as'] {
  if (page.startsWith('/admin/') || page === '/pets/transfer') return 'root';
  return /^\/account$|^\/enquiries|\/(?:new|deleted|edit|history)$/.test(page) ? 'edna' : undefined;
}

/** Opens each page of a user and checks it. Reports the faults of all pages. */
export async function visitPages(
  t: TestContext,
  { service, places }: Pages,
  user: Place['as'],
  options: VisitOptions & Screen,
  check: (visit: Visit, page: PagePath) => Promise<void>,
): Promise<void> {
  const visit = await openVisit(t, service, user === undefined ? options : { ...options, loggedInAs: user });
  const faults: string[] = [];
  for (const { page, path } of places.filter(({ as }) => as === user))
    try {
      await visit.page.setViewportSize({ width: options.width, height: HEIGHT });
      await visit.page.emulateMedia({ colorScheme: options.theme });
      await visit.open(path);
      await checkScreen(visit, page, options);
      await check(visit, page);
    } catch (error) {
      faults.push(error instanceof Error ? error.message : String(error));
    }
  if (faults.length > 0) assert.fail(faults.join('\n\n'));
}

/** Changes the screen of an open page, and checks the page again. */
export async function changeScreen(visit: Visit, page: PagePath, screen: Screen): Promise<void> {
  await visit.expectShifts(async () => {
    await visit.page.setViewportSize({ width: screen.width, height: HEIGHT });
    await visit.page.emulateMedia({ colorScheme: screen.theme });
    await checkScreen(visit, page, screen);
  });
}

async function checkScreen(visit: Visit, page: PagePath, { width, theme }: Screen): Promise<void> {
  await visit.waitForIdle();
  await checkStructure(visit.page, `${page} at ${width} px`);
  await keepScreenshot(visit.page, `${page.slice(1).replaceAll(/[$/]+/g, '-') || 'catalogue'} ${width} ${theme}`);
}

async function checkStructure(page: Page, name: string): Promise<void> {
  assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1, `${name}: one heading above all others`);
  for (const landmark of ['main', 'navigation', 'contentinfo'] as const)
    assert.ok((await page.getByRole(landmark).count()) > 0, `${name}: no ${landmark}`);
  assert.match(await page.title(), /\S - Menagerie$/, `${name}: a title of its own`);
  await checkWidth(page, name);
}

/** Fails if the page is wider than the screen. */
export async function checkWidth(page: Page, name: string): Promise<void> {
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wider <= 0, `${name}: ${wider} px wider than the screen`);
}

/**
 * Checks a state of a page that only one test reaches: accessibility, contrast in both themes, and width. The page has
 * the light theme.
 */
export async function checkState(page: Page, name: string): Promise<void> {
  await checkAccessibility(page, name);
  await checkWidth(page, name);
  await keepScreenshot(page, `${name} light`, { isWhole: true });
  await page.emulateMedia({ colorScheme: 'dark' });
  await checkContrast(page, `${name}, dark`);
  await keepScreenshot(page, `${name} dark`, { isWhole: true });
  await page.emulateMedia({ colorScheme: 'light' });
}
