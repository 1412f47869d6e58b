import assert from 'node:assert/strict';
import { after, test, type TestContext } from 'node:test';
import { clientOf } from '../support/client.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';
import { checkAccessibility } from './support/accessibility.ts';
import { skipWithoutBrowser } from './support/browser.ts';
import { addPet, patchPet } from './support/stock.ts';
import { openVisit, type Visit } from './support/visit.ts';

/*
 * What others change appears in the pages of staff by itself.
 */

const service = await startSecuredService({ after }, { web: true });
const call = clientOf(service.base);
const root = bearer(await logIn(call, 'root'));

/** A change is to be seen this soon after it was made. */
const SEEN_WITHIN_MS = 2000;

void test('a list shows what others change, add and remove', { skip: skipWithoutBrowser }, async (t) => {
  const rex = await addPet(call, { name: 'Rex', category: { name: 'Live' }, status: 'available' }, root);
  const visit = await openFollowing(t, '/?category=Live&sort=name');
  const cards = visit.page.getByRole('article');
  await cards.filter({ hasText: 'Rex' }).waitFor();
  await patchPet(call, rex, { name: 'Rex the Great', status: 'sold' }, root);
  await cards.filter({ hasText: 'Rex the Great' }).filter({ hasText: 'Adopted' }).waitFor({ timeout: SEEN_WITHIN_MS });
  const place = () => cards.filter({ hasText: 'Rex' }).boundingBox();
  const before = await place();
  const ada = await addPet(call, { name: 'Ada', category: { name: 'Live' } }, root);
  const newPet = visit.page.getByRole('button', { name: '1 new pet', exact: true });
  await newPet.waitFor();
  assert.deepEqual(await place(), before, 'no card moves by itself');
  await checkAccessibility(visit.page, 'The catalogue with a new pet of others');
  // What others add and delete moves cards once it is shown.
  await visit.moving(async () => {
    await newPet.click();
    await cards.first().filter({ hasText: 'Ada' }).waitFor();
    await newPet.waitFor({ state: 'detached' });
    await call('DELETE', `pet/${ada}`, { headers: root });
    await cards.filter({ hasText: 'Ada' }).waitFor({ state: 'detached' });
  });
});

void test('a page that is up to date is not read again', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Ida', category: { name: 'Still' } }, root);
  const visit = await openVisit(t, service, { signedInAs: 'edna' });
  const { page } = visit;
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  const told = page.waitForResponse('**/v2/events*');
  await visit.open('/?category=Still');
  await page.getByRole('article').filter({ hasText: 'Ida' }).waitFor();
  await told;
  await page.waitForTimeout(1000);
  assert.deepEqual(
    asked.filter((path) => path.startsWith('/v2/pet')),
    [],
  );
  await patchPet(call, id, { name: 'Ida the Great' }, root);
  await page.getByRole('article').filter({ hasText: 'Ida the Great' }).waitFor({ timeout: SEEN_WITHIN_MS });
});

void test('what changes before a page follows is told to it', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Uma' }, root);
  const visit = await openVisit(t, service, { signedInAs: 'edna' });
  const { page } = visit;
  const held = Promise.withResolvers<void>();
  await page.route('**/v2/events*', async (route) => {
    await held.promise;
    await route.continue();
  });
  await visit.open(`/pets/${id}`);
  await page.getByRole('heading', { name: 'Uma', level: 1 }).waitFor();
  await patchPet(call, id, { name: 'Uma the Great' }, root);
  held.resolve();
  await page.getByRole('heading', { name: 'Uma the Great', level: 1 }).waitFor();
});

void test('the page of a pet shows what others change', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Bo' }, root);
  const visit = await openFollowing(t, `/pets/${id}`);
  await visit.page.getByRole('heading', { name: 'Bo', level: 1 }).waitFor();
  await patchPet(call, id, { name: 'Bo the Great' }, root);
  await visit.page.getByRole('heading', { name: 'Bo the Great', level: 1 }).waitFor({ timeout: SEEN_WITHIN_MS });
});

void test('an open form tells what others change', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Kim' }, root);
  const visit = await openFollowing(t, `/pets/${id}/edit`);
  await visit.page.getByLabel('Name').fill('Kim, as I call her');
  await patchPet(call, id, { category: { name: 'Dogs' } }, root);
  await visit.page
    .getByText('root has changed this pet meanwhile. These fields were updated in the form: Category.')
    .waitFor();
  assert.equal(await visit.page.getByLabel('Name').inputValue(), 'Kim, as I call her');
});

void test(
  'an open form says so when the same user has changed the pet elsewhere',
  {
    skip: skipWithoutBrowser,
  },
  async (t) => {
    const id = await addPet(call, { name: 'Lou' }, root);
    const visit = await openFollowing(t, `/pets/${id}/edit`);
    const { page } = visit;
    await page.getByLabel('Name').fill('Lou of this tab');
    const edna = bearer(await logIn(call, 'edna'));
    await patchPet(call, id, { name: 'Lou of another tab' }, edna);
    await page.getByText('You have changed this pet elsewhere, for example in another tab.').waitFor();
    await page.getByText('You have typed something else here: Name.').waitFor();
    await page.getByRole('button', { name: 'Compare now' }).click();
    const dialog = page.getByRole('dialog', { name: 'These changes overlap' });
    await dialog.getByText(/^You have saved a change elsewhere/).waitFor();
    await checkAccessibility(page, 'The comparison with a change of the same user');
  },
);

void test('a page that was hidden learns what it has missed', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Zoe' }, root);
  const visit = await openFollowing(t, `/pets/${id}`);
  const { page } = visit;
  await page.getByRole('heading', { name: 'Zoe', level: 1 }).waitFor();
  const ended = page.waitForEvent('requestfailed', (request) => request.url().includes('/v2/events'));
  await setVisibility(visit, 'hidden');
  await ended;
  await patchPet(call, id, { name: 'Zoe the Great' }, root);
  const begun = page.waitForRequest('**/v2/events*');
  await setVisibility(visit, 'visible');
  await begun;
  await page.getByRole('heading', { name: 'Zoe the Great', level: 1 }).waitFor({ timeout: SEEN_WITHIN_MS });
});

void test('who may only look follows nothing', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, service, { signedInAs: 'vera' });
  const asked: string[] = [];
  visit.page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await visit.open('/');
  // Staff begin a second after the page is there.
  await visit.page.waitForTimeout(2500);
  assert.ok(asked.includes('/'));
  assert.equal(asked.includes('/v2/events'), false);
});

/** Opens a page as an editor, and waits until it follows the changes. */
async function openFollowing(t: TestContext, path: string): Promise<Visit> {
  const visit = await openVisit(t, service, { signedInAs: 'edna' });
  const followed = visit.page.waitForResponse('**/v2/events*');
  await visit.open(path);
  assert.equal((await followed).status(), 200);
  return visit;
}

/** As where another tab comes to the front. */
async function setVisibility({ page }: Visit, state: DocumentVisibilityState): Promise<void> {
  await page.evaluate((value) => {
    Object.defineProperty(document, 'visibilityState', { value, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, state);
}
