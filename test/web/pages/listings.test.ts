import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFtpReceiver } from '../../support/ftp-receiver.ts';
import { bearer, logIn, startSecuredService } from '../../support/secured.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { keepScreenshot } from '../support/screenshots.ts';
import { openVisit } from '../support/visit.ts';

/* The pages with the sites that list pets. */

const service = await startSecuredService({ after }, { web: true, flags: ['--empty'] });
const { call } = service;
const headers = bearer(await logIn(call, 'root'));
const options = { skip: skipWithoutBrowser };

const PROFILE = { species: 'dog', breedPrimary: 'Boxer', sex: 'female', size: 'M', birthDate: '2024-01-31' };

async function addPet(id: number, name: string, profile: object): Promise<void> {
  await call('POST', 'pet', { headers, json: { id, name, status: 'available' } });
  await call('PUT', `pet/${id}/profile`, { headers, json: profile });
}

async function idsIn(address: string): Promise<readonly string[]> {
  const text = await (await fetch(address)).text();
  return [...text.matchAll(/^"(\d+)"/gm)].map(([, id = '']) => id);
}

await addPet(5, 'Luna', PROFILE);
await addPet(6, 'Rex', { ...PROFILE, breedPrimary: 'Wolpertinger', sex: null });

void test('listings: a site is switched on, gets a key and the pets that staff lets in', options, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'root' });
  const { page } = visit;
  await visit.open('/admin/listings');
  await page.getByRole('link', { name: 'Petfinder' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Petfinder' }).waitFor();
  await page.getByText('The site does not know the breed Wolpertinger.').waitFor();
  await page.getByText('The sex is missing.').waitFor();
  await keepScreenshot(page, 'listing 1440 light');
  await visit.expectShifts(async () => {
    await page.getByRole('button', { name: 'Switch on' }).press('Enter');
    await page.getByText('The site gets the pets below.').waitFor();
    await page.getByRole('button', { name: 'Create key' }).press('Enter');
    const dialog = page.getByRole('dialog');
    const address = await dialog.getByLabel('Address').inputValue();
    assert.match(address, /\/v2\/feeds\/petfinder\/pets\.csv\?key=mgf_[\w-]{43}$/);
    await dialog.getByRole('button', { name: 'Done' }).click();
    // The key is shown once.
    await page.waitForFunction(() => !document.documentElement.outerHTML.includes('mgf_'));
    assert.deepEqual(await idsIn(address), ['5']);
    await page.getByRole('button', { name: 'Keep out: Luna' }).press('Enter');
    await page.getByRole('button', { name: 'Let in: Luna' }).waitFor();
    assert.deepEqual(await idsIn(address), []);
    // With the mouse: a second Enter within half a second is taken for a repeated one.
    await page.getByRole('button', { name: 'Let in: Luna' }).click();
    await page.getByRole('button', { name: 'Keep out: Luna' }).waitFor();
    assert.deepEqual(await idsIn(address), ['5']);
    await page.getByRole('button', { name: 'Revoke key' }).press('Enter');
    await page.getByText('There is no key yet').waitFor();
    assert.equal((await fetch(address)).status, 401);
  });
});

void test('listings: the page is in German as well, and only for administrators', options, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'root', language: 'de' });
  await visit.open('/admin/listings/adoptapet');
  await visit.page.getByText('Das Portal kennt die Rasse Wolpertinger nicht.').waitFor();
  const editor = await openVisit(t, service, { loggedInAs: 'edna' });
  await editor.open('/admin/listings');
  assert.equal(await editor.page.getByRole('link', { name: 'Petfinder' }).count(), 0);
});

void test('listings: an upload that failed is shown, and repeated on demand', options, async (t) => {
  const state = { isFull: true };
  const receiver = await startFtpReceiver(t, (line) =>
    state.isFull && line.startsWith('STOR') ? '452 No space left' : undefined,
  );
  const uploading = await startSecuredService(t, {
    web: true,
    flags: ['--empty', '--public-url', 'http://localhost', '--open-upload-url', receiver.url],
  });
  const admin = bearer(await logIn(uploading.call, 'root'));
  await uploading.call('PATCH', 'admin/listings/open', { headers: admin, json: { on: true } });
  const visit = await openVisit(t, uploading, { loggedInAs: 'root' });
  const { page } = visit;
  await visit.open('/admin/listings/open');
  await page.getByText('Changes are not uploaded yet.').waitFor();
  await page.getByText('452 No space left').waitFor();
  state.isFull = false;
  await page.getByRole('button', { name: 'Upload now' }).click();
  await page.getByText(/^Last upload .+: 0 pets\.$/).waitFor();
  await page.getByText('Changes are not uploaded yet.').waitFor({ state: 'detached' });
  assert.ok(receiver.files.has('pets.json'));
});
