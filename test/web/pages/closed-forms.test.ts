import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { agedToken, ENQUIRY, OPEN_FORM } from '../../support/enquiries.ts';
import { bearer, logIn, startSecuredService } from '../../support/secured.ts';
import { startSmtpReceiver } from '../../support/smtp-receiver.ts';
import { openTables } from '../../support/stored.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { checkState } from '../support/pages.ts';
import { addPet } from '../support/stock.ts';
import { openVisit } from '../support/visit.ts';

/* The forms of visitors while a limit is used up. */

const options = { skip: skipWithoutBrowser };
const receiver = await startSmtpReceiver({ after });
const mail = ['--smtp-url', receiver.url, '--mail-from', 'pets@example.org', '--public-url', 'http://pets.example.org'];
const service = await startSecuredService({ after }, { web: true, nodes: 1, flags: mail });
const { call } = service;
const headers = bearer(await logIn(call, 'root'));
const { query } = await openTables({ after }, service.dataDir);
assert.equal((await call('PUT', 'enquiry-settings', { headers, json: OPEN_FORM })).status, 200);
const luna = await addPet(call, { name: 'Luna', status: 'available' }, headers);

/** Sends requests until one is refused. */
async function useUp(send: (index: number) => Promise<{ status: number }>): Promise<void> {
  let status = 200;
  for (let index = 0; status === 200; index++) ({ status } = await send(index));
  assert.equal(status, 429);
}

void test('enquiry: at a limit, the text stays, and the page then says that the form is closed', options, async (t) => {
  const visit = await openVisit(t, service);
  const { page } = visit;
  await visit.open(`/pets/${luna}/enquire`);
  await page.getByLabel('Your name').fill('Ada');
  await page.getByLabel('E-mail').fill('ada@example.net');
  await page.getByLabel('Your message').fill('May I visit Luna?');
  await useUp(async (index) => {
    const token = await agedToken(query, BigInt(luna));
    return call('POST', `pet/${luna}/enquiries`, { json: { ...ENQUIRY, email: `a${index}@example.org`, token } });
  });
  visit.expect(/status of 429/);
  await visit.expectShifts(async () => {
    await page.getByRole('button', { name: 'Send enquiry' }).click();
    await page.getByText('Not sent: there have been too many enquiries').waitFor();
  });
  assert.equal(await page.getByLabel('Your message').inputValue(), 'May I visit Luna?');

  await visit.open(`/pets/${luna}/enquire`);
  await page.getByText('the form is closed for now. Try again tomorrow, or write to the shelter by e-mail.').waitFor();
  assert.equal(await page.getByLabel('Your message').count(), 0);
  await checkState(page, 'enquiries closed for now');
  await query('delete from counted_failures');
  await visit.open(`/pets/${luna}/enquire`);
  assert.equal(await page.getByLabel('Your message').inputValue(), 'May I visit Luna?');
});

void test('saved search: at a limit, the dialog says that none can be saved for now', options, async (t) => {
  const visit = await openVisit(t, service);
  const { page } = visit;
  const dialog = page.getByRole('dialog', { name: 'Mail me new matches' });
  const sentence = dialog.getByText('Try again tomorrow, or write to the shelter by e-mail.');
  await visit.open('/?text=luna');
  await page.getByRole('button', { name: 'Mail me new matches' }).click();
  await dialog.getByLabel('E-mail').fill('ada@example.net');
  await useUp((index) =>
    call('POST', 'saved-searches', { json: { email: `a${index}@example.org`, search: 'text=luna', language: 'en' } }),
  );
  visit.expect(/status of 429/);
  await visit.expectShifts(async () => {
    await dialog.getByRole('button', { name: 'Send link' }).click();
    await sentence.waitFor();
  });
  assert.equal(await dialog.getByLabel('E-mail').inputValue(), 'ada@example.net');

  await visit.open('/?text=luna');
  await page.getByRole('button', { name: 'Mail me new matches' }).click();
  await sentence.waitFor();
  assert.equal(await dialog.getByLabel('E-mail').count(), 0);
  await checkState(page, 'saved searches closed for now');
  const german = await openVisit(t, service, { language: 'de' });
  await german.open('/?text=luna');
  await german.page.getByRole('button', { name: 'Neue Treffer per E-Mail' }).click();
  await german.page.getByText('Versuchen Sie es morgen wieder').waitFor();
});
