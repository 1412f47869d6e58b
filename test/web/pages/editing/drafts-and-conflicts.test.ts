import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { PASSWORDS } from '../../../support/secured.ts';
import { checkAccessibility } from '../../support/accessibility.ts';
import { skipWithoutBrowser } from '../../support/browser.ts';
import { addPet, patchPet, readPet, startStaffedService } from '../../support/stock.ts';
import { openVisit } from '../../support/visit.ts';

/*
 * No input is lost: by leaving, a crash, a lost connection, or a user who edits the same pet.
 */

const { service, call, root } = await startStaffedService({ after });
const skip = skipWithoutBrowser;

/** Blocks change events, so that the page does not know of other changes before it saves. */
async function withoutEvents(page: Page): Promise<void> {
  await page.route('**/v2/events*', (route) => route.abort());
}

void test('leaving: unsaved changes need a confirmation', { skip }, async (t) => {
  const id = await addPet(call, { name: 'Guarded' }, root);
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  const { page } = visit;
  await visit.open(`/pets/${id}/edit`);
  await page.getByLabel('Name').fill('Half typed');
  await page.getByRole('link', { name: 'Cancel' }).click();
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
  await dialog.waitFor();
  await checkAccessibility(page, 'The confirmation before leaving');
  await dialog.getByRole('button', { name: 'Keep editing' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await page.getByLabel('Name').inputValue(), 'Half typed');
  await page.getByRole('link', { name: 'Cancel' }).click();
  await dialog.getByRole('button', { name: 'Leave without saving' }).click();
  await page.getByRole('heading', { name: 'Guarded', exact: true }).waitFor();
  await visit.open(`/pets/${id}/edit`);
  await page.getByLabel('Name').waitFor();
  assert.equal(await page.getByText('You have an unsaved draft').count(), 0);
});

void test('draft: offered after a reload, and deleted after saving', { skip }, async (t) => {
  const id = await addPet(call, { name: 'Crashed', tags: ['old'] }, root);
  const visit = await openVisit(t, service, { loggedInAs: 'edna', theme: 'dark' });
  const { page } = visit;
  page.on('dialog', (dialog) => void dialog.accept());
  await visit.open(`/pets/${id}/edit`);
  await page.getByLabel('Name').fill('Recovered');
  await page.getByLabel('Tags', { exact: true }).fill('half a tag');
  await page.reload();
  await page.getByText('You have an unsaved draft').waitFor();
  assert.equal(await page.getByLabel('Name').inputValue(), 'Crashed');
  await checkAccessibility(page, 'The offer of a draft');
  await page.getByRole('button', { name: 'Continue editing' }).click();
  assert.equal(await page.getByLabel('Name').inputValue(), 'Recovered');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Recovered', exact: true }).waitFor();
  const { name, tags } = await readPet(call, id);
  assert.deepEqual({ name, tags }, { name: 'Recovered', tags: [{ name: 'old' }, { name: 'half a tag' }] });
  await visit.open(`/pets/${id}/edit`);
  await page.getByLabel('Name').waitFor();
  assert.equal(await page.getByText('You have an unsaved draft').count(), 0);
});

void test('draft: not offered to another user of the browser', { skip }, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  const { page } = visit;
  page.on('dialog', (dialog) => void dialog.accept());
  await visit.open('/pets/new');
  await page.getByLabel('Name').fill('Secret');
  await page.reload();
  await page.getByText('You have an unsaved draft').waitFor();
  await visit.context.clearCookies();
  const response = await visit.context.request.post('/v2/user/login', {
    data: { username: 'root', password: PASSWORDS['root'] },
  });
  assert.equal(response.status(), 200);
  await visit.open('/pets/new');
  await page.getByLabel('Name').waitFor();
  assert.equal(await page.getByText('You have an unsaved draft').count(), 0);
});

void test('offline: the input stays, and can be saved once the network is back', { skip }, async (t) => {
  const id = await addPet(call, { name: 'Connected' }, root);
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  visit.expect(/ERR_INTERNET_DISCONNECTED/);
  const { page, context } = visit;
  // With all of its code. The browser would remember that it could not load a module, until the page is reloaded.
  await visit.openFollowing(`/pets/${id}/edit`);
  await page.getByLabel('Name').fill('Alone');
  await context.setOffline(true);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Your changes are still here; save again when you are back online.').waitFor();
  assert.equal(await page.getByLabel('Name').inputValue(), 'Alone');
  await context.setOffline(false);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Alone', exact: true }).waitFor();
  assert.equal((await readPet(call, id)).name, 'Alone');
});

void test('conflict in the same field: shows both versions and lets the user choose', { skip }, async (t) => {
  const id = await addPet(call, { name: 'Before', tags: ['one'], status: 'available' }, root);
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  visit.expect(/status of 412/);
  visit.allow(/events/);
  const { page } = visit;
  await withoutEvents(page);
  await visit.open(`/pets/${id}/edit`);
  await page.getByLabel('Name').fill('Mine');
  await page.getByLabel('Tags', { exact: true }).fill('two,');
  await patchPet(call, id, { name: 'Theirs', tags: ['one', 'three'], status: 'sold' }, root);
  await page.getByRole('button', { name: 'Save' }).click();
  const dialog = page.getByRole('dialog', { name: 'Conflicting changes' });
  await dialog.getByText('root saved changes').waitFor();
  const name = dialog.getByRole('group', { name: 'Name' });
  await name.getByText('Original: Before').waitFor();
  assert.ok(await name.getByRole('radio', { name: 'Your version Mine' }).isChecked());
  await checkAccessibility(page, 'The conflict');
  await name.getByRole('radio', { name: 'Saved version Theirs' }).check();
  const tags = dialog.getByRole('group', { name: 'Tags' });
  assert.ok(await tags.getByRole('radio', { name: 'Both combined one, three, two' }).isChecked());
  await dialog.getByText('Available → Adopted').waitFor();
  await dialog.getByRole('button', { name: 'Save selection' }).click();
  await page.getByRole('heading', { name: 'Theirs', exact: true }).waitFor();
  const pet = await readPet(call, id);
  assert.deepEqual(
    { name: pet.name, tags: pet.tags, status: pet.status },
    { name: 'Theirs', tags: [{ name: 'one' }, { name: 'three' }, { name: 'two' }], status: 'sold' },
  );
});

void test('conflict in different fields: both changes are saved', { skip }, async (t) => {
  const id = await addPet(call, { name: 'Before', status: 'available' }, root);
  const visit = await openVisit(t, service, { loggedInAs: 'edna', width: 375 });
  visit.expect(/status of 412/);
  visit.allow(/events/);
  const { page } = visit;
  await withoutEvents(page);
  await visit.open(`/pets/${id}/edit`);
  await page.getByLabel('Name').fill('Mine');
  await patchPet(call, id, { status: 'pending' }, root);
  await page.getByRole('button', { name: 'Save' }).click();
  const dialog = page.getByRole('dialog', { name: 'This pet has newer changes' });
  await dialog.getByText('The changes affect different fields, so you can save both.').waitFor();
  await dialog.getByRole('button', { name: 'Save both' }).click();
  await page.getByRole('heading', { name: 'Mine', exact: true }).waitFor();
  const { name, status } = await readPet(call, id);
  assert.deepEqual({ name, status }, { name: 'Mine', status: 'pending' });
});
