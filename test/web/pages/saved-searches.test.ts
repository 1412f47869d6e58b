import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { QUIET_MS } from '../../../src/features/saved-searches/domain/pet-run.ts';
import { bearer, logIn, startSecuredService } from '../../support/secured.ts';
import { startSmtpReceiver, type ReceivedMail } from '../../support/smtp-receiver.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { chunkOf } from '../support/chunk-files.ts';
import { checkState } from '../support/pages.ts';
import { openVisit } from '../support/visit.ts';

/*
 * Saved searches: the dialog on the front page, and the pages of the links in messages.
 */

const receiver = await startSmtpReceiver({ after });
const mail = ['--smtp-url', receiver.url, '--mail-from', 'pets@example.org', '--public-url', 'http://pets.example.org'];
let aheadMs = 0;
const clock = () => Date.now() + aheadMs;
const service = await startSecuredService({ after }, { web: true, flags: mail, clock });
const options = { skip: skipWithoutBrowser };

function pathIn(message: ReceivedMail | undefined, page: string): string {
  const { text = '' } = message ?? assert.fail('no message');
  return new RegExp(`pets\\.example\\.org(/${page}#[\\w-]{43})`).exec(text)?.[1] ?? assert.fail(text);
}

void test('saved search: saved in a dialog, confirmed and stopped on the pages of the links', options, async (t) => {
  const visit = await openVisit(t, service);
  const { page } = visit;
  await visit.open('/?text=rex');
  const open = page.getByRole('button', { name: 'Mail me new matches' });
  await open.click();
  const dialog = page.getByRole('dialog', { name: 'Mail me new matches' });
  await dialog.waitFor();
  await checkState(page, 'save a search');
  visit.expect(/status of 400/);
  await dialog.getByLabel('E-mail').fill('nobody');
  await page.keyboard.press('Enter');
  await dialog.getByText('Enter an e-mail address such as').waitFor();
  await dialog.getByLabel('E-mail').fill('ada@example.org');
  await dialog.getByRole('button', { name: 'Send link' }).click();
  await page.getByText('Check your mailbox').waitFor();
  await dialog.waitFor({ state: 'hidden' });

  await visit.open(pathIn((await receiver.waitFor(1))[0], 'confirm-search'));
  await page.getByRole('heading', { level: 1, name: 'Confirm your search' }).waitFor();
  assert.ok(!page.url().includes('#'), 'the token is not in the history');
  await checkState(page, 'confirm a search');
  await page.getByRole('button', { name: 'Confirm search' }).click();
  await page.getByRole('heading', { level: 1, name: 'Search confirmed' }).waitFor();

  const headers = bearer(await logIn(service.call, 'root'));
  const json = { name: 'Rex', photoUrls: [], status: 'available' };
  assert.equal((await service.call('POST', 'pet', { json, headers })).status, 200);
  aheadMs += QUIET_MS;
  const path = pathIn((await receiver.waitFor(2))[1], 'manage-search');
  await visit.open(path);
  await page.getByRole('button', { name: 'Keep for another year' }).click();
  await page.getByRole('heading', { level: 1, name: 'Search confirmed' }).waitFor();
  await visit.open('/');
  await visit.open(path);
  await checkState(page, 'manage a search');
  await page.getByRole('button', { name: 'Stop search' }).click();
  await page.getByRole('heading', { level: 1, name: 'Search stopped' }).waitFor();
});

void test(
  'saved search: the URL that mail programs post to shows the page that stops it, to people and scanners',
  options,
  async (t) => {
    const { call } = service;
    const sent = receiver.received.length;
    const search = { email: 'bob@example.org', search: 'text=bella', language: 'de' };
    assert.equal((await call('POST', 'saved-searches', { json: search })).status, 200);
    const [, token] = pathIn((await receiver.waitFor(sent + 1))[sent], 'confirm-search').split('#');
    assert.equal((await call('POST', 'saved-searches/confirm', { json: { token } })).status, 200);
    const headers = bearer(await logIn(call, 'root'));
    const listed = async () => (await call('GET', 'saved-searches?email=bob@example.org', { headers })).text;
    const json = { name: 'Bella', photoUrls: [], status: 'available' };
    assert.equal((await call('POST', 'pet', { json, headers })).status, 200);
    aheadMs += QUIET_MS;
    const message = (await receiver.waitFor(sent + 2))[sent + 1];
    const field = message?.headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? assert.fail();
    const { pathname } = new URL(field.slice(1, -1));
    const pageUrl = pathIn(message, 'manage-search');

    const open = (path: string, accept: string, method = 'GET') =>
      fetch(service.origin + path, { method, headers: { accept }, redirect: 'manual' });
    for (const method of ['GET', 'HEAD'])
      for (const accept of ['*/*', 'text/html', 'application/json']) {
        const { status, headers: fields } = await open(pathname, accept, method);
        assert.deepEqual([status, fields.get('location'), fields.get('cache-control')], [303, pageUrl, 'no-store']);
      }
    const odd = encodeURIComponent('//x\r\ny');
    assert.equal((await open(`/stop-search/${odd}`, '*/*')).headers.get('location'), `/manage-search#${odd}`);

    const german = await openVisit(t, service, { language: 'de' });
    await german.open(pathname);
    await german.page.getByRole('button', { name: 'Suche beenden' }).waitFor();
    const visit = await openVisit(t, service);
    await visit.open(pathname);
    const stop = visit.page.getByRole('button', { name: 'Stop search' });
    await stop.waitFor();
    assert.notEqual(await listed(), '[]', 'opening the URL changes nothing');
    await stop.click();
    await visit.page.getByRole('heading', { level: 1, name: 'Search stopped' }).waitFor();
    assert.equal(await listed(), '[]');
  },
);

void test('saved search: the button is beside the number of pets, in reserved space', options, async (t) => {
  for (const width of [375, 768, 1440]) {
    const visit = await openVisit(t, service, { width, language: 'de' });
    const { page } = visit;
    const loading = Promise.withResolvers<void>();
    await page.route(`**/${await chunkOf('mail-matches.tsx')}`, async (route) => {
      await loading.promise;
      await route.continue();
    });
    await visit.open('/?text=rex&species=dog&age=baby');
    const filters = page.getByRole('list', { name: 'Aktive Filter' });
    const placeOf = async () => ((await filters.count()) > 0 ? filters.boundingBox() : null);
    await page.locator('#results').getByText(/Tier/).waitFor();
    const before = await placeOf();
    loading.resolve();
    const button = page.getByRole('button', { name: 'Neue Treffer per E-Mail' });
    await button.waitFor();
    assert.deepEqual(await placeOf(), before, `${width} px`);
    const [box, count] = [await button.boundingBox(), await page.locator('#results').boundingBox()];
    assert.ok(box && count && box.y < count.y + count.height && box.x + box.width <= width, `${width} px`);
    assert.equal(await button.evaluate((each) => each.scrollWidth <= each.clientWidth), true, `${width} px`);
    assert.ok(box.height < 50, 'the text is on one line');
    await checkState(page, `button for new matches at ${width} px`);
  }
});

void test('saved search: no button without filters', options, async (t) => {
  const visit = await openVisit(t, service);
  await visit.open('/');
  await visit.waitForIdle();
  assert.equal(await visit.page.getByRole('button', { name: 'Mail me new matches' }).count(), 0);
});
