import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { clientOf } from '../support/client.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';
import { checkAccessibility } from './support/accessibility.ts';
import { skipWithoutBrowser } from './support/browser.ts';
import { samplePicture } from './support/photographs.ts';
import { keepScreenshot } from './support/screenshots.ts';
import { addPet, addPicture, patchPet } from './support/stock.ts';
import { openVisit } from './support/visit.ts';

const service = await startSecuredService({ after }, { web: true });
const call = clientOf(service.base);
const root = bearer(await logIn(call, 'root'));

/** A pet with a past: as it was added, then another name and other tags, then a picture. */
async function addPetWithPast(name: string): Promise<string> {
  const tags = [{ name: 'big' }, { name: 'shy' }];
  const id = await addPet(call, { name, category: { name: 'Dogs' }, tags, status: 'available' }, root);
  await patchPet(call, id, { name: `${name} the Great`, tags: ['big', 'brave'], status: 'pending' }, root);
  await addPicture(call, id, await samplePicture('dog-biscuit.jpg'), root);
  return id;
}

void test('the history says who changed what, field by field', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPetWithPast('Rex');
  const visit = await openVisit(t, service, { signedInAs: 'edna' });
  await visit.open(`/pets/${id}/history`);
  const { page } = visit;
  await page.getByRole('heading', { name: 'History of Rex the Great', level: 1 }).waitFor();
  const versions = page.getByRole('article');
  await versions.nth(2).waitFor();
  assert.equal(await versions.count(), 3);
  assert.match(await versions.nth(0).innerText(), /^root changed the pet[\s\S]*As it is now/);
  const picture = versions.nth(0).getByRole('img', { name: 'Picture added' });
  await picture.scrollIntoViewIfNeeded();
  await page.waitForFunction(
    (image) => image instanceof HTMLImageElement && image.naturalWidth > 0,
    await picture.elementHandle(),
  );
  const [, changed, added] = await versions.all();
  const text = (await changed?.textContent()) ?? '';
  assert.match(text, /Name.*before:Rex.*after:Rex the Great/);
  assert.match(text, /Status.*Available.*Pending/);
  assert.match(text, /removed: − shy/);
  assert.match(text, /added: \+ brave/);
  assert.doesNotMatch(text, /big/);
  assert.match((await added?.textContent()) ?? '', /root added the pet/);
  await checkAccessibility(page, 'The history of a pet');
  await keepScreenshot(page, 'history', { isWhole: true });
});

void test(
  'a version is restored after a look at what will be different, and taken back',
  { skip: skipWithoutBrowser },
  async (t) => {
    const id = await addPetWithPast('Bo');
    const visit = await openVisit(t, service, { signedInAs: 'edna', theme: 'dark', width: 375 });
    await visit.open(`/pets/${id}/history`);
    const { page } = visit;
    await page
      .getByRole('button', { name: /^Restore the version of/ })
      .last()
      .click();
    const dialog = page.getByRole('dialog', { name: 'Restore this version?' });
    await dialog.getByText('This will be different then:').waitFor();
    assert.match((await dialog.textContent()) ?? '', /before:Bo the Great.*after:Bo/);
    await checkAccessibility(page, 'The question before a version is restored');
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('Bo is as it was then.').waitFor();
    assert.equal((await readPet(id)).name, 'Bo');
    assert.deepEqual((await readPet(id)).photoUrls, []);
    await page.getByRole('article').filter({ hasText: 'edna restored an earlier version' }).waitFor();
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByText('Bo the Great is as it was before.').waitFor();
    assert.equal((await readPet(id)).photoUrls.length, 1);
  },
);

void test(
  'who restores over a change that was not seen is told, and sees it',
  { skip: skipWithoutBrowser },
  async (t) => {
    const id = await addPetWithPast('Kim');
    const visit = await openVisit(t, service, { signedInAs: 'edna' });
    visit.expect(/status of 412/);
    // Without the events the page does not hear of it before the service says so.
    await visit.page.route('**/v2/events*', () => {});
    await visit.open(`/pets/${id}/history`);
    const { page } = visit;
    await page
      .getByRole('button', { name: /^Restore the version of/ })
      .last()
      .click();
    const dialog = page.getByRole('dialog', { name: 'Restore this version?' });
    await dialog.getByText('This will be different then:').waitFor();
    await patchPet(call, id, { category: { name: 'Wolves' } }, root);
    // The change that was not seen takes its place above the others, and so does the restoration.
    await visit.moving(async () => {
      await dialog.getByRole('button', { name: 'Restore' }).click();
      await dialog.getByRole('alert').filter({ hasText: 'The pet has changed meanwhile.' }).waitFor();
      await dialog.getByText('Wolves').waitFor();
      await dialog.getByRole('button', { name: 'Restore' }).click();
      await page.getByText('Kim is as it was then.').waitFor();
      await page.getByRole('article').filter({ hasText: 'edna restored an earlier version' }).waitFor();
    });
    assert.equal((await readPet(id)).category.name, 'Dogs');
  },
);

