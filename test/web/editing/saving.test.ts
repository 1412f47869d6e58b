import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { clientOf } from '../../support/client.ts';
import { bearer, logIn, startSecuredService } from '../../support/secured.ts';
import { checkAccessibility } from '../support/accessibility.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { addPet, endSessions } from '../support/stock.ts';
import { openVisit } from '../support/visit.ts';
import { PASSWORDS } from '../../support/secured.ts';

/*
 * The form of a pet, as those use it who add and change pets.
 */

const service = await startSecuredService({ after }, { web: true });
const call = clientOf(service.base);
const root = bearer(await logIn(call, 'root'));
const skip = skipWithoutBrowser;

async function findPets(text: string): Promise<{ pets: Record<string, unknown>[] }> {
  const answer = await call('GET', `pet?text=${text}`);
  return JSON.parse(answer.text) as { pets: Record<string, unknown>[] };
}

void test(
  'a pet is added by keyboard alone, with the ids of a category and a tag that others have',
  { skip },
  async (t) => {
    await addPet(call, { name: 'First', category: { id: 7, name: 'Ferrets' }, tags: [{ id: 9, name: 'quick' }] }, root);
    const visit = await openVisit(t, service, { signedInAs: 'edna' });
    const { page } = visit;
    await visit.open('/pets/new');
    const press = (key: string) => page.keyboard.press(key);
    await page.getByLabel('Name').focus();
    await page.keyboard.type('Slinky');
    await press('Tab');
    await press('ArrowRight');
    assert.ok(await page.getByRole('radio', { name: 'Pending' }).isChecked());
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
    const tags = page.getByRole('list', { name: 'Chosen tags' });
    await tags.getByText('brand new').waitFor();
    await press('Shift+Tab');
    await press('ArrowLeft');
    await press('Delete');
    assert.deepEqual(await tags.getByRole('listitem').allInnerTexts(), ['quick', 'brand new']);
    await press('Control+Enter');
    await page.getByRole('heading', { name: 'Slinky', exact: true }).waitFor();
    const { pets } = await findPets('Slinky');
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

void test('what is wrong is told while one types and above the form, and the focus goes there', { skip }, async (t) => {
  const visit = await openVisit(t, service, { signedInAs: 'edna' });
  const { page } = visit;
  await visit.open('/pets/new');
  const name = page.getByLabel('Name');
  const tags = page.getByLabel('Tags', { exact: true });
  await name.fill('x'.repeat(256));
  await page.getByText('This is too long: at most 255 characters.').waitFor();
  assert.equal(await name.getAttribute('aria-invalid'), 'true');
  await name.fill('');
  await page.getByText('A pet needs a name.').waitFor();
  await tags.fill(`${'y'.repeat(256)},`);
  await page.getByRole('button', { name: 'Add the pet' }).click();
  const notice = page.getByRole('heading', { name: '2 things are not right yet' });
  await notice.waitFor();
  assert.ok(await notice.evaluate((heading) => document.activeElement?.contains(heading)));
  await checkAccessibility(page, 'The form with mistakes');
  await page.getByRole('link', { name: 'Name: A pet needs a name.' }).click();
  assert.ok(await name.evaluate((input) => input === document.activeElement));
  await page.keyboard.type('Tidy');
  await page.getByText('A pet needs a name.').waitFor({ state: 'detached' });
  assert.equal((await findPets('Tidy')).pets.length, 0);
});

void test('what the service refuses stands at its field, in the language of the page', { skip }, async (t) => {
  const id = await addPet(call, { name: 'Refused' }, root);
  const visit = await openVisit(t, service, { signedInAs: 'edna', language: 'de' });
  visit.expect(/status of 400/);
  const { page } = visit;
  await visit.open(`/pets/${id}/edit`);
  const name = page.getByLabel('Name');
  await name.fill('Fein');
  // On its way it becomes something that the form would not have sent: the service itself refuses it.
  await page.route(`**/v2/pet/${id}`, (route) =>
    route.request().method() === 'PATCH' ? route.continue({ postData: '{"name":""}' }) : route.continue(),
  );
  await page.getByRole('button', { name: 'Speichern' }).click();
  await page.locator('p', { hasText: 'Der Dienst lehnt das ab: must be a string of 1 to 255' }).waitFor();
  assert.ok(await name.evaluate((input) => input === document.activeElement));
  await page.unroute(`**/v2/pet/${id}`);
  await page.keyboard.type('er');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Feiner', exact: true }).waitFor();
});

void test('a double click makes one pet, and so does an answer that is lost on its way', { skip }, async (t) => {
  const visit = await openVisit(t, service, { signedInAs: 'edna' });
  visit.expect(/ERR_FAILED/);
  const { page } = visit;
  await visit.open('/pets/new');
  await page.getByLabel('Name').fill('Twinless');
  let lost = 0;
  await page.route('**/v2/pet', async (route) => {
    if (route.request().method() !== 'POST' || lost > 3) return route.continue();
    lost += 1;
    await route.fetch();
    return route.abort();
  });
  await page.getByRole('button', { name: 'Add the pet' }).dblclick();
  await page.getByText('The service could not be reached, or did not answer.').waitFor();
  assert.equal(lost, 3);
  // Somebody thinks it did not work, and changes the name before they try again.
  lost = 4;
  await page.getByLabel('Name').fill('Twinless indeed');
  await page.getByRole('button', { name: 'Add the pet' }).click();
  await page.getByRole('heading', { name: 'Twinless indeed', exact: true }).waitFor();
  const { pets } = await findPets('Twinless');
  assert.deepEqual(
    pets.map(({ name }) => name),
    ['Twinless indeed'],
  );
});

void test('several pets are added one after the other', { skip }, async (t) => {
  const visit = await openVisit(t, service, { signedInAs: 'edna', width: 375 });
  const { page } = visit;
  await visit.open('/pets/new');
  for (const name of ['Litter one', 'Litter two']) {
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Category').fill('Guinea pigs');
    await page.getByRole('button', { name: 'Add, then another' }).click();
    await page.getByText(`${name} is added.`).waitFor();
    assert.equal(await page.getByLabel('Name').inputValue(), '');
    assert.equal(await page.getByLabel('Category').inputValue(), 'Guinea pigs');
    assert.ok(await page.getByLabel('Name').evaluate((input) => input === document.activeElement));
  }
  assert.equal((await findPets('Litter')).pets.length, 2);
});

void test('whose session ends while they type logs in again in place, and then it is saved', { skip }, async (t) => {
  const id = await addPet(call, { name: 'Sleepy' }, root);
  const visit = await openVisit(t, service, { signedInAs: 'edna' });
  visit.expect(/status of 401/);
  const { page } = visit;
  await visit.open(`/pets/${id}/edit`);
  await page.getByLabel('Name').fill('Wide awake');
  await endSessions(call, 'edna', root);
  await page.getByRole('button', { name: 'Save' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  // Not now: everything is still there, and the next try asks again.
  await page.keyboard.press('Escape');
  await page.getByText('Your session is over.').waitFor();
  assert.equal(await page.getByLabel('Name').inputValue(), 'Wide awake');
  await page.getByRole('button', { name: 'Save' }).click();
  await dialog.locator('input[type=password]').fill(PASSWORDS['edna'] ?? '');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Wide awake', exact: true }).waitFor();
});

void test('who may not change pets is told what to do about it', { skip }, async (t) => {
  const stranger = await openVisit(t, service);
  await stranger.open('/pets/new');
  const login = stranger.page.getByRole('main').getByRole('link', { name: 'Log in' });
  assert.equal(await login.getAttribute('href'), '/login?to=%2Fpets%2Fnew');
  await checkAccessibility(stranger.page, 'The form for strangers');
  const viewer = await openVisit(t, service, { signedInAs: 'vera' });
  await viewer.open('/pets/new');
  await viewer.page.getByRole('heading', { name: 'Your role does not allow this' }).waitFor();
});
