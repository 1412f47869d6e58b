import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { PASSWORDS } from '../../../support/secured.ts';
import { checkAccessibility } from '../../support/accessibility.ts';
import { skipWithoutBrowser } from '../../support/browser.ts';
import { checkFocus } from '../../support/keyboard.ts';
import { addPet, endSessions, startStaffedService } from '../../support/stock.ts';
import { openVisit } from '../../support/visit.ts';
import { waitForValue } from '../../support/waiting.ts';

/*
 * The form of a pet.
 */

const { service, call, root } = await startStaffedService({ after });
const skip = skipWithoutBrowser;

async function findPets(text: string, headers = {}): Promise<{ pets: Record<string, unknown>[] }> {
  const response = await call('GET', `pet?text=${text}`, { headers });
  return JSON.parse(response.text) as { pets: Record<string, unknown>[] };
}

void test(
  'new pet: added by keyboard alone, with the IDs that other pets use for a category and a tag',
  { skip },
  async (t) => {
    await addPet(call, { name: 'First', category: { id: 7, name: 'Ferrets' }, tags: [{ id: 9, name: 'quick' }] }, root);
    const visit = await openVisit(t, service, { loggedInAs: 'edna' });
    const { page } = visit;
    await visit.open('/pets/new');
    const press = (key: string) => page.keyboard.press(key);
    await page.getByLabel('Name').focus();
    await page.keyboard.type('Slinky');
    await press('Tab');
    await press('ArrowRight');
    await page.getByRole('radio', { name: 'Pending', checked: true }).waitFor();
    await press('Tab');
    await page.keyboard.type('fer');
    await page.getByRole('option', { name: 'Ferrets 1 pet' }).waitFor();
    await press('ArrowDown');
    await press('Enter');
    await press('Tab');
    await page.keyboard.type('qui');
    await page.getByRole('option', { name: 'quick 1 pet' }).waitFor();
    await press('ArrowDown');
    await press('Enter');
    await page.keyboard.type('mistake, brand new,');
    const tags = page.getByRole('list', { name: 'Selected tags' });
    await tags.getByText('brand new').waitFor();
    await press('Shift+Tab');
    await press('ArrowLeft');
    await press('Delete');
    await waitForValue(() => tags.getByRole('listitem').allInnerTexts(), ['quick', 'brand new']);
    await press('Control+Enter');
    await page.getByRole('heading', { name: 'Slinky', exact: true }).waitFor();
    const { pets } = await findPets('Slinky', root);
    assert.deepEqual(
      pets.map(({ category, name, photoUrls, tags, status }) => ({ category, name, photoUrls, tags, status })),
      [
        {
          category: { id: 7, name: 'Ferrets' },
          name: 'Slinky',
          photoUrls: [],
          tags: [{ id: 9, name: 'quick' }, { name: 'brand new' }],
          status: 'pending',
        },
      ],
    );
  },
);

void test('validation: problems appear while typing and above the form, which gets focus', { skip }, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  const { page } = visit;
  await visit.open('/pets/new');
  const name = page.getByLabel('Name');
  const tags = page.getByLabel('Tags', { exact: true });
  // A filled field is no input of a user, whose shifts do not count.
  await visit.expectShifts(async () => {
    await name.fill('x'.repeat(256));
    await page.getByText('Too long: use at most 255 characters.').waitFor();
  });
  assert.equal(await name.getAttribute('aria-invalid'), 'true');
  await name.fill('');
  await page.getByText('Enter a name.').waitFor();
  await tags.fill(`${'y'.repeat(256)},`);
  await page.getByRole('button', { name: 'Publish' }).click();
  const notice = page.getByRole('heading', { name: 'Fix 2 problems to save' });
  await notice.waitFor();
  await page.locator(':focus', { has: notice }).waitFor();
  await checkAccessibility(page, 'The form with problems');
  await page.getByRole('link', { name: 'Name: Enter a name.' }).click();
  await checkFocus(page, name);
  await page.keyboard.type('Tidy');
  await page.getByText('Enter a name.').waitFor({ state: 'detached' });
  assert.equal((await findPets('Tidy')).pets.length, 0);
});

void test('validation: a problem from the service is shown at its field and translated', { skip }, async (t) => {
  const id = await addPet(call, { name: 'Refused' }, root);
  const visit = await openVisit(t, service, { loggedInAs: 'edna', language: 'de' });
  visit.expect(/status of 400/);
  const { page } = visit;
  await visit.open(`/pets/${id}/edit`);
  const name = page.getByLabel('Name');
  await name.fill('Fein');
  // The request is changed on its way, so that the service refuses it.
  await page.route(`**/v2/pet/${id}`, (route) =>
    route.request().method() === 'PATCH' ? route.continue({ postData: '{"name":""}' }) : route.continue(),
  );
  await page.getByRole('button', { name: 'Speichern' }).click();
  await page.locator('p', { hasText: 'Vom Server nicht akzeptiert: must be a string of 1 to 255' }).waitFor();
  await checkFocus(page, name);
  await page.unroute(`**/v2/pet/${id}`);
  await page.keyboard.type('er');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Feiner', exact: true }).waitFor();
});

