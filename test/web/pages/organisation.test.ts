import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { getBrowser, skipWithoutBrowser } from '../support/browser.ts';
import { checkState } from '../support/pages.ts';
import { addPet, startStaffedService } from '../support/stock.ts';
import { openVisit } from '../support/visit.ts';

/* Administrators edit the organisation, and visitors see it. */

const { service, call, root } = await startStaffedService({ after });
const options = { skip: skipWithoutBrowser };

void test('organisation: edited, corrected, saved, and shown to visitors', options, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'root', width: 375 });
  const { page } = visit;
  await visit.open('/admin/organisation');
  await page.getByLabel('Name of the organisation').fill('Happy Paws');
  await page.getByLabel('Accent colour').fill('#7a3b8f');
  await page.getByLabel('Country').selectOption('Germany');
  assert.equal(await page.getByLabel('Currency').getAttribute('placeholder'), 'EUR');
  await page.getByLabel('E-mail').fill('office');
  await visit.expectShifts(async () => {
    await page.getByRole('button', { name: 'Add location' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Am See');
    visit.expect(/400/);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Enter an e-mail address').waitFor();
    await page.getByLabel('E-mail').fill('office@example.org');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    await page.getByRole('banner').getByText('Happy Paws').waitFor();
  });
  await visit.expectShifts(async () => {
    await page.getByLabel('About the organisation', { exact: true }).fill('We have pets.');
    await page
      .getByLabel('Questions that families ask often', { exact: true })
      .fill('How long?\nTwo weeks.\n\nWhy?\nSo.');
    await page.getByLabel('Language of these texts').selectOption('English');
    await page.getByLabel('About the organisation (other language)').fill('Wir haben Tiere.');
    const labels = page.getByLabel('Categories and tags (other language)');
    await labels.fill('Lap pets');
    visit.expect(/400/);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Enter a name, an equals sign and its translation on each line.').waitFor();
    await labels.fill('Lap pets = Schoßtiere\n');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await visit.waitForIdle();
  });
  assert.match(
    (await call('GET', 'organisation')).text,
    /"translations":\{"de":\{"about":"Wir haben Tiere\..*"translation":"Schoßtiere"/,
  );
  assert.match(
    (await call('GET', 'organisation')).text,
    /"commonQuestions":\[\{"question":"How long\?","answer":"Two weeks\."\},\{"question":"Why\?","answer":"So\."\}\]/,
  );
  assert.equal(await page.title(), 'Organisation - Happy Paws');
  await checkState(page, 'organisation saved');
  assert.match((await call('GET', 'organisation')).text, /"name":"Happy Paws".*"country":"DE".*"id":"am-see"/);

  await visit.expectShifts(async () => {
    await page.getByLabel('Telephone').fill('030 1234');
    await page.getByRole('navigation', { name: 'Administration' }).getByRole('button').click();
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Keep editing' }).click();
    assert.equal(await page.getByLabel('Telephone').inputValue(), '030 1234');
  });

  const visitor = await openVisit(t, service, { width: 375 });
  await visitor.open('/about');
  await visitor.page.getByRole('heading', { name: 'About us', level: 1 }).waitFor();
  await visitor.page.getByRole('link', { name: 'office@example.org' }).first().waitFor();
  assert.equal(await visitor.page.title(), 'About us - Happy Paws');
  await checkState(visitor.page, 'about page');
  const german = await openVisit(t, service, { width: 375, language: 'de' });
  await german.open('/about');
  await german.page.getByText('Wir haben Tiere.').waitFor();
  await addPet(call, { name: 'Bella', status: 'available', category: { name: 'Lap pets' } }, root);
  await german.open('/');
  await german.page.getByText('Schoßtiere').first().waitFor();
});

void test('front page: says whose it is and how an adoption works, also without scripts', options, async (t) => {
  const { status, text } = await call('PUT', 'organisation', {
    headers: root,
    json: {
      name: 'Happy Paws',
      country: 'DE',
      language: 'en',
      summary: 'The shelter by the lake.',
      adoptionSteps: ['Write to us.', 'Visit us.', 'Take it home.', 'Stay in touch.'],
      contact: { openingHours: 'Mon to Fri', telephone: '030 1' },
      donationUrl: 'https://example.org/give',
      commonQuestions: [{ question: 'How long does it take?', answer: 'Two weeks.' }],
      locations: [{ name: 'Lake house', place: 'Lindau' }],
      translations: { de: { summary: 'Das Tierheim am See.' } },
    },
  });
  assert.equal(status, 200, text);
  await addPet(call, { name: 'Minka', status: 'available' }, root);
  const plain = await getBrowser().newContext({ baseURL: service.origin, javaScriptEnabled: false, locale: 'en-GB' });
  t.after(() => plain.close());
  const bare = await plain.newPage();
  await bare.goto('/');
  await bare.getByRole('region', { name: 'Happy Paws' }).getByText('The shelter by the lake.').waitFor();
  const visit = await openVisit(t, service, { width: 375, language: 'de' });
  const { page } = visit;
  await visit.open('/');
  const welcome = page.getByRole('region', { name: 'Happy Paws' });
  await welcome.getByText('Das Tierheim am See.').waitFor();
  await page.getByRole('link', { name: 'Minka' }).waitFor();
  await visit.waitForIdle();
  assert.deepEqual(await welcome.getByRole('listitem').allTextContents(), [
    'Write to us.',
    'Visit us.',
    'Take it home.',
  ]);
  await welcome.getByText('Lindau').waitFor();
  await welcome.getByText('Mon to Fri').waitFor();
  assert.equal(await welcome.getByRole('link', { name: 'Spenden' }).getAttribute('href'), 'https://example.org/give');
  await checkState(page, 'front page of a shelter');
  const navigation = page.getByRole('navigation', { name: 'Hauptnavigation' });
  assert.deepEqual(await navigation.getByRole('link').allTextContents(), [
    'Tiere',
    'So adoptieren Sie',
    'Über uns',
    'Anmelden',
  ]);
  await navigation.getByRole('link', { name: 'So adoptieren Sie' }).click();
  await page.getByText('Stay in touch.').waitFor();
  await page.getByText('How long does it take?').click();
  await page.getByText('Two weeks.').waitFor();
  // Staff come to work on the pets.
  const staff = await openVisit(t, service, { loggedInAs: 'edna' });
  await staff.open('/');
  await staff.page.getByRole('link', { name: 'Minka' }).waitFor();
  assert.equal(await staff.page.getByRole('region', { name: 'Happy Paws' }).count(), 0);
  await staff.page.getByRole('link', { name: 'Dashboard' }).waitFor();
});

void test('own fields: added on their page', options, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'root', width: 1440 });
  const { page } = visit;
  await visit.open('/admin/own-fields');
  await visit.expectShifts(async () => {
    await page.getByRole('button', { name: 'Add field' }).click();
    await page.getByLabel('Key').fill('lapDog');
    await page.getByLabel('Label in English').fill('Lap dog');
    await page.getByLabel('Label in German').fill('Schoßhund');
    await checkState(page, 'own fields');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Own fields saved.').waitFor();
  });
  assert.match((await call('GET', 'own-fields')).text, /"key":"lapDog"/);
});

