import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { clientOf } from '../../support/client.ts';
import { freePort } from '../../support/postgres-folder.ts';
import { bearer, logIn, startSecuredService } from '../../support/secured.ts';
import { startSmtpReceiver } from '../../support/smtp-receiver.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { checkState } from '../support/pages.ts';
import { addPet } from '../support/stock.ts';
import { openVisit, type Visit } from '../support/visit.ts';

/* Visitors ask about pets, and staff answers. The service sends e-mail. */

const options = { skip: skipWithoutBrowser };
const receiver = await startSmtpReceiver({ after });
const port = String(await freePort());
const sends = ['--smtp-url', receiver.url, '--mail-from', 'pets@example.org'];
const flags = [...sends, '--port', port, '--public-url', `http://127.0.0.1:${port}`];
const service = await startSecuredService({ after }, { web: true, nodes: 1, flags });
const call = clientOf(service.base);
const root = bearer(await logIn(call, 'root'));

const QUESTIONS = [
  {
    id: 'garden',
    text: { en: 'Do you have a garden?', de: 'Haben Sie einen Garten?' },
    type: 'yes-no',
    required: true,
  },
  {
    id: 'home',
    text: { en: 'Where do you live?', de: 'Wo wohnen Sie?' },
    type: 'choice',
    choices: [
      { value: 'House', labelDe: 'Haus' },
      { value: 'Flat', labelDe: 'Wohnung' },
    ],
  },
  { id: 'pets', text: { en: 'Which pets do you have?', de: 'Welche Tiere haben Sie?' }, type: 'text' },
];

async function openForm(questions: readonly object[] = QUESTIONS): Promise<void> {
  const json = { enabled: true, recipient: 'office@example.org', retentionDays: 90, questions };
  const { status, text } = await call('PUT', 'enquiry-settings', { headers: root, json });
  assert.equal(status, 200, text);
}

await openForm();
const luna = await addPet(call, { name: 'Luna', status: 'available' }, root);
const kito = await addPet(call, { name: 'Kito', status: 'sold' }, root);

async function stored(query: string): Promise<readonly Record<string, unknown>[]> {
  const { status, text } = await call('GET', `enquiries?${query}`, { headers: root });
  assert.equal(status, 200, text);
  return JSON.parse(text) as Record<string, unknown>[];
}

async function fill(page: Page, email: string): Promise<void> {
  await page.getByLabel('Your name').fill('Ada Lovelace');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Do you have a garden?').selectOption('Yes');
  await page.getByLabel('Your message').fill('May I visit Luna?\nOn Saturday?');
}

function send(page: Page): Promise<void> {
  return page.getByRole('button', { name: 'Send enquiry' }).click();
}

/** The service answers the request with this status. */
function statusError(status: number): RegExp {
  return new RegExp(`status of ${status}`);
}

void test('enquiry: a visitor asks with own questions, staff sees, answers and closes it', options, async (t) => {
  const visitor = await openVisit(t, service, { width: 375 });
  const { page } = visitor;
  await visitor.open(`/pets/${luna}`);
  await page.getByRole('link', { name: 'Ask about this pet' }).click();
  await page.getByRole('heading', { name: 'Ask about Luna', level: 1 }).waitFor();
  await page.getByText('deleted after 90 days').waitFor();
  await fill(page, 'ada@example.net');
  await page.getByLabel('Telephone').fill('+49 30 1234');
  await page.getByLabel('Where do you live?').selectOption('Flat');
  await visitor.expectShifts(() => send(page));
  const done = page.getByRole('heading', { name: 'Your enquiry was sent', level: 1 });
  await done.waitFor();
  assert.ok(await done.evaluate((heading) => heading === document.activeElement), 'the focus is on the heading');
  await page.getByText('answers to ada@example.net').waitFor();
  await checkState(page, 'enquiry sent');
  const [enquiry = {}] = await stored('email=ada@example.net');
  assert.equal(enquiry['message'], 'May I visit Luna?\nOn Saturday?');
  assert.deepEqual(
    (enquiry['answers'] as Record<string, unknown>[]).map(({ id, answer }) => [id, answer]),
    [
      ['garden', true],
      ['home', 'Flat'],
    ],
  );

  const staff = await openVisit(t, service, { loggedInAs: 'edna' });
  await staff.open('/');
  await staff.page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Enquiries' }).click();
  await staff.page.getByRole('link', { name: 'Ada Lovelace' }).click();
  await staff.page.getByRole('heading', { name: 'Enquiry from Ada Lovelace' }).waitFor();
  await workOn(staff);
  const [changed = {}] = await stored('email=ada@example.net');
  assert.deepEqual([changed['state'], changed['assignee']], ['closed', 'edna']);
});

