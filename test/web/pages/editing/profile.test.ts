import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { checkAccessibility } from '../../support/accessibility.ts';
import { followEvents } from '../../../support/event-client.ts';
import { skipWithoutBrowser } from '../../support/browser.ts';
import { checkFocus } from '../../support/keyboard.ts';
import { addPet, startStaffedService } from '../../support/stock.ts';
import { openVisit } from '../../support/visit.ts';
import { waitForValue } from '../../support/waiting.ts';

/*
 * The profile in the form of a pet.
 */

const { service, call, root } = await startStaffedService({ after });
const skip = skipWithoutBrowser;

const OWN_FIELDS = [
  { key: 'walker', type: 'text', label: { en: 'Dog walker', de: 'Gassigeher' }, isPublic: false },
  { key: 'isLoud', type: 'yes-no-unknown', label: { en: 'Barks a lot', de: 'Bellt viel' }, isPublic: true },
];
await put('own-fields', { fields: OWN_FIELDS });
await put('organisation', { locations: [{ id: 'river', name: 'River house' }] });

async function put(path: string, json: object): Promise<void> {
  const response = await call('PUT', path, { json, headers: root });
  assert.equal(response.status, 200, response.text);
}

async function readProfile(id: string): Promise<Record<string, unknown>> {
  const response = await call('GET', `pet/${id}/profile`, { headers: root });
  assert.equal(response.status, 200, response.text);
  return JSON.parse(response.text) as Record<string, unknown>;
}

async function patchProfile(id: string, json: object): Promise<void> {
  const response = await call('PATCH', `pet/${id}/profile`, { json, headers: root });
  assert.equal(response.status, 200, response.text);
}

void test('profile: saves the changed fields, with own fields and the location', { skip }, async (t) => {
  const id = await addPet(call, { name: 'Rex' }, root);
  await patchProfile(id, { size: 'S', isDeclawed: true, goodWithCats: false });
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  const { page } = visit;
  await visit.open(`/pets/${id}/edit`);
  await page.getByText('3 of 35 facts').waitFor();
  await page.getByLabel('Species').selectOption('Dog');
  await page.getByText('1 stored value is hidden').waitFor();
  assert.equal(await page.getByLabel('Declawed').count(), 0);
  await page.getByText('S up to 10 kg', { exact: false }).waitFor();
  await page.locator('datalist option', { hasText: 'Labrador Retriever' }).first().waitFor({ state: 'attached' });
  await page.getByLabel('Breed', { exact: true }).fill('Labrador Retriever');
  await page.getByLabel('Date of birth', { exact: true }).fill('2024-05-01');
  await page.getByLabel('Weight').fill('12,5');
  await page.getByLabel('Cats', { exact: true }).selectOption('Unknown');
  await page.getByLabel('Location').selectOption('River house');
  await page.getByLabel('Dog walker').fill('Vera');
  await page.getByLabel('Barks a lot').selectOption('No');
  await page.getByRole('radio', { name: 'Draft: only staff see it' }).check();
  await page.getByRole('radio', { name: 'Published: visitors see this pet', checked: false }).waitFor();
  await checkAccessibility(page, 'The profile');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Rex', exact: true }).waitFor();
  await page.getByText('Draft: only staff see it').waitFor();
  assert.deepEqual(await readProfile(id), {
    species: 'dog',
    breedPrimary: 'Labrador Retriever',
    birthDate: '2024-05-01',
    size: 'S',
    weightKg: 12.5,
    isDeclawed: true,
    location: 'river',
    isPublished: false,
    own: { walker: 'Vera', isLoud: false },
  });
});

void test('profile: invalid fields are named above it and focused, those of the service too', { skip }, async (t) => {
  const id = await addPet(call, { name: 'Wrong' }, root);
  const visit = await openVisit(t, service, { loggedInAs: 'edna', language: 'de', theme: 'dark', width: 375 });
  visit.expect(/status of 400/);
  const { page } = visit;
  await visit.open(`/pets/${id}/edit`);
  await page.getByLabel('Gewicht').fill('schwer');
  await page.getByLabel('Währung der Gebühr').fill('Euro');
  const save = page.getByRole('button', { name: 'Speichern' });
  await save.click();
  const notice = page.getByRole('heading', { name: 'Beheben Sie 2 Probleme, um zu speichern' });
  await page.locator(':focus', { has: notice }).waitFor();
  await checkAccessibility(page, 'The profile with problems');
  await page.getByRole('link', { name: 'Gewicht: Geben Sie ein Gewicht' }).click();
  await checkFocus(page, page.getByLabel('Gewicht'));
  await page.keyboard.press('Control+A');
  await page.keyboard.type('3');
  await page.getByLabel('Währung der Gebühr').fill('EUR');
  await page.getByLabel('Geburtsdatum', { exact: true }).fill('2999-01-01');
  await save.click();
  await page.getByRole('heading', { name: 'Beheben Sie 1 Problem' }).waitFor();
  assert.equal(await page.getByLabel('Geburtsdatum', { exact: true }).getAttribute('aria-invalid'), 'true');
  assert.deepEqual(await readProfile(id), {});
});

