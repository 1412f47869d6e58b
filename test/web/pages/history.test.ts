import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { checkAccessibility } from '../support/accessibility.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { samplePhoto } from '../support/photo-files.ts';
import { addPet, addPhoto, patchPet, readPet, startStaffedService } from '../support/stock.ts';
import { openVisit } from '../support/visit.ts';
import { waitForValue } from '../support/waiting.ts';

const { service, call, root } = await startStaffedService({ after });

/** A pet with three versions: added, then renamed with other tags, then with a photo. */
async function addPetWithHistory(name: string): Promise<string> {
  const tags = [{ name: 'big' }, { name: 'shy' }];
  const id = await addPet(call, { name, category: { name: 'Dogs' }, tags, status: 'available' }, root);
  await patchPet(call, id, { name: `${name} the Great`, tags: ['big', 'brave'], status: 'pending' }, root);
  await addPhoto(call, id, await samplePhoto('dog-biscuit.jpg'), root);
  return id;
}

void test('history: shows the author and the fields of each change', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPetWithHistory('Rex');
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  await visit.open(`/pets/${id}/history`);
  const { page } = visit;
  await page.getByRole('heading', { name: 'History of Rex the Great', level: 1 }).waitFor();
  const versions = page.getByRole('article');
  await versions.nth(2).waitFor();
  assert.equal(await versions.count(), 3);
  assert.match(await versions.nth(0).innerText(), /^root edited the pet[\s\S]*Current version/);
  const photo = versions.nth(0).getByRole('img', { name: 'Photo added' });
  await photo.scrollIntoViewIfNeeded();
  await page.waitForFunction(
    (image) => image instanceof HTMLImageElement && image.naturalWidth > 0,
    await photo.elementHandle(),
  );
  const [, changed, added] = await versions.all();
  const text = (await changed?.textContent()) ?? '';
  assert.match(text, /Name.*before:Rex.*after:Rex the Great/);
  assert.match(text, /Status.*Available.*Pending/);
  assert.match(text, /removed: − shy/);
  assert.match(text, /added: \+ brave/);
  assert.doesNotMatch(text, /big/);
  assert.match((await added?.textContent()) ?? '', /root added the pet/);
});

void test(
  'history: names the fields of the profile and their values in words',
  { skip: skipWithoutBrowser },
  async (t) => {
    const id = await addPet(call, { name: 'Wordy' }, root);
    const change = async (profile: object) => {
      const response = await call('PATCH', `pet/${id}/profile`, { json: profile, headers: root });
      assert.equal(response.status, 200, response.text);
    };
    await change({ species: 'small-furry', goodWithCats: true, birthDate: '2024-05-01', isPublished: false });
    await change({ goodWithCats: null, isPublished: null });
    const visit = await openVisit(t, service, { loggedInAs: 'edna', language: 'de' });
    await visit.open(`/pets/${id}/history`);
    const versions = visit.page.getByRole('article');
    await versions.nth(2).waitFor();
    const [last, first] = await versions.allInnerTexts();
    assert.match(last ?? '', /Katzen:[\s\S]*Ja[\s\S]*Sichtbarkeit:[\s\S]*Entwurf[\s\S]*Veröffentlicht/);
    assert.match(last ?? '', /Katzen:[\s\S]*Ja[\s\S]*Unbekannt[\s\S]*Sichtbarkeit/);
    assert.match(first ?? '', /Sichtbarkeit:[\s\S]*Veröffentlicht[\s\S]*Entwurf/);
    assert.doesNotMatch((first ?? '') + (last ?? ''), /keine Angabe/);
    assert.match(first ?? '', /Tierart:[\s\S]*Kleinsäuger[\s\S]*Geburtsdatum:[\s\S]*01\.05\.2024/);
    assert.doesNotMatch(first ?? '', /goodWithCats|isPublished/);
  },
);

void test(
  'restore: shows the differences before the confirmation, and can be undone',
  { skip: skipWithoutBrowser },
  async (t) => {
    const id = await addPetWithHistory('Bo');
    const visit = await openVisit(t, service, { loggedInAs: 'edna', theme: 'dark', width: 375 });
    await visit.open(`/pets/${id}/history`);
    const { page } = visit;
    await page
      .getByRole('button', { name: /^Restore version of/ })
      .last()
      .click();
    const dialog = page.getByRole('dialog', { name: 'Restore this version?' });
    await dialog.getByText('These fields will change:').waitFor();
    assert.match((await dialog.textContent()) ?? '', /before:Bo the Great.*after:Bo/);
    await checkAccessibility(page, 'The dialog for restoring a version');
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('Bo was restored.').waitFor();
    assert.equal((await readPet(call, id)).name, 'Bo');
    assert.deepEqual((await readPet(call, id)).photoUrls, []);
    await page.getByRole('article').filter({ hasText: 'edna restored an earlier version' }).waitFor();
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByText('Restoring Bo the Great was undone.').waitFor();
    assert.equal((await readPet(call, id)).photoUrls.length, 1);
  },
);

