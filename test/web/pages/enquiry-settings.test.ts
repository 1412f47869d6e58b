import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { agedToken, ENQUIRY } from '../../support/enquiries.ts';
import { openTables } from '../../support/stored.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { checkState } from '../support/pages.ts';
import { addPet, startStaffedService } from '../support/stock.ts';
import { openVisit } from '../support/visit.ts';

/* Administrators open the form for enquiries. The service sends no e-mail. */

const { service, call, root } = await startStaffedService({ after });
const tables = await openTables({ after }, service.dataDir);
const luna = await addPet(call, { name: 'Luna', status: 'available' }, root);
const options = { skip: skipWithoutBrowser };

async function readSettings(): Promise<{ questions: Record<string, unknown>[] }> {
  const { status, text } = await call('GET', 'enquiry-settings', { headers: root });
  assert.equal(status, 200, text);
  return JSON.parse(text) as { questions: Record<string, unknown>[] };
}

void test('enquiry settings: the form gets questions and opens, and pets have it', options, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'root', width: 768 });
  const { page } = visit;
  await visit.open('/enquiries');
  await page.getByRole('heading', { name: 'No enquiries yet' }).waitFor();
  await checkState(page, 'no enquiries');
  await page.getByRole('main').getByRole('link', { name: 'Form settings' }).last().click();
  await page.getByRole('heading', { name: 'Enquiries', level: 1 }).waitFor();
  await page.getByText('Enquiries are not sent by e-mail, because the service sends none').waitFor();
  await visit.expectShifts(async () => {
    await page.getByLabel('The form is open').check();
    await page.getByLabel('Days until').fill('30');
    await page.getByRole('button', { name: 'Add question' }).click();
    await page.getByLabel('Question in English').fill('Do you have a garden?');
    await page.getByLabel('Question in German').fill('Haben Sie einen Garten?');
    await page.getByRole('button', { name: 'Add question' }).click();
    const second = page.getByRole('group', { name: 'Question 2' });
    await second.getByLabel('Question in English').fill('Where do you live?');
    await second.getByLabel('Question in German').fill('Wo wohnen Sie?');
    await second.getByLabel('Answer', { exact: true }).selectOption('Choice');
    await second.getByLabel('Choices').fill('House | Haus');
    visit.expect(/status of 400/);
    await page.getByRole('button', { name: 'Save' }).click();
    await second.getByText('a choice needs 2 to 20').waitFor();
    await second.getByLabel('Choices').fill('House | Haus\nFlat');
    await second.getByLabel('An answer is required').check();
    await second.getByRole('button', { name: 'Move question 2 up' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The form is open.').waitFor();
  });
  await checkState(page, 'enquiry settings');
  const { questions, ...settings } = await readSettings();
  assert.deepEqual(settings, { enabled: true, language: 'en', retentionDays: 30, sendsTo: null });
  assert.deepEqual(questions, [
    {
      id: 'question2',
      text: { en: 'Where do you live?', de: 'Wo wohnen Sie?' },
      type: 'choice',
      required: true,
      choices: [{ value: 'House', labelDe: 'Haus' }, { value: 'Flat' }],
    },
    {
      id: 'question1',
      text: { en: 'Do you have a garden?', de: 'Haben Sie einen Garten?' },
      type: 'text',
      required: false,
    },
  ]);
  await page.getByRole('link', { name: 'View the saved form' }).click();
  await page.getByLabel('Where do you live?').waitFor();
  const german = await openVisit(t, service, { language: 'de' });
  await german.open(`/pets/${luna}`);
  await german.page.getByRole('link', { name: 'Anfragen' }).click();
  assert.equal(await german.page.getByRole('option', { name: 'Haus' }).getAttribute('value'), 'House');
});

async function sendEnquiry(): Promise<string> {
  const stored = await call('PUT', 'enquiry-settings', { headers: root, json: { enabled: true } });
  assert.equal(stored.status, 200, stored.text);
  const json = { ...ENQUIRY, token: await agedToken(tables.query, BigInt(luna)) };
  const sent = await call('POST', `pet/${luna}/enquiries`, { json });
  assert.equal(sent.status, 200, sent.text);
  const [newest] = JSON.parse((await call('GET', 'enquiries', { headers: root })).text) as { id: number }[];
  return String(newest?.id);
}

