import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { after, test, type TestContext } from 'node:test';
import { openBackupFiles } from '../../../src/server/backup/backup-files.ts';
import { writeStatus } from '../../../src/server/backup/backup-status.ts';
import { newBackupName } from '../../../src/server/backup/manifest.ts';
import { bearer, logIn, PASSWORDS, startSecuredService } from '../../support/secured.ts';
import { temporaryFolder } from '../../support/service.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { checkState } from '../support/pages.ts';
import { addShelter } from '../support/stock.ts';
import { openVisit, type Visit, type VisitOptions } from '../support/visit.ts';

/*
 * The page with the backups.
 */

const place = await temporaryFolder({ after });
let aheadMs = 0;
const flags = ['--backup-to', place, '--backup-at', '02:30', '--backup-keep', '3'];
const service = await startSecuredService({ after }, { web: true, flags, clock: () => Date.now() + aheadMs });
await addShelter(service.call, bearer(await logIn(service.call, 'root')));
const options = { skip: skipWithoutBrowser };

async function openPage(t: TestContext, others: VisitOptions = {}, of = service): Promise<Visit> {
  const visit = await openVisit(t, of, { loggedInAs: 'root', ...others });
  await visit.open('/admin/backups');
  await visit.page.getByRole('heading', { name: 'Backups', level: 1 }).waitFor();
  return visit;
}

void test('backups: one is started, finishes without a reload, and is downloaded', options, async (t) => {
  const visit = await openPage(t);
  const { page } = visit;
  const last = page.getByRole('region', { name: 'Last backup' });
  await last.getByText('There is no backup yet.').waitFor();
  const schedule = page.getByRole('region', { name: 'Schedule' });
  await schedule.getByText(/^Every day at \d?\d:30.*\s\S+$/).waitFor();
  await schedule.getByText('The newest 3 backups').waitFor();
  await schedule.getByText(place).waitFor();

  await visit.expectShifts(async () => {
    await last.getByRole('button', { name: 'Back up now' }).click();
    await last.getByText('Finished', { exact: true }).waitFor();
  });
  await last.getByText(/^\d+ pets, \d+ photos?, [\d.]+ kB written$/).waitFor();
  const link = page
    .getByRole('region', { name: 'All backups' })
    .getByRole('link', { name: /^Download the backup of / });
  const [file] = await Promise.all([page.waitForEvent('download'), link.click()]);
  assert.match(file.suggestedFilename(), /^menagerie-20\d\d-[\dTZ-]+\.tar$/);
  const { size } = await stat(await file.path());
  assert.equal(size % 512, 0);
  assert.ok(size > 10_000, String(size));
  await checkState(page, 'backups finished');
  await visit.open('/admin/audit?action=backup');
  await page.getByText(/^root started backup 20/).waitFor();
  await page.getByText(/^root downloaded backup 20/).waitFor();
});

void test('backups: a download asks for a proof after 15 minutes, again after it was cancelled', options, async (t) => {
  const visit = await openPage(t);
  const { page } = visit;
  const last = page.getByRole('region', { name: 'Last backup' });
  await last.getByRole('button', { name: 'Back up now' }).click();
  const link = page.getByRole('link', { name: /^Download the backup of / }).first();
  await link.waitFor();
  aheadMs += 16 * 60_000;
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
  visit.expect(/status of 403/);
  await link.click();
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await page
    .getByRole('alert')
    .getByText(/^Nothing was done/)
    .waitFor();
  await link.click();
  const password = dialog.getByLabel('Password').first();
  await password.fill(PASSWORDS['root'] ?? '');
  const [file] = await Promise.all([page.waitForEvent('download'), password.press('Enter')]);
  assert.match(file.suggestedFilename(), /^menagerie-20/);
  await visit.end();
});

void test('backups: progress and result of a backup of another process are shown', options, async (t) => {
  const files = (await openBackupFiles({ folder: place }, true)) ?? assert.fail();
  const name = newBackupName(Date.now());
  const write = (status: object) =>
    writeStatus(files, name, { atMs: Date.now(), what: '', done: 0, total: 0, ...status });
  await write({ what: 'photos', done: 120, total: 4300 });
  const visit = await openPage(t);
  const last = visit.page.getByRole('region', { name: 'Last backup' });
  await last.getByText('Photos: 120 of 4,300').waitFor();
  await last.getByRole('button', { name: 'Back up now', disabled: true }).waitFor();
  await checkState(visit.page, 'backups running');
  await visit.expectShifts(async () => {
    await write({ error: 'The disk is full.' });
    await last.getByText('Failed', { exact: true }).waitFor();
  });
  await last.getByText('The disk is full.').waitFor();
  await last.getByText('Last finished backup:').waitFor();
  await last.getByRole('button', { name: 'Back up now', disabled: false }).waitFor();
  const german = await openPage(t, { language: 'de', width: 375 });
  await german.page.getByText('Fehlgeschlagen').first().waitFor();
  await checkState(german.page, 'backups failed');
});

void test('backups without a place: the page says how to set them up', options, async (t) => {
  const other = await startSecuredService(t, { web: true });
  const visit = await openPage(t, {}, other);
  await visit.page.getByRole('heading', { name: 'Backups are not set up' }).waitFor();
  assert.equal(await visit.page.getByRole('button', { name: 'Back up now' }).count(), 0);
  // Before its service stops: the page still loads scripts.
  await visit.end();
});

void test('restore: a backup is checked, its changes are shown, and a typed word is needed', options, async (t) => {
  const visit = await openPage(t);
  const { page } = visit;
  const last = page.getByRole('region', { name: 'Last backup' });
  await last.getByRole('button', { name: 'Back up now' }).click();
  await last.getByText('Finished', { exact: true }).waitFor();
  await page
    .getByRole('button', { name: /^Restore the backup of / })
    .first()
    .click();
  const dialog = page.getByRole('dialog', { name: /^Restore the backup of / });
  await dialog.getByRole('button', { name: 'Check the backup' }).click();
  await dialog.getByText(/^The backup is complete and undamaged\./).waitFor();
  await dialog.getByRole('row', { name: /^Pets \d+ \d+$/ }).waitFor();
  const start = dialog.getByRole('button', { name: 'Restore', exact: true });
  assert.equal(await start.isDisabled(), true);
  await dialog.getByLabel(/^Type “restore”/).fill('Restore');
  assert.equal(await start.isDisabled(), false);
  await checkState(page, 'restore of a backup');
});