void test('enquiry: begun as a request for a visit, from a button that stays on the screen', options, async (t) => {
  const visit = await openVisit(t, service, { width: 375, language: 'de' });
  const { page } = visit;
  await visit.open(`/pets/${luna}`);
  const button = page.getByRole('link', { name: 'Besuch vorschlagen' });
  for (const share of [0, 0.5, 1]) {
    await page.evaluate(
      (part) => window.scrollTo(0, part * (document.querySelector('article')?.scrollHeight ?? 0)),
      share,
    );
    const box = await button.boundingBox();
    assert.ok(box !== null && box.y > 0 && box.y + box.height < 800, `after ${share} of the page: ${box?.y}`);
  }
  await visit.expectShifts(async () => {
    await button.click();
    await page.getByRole('heading', { name: 'Anfrage zu Luna', level: 1 }).waitFor();
    await page.getByLabel('1. Wahl').fill(day(9));
    await page.getByLabel('2. Wahl').fill(day(2));
    await page.getByLabel('Ihr Name').fill('Ada');
    await page.getByLabel('E-Mail').fill('visit@example.net');
    await page.getByLabel('Haben Sie einen Garten?').selectOption('Ja');
    await page.getByLabel('Ihre Nachricht').fill('Wir kommen gern.');
    await checkState(page, 'request for a visit');
    await page.getByRole('button', { name: 'Anfrage senden' }).click();
    await page.getByRole('heading', { name: 'Ihre Anfrage ist gesendet' }).waitFor();
  });
  const [{ answers = [] } = {}] = await stored('email=visit@example.net');
  const words = [2, 9].map((days) =>
    new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' }).format(Date.now() + days * 24 * 3_600_000),
  );
  const [visitDays] = answers as { question: string; answer: string }[];
  assert.deepEqual([visitDays?.question, visitDays?.answer], ['Days on which a visit is possible', words.join(' · ')]);
});

/** Days from today. */
function day(days: number): string {
  return new Date(Date.now() + days * 24 * 3_600_000).toISOString().slice(0, 10);
}

async function workOn(visit: Visit): Promise<void> {
  const { page } = visit;
  await page.getByText('On Saturday?').waitFor();
  assert.equal(await page.getByRole('link', { name: '+49 30 1234' }).getAttribute('href'), 'tel:+49301234');
  await visit.expectShifts(async () => {
    await page.getByRole('button', { name: 'Assign to me' }).click();
    await page.getByText('Assigned to edna.').waitFor();
    await page.getByLabel('Your note').fill('She has a garden.');
    await page.getByRole('button', { name: 'Add note' }).click();
    await page.getByText('Note from edna').waitFor();
    await page.getByLabel('Your answer').fill('Yes, come at ten.');
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.getByText('Answer from edna').waitFor();
  });
  await checkState(page, 'enquiry answered');
  const mails = await receiver.waitFor(3);
  const answer = mails.find(({ text = '' }) => text.includes('Yes, come at ten.'));
  assert.deepEqual(answer?.recipients, ['ada@example.net']);
  await visit.expectShifts(async () => {
    await page.getByRole('button', { name: 'Closed', exact: true }).click();
    await page.getByRole('button', { name: 'Closed', pressed: true }).waitFor();
  });
}

