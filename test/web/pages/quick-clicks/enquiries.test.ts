import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { agedToken, ENQUIRY } from '../../../support/enquiries.ts';
import { openTables } from '../../../support/stored.ts';
import { skipWithoutBrowser } from '../../support/browser.ts';
import { checkQuickClicks, confirmed, dialogButton, pageButton, type QuickCase } from '../../support/quick-clicks.ts';
import { addPet, startStaffedService } from '../../support/stock.ts';
import { openVisit } from '../../support/visit.ts';

/*
 * Each button of the pages of enquiries that changes something is activated twice in the same task.
 */

const { service, call, root } = await startStaffedService({ after });
const tables = await openTables({ after }, service.dataDir);
const options = { skip: skipWithoutBrowser };
const luna = await addPet(call, { name: 'Luna', status: 'available' }, root);
const opened = await call('PUT', 'enquiry-settings', { headers: root, json: { enabled: true } });
assert.equal(opened.status, 200, opened.text);

async function sendEnquiry(email: string): Promise<string> {
  const json = { ...ENQUIRY, email, token: await agedToken(tables.query, BigInt(luna)) };
  const sent = await call('POST', `pet/${luna}/enquiries`, { json });
  assert.equal(sent.status, 200, sent.text);
  const [newest] = JSON.parse((await call('GET', 'enquiries', { headers: root })).text) as { id: number }[];
  return String(newest?.id);
}

void test('quick clicks: an enquiry of a visitor', options, async (t) => {
  const visit = await openVisit(t, service);
  await checkQuickClicks(visit, {
    name: 'send an enquiry',
    path: `/pets/${luna}/enquire`,
    prepare: async (page) => {
      await page.getByLabel('Your name').fill('Ada');
      await page.getByLabel('E-mail').fill('ada@example.net');
      await page.getByLabel('Your message').fill('Hello');
      return pageButton(page, 'Send enquiry');
    },
    sent: ['sendEnquiry'],
    done: (page) => page.getByRole('heading', { name: 'Your enquiry was sent' }),
  });
});

void test('quick clicks: enquiries', options, async (t) => {
  const path = `/enquiries/${await sendEnquiry('ada@example.org')}`;
  await sendEnquiry('grace@example.org');
  const visit = await openVisit(t, service, { loggedInAs: 'root' });
  const cases: readonly QuickCase[] = [
    {
      name: 'assign',
      path,
      prepare: (page) => pageButton(page, 'Assign to me'),
      sent: ['updateEnquiry'],
      done: (page) => page.getByText('Assigned to root.'),
    },
    {
      name: 'change the state',
      path,
      prepare: (page) => pageButton(page, 'Answered'),
      sent: ['updateEnquiry'],
      done: (page) => page.getByRole('button', { name: 'Answered', pressed: true }),
    },
    {
      name: 'add a note',
      path,
      prepare: async (page) => {
        await page.getByLabel('Your note').fill('She has a garden.');
        return pageButton(page, 'Add note');
      },
      sent: ['addEnquiryNote'],
      done: (page) => page.getByText('Note from root'),
    },
    {
      name: 'delete',
      path,
      prepare: confirmed('Delete enquiry', 'Delete enquiry'),
      sent: ['deleteEnquiry'],
      done: (page) => page.getByText('Enquiry deleted.'),
    },
    {
      name: 'erase a person',
      path: '/enquiries',
      prepare: async (page) => {
        await pageButton(page, 'Erase a person').click();
        await page.getByRole('dialog').getByLabel('E-mail').fill('grace@example.org');
        await page.keyboard.press('Enter');
        return dialogButton(page, 'Erase permanently');
      },
      sent: ['eraseSavedSearches', 'eraseEnquiries'],
      done: (page) => page.getByText('1 enquiry erased. 0 saved searches erased.'),
    },
    {
      name: 'save the settings',
      path: '/admin/enquiries',
      prepare: async (page) => {
        await page.getByLabel('Days until').fill('30');
        return pageButton(page, 'Save');
      },
      sent: ['updateEnquirySettings'],
      done: (page) => page.getByText('Settings saved.'),
    },
  ];
  for (const each of cases) await checkQuickClicks(visit, each);
});