void test('organisation: the preview follows what is typed, and nothing else changes', options, async (t) => {
  const before = (await call('GET', 'organisation')).text;
  const visit = await openVisit(t, service, { loggedInAs: 'root', width: 1440 });
  const { page } = visit;
  await visit.open('/admin/organisation');
  const preview = page.getByRole('region', { name: 'Preview' }).locator('[inert]');
  const accent = () =>
    preview.getByText('Pets', { exact: true }).evaluate((element) => getComputedStyle(element).color);
  await page.getByLabel('Accent colour').fill('');
  const usual = await accent();
  await visit.expectShifts(async () => {
    await page.getByLabel('Name of the organisation').fill('Cat Corner');
    await preview.getByText('Cat Corner').first().waitFor();
    await page.getByLabel('Pick a colour').fill('#aa2200');
    assert.equal(await page.getByLabel('Accent colour').inputValue(), '#aa2200');
    assert.notEqual(await accent(), usual);
    await page.getByLabel('About the organisation', { exact: true }).fill('Twelve <b>cats</b>\n\nand a dog');
    await preview.getByText('Twelve <b>cats</b>').waitFor();
    assert.equal(await preview.locator('p').filter({ hasText: 'and a dog' }).count(), 1);
    await page.getByLabel('Website').fill('cats.example.org/about');
    await page.getByLabel('Telephone').fill('12');
  });
  assert.equal(await page.getByLabel('Website').inputValue(), 'https://cats.example.org/about');
  await preview.getByText('cats.example.org/about').waitFor();
  await checkState(page, 'organisation with a preview');
  assert.doesNotMatch(await page.getByRole('banner').innerText(), /Cat Corner/);
  assert.equal((await call('GET', 'organisation')).text, before);
});