void test('new pet: a double click, a lost response or a 409 creates no second pet', { skip }, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  visit.expect(/ERR_FAILED|status of 409/);
  const { page } = visit;
  await visit.open('/pets/new');
  await page.getByLabel('Name').fill('Twinless');
  let lost = 0;
  let isLosing = true;
  await page.route('**/v2/pet', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    lost += 1;
    await route.fetch();
    return isLosing ? route.abort() : route.fulfill({ status: 409, headers: { 'retry-after': '0' }, json: {} });
  });
  await page.getByRole('button', { name: 'Publish' }).dblclick();
  await page.getByText("The server couldn't be reached or didn't respond.").waitFor();
  assert.equal(lost, 3);
  isLosing = false;
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByText('The server is busy or starting up.').waitFor();
  assert.equal(lost, 6);
  // The user believes that it failed, and changes the name before the next attempt.
  await page.unroute('**/v2/pet');
  await page.getByLabel('Name').fill('Twinless indeed');
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('heading', { name: 'Twinless indeed', exact: true }).waitFor();
  const { pets } = await findPets('Twinless');
  assert.deepEqual(
    pets.map(({ name }) => name),
    ['Twinless indeed'],
  );
});

void test('new pet: Enter in a field adds nothing, and two buttons say what is added', { skip }, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'edna', width: 375 });
  const { page } = visit;
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(request.method());
  });
  await visit.open('/pets/new');
  await page.getByLabel('Name').fill('Halfway');
  for (const label of ['Name', 'Category', 'Weight', 'Microchip']) await page.getByLabel(label).press('Enter');
  await page.getByLabel('Species').selectOption('Dog');
  await visit.waitForIdle();
  assert.deepEqual(sent, []);
  await checkAccessibility(page, 'A new pet');
  await page.getByRole('button', { name: 'Save as draft' }).click();
  await page.getByText('Halfway was saved as a draft.').waitFor();
  await page.getByText('Draft: only staff see it').waitFor();
  assert.equal((await findPets('Halfway')).pets.length, 0);
  await visit.open('/pets/new');
  await page.getByLabel('Name').fill('Whole');
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByText('Whole was published.').waitFor();
  assert.equal((await findPets('Whole')).pets.length, 1);
});

void test('new pet: several can be added one after the other', { skip }, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'edna', width: 375 });
  const { page } = visit;
  await visit.open('/pets/new');
  for (const name of ['Litter one', 'Litter two']) {
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Category').fill('Guinea pigs');
    await page.getByLabel('Add another afterwards').check();
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText(`${name} was published.`).waitFor();
    await waitForValue(() => page.getByLabel('Name').inputValue(), '');
    assert.equal(await page.getByLabel('Category').inputValue(), 'Guinea pigs');
    await checkFocus(page, page.getByLabel('Name'));
  }
  assert.equal((await findPets('Litter')).pets.length, 2);
});

void test('expired session: the user logs in again in place, and the form is saved', { skip }, async (t) => {
  const id = await addPet(call, { name: 'Sleepy' }, root);
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  visit.expect(/status of 401/);
  const { page } = visit;
  await visit.open(`/pets/${id}/edit`);
  await page.getByLabel('Name').fill('Wide awake');
  await endSessions(call, 'edna', root);
  await page.getByRole('button', { name: 'Save' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  // After a cancelled login, the input is still there, and the next attempt asks again.
  await page.keyboard.press('Escape');
  await page.getByText('Your session has expired. Your changes are still here').waitFor();
  assert.equal(await page.getByLabel('Name').inputValue(), 'Wide awake');
  await page.getByRole('button', { name: 'Save' }).click();
  await dialog.locator('input[type=password]').fill(PASSWORDS['edna'] ?? '');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Wide awake', exact: true }).waitFor();
});

void test('access: users who may not change pets see why', { skip }, async (t) => {
  const anonymous = await openVisit(t, service);
  await anonymous.open('/pets/new');
  const login = anonymous.page.getByRole('main').getByRole('link', { name: 'Log in' });
  assert.equal(await login.getAttribute('href'), '/login?to=%2Fpets%2Fnew');
  await checkAccessibility(anonymous.page, 'The form for anonymous users');
  const viewer = await openVisit(t, service, { loggedInAs: 'vera' });
  await viewer.open('/pets/new');
  await viewer.page.getByRole('heading', { name: 'Access denied' }).waitFor();
});
