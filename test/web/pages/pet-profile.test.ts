import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startStaffedService, addPet, addPhoto } from '../support/stock.ts';
import { checkAccessibility } from '../support/accessibility.ts';
import { getBrowser, skipWithoutBrowser } from '../support/browser.ts';
import { samplePhoto } from '../support/photo-files.ts';
import { keepScreenshot } from '../support/screenshots.ts';
import { openVisit } from '../support/visit.ts';

/*
 * What adopters read on the page of a pet: its profile.
 */

const { service, call, root } = await startStaffedService({ after });
const options = { skip: skipWithoutBrowser };
let [luna, max, hidden] = ['', '', ''];

const STORY = `# Her story

Luna came to us with her brother **Max**. She loves *walks*, and:

- carrots
- [swimming](https://example.org/lake)

<script>alert(1)</script> <img src=x onerror=alert(1)> [x](javascript:alert(1))`;

const label = (en: string, de: string) => ({ en, de });

/** One of each type, of which the last has no value, and a private one. */
const OWN_FIELDS = [
  { key: 'toys', type: 'text', label: label('Favourite toy', 'Lieblingsspielzeug'), isPublic: true },
  { key: 'meals', type: 'number', label: label('Meals a day', 'Mahlzeiten am Tag'), isPublic: true },
  { key: 'groomed', type: 'date', label: label('Last groomed', 'Zuletzt gepflegt'), isPublic: true },
  // The name of another fact.
  { key: 'rescued', type: 'yes-no-unknown', label: label('Breed', 'Gerettet'), isPublic: true },
  {
    key: 'garden',
    type: 'choice',
    label: label('Garden', 'Garten'),
    isPublic: true,
    choices: [{ value: 'none' }, { value: 'big', labelEn: 'A big one', labelDe: 'Ein großer' }],
  },
  { key: 'donor', type: 'text', label: label('Given up by', 'Abgegeben von'), isPublic: false },
  { key: 'toString', type: 'text', label: label('Remarks', 'Bemerkungen'), isPublic: true },
];

before(async () => {
  await call('PUT', 'organisation', {
    json: {
      name: 'Happy Paws',
      contact: { telephone: '+49 30 1234567' },
      adoptionSteps: ['Send us a message.', 'Visit us.'],
      locations: [{ id: 'lake', name: 'Am See', place: 'Berlin' }],
    },
    headers: root,
  });
  await call('PUT', 'own-fields', { json: { fields: OWN_FIELDS }, headers: root });
  const category = { name: 'Dogs' };
  luna = await addPet(call, { name: 'Luna', category, tags: [{ name: 'calm' }], status: 'available' }, root);
  max = await addPet(call, { name: 'Max', category, status: 'sold' }, root);
  hidden = await addPet(call, { name: 'Secret', category, status: 'available' }, root);
  await addPhoto(call, luna, await samplePhoto('dog-juno.jpg'), root);
  const profiles = {
    [hidden]: { isPublished: false },
    [max]: { species: 'dog', sex: 'male' },
    [luna]: {
      species: 'dog',
      breedPrimary: 'Boxer',
      breedIsMixed: true,
      sex: 'female',
      birthDate: bornMonthsAgo(29),
      birthDateIsEstimated: true,
      size: 'L',
      weightKg: 27.5,
      colours: ['fawn', 'white'],
      coat: 'short',
      isAltered: true,
      vaccinationsAreCurrent: false,
      hasSpecialNeeds: true,
      specialNeedsNote: 'A pill a day.',
      goodWithChildren: true,
      goodWithCats: false,
      isHouseTrained: true,
      energy: 'high',
      intakeDate: '2026-03-02',
      location: 'lake',
      summary: 'A calm dog who loves water.',
      description: STORY,
      feeAmount: 150,
      feeCurrency: 'EUR',
      videoUrls: ['https://video.example/luna'],
      bondedWith: [{ id: Number(max) }, { id: Number(hidden) }],
      microchip: '276098106123456',
      unit: 'Kennel 7',
      own: { toys: 'A ball', meals: 2.5, groomed: '2026-11-01', rescued: true, garden: 'big', donor: 'Ms Smith' },
    },
  };
  for (const [id, json] of Object.entries(profiles)) {
    const { status, text } = await call('PUT', `pet/${id}/profile`, { json, headers: root });
    assert.equal(status, 200, text);
  }
});

function bornMonthsAgo(months: number): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1)).toISOString().slice(0, 10);
}

const FACTS = [
  'Age: about 2 years',
  'Sex: Female',
  'Size when grown: Large',
  'Gets along with: Children',
  'Children: Yes',
  'Dogs: Not known yet',
  'Cats: No',
  'Species: Dog',
  'Breed: Boxer mix',
  'Weight: 27.5 kg',
  'Colours: fawn and white',
  'Coat: Short',
  'Energy: High',
  'Spayed or neutered: Yes',
  'Vaccinations up to date: No',
  'Special needs: Yes',
  'About the special needs: A pill a day.',
  'House-trained: Yes',
  'Adoption fee: €150',
  'Location: Am See, Berlin',
  'In our care since: March 2026',
  'Favourite toy: A ball',
  'Meals a day: 2.5',
  'Last groomed: 1 November 2026',
  'Breed: Yes',
  'Garden: A big one',
];

/** Names and values of all lists of facts. */
const readFacts = () =>
  [...document.querySelectorAll('dl > div')].map((fact) =>
    [...fact.children].map((part) => part.textContent).join(': '),
  );