void test('enquiry: a change of a colleague is not overwritten, and a deletion is confirmed', options, async (t) => {
  const id = await sendEnquiry();
  const visit = await openVisit(t, service, { loggedInAs: 'edna', width: 375 });
  const { page } = visit;
  await visit.open(`/enquiries/${id}`);
  await page.getByText('The service sends no e-mail.').waitFor();
  const link = page.getByRole('link', { name: 'Write an e-mail' });
  assert.equal(await link.getAttribute('href'), 'mailto:ada@example.org?subject=Your%20enquiry%20about%20Luna');
  const changed = await call('PATCH', `enquiries/${id}`, { headers: root, json: { assignee: 'root' } });
  assert.equal(changed.status, 200, changed.text);
  visit.expect(/status of 412/);
  await visit.expectShifts(async () => {
    await page.getByRole('button', { name: 'Closed', exact: true }).click();
    await page.getByText('This was changed in the meantime').waitFor();
    await page.getByText('Assigned to root.').waitFor();
    await page.getByRole('button', { name: 'Closed', exact: true }).click();
    await page.getByRole('button', { name: 'Closed', pressed: true }).waitFor();
    await page.getByRole('main').getByRole('button', { name: 'Delete enquiry' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete enquiry' }).click();
    await page.getByRole('heading', { name: 'Enquiries', level: 1 }).waitFor();
  });
  visit.expect(/status of 404/);
  await visit.open(`/enquiries/${id}`);
  await page.getByRole('heading', { name: 'Enquiry not found' }).waitFor();
});

void test('enquiry: it is assigned to a colleague, and viewers see no enquiry', options, async (t) => {
  const id = await sendEnquiry();
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  const { page } = visit;
  await visit.open(`/enquiries/${id}`);
  const colleagues = page.getByLabel('Assigned to');
  await colleagues.getByRole('option', { name: 'root' }).waitFor({ state: 'attached' });
  assert.deepEqual(await colleagues.getByRole('option').allTextContents(), ['Not assigned', 'edna', 'root']);
  await visit.expectShifts(async () => {
    await colleagues.selectOption('root');
    await page.getByRole('button', { name: 'Assign', exact: true }).click();
    await page.getByText('Assigned to root.').waitFor();
    await colleagues.selectOption('Not assigned');
    await page.getByRole('button', { name: 'Assign', exact: true }).click();
    await page.getByText('Not assigned to anyone.').waitFor();
    await page.getByRole('link', { name: /^Enquiries \(\d+\)$/ }).waitFor();
  });
  const viewer = await openVisit(t, service, { loggedInAs: 'vera' });
  await viewer.open(`/enquiries/${id}`);
  await viewer.page.getByRole('heading', { name: 'Staff only' }).waitFor();
  assert.equal(await viewer.page.getByRole('link', { name: 'Enquiries' }).count(), 0);
});

void test('enquiries: with all links, the navigation fits on the smallest phone', options, async (t) => {
  await sendEnquiry();
  const visit = await openVisit(t, service, { loggedInAs: 'root', width: 320, language: 'de' });
  const { page } = visit;
  await visit.open(`/pets/${luna}`);
  await visit.expectShifts(async () => {
    await page.getByRole('button', { name: 'Gemerkt: Luna' }).click();
    await page.getByRole('link', { name: /Merkliste/ }).waitFor();
  });
  const words = await page.locator('nav a > span').evaluateAll((spans) =>
    spans.map((span) => {
      const { left, right } = span.getBoundingClientRect();
      return { text: span.textContent, left, right };
    }),
  );
  assert.equal(words.length, 7);
  for (const [index, { text, right }] of words.entries())
    assert.ok(right <= (words[index + 1]?.left ?? 320), `${text} does not cover the next word`);
  await checkState(page, 'navigation with all links');
});