void test('the history: empty lists of a new pet are not shown', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Plain' }, root);
  await patchPet(call, id, { tags: ['big', 'shy'] }, root);
  await patchPet(call, id, { tags: ['shy', 'big'] }, root);
  const visit = await openVisit(t, service, { signedInAs: 'edna' });
  await visit.open(`/pets/${id}/history`);
  const versions = visit.page.getByRole('article');
  await versions.nth(2).waitFor();
  const [reordered, tagged, added] = await versions.allInnerTexts();
  assert.match(reordered ?? '', /Tags\s+in another order/);
  assert.match(tagged ?? '', /big[\s\S]*shy/);
  assert.match(added ?? '', /Name\s+/);
  assert.doesNotMatch(added ?? '', /Tags|Pictures|order/);
});

void test('a version that is the same as now: restoring it is not offered', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Ada', tags: [{ name: 'big' }], status: 'available' }, root);
  await patchPet(call, id, { name: 'Ben', status: 'pending' }, root);
  await patchPet(call, id, { name: 'Ada' }, root);
  await patchPet(call, id, { status: 'available' }, root);
  await call('DELETE', `pet/${id}`, { headers: root });
  await call('POST', `pet/${id}/undelete`, { headers: root });
  const visit = await openVisit(t, service, { signedInAs: 'edna' });
  await visit.open(`/pets/${id}/history`);
  const { page } = visit;
  const versions = page.getByRole('article');
  await versions.nth(5).waitFor();
  const offered = await versions.evaluateAll((all) =>
    all.flatMap((each, place) => (each.querySelector('button') === null ? [] : [place])),
  );
  assert.deepEqual(offered, [3, 4], 'Ada who is pending, and Ben');

  const dialog = page.getByRole('dialog', { name: 'Restore this version?' });
  await versions.nth(3).getByRole('button').click();
  await dialog.getByText('This will be different then:').waitFor();
  // Another editor makes the same change meanwhile.
  await visit.moving(async () => {
    await patchPet(call, id, { status: 'pending' }, root);
    await dialog.getByText('The pet is the same as in that version already.').waitFor();
  });
  assert.equal(await dialog.getByRole('button', { name: 'Restore' }).count(), 0);
  await checkAccessibility(page, 'The dialog for a version that is the same');
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await dialog.waitFor({ state: 'detached' });
  assert.match(await versions.first().innerText(), /^root changed the pet/);
});

void test('older changes are shown when they are asked for', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Methuselah' }, root);
  for (let year = 1; year <= 24; year++) await patchPet(call, id, { name: `Methuselah ${year}` }, root);
  const visit = await openVisit(t, service, { signedInAs: 'edna' });
  await visit.open(`/pets/${id}/history`);
  const versions = visit.page.getByRole('article');
  await versions.nth(19).waitFor();
  assert.equal(await versions.count(), 20);
  await visit.page.getByRole('button', { name: 'Show older' }).click();
  await versions.filter({ hasText: 'root added the pet' }).waitFor();
  assert.equal(await versions.count(), 25);
});

void test('a removed pet is brought back from the list of removed pets', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPetWithPast('Zoe');
  assert.equal((await call('DELETE', `pet/${id}`, { headers: root })).status, 200);
  const visit = await openVisit(t, service, { signedInAs: 'edna' });
  await visit.open('/');
  const { page } = visit;
  await page.getByRole('link', { name: 'Removed pets' }).click();
  await page.getByRole('heading', { name: 'Removed pets', level: 1 }).waitFor();
  const row = page.getByRole('listitem').filter({ hasText: 'Zoe the Great' });
  assert.match(await row.innerText(), /Dogs\s+Pending\s+root removed it/);
  await checkAccessibility(page, 'The removed pets');
  await keepScreenshot(page, 'removed pets');
  await row.getByRole('button', { name: 'Bring back Zoe the Great' }).click();
  await page.getByText('Zoe the Great is as it was then.').waitFor();
  await row.waitFor({ state: 'detached' });
  assert.equal((await readPet(id)).name, 'Zoe the Great');
});

void test('the history of a removed pet leads back, too', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPetWithPast('Ivo');
  assert.equal((await call('DELETE', `pet/${id}`, { headers: root })).status, 200);
  const visit = await openVisit(t, service, { signedInAs: 'edna' });
  await visit.open(`/pets/${id}/history`);
  const { page } = visit;
  await page.getByRole('heading', { name: 'History of Ivo the Great', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Bring it back' }).click();
  await page.getByRole('link', { name: 'Back to Ivo the Great' }).waitFor();
  assert.equal((await readPet(id)).name, 'Ivo the Great');
});

void test('who is not of the staff is told how to come in, and comes back', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPetWithPast('Uma');
  const visit = await openVisit(t, service);
  await visit.open(`/pets/${id}/history`);
  const { page } = visit;
  await checkAccessibility(page, 'A history that one may not see');
  await page.getByRole('main').getByRole('link', { name: 'Log in' }).click();
  await page.waitForURL(/\/login\?to=%2Fpets%2F\d+%2Fhistory$/);
  const viewer = await openVisit(t, service, { signedInAs: 'vera' });
  await viewer.open('/pets/removed');
  await viewer.page.getByText('Your account is not one of theirs').waitFor();
});

interface ReadPet {
  name: string;
  category: { name: string };
  photoUrls: readonly string[];
}

async function readPet(id: string): Promise<ReadPet> {
  const answer = await call('GET', `pet/${id}`);
  assert.equal(answer.status, 200, answer.text);
  return JSON.parse(answer.text);
}