void test('profile: all of it is readable without scripts', options, async (t) => {
  const context = await getBrowser().newContext({ baseURL: service.origin, javaScriptEnabled: false, locale: 'en-GB' });
  t.after(() => context.close());
  const page = await context.newPage();
  await page.goto(`/pets/${luna}`);
  const facts = await page.evaluate(readFacts);
  // The service does not know the region of the reader.
  assert.deepEqual(
    facts.map((fact) => fact.replace('November 1, 2026', '1 November 2026')),
    FACTS,
  );
  await page.getByText('A calm dog who loves water.').waitFor();
  await page.getByRole('heading', { level: 2, name: 'About Luna' }).waitFor();
  await page.getByRole('heading', { level: 3, name: 'Her story' }).waitFor();
  const story = page.getByRole('link', { name: 'swimming' });
  assert.equal(await story.getAttribute('rel'), 'nofollow noopener');
  assert.equal(await page.locator('main script, main img[src="x"], a[href^="javascript"]').count(), 0);
  // Private facts are not even in the source of the page.
  assert.doesNotMatch(await page.content(), /Ms Smith|donor|Given up by|Kennel 7|27609810/);
  await page.getByRole('heading', { level: 2, name: 'What happens next' }).waitFor();
  assert.deepEqual(await page.getByRole('listitem').filter({ hasText: ' us' }).allTextContents(), [
    'Send us a message.',
    'Visit us.',
  ]);
  // A draft does not exist for visitors.
  assert.equal(await page.getByText('Secret').count(), 0);
  await page.getByRole('link', { name: 'Max' }).click();
  await page.waitForURL(`**/pets/${max}`);
  assert.equal(await page.getByRole('link', { name: 'Contact the shelter' }).count(), 0);
});

void test('profile: nothing moves or is requested when the application starts', options, async (t) => {
  for (const [width, theme] of [
    [375, 'dark'],
    [768, 'light'],
    [1440, 'light'],
  ] as const) {
    const visit = await openVisit(t, service, { width, theme });
    const { page } = visit;
    const requests: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    await visit.open(`/pets/${luna}`);
    await page.getByRole('button', { name: 'Share' }).waitFor();
    await visit.waitForIdle();
    assert.deepEqual(await page.evaluate(readFacts), FACTS);
    assert.deepEqual(
      requests.filter((path) => /profile$|organisation$|own-fields$|\/pet\/\d+$/.test(path)),
      [],
    );
    const { layoutShift, shifted } = await visit.readNotes();
    assert.ok(layoutShift < 0.001, shifted.join('\n'));
    await checkAccessibility(page, `The profile at ${width} px`);
    await keepScreenshot(page, `profile ${width} ${theme}`, { isWhole: true });
    await visit.end();
  }
});

void test('card: one line of facts, also before the application starts', options, async (t) => {
  const visit = await openVisit(t, service, { width: 375 });
  const { page } = visit;
  await visit.open('/');
  await page.getByRole('article').getByText('2 years · Boxer mix · female', { exact: true }).waitFor();
  await visit.waitForIdle();
  await page.getByRole('article').getByText('2 years · Boxer mix · female', { exact: true }).waitFor();
  assert.match(
    (await call('GET', 'pet?include=facts&text=Luna')).text,
    /"profile":\{"species":"dog","breedPrimary":"Boxer",(?!.*(?:summary|goodWith|feeAmount))/,
  );
  await keepScreenshot(page, 'cards with facts', { isWhole: true });
});

void test('profile: in German, with private facts and drafts for staff', options, async (t) => {
  const visit = await openVisit(t, service, { language: 'de', loggedInAs: 'edna', width: 1440, theme: 'dark' });
  const { page } = visit;
  await visit.open(`/pets/${luna}`);
  const facts = page.getByRole('region', { name: 'Steckbrief' });
  await facts.getByText('Boxer-Mischling').waitFor();
  await page.getByRole('region', { name: 'Auf einen Blick' }).getByText('etwa 2 Jahre').waitFor();
  await facts.getByText('Ein großer').waitFor();
  assert.equal(await facts.getByText('Ms Smith').count(), 0);
  const forStaff = page.getByRole('region', { name: 'Nur für das Team' });
  await forStaff.getByText('Kennel 7').waitFor();
  await forStaff.getByText('Ms Smith').waitFor();
  await page.getByRole('article').getByRole('link', { name: 'Secret' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Secret' }).waitFor();
  await page.getByText('Entwurf', { exact: true }).waitFor();
  await checkAccessibility(page, 'A draft');
  await visit.open(`/pets/${luna}`);
  await visit.waitForIdle();
  await keepScreenshot(page, 'profile for staff', { isWhole: true });
});

void test('profile: own fields are shown after navigation as well', options, async (t) => {
  const visit = await openVisit(t, service, { width: 768 });
  const { page } = visit;
  await visit.open('/');
  await visit.waitForIdle();
  await page.getByRole('link', { name: 'Luna' }).click();
  await page.getByText('A big one').waitFor();
  // The draft with which it must stay together.
  visit.expect(/404 \(Not Found\)/);
  assert.deepEqual(await page.evaluate(readFacts), FACTS);
  await visit.end();
});

void test('card: drafts are marked for staff', options, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'edna', width: 1440 });
  const { page } = visit;
  // Before the application starts as well.
  assert.match(
    await (await page.request.get('/', { headers: { accept: 'text/html' } })).text(),
    /class="badge"[^>]*>Draft</,
  );
  await visit.open('/');
  await visit.waitForIdle();
  const marked = page.getByRole('article').filter({ has: page.getByText('Draft', { exact: true }) });
  assert.deepEqual(await marked.getByRole('heading').allTextContents(), ['Secret']);
  await checkAccessibility(page, 'The card of a draft');
  await keepScreenshot(page, 'card of a draft', { isWhole: true });
});
