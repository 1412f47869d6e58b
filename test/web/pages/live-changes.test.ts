import assert from 'node:assert/strict';
import { after, test, type TestContext } from 'node:test';
import { bearer, logIn } from '../../support/secured.ts';
import { checkAccessibility } from '../support/accessibility.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { addPet, patchPet, startStaffedService } from '../support/stock.ts';
import { openVisit, type Visit } from '../support/visit.ts';

/*
 * Pages of staff show the changes of other users.
 */

const { service, call, root } = await startStaffedService({ after });

void test('list: shows pets that others change, add and delete', { skip: skipWithoutBrowser }, async (t) => {
  const rex = await addPet(call, { name: 'Rex', category: { name: 'Live' }, status: 'available' }, root);
  const visit = await openFollowing(t, '/?category=Live&sort=name');
  const cards = visit.page.getByRole('article');
  await cards.filter({ hasText: 'Rex' }).waitFor();
  await patchPet(call, rex, { name: 'Rex the Great', status: 'sold' }, root);
  await cards.filter({ hasText: 'Rex the Great' }).filter({ hasText: 'Adopted' }).waitFor();
  // The controls of staff are loaded later.
  await visit.page.getByRole('checkbox', { name: 'Select Rex the Great' }).waitFor({ state: 'attached' });
  await visit.waitForIdle();
  const place = () => cards.filter({ hasText: 'Rex' }).boundingBox();
  const before = await place();
  const ada = await addPet(call, { name: 'Ada', category: { name: 'Live' } }, root);
  const newPet = visit.page.getByRole('button', { name: '1 new pet', exact: true });
  await newPet.waitFor();
  assert.deepEqual(await place(), before, 'no card moves by itself');
  await checkAccessibility(visit.page, 'The catalogue with a new pet of others');
  // New and deleted pets of others move cards once they are shown.
  await visit.expectShifts(async () => {
    await newPet.click();
    await cards.first().filter({ hasText: 'Ada' }).waitFor();
    await newPet.waitFor({ state: 'detached' });
    await call('DELETE', `pet/${ada}`, { headers: root });
    await cards.filter({ hasText: 'Ada' }).waitFor({ state: 'detached' });
  });
});

void test('list: not refetched while it is up to date', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Ida', category: { name: 'Still' } }, root);
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  const { page } = visit;
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  const connected = page.waitForResponse('**/v2/events*');
  await visit.open('/?category=Still');
  await page.getByRole('article').filter({ hasText: 'Ida' }).waitFor();
  await connected;
  // The start of the stream would start the requests, which are waited for.
  await visit.waitForIdle();
  assert.deepEqual(
    asked.filter((path) => path.startsWith('/v2/pet')),
    [],
  );
  await patchPet(call, id, { name: 'Ida the Great' }, root);
  await page.getByRole('article').filter({ hasText: 'Ida the Great' }).waitFor();
});

void test('page of a pet: shows a change made before it follows events', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Uma' }, root);
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
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

void test('page of a pet: shows changes of other users', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Bo' }, root);
  const visit = await openFollowing(t, `/pets/${id}`);
  await visit.page.getByRole('heading', { name: 'Bo', level: 1 }).waitFor();
  await patchPet(call, id, { name: 'Bo the Great' }, root);
  await visit.page.getByRole('heading', { name: 'Bo the Great', level: 1 }).waitFor();
});

void test('form: reports changes of other users', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Kim' }, root);
  const visit = await openFollowing(t, `/pets/${id}/edit`);
  await visit.page.getByLabel('Name').fill('Kim, as I call her');
  await patchPet(call, id, { category: { name: 'Dogs' } }, root);
  await visit.page
    .getByText('root changed Category while you were editing. Their changes are included; yours are kept.')
    .waitFor();
  assert.equal(await visit.page.getByLabel('Name').inputValue(), 'Kim, as I call her');
});

void test(
  'form: reports changes of the same user elsewhere',
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
    await page.getByText('You also changed Name elsewhere, for example in another tab.').waitFor();
    await page.getByText('Choose which version to keep before you save.').waitFor();
    await page.getByRole('button', { name: 'Compare versions' }).click();
    const dialog = page.getByRole('dialog', { name: 'Conflicting changes' });
    await dialog.getByText(/^You saved other changes/).waitFor();
    await checkAccessibility(page, 'The comparison with a change of the same user');
  },
);

void test('hidden page: catches up when it becomes visible', { skip: skipWithoutBrowser }, async (t) => {
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
  await page.getByRole('heading', { name: 'Zoe the Great', level: 1 }).waitFor();
});

void test('viewers: do not follow changes, editors do', { skip: skipWithoutBrowser }, async (t) => {
  for (const [loggedInAs, isFollowing] of [
    ['edna', true],
    ['vera', false],
  ] as const) {
    const visit = await openVisit(t, service, { loggedInAs });
    const { page } = visit;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.clock.install();
    await visit.open('/');
    await visit.waitForIdle();
    // Pages of staff follow changes one second after the page has loaded: first, they load the code for it.
    await page.clock.runFor(10_000);
    await visit.waitForIdle();
    assert.equal(asked.includes('/v2/events'), isFollowing, loggedInAs);
  }
});

/** Opens a page as an editor, and waits until it follows changes. */
async function openFollowing(t: TestContext, path: string): Promise<Visit> {
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  await visit.openFollowing(path);
  return visit;
}

/** As if the user switched tabs. */
async function setVisibility({ page }: Visit, state: DocumentVisibilityState): Promise<void> {
  await page.evaluate((value) => {
    Object.defineProperty(document, 'visibilityState', { value, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, state);
}