void test('profile: unsaved input is offered after a reload, together with that of the pet', { skip }, async (t) => {
  const id = await addPet(call, { name: 'Crashed' }, root);
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  const { page } = visit;
  page.on('dialog', (dialog) => void dialog.accept());
  await visit.open(`/pets/${id}/edit`);
  await page.getByLabel('Name').fill('Recovered');
  await page.getByLabel('Microchip').fill('276 098 100');
  await page.reload();
  await page.getByRole('button', { name: 'Continue editing' }).click();
  await waitForValue(() => page.getByLabel('Microchip').inputValue(), '276 098 100');
  await page.keyboard.press('Control+Enter');
  await page.getByLabel('Name').focus();
  await page.keyboard.press('Control+Enter');
  await page.getByRole('heading', { name: 'Recovered', exact: true }).waitFor();
  assert.deepEqual(await readProfile(id), { microchip: '276 098 100' });
  await visit.open(`/pets/${id}/edit`);
  await page.getByLabel('Name').waitFor();
  assert.equal(await page.getByText('You have an unsaved draft').count(), 0);
});

void test('profile: other changes are merged, and a conflict shows both values', { skip }, async (t) => {
  const id = await addPet(call, { name: 'Contested' }, root);
  await patchProfile(id, { size: 'S' });
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  const { page } = visit;
  await visit.openFollowing(`/pets/${id}/edit`);
  await page.getByLabel('Weight').fill('7');
  await page.getByLabel('Name').fill('Contested twice');
  await patchProfile(id, { size: 'M', weightKg: 8, unit: 'A 12' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'The profile has newer changes' }).waitFor();
  await page.getByText('Mine: 7 kg. Saved: 8 kg.').waitFor();
  await checkAccessibility(page, 'The conflict of a profile');
  await page.getByRole('button', { name: 'Keep mine' }).click();
  assert.equal(await page.getByLabel('Weight').inputValue(), '7');
  assert.equal(await page.getByLabel('Kennel, cage or room').inputValue(), 'A 12');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Contested twice', exact: true }).waitFor();
  assert.deepEqual(await readProfile(id), { size: 'M', weightKg: 7, unit: 'A 12' });
});

void test(
  'new pet: a draft is added in one change, and refused fields of its profile are named',
  { skip },
  async (t) => {
    await patchProfile(await addPet(call, { name: 'First' }, root), { externalId: 'A-1' });
    const visit = await openVisit(t, service, { loggedInAs: 'edna' });
    visit.expect(/status of 409/);
    const { page } = visit;
    const changes: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET') changes.push(`${request.method()} ${new URL(request.url()).pathname}`);
    });
    const watcher = followEvents(() => `${service.base}/events`);
    t.after(() => watcher.close());
    await watcher.opened;
    await visit.open('/pets/new');
    await page.getByLabel('Name').fill('Second');
    await page.getByLabel('ID in another system').fill('A-1');
    await page.getByRole('button', { name: 'Save as draft' }).click();
    await page.getByRole('heading', { name: 'Fix 1 problem to save' }).waitFor();
    await page.getByRole('link', { name: /already has the externalId/ }).waitFor();
    assert.deepEqual(changes, ['POST /v2/pet']);
    await page.getByLabel('ID in another system').fill('A-2');
    await page.getByRole('button', { name: 'Save as draft' }).click();
    await page.getByRole('heading', { name: 'Second', exact: true }).waitFor();
    await page.getByText('Draft: only staff see it').waitFor();
    assert.deepEqual(changes, ['POST /v2/pet', 'POST /v2/pet']);
    const last = await addPet(call, { name: 'Third' }, root);
    await waitForValue(async () => watcher.events.length, 1);
    assert.match(watcher.events[0]?.data ?? '', new RegExp(`"id":${last},`));
  },
);

void test('profile: is saved with the pet in one change, which withdraws both', { skip }, async (t) => {
  const id = await addPet(call, { name: 'Shown' }, root);
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  const { page } = visit;
  await visit.open(`/pets/${id}/edit`);
  await page.getByLabel('Name').fill('Withdrawn');
  await page.getByRole('radio', { name: 'Draft: only staff see it' }).check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Withdrawn', exact: true }).waitFor();
  const { text } = await call('GET', `pet/${id}/history`, { headers: root });
  assert.equal((JSON.parse(text) as unknown[]).length, 2);
  assert.doesNotMatch((await call('GET', 'export/pet-history')).text, /Withdrawn/);
});

void test('new pet: twelve animals are entered with the keyboard alone', { skip }, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  const { page } = visit;
  await visit.open('/pets/new');
  const press = async (key: string, times = 1) => {
    for (let time = 0; time < times; time++) await page.keyboard.press(key);
  };
  await page.getByLabel('Name').focus();
  for (let number = 1; number <= 12; number++) {
    await page.keyboard.type(`Kitten ${number}`);
    if (number === 1) {
      while (!(await page.getByLabel('Species').evaluate((element) => element === document.activeElement)))
        await press('Tab');
      await page.keyboard.type('Cat');
    }
    await press('Control+Shift+Enter');
    await page.getByText(`Kitten ${number} was saved as a draft.`).waitFor();
    await checkFocus(page, page.getByLabel('Name'));
    await waitForValue(() => page.getByLabel('Name').inputValue(), '');
    assert.equal(await page.getByLabel('Species').inputValue(), 'cat');
  }
  const response = await call('GET', 'pet?text=Kitten&limit=100', { headers: root });
  const { pets } = JSON.parse(response.text) as { pets: { id: number }[] };
  assert.equal(pets.length, 12);
  for (const { id } of pets) assert.deepEqual(await readProfile(String(id)), { species: 'cat', isPublished: false });
});