void test(
  'enquiry: wrong fields are named and get the focus, and a reload keeps what was typed',
  options,
  async (t) => {
    const visit = await openVisit(t, service, { width: 375, language: 'de' });
    const { page } = visit;
    await visit.open(`/pets/${luna}/enquire`);
    await page.getByLabel('Ihr Name').fill('Ada');
    await page.getByLabel('E-Mail').fill('ada');
    await visit.expectShifts(async () => {
      await page.getByRole('button', { name: 'Anfrage senden' }).click();
      await page.getByText('Geben Sie eine E-Mail-Adresse ein').waitFor();
    });
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'email');
    assert.equal(await page.getByText('Füllen Sie dieses Feld aus.').count(), 2);
    await checkState(page, 'enquiry with faults');
    await visit.open(`/pets/${luna}/enquire`);
    assert.equal(await page.getByLabel('Ihr Name').inputValue(), 'Ada');
  },
);

void test(
  'enquiry: the keyboard reaches each field, and neither it nor a screen reader the trap',
  options,
  async (t) => {
    const visit = await openVisit(t, service);
    const { page } = visit;
    await visit.open(`/pets/${luna}/enquire`);
    await page.getByLabel('Your name').focus();
    await page.keyboard.type('Grace');
    for (const text of ['grace@example.net', '030 99']) {
      await page.keyboard.press('Tab');
      await page.keyboard.type(text);
    }
    // The days for a visit.
    await page.keyboard.press('Tab');
    for (const key of ['Y', 'H']) {
      await page.keyboard.press('Tab');
      await page.keyboard.press(key);
    }
    for (const text of ['Two cats', 'Hello']) {
      await page.keyboard.press('Tab');
      await page.keyboard.type(text);
    }
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Send enquiry');
    const trap = page.locator('[aria-hidden]:has(> label > input[name=website])');
    assert.equal((await trap.boundingBox())?.width, 1);
    assert.doesNotMatch(await page.locator('main').ariaSnapshot(), /website/i);
    await visit.expectShifts(async () => {
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Your enquiry was sent' }).waitFor();
    });
    const [enquiry = {}] = await stored('email=grace@example.net');
    assert.deepEqual([enquiry['name'], enquiry['phone'], enquiry['message']], ['Grace', '030 99', 'Hello']);
    assert.equal(await page.evaluate(() => Object.keys(sessionStorage).some((key) => key.includes('enquiry'))), false);
  },
);

void test('enquiry: a program that fills in the trap notices nothing, and nothing is stored', options, async (t) => {
  const visit = await openVisit(t, service);
  const { page } = visit;
  await visit.open(`/pets/${luna}/enquire`);
  await fill(page, 'program@example.net');
  await page.locator('input[name=website]').fill('https://spam.example');
  await visit.expectShifts(async () => {
    await send(page);
    await page.getByRole('heading', { name: 'Your enquiry was sent' }).waitFor();
  });
  assert.deepEqual(await stored('email=program@example.net'), []);
});

void test('enquiry: a form that is too old, or whose response was lost, is sent once', options, async (t) => {
  const visit = await openVisit(t, service);
  const { page } = visit;
  visit.expect(statusError(400));
  visit.expect(statusError(409));
  await page.route('**/enquiry-form', async (route) => {
    const response = await route.fetch();
    const form = (await response.json()) as { token: string };
    const [, ...rest] = form.token.split('.');
    await route.fulfill({ response, json: { ...form, token: ['1000', ...rest].join('.') } });
    await page.unroute('**/enquiry-form');
  });
  await visit.open(`/pets/${luna}/enquire`);
  await fill(page, 'old@example.net');
  // The second request has the new token; its response does not arrive.
  let requests = 0;
  await page.route('**/enquiries', async (route) => {
    requests++;
    if (requests !== 2) return route.continue();
    await route.fetch();
    return route.abort();
  });
  visit.allow(/ERR_FAILED|Failed to fetch|enquiries/);
  await visit.expectShifts(async () => {
    await send(page);
    await page.getByText("The server couldn't be reached").waitFor();
    await send(page);
    await page.getByRole('heading', { name: 'Your enquiry was sent' }).waitFor();
  });
  assert.equal((await stored('email=old@example.net')).length, 1);
});