for (const width of [375, 1440])
  void test(`organisation at ${width} px: the button that saves stays in view`, options, async (t) => {
    const visit = await openVisit(t, service, { loggedInAs: 'root', width });
    const { page } = visit;
    await visit.open('/admin/organisation');
    const save = page.getByRole('button', { name: 'Save changes' });
    await save.waitFor();
    for (const label of ['Name of the organisation', 'Telephone', 'Opening hours']) {
      await visit.expectShifts(() => page.getByLabel(label, { exact: true }).last().focus());
      const isHit = await save.evaluate((button) => {
        const { x, y, width: wide, height } = button.getBoundingClientRect();
        return button.contains(document.elementFromPoint(x + wide / 2, y + height / 2));
      });
      assert.ok(isHit, label);
    }
    if (width > 1000) return;
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('dialog', { name: 'Preview' }).getByText('Happy Paws').first().waitFor();
    await checkState(page, 'organisation with a preview in a dialog');
  });

void test('organisation: a website without https:// gets it, also if Enter saves', options, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'root' });
  const { page } = visit;
  await visit.open('/admin/organisation');
  await page.getByLabel('Website').fill('paws.example.org');
  await visit.expectShifts(async () => {
    await page.keyboard.press('Enter');
    await page.getByText('Saved.', { exact: true }).waitFor();
  });
  assert.match((await call('GET', 'organisation')).text, /"website":"https:\/\/paws\.example\.org"/);
  assert.equal(await page.getByLabel('Website').inputValue(), 'https://paws.example.org');
});

void test('organisation: the form of a pet asks nothing that its country forbids', options, async (t) => {
  const { text } = await call('GET', 'organisation');
  const id = await addPet(call, { name: 'Minka' }, root);
  const visit = await openVisit(t, service, { loggedInAs: 'edna', width: 1280 });
  const { page } = visit;
  await visit.open(`/pets/${id}/edit`);
  await page.getByLabel('Species').selectOption('cat');
  await page.getByLabel('Spayed or neutered').waitFor();
  assert.equal(await page.getByLabel('Declawed').count(), 0, text);
});

void test('organisation: sorts its locations by distance, without sending a position', options, async (t) => {
  const before = JSON.parse((await call('GET', 'organisation')).text) as object;
  const locations = [
    { id: 'hamburg', name: 'Hafen', latitude: 53.55, longitude: 10 },
    { id: 'office', name: 'Office' },
    { id: 'munich', name: 'Isar', latitude: 48.14, longitude: 11.58 },
  ];
  const put = (json: object) => call('PUT', 'organisation', { json, headers: root });
  assert.equal((await put({ name: 'Happy Paws', country: 'DE', locations })).status, 200);
  t.after(() => put(before));
  for (const [name, location] of [
    ['Harbour dog', 'hamburg'],
    ['River dog', 'munich'],
  ] as const) {
    const id = await addPet(call, { name, status: 'available' }, root);
    await call('PUT', `pet/${id}/profile`, { json: { location }, headers: root });
  }
  const visit = await openVisit(t, service, { width: 375 });
  const { page } = visit;
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.url() + (request.postData() ?? '')));
  await visit.open('/about');
  const list = page
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: 'Locations' }) })
    .getByRole('listitem');
  await list.nth(2).waitFor();
  assert.match((await list.allInnerTexts()).join(), /Hafen.*Isar.*Office/s);
  await visit.expectShifts(async () => {
    await page.getByRole('button', { name: 'Sort by distance' }).click();
    await page.getByText('This device gives no position.').waitFor();
    await page.context().grantPermissions(['geolocation']);
    await page.context().setGeolocation({ latitude: 48.370_545, longitude: 10.897_79 });
    await page.getByRole('button', { name: 'Sort by distance' }).click();
    await page.getByText('Your position stays on this device.').waitFor();
  });
  assert.match((await list.allInnerTexts()).join(), /Isar · 57 km.*Hafen · 579 km.*Office/s);
  await checkState(page, 'locations by distance');
  await page.getByRole('link', { name: 'All pets, the nearest first' }).click();
  await page.waitForURL(/location=munich&location=hamburg&sort=location/);
  await page.getByRole('link', { name: 'River dog' }).waitFor();
  assert.deepEqual(await page.getByRole('heading', { level: 2, name: /dog$/ }).allInnerTexts(), [
    'River dog',
    'Harbour dog',
  ]);
  await visit.waitForIdle();
  assert.doesNotMatch(sent.join('\n'), /48\.3|10\.8/);
});
