import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { checkAccessibility } from '../support/accessibility.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { addPet, readPet, startStaffedService } from '../support/stock.ts';
import { openVisit } from '../support/visit.ts';
import { waitForValue } from '../support/waiting.ts';

/*
 * The list of pets as a table, for staff.
 */

const { service, call, root } = await startStaffedService({ after });
const skip = skipWithoutBrowser;

const locations = [
  { id: 'river', name: 'River house' },
  { id: 'hill', name: 'Hill house' },
];
const stored = await call('PUT', 'organisation', { json: { locations }, headers: root });
assert.equal(stored.status, 200, stored.text);

async function addProfiledPet(name: string, profile: object): Promise<string> {
  const id = await addPet(call, { name, category: { name: 'Dogs' }, status: 'available' }, root);
  const response = await call('PATCH', `pet/${id}/profile`, { json: profile, headers: root });
  assert.equal(response.status, 200, response.text);
  return id;
}

const zoe = await addProfiledPet('Zoe', { species: 'dog', location: 'river' });
await addProfiledPet('Abby', { species: 'cat', isPublished: false });

void test(
  'table: shows profiles, sorts, changes status and location in place, and is remembered',
  { skip },
  async (t) => {
    const visit = await openVisit(t, service, { loggedInAs: 'edna' });
    const { page } = visit;
    await visit.openFollowing('/');
    await visit.expectShifts(async () => {
      await page.getByRole('button', { name: 'Show as table' }).click();
      await page.getByRole('table').waitFor();
    });
    const row = page.getByRole('row', { name: /^Zoe/ });
    await row.getByText('Dog', { exact: true }).waitFor();
    await page.getByRole('row', { name: /^Abby/ }).getByText('Draft').waitFor();
    await checkAccessibility(page, 'The table of pets');

    await row.getByLabel('Location of Zoe').selectOption('Hill house');
    await waitForValue(async () => {
      const { text } = await call('GET', `pet/${zoe}/profile`, { headers: root });
      return (JSON.parse(text) as { location?: string }).location;
    }, 'hill');
    await row.getByLabel('Status of Zoe').selectOption('Pending');
    await waitForValue(async () => (await readPet(call, zoe)).status, 'pending');

    const names = () => page.getByRole('rowheader').allInnerTexts();
    await waitForValue(names, ['Abby', 'Zoe']);
    await page.getByRole('button', { name: 'Name' }).click();
    await page.waitForURL(/sort=name/);
    await waitForValue(names, ['Abby', 'Zoe']);
    await page.getByRole('columnheader', { name: 'Name' }).and(page.locator('[aria-sort="ascending"]')).waitFor();

    await page.getByText('Choose columns').click();
    await page.getByRole('checkbox', { name: 'Category' }).uncheck();
    await page.getByRole('checkbox', { name: 'Tags' }).check();
    const readHeaders = async () => (await page.getByRole('columnheader').allInnerTexts()).map((text) => text.trim());
    const headers = ['Name', 'Status', 'Tags', 'Species', 'Location', 'Published'];
    await waitForValue(readHeaders, headers);
    await page.reload();
    await waitForValue(readHeaders, headers);
  },
);

void test('table: phones show cards', { skip }, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'edna', width: 375, theme: 'dark' });
  const { page } = visit;
  await page.addInitScript(() => localStorage.setItem('menagerie-table', '{"isTable":true}'));
  await visit.openFollowing('/');
  await page.getByRole('button', { name: 'Select', exact: true }).waitFor();
  await page.getByRole('article').first().waitFor();
  assert.equal(await page.getByRole('table').count(), 0);
  assert.equal(await page.getByRole('button', { name: 'Show as table' }).count(), 0);
});