void test('enquiry: no form for adopted pets, nor while it is closed', options, async (t) => {
  const visit = await openVisit(t, service);
  const { page } = visit;
  await visit.open(`/pets/${kito}`);
  await page.getByText('This pet has been adopted.').waitFor();
  assert.equal(await page.getByRole('link', { name: 'Ask about this pet' }).count(), 0);
  await visit.open(`/pets/${kito}/enquire`);
  await page.getByRole('heading', { name: 'No enquiries at the moment' }).waitFor();
  visit.expect(statusError(404));
  await visit.open('/pets/999999/enquire');
  await page.getByRole('heading', { name: 'Pet not found' }).waitFor();
});

void test('enquiries: the list is filtered by its address, exported, and a person is erased', options, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'root' });
  const { page } = visit;
  const form = await call('GET', `pet/${luna}/enquiry-form`);
  assert.equal(form.status, 200);
  const visitor = await openVisit(t, service);
  await visitor.open(`/pets/${luna}/enquire`);
  await fill(visitor.page, 'erased@example.net');
  await visitor.expectShifts(async () => {
    await send(visitor.page);
    await visitor.page.getByRole('heading', { name: 'Your enquiry was sent' }).waitFor();
  });
  const json = { email: 'erased@example.net', search: 'species=dog', language: 'en' };
  assert.equal((await call('POST', 'saved-searches', { json })).status, 200);
  await visit.open('/enquiries?text=erased@example.net');
  await page.getByText('1 enquiry', { exact: true }).waitFor();
  await checkState(page, 'enquiries');
  await visit.expectShifts(async () => {
    await page.getByLabel('State').selectOption('Answered');
    await page.getByRole('heading', { name: 'No enquiries found' }).waitFor();
    assert.match(page.url(), /state=answered/);
    await page.getByLabel('State').selectOption('New');
    await page.getByText('1 enquiry', { exact: true }).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export as CSV' }).click();
    assert.equal((await download).suggestedFilename(), 'enquiries.csv');
    await page.getByRole('button', { name: 'Erase a person' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('E-mail').fill('erased@example.net');
    await page.keyboard.press('Enter');
    await dialog.getByText('1 enquiry found:').waitFor();
    await dialog.getByText('1 saved search found.').waitFor();
    await checkState(page, 'person to erase');
    await dialog.getByRole('button', { name: 'Erase permanently' }).click();
    await page.getByText('1 enquiry erased. 1 saved search erased.').waitFor();
  });
  assert.deepEqual(await stored('email=erased@example.net'), []);
  assert.equal((await call('GET', 'saved-searches?email=erased@example.net', { headers: root })).text, '[]');
});

void test('enquiries: an editor erases those of a person, and not the saved searches', options, async (t) => {
  const json = { email: 'kept@example.net', search: 'species=dog', language: 'en' };
  assert.equal((await call('POST', 'saved-searches', { json })).status, 200);
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  const { page } = visit;
  await visit.open('/enquiries');
  await page.getByRole('button', { name: 'Erase a person' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('E-mail').fill('kept@example.net');
  await page.keyboard.press('Enter');
  await dialog.getByText('No enquiries found').waitFor();
  assert.equal(await dialog.getByText(/saved search/).count(), 0);
  assert.equal(await dialog.getByRole('button', { name: 'Erase permanently' }).count(), 0);
});
