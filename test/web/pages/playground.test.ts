import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { clientOf } from '../../support/client.ts';
import { createPlayground, type TestPlayground } from '../../support/playgrounds.ts';
import { startTestService } from '../../support/service.ts';
import { checkAccessibility } from '../support/accessibility.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { openVisit } from '../support/visit.ts';

/* The web application of a playground, below its prefix. */

/** The files of the build, at the root. */
const SHARED = /^\/(?:assets\/|favicon|icon-|apple-touch-icon)/;

const options = { skip: skipWithoutBrowser };

void test('web application of a playground: never leaves it', options, async (t) => {
  const service = await startTestService(t, { flags: ['--access=sandbox'], web: true });
  const call = clientOf(service.base);
  const playground = await createPlayground(call, { access: 'secured' });
  const other = await createPlayground(call, { access: 'secured' });
  const prefix = new URL(playground.page).pathname;
  const visit = await openVisit(t, service);
  const { page, context } = visit;
  const outside: string[] = [];
  let inside = prefix;
  context.on('request', (request) => {
    const { protocol, pathname } = new URL(request.url());
    if (protocol === 'http:' && !pathname.startsWith(inside) && !SHARED.test(pathname)) outside.push(pathname);
  });

  await visit.open(prefix);
  const manifest = await page.locator('link[rel="manifest"]').getAttribute('href');
  assert.equal(manifest, `${prefix}manifest.webmanifest`);
  const { text } = await call('GET', `${service.origin}${manifest}`);
  assert.match(text, new RegExp(`"start_url":"${prefix}"`));
  await page.getByRole('article').getByRole('link', { name: 'Luna' }).click();
  await page.waitForURL(new RegExp(`${prefix}pets/\\d+`));
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Luna' }).waitFor();
  await visit.waitForIdle();

  await visit.open(`${prefix}pets/new`);
  await page.getByRole('main').getByRole('link', { name: 'Log in' }).click();
  await fillLogin(page, playground);
  await page.waitForURL(`${service.origin}${prefix}pets/new`);
  await page.getByRole('textbox', { name: /^Name/ }).fill('Miso the second');
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.waitForURL(new RegExp(`${prefix}pets/\\d+$`));
  await visit.waitForIdle();
  assert.match((await playground.call('GET', 'pet?text=second')).text, /Miso the second/);
  assert.doesNotMatch((await call('GET', 'pet?text=second')).text, /Miso the second/);

  // The other one does not know the session. The page before reads again what has changed, up to two seconds later.
  await page.goto('about:blank');
  inside = new URL(other.page).pathname;
  await visit.open(`${inside}pets/new`);
  await page.getByRole('main').getByRole('link', { name: 'Log in' }).waitFor();
  assert.deepEqual(outside, []);
  const paths = (await context.cookies()).map(({ path }) => path);
  assert.deepEqual(paths, [prefix.replace(/\/$/, '')]);
});

void test('sandbox access: the notice that everything is public is in a landmark', options, async (t) => {
  const visit = await openVisit(t, await startTestService(t, { flags: ['--access=sandbox'], web: true }));
  await visit.open('/about');
  await visit.page.getByRole('complementary').getByText('Anyone can change everything here').waitFor();
  await checkAccessibility(visit.page, 'a page with the notice of sandbox access');
  // Before the service ends, whose changes the page follows.
  await visit.end();
});

async function fillLogin(page: Page, { users }: TestPlayground): Promise<void> {
  const { username, password } = users.find(({ role }) => role === 'editor') ?? assert.fail();
  await page.getByLabel('Username').fill(username);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole('main').getByRole('button', { name: 'Log in' }).click();
}
