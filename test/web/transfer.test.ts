import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createClient } from '../../src/client/client.ts';
import { logIn, startSecuredService } from '../support/secured.ts';
import { checkAccessibility, checkContrast } from './support/accessibility.ts';
import { skipWithoutBrowser } from './support/browser.ts';
import { keepScreenshot } from './support/screenshots.ts';
import { openVisit } from './support/visit.ts';

/*
 * Import and export in the browser, by an editor and by an administrator.
 */

const service = await startSecuredService({ after }, { web: true });
const client = createClient({ base: service.base, token: await logIn(service.call, 'edna') });
const options = { skip: skipWithoutBrowser };

/** Pets of the test that cancels an import. */
async function countMany(): Promise<number> {
  return (await client.findPets({ text: 'Many', limit: 1 })).total;
}

function choose(page: Page, name: string, text: string): Promise<void> {
  const file = { name, mimeType: 'text/csv', buffer: Buffer.from(text) };
  return page.locator('input[type=file]').first().setInputFiles(file);
}

for (const { width, language } of [
  { width: 1440, language: 'en' },
  { width: 375, language: 'de' },
] as const)
  void test(`editor, ${width} px: previews a file, imports it, and saves the results`, options, async (t) => {
    const { page, ...visit } = await openVisit(t, service, { loggedInAs: 'edna', width, language });
    const isEnglish = language === 'en';
    const name = `Rex ${width}`;
    const existing = await client.addPet({ body: { name, status: 'sold', tags: ['calm'] } });
    await visit.open('/pets/transfer');
    const rows = `name,status,vet\n${name},available,Dr. Who\n=Max ${width},pending,\nZoe,asleep,\nTim ${width},sold,\nTim ${width},sold,\n`;
    await visit.expectShifts(async () => {
      await choose(page, 'pets.csv', rows);
      await page
        .getByRole('alert')
        .getByText(isEnglish ? /no column id/ : /keine Spalte id/)
        .waitFor();
      await page.getByRole('main').getByRole('combobox').selectOption('name');
      await page.getByText(isEnglish ? '1 existing' : '1 vorhanden').waitFor();
    });
    await page.getByText(isEnglish ? '2 new' : '2 neu').waitFor();
    await page.getByText(isEnglish ? 'Ignored columns: vet' : 'Nicht beachtete Spalten: vet').waitFor();
    await page.getByText(isEnglish ? /Row 4: The status must be/ : /Zeile 4: Der Status muss/).waitFor();
    await page.getByText(isEnglish ? /Row 6: name is the same/ : /Zeile 6: name kommt schon/).waitFor();
    await checkScreens(page, `transfer preview ${width}`);

    await visit.expectShifts(async () => {
      await page.getByRole('button', { name: isEnglish ? 'Import 3 rows' : '3 Zeilen importieren' }).click();
      await page.getByRole('heading', { name: isEnglish ? 'Import finished' : 'Import beendet' }).waitFor();
    });
    await checkScreens(page, `transfer report ${width}`);
    const pet = await client.getPetById({ petId: existing.id });
    assert.deepEqual([pet.status, pet.tags], ['available', [{ name: 'calm' }]]);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: isEnglish ? 'Save results' : 'Ergebnisse speichern' }).click();
    const results = await readFile(await (await download).path(), 'utf8');
    assert.match(
      results,
      new RegExp(
        `^\uFEFFrow,outcome,id,error\r\n2,updated,${existing.id},\r\n3,created,\\d+,\r\n4,failed,,"column status`,
      ),
    );
  });