void test(
  'restore: a newer change is reported and shown before it is overwritten',
  { skip: skipWithoutBrowser },
  async (t) => {
    const id = await addPetWithHistory('Kim');
    const visit = await openVisit(t, service, { loggedInAs: 'edna' });
    visit.expect(/status of 412/);
    // Without events, the page learns of the change from the response of the service.
    await visit.page.route('**/v2/events*', () => {});
    await visit.open(`/pets/${id}/history`);
    const { page } = visit;
    await page
      .getByRole('button', { name: /^Restore version of/ })
      .last()
      .click();
    const dialog = page.getByRole('dialog', { name: 'Restore this version?' });
    await dialog.getByText('These fields will change:').waitFor();
    await patchPet(call, id, { category: { name: 'Wolves' } }, root);
    // The other change and the restored version are added above the others.
    await visit.expectShifts(async () => {
      await dialog.getByRole('button', { name: 'Restore' }).click();
      await dialog.getByRole('alert').filter({ hasText: 'The pet was changed in the meantime.' }).waitFor();
      await dialog.getByText('Wolves').waitFor();
      await dialog.getByRole('button', { name: 'Restore' }).click();
      await page.getByText('Kim was restored.').waitFor();
      await page.getByRole('article').filter({ hasText: 'edna restored an earlier version' }).waitFor();
    });
    assert.equal((await readPet(call, id)).category?.name, 'Dogs');
  },
);

void test('history: empty lists of a new pet are not shown', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Plain' }, root);
  await patchPet(call, id, { tags: ['big', 'shy'] }, root);
  await patchPet(call, id, { tags: ['shy', 'big'] }, root);
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  await visit.open(`/pets/${id}/history`);
  const versions = visit.page.getByRole('article');
  await versions.nth(2).waitFor();
  const [reordered, tagged, added] = await versions.allInnerTexts();
  assert.match(reordered ?? '', /Tags\s+reordered/);
  assert.match(tagged ?? '', /big[\s\S]*shy/);
  assert.match(added ?? '', /Name\s+/);
  assert.doesNotMatch(added ?? '', /Tags|Photos|order/);
});

void test('restore: not offered for a version that equals the current one', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Ada', tags: [{ name: 'big' }], status: 'available' }, root);
  await patchPet(call, id, { name: 'Ben', status: 'pending' }, root);
  await patchPet(call, id, { name: 'Ada' }, root);
  await patchPet(call, id, { status: 'available' }, root);
  await call('DELETE', `pet/${id}`, { headers: root });
  await call('POST', `pet/${id}/restore`, { headers: root });
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  await visit.open(`/pets/${id}/history`);
  const { page } = visit;
  const versions = page.getByRole('article');
  await versions.nth(5).waitFor();
  const offered = () =>
    versions.evaluateAll((all) => all.flatMap((each, place) => (each.querySelector('button') === null ? [] : [place])));
  // Pending Ada, and Ben.
  await waitForValue(offered, [3, 4]);

  const dialog = page.getByRole('dialog', { name: 'Restore this version?' });
  await versions.nth(3).getByRole('button').click();
  await dialog.getByText('These fields will change:').waitFor();
  // Another editor makes the same change meanwhile.
  await visit.expectShifts(async () => {
    await patchPet(call, id, { status: 'pending' }, root);
    await dialog.getByText('The pet already matches this version.').waitFor();
  });
  assert.equal(await dialog.getByRole('button', { name: 'Restore' }).count(), 0);
  await checkAccessibility(page, 'The dialog for a version that is the same');
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await dialog.waitFor({ state: 'detached' });
  await versions
    .first()
    .filter({ hasText: /^root edited the pet/ })
    .waitFor();
});

void test('history: older versions are loaded on demand', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPet(call, { name: 'Methuselah' }, root);
  for (let year = 1; year <= 24; year++) await patchPet(call, id, { name: `Methuselah ${year}` }, root);
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  await visit.open(`/pets/${id}/history`);
  const versions = visit.page.getByRole('article');
  await versions.nth(19).waitFor();
  assert.equal(await versions.count(), 20);
  await visit.page.getByRole('button', { name: 'Show older' }).click();
  await versions.filter({ hasText: 'root added the pet' }).waitFor();
  assert.equal(await versions.count(), 25);
});

void test('deleted pets: a pet is restored from the list', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPetWithHistory('Zoe');
  assert.equal((await call('DELETE', `pet/${id}`, { headers: root })).status, 200);
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  await visit.open('/');
  const { page } = visit;
  await page.getByRole('link', { name: 'Deleted pets' }).click();
  await page.getByRole('heading', { name: 'Deleted pets', level: 1 }).waitFor();
  const row = page.getByRole('listitem').filter({ hasText: 'Zoe the Great' });
  assert.match(await row.innerText(), /Dogs\s+Pending\s+Deleted by root/);
  await row.getByRole('button', { name: 'Restore Zoe the Great' }).click();
  await page.getByText('Zoe the Great was restored.').waitFor();
  await row.waitFor({ state: 'detached' });
  assert.equal((await readPet(call, id)).name, 'Zoe the Great');
});

void test('history of a deleted pet: restores it', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPetWithHistory('Ivo');
  assert.equal((await call('DELETE', `pet/${id}`, { headers: root })).status, 200);
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  await visit.open(`/pets/${id}/history`);
  const { page } = visit;
  await page.getByRole('heading', { name: 'History of Ivo the Great', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Restore pet' }).click();
  await page.getByRole('link', { name: 'Back to Ivo the Great' }).waitFor();
  assert.equal((await readPet(call, id)).name, 'Ivo the Great');
});

void test('history: others see how to get access, and return after login', { skip: skipWithoutBrowser }, async (t) => {
  const id = await addPetWithHistory('Uma');
  const visit = await openVisit(t, service);
  await visit.open(`/pets/${id}/history`);
  const { page } = visit;
  await checkAccessibility(page, 'The history for anonymous users');
  await page.getByRole('main').getByRole('link', { name: 'Log in' }).click();
  await page.waitForURL(/\/login\?to=%2Fpets%2F\d+%2Fhistory$/);
  const viewer = await openVisit(t, service, { loggedInAs: 'vera' });
  await viewer.open('/pets/deleted');
  await viewer.page.getByText("Your role doesn't allow you to view this page.").waitFor();
});