void test('administrator: downloads all pets as CSV, and imports the same file without changes', options, async (t) => {
  const { page, ...visit } = await openVisit(t, service, { loggedInAs: 'root' });
  await visit.open('/admin/users');
  await page
    .getByRole('navigation', { name: 'Administration' })
    .getByRole('link', { name: 'Import and export' })
    .click();
  await page.getByRole('heading', { name: 'Import and export', level: 1 }).waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'CSV for spreadsheets' }).click();
  const file = await download;
  assert.equal(file.suggestedFilename(), 'pets.csv');
  const before = await Array.fromAsync(client.exportPetHistory.lines());
  await visit.expectShifts(async () => {
    await choose(page, 'pets.csv', await readFile(await file.path(), 'utf8'));
    await page.getByRole('button', { name: /^Import \d+ rows?$/ }).click();
    await page.getByRole('heading', { name: 'Import finished' }).waitFor();
  });
  assert.deepEqual(await Array.fromAsync(client.exportPetHistory.lines()), before);
});

void test('editor: cancels an import, and continues it with the same file', options, async (t) => {
  const { page, ...visit } = await openVisit(t, service, { loggedInAs: 'edna' });
  await visit.open('/pets/transfer');
  const first = 5_000_001;
  const rows = Array.from({ length: 20_000 }, (_, index) => `${first + index},Many ${index}`);
  await visit.expectShifts(async () => {
    await choose(page, 'pets.csv', `id,name\n${rows.join('\n')}\n`);
    await page.getByRole('button', { name: /^Import 20,?000 rows$/ }).click();
    await page.getByRole('button', { name: 'Cancel import' }).click();
    await page.getByRole('heading', { name: 'Import cancelled' }).waitFor();
    const stored = await countMany();
    assert.ok(stored < rows.length, String(stored));
    await choose(page, 'again.csv', `id,name\n${rows.join('\n')}\n`);
    await page.getByRole('button', { name: /^Import 20,?000 rows$/ }).click();
    await page.getByRole('heading', { name: 'Import finished' }).waitFor();
  });
  assert.equal(await countMany(), rows.length);
});

void test('administrator: exports users, and imports new ones with their roles', options, async (t) => {
  const { page, ...visit } = await openVisit(t, service, { loggedInAs: 'root', width: 375 });
  visit.allow(/status of 404/);
  await visit.open('/pets/transfer');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV for spreadsheets' }).click();
  const exported = await readFile(await (await download).path(), 'utf8');
  assert.match(exported, /^\uFEFFusername,id,[^]*\r\nedna,[^\r]*,editor,\d+\r\n/);
  assert.doesNotMatch(exported, /argon2|password/);
  const rows = `${exported}nina,,"=N",,,,,editor,\r\nola,,,,,,,king,\r\nedna,,,,,,,editor,\r\nvera,,,,,,,admin,\r\n`;
  await visit.expectShifts(async () => {
    const file = { name: 'users.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) };
    await page.locator('input[type=file]').last().setInputFiles(file);
    await page.getByText('1 new').waitFor();
    await page.getByText(/The role must be viewer, editor or admin/).waitFor();
    await checkScreens(page, 'transfer users 375');
    await page.getByRole('button', { name: /^Import \d+ rows$/ }).click();
    await page.getByRole('heading', { name: 'Import finished' }).waitFor();
  });
  const root = createClient({ base: service.base, token: await logIn(service.call, 'root') });
  const { role, firstName } = await root.getUserAsAdmin({ username: 'nina' });
  assert.deepEqual([role, firstName], ['editor', '=N']);
  assert.equal((await root.getUserAsAdmin({ username: 'vera' })).role, 'viewer');
});

void test('viewer: has no access', options, async (t) => {
  const { page, ...visit } = await openVisit(t, service, { loggedInAs: 'vera' });
  await visit.open('/pets/transfer');
  await page.getByRole('heading', { level: 1 }).waitFor();
  assert.equal(await page.locator('input[type=file]').count(), 0);
});

async function checkScreens(page: Page, name: string): Promise<void> {
  await checkAccessibility(page, name);
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await checkContrast(page, `${name}, ${theme}`);
    await keepScreenshot(page, `${name} ${theme}`, { isWhole: true });
  }
  await page.emulateMedia({ colorScheme: 'light' });
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wider <= 0, `${name}: ${wider} px wider than the screen`);
}
