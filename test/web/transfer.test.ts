import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createClient } from '../../src/client/client.ts';
import { logIn, startSecuredService } from '../support/secured.ts';
import { withFalseSize, withName, zipWith } from '../support/zip-files.ts';
import { checkAccessibility, checkContrast } from './support/accessibility.ts';
import { skipWithoutBrowser } from './support/browser.ts';
import { samplePhoto } from './support/photo-files.ts';
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

function chooseZip(page: Page, zip: Buffer): Promise<void> {
  const file = { name: 'photos.zip', mimeType: 'application/zip', buffer: zip };
  return page.getByLabel(/^(?:Photos|Fotos) \(/).setInputFiles(file);
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

/** The limit of the service. */
const MAX_PHOTO_BYTES = 10 * 1024 * 1024;

for (const { width, language } of [
  { width: 1440, language: 'en' },
  { width: 375, language: 'de' },
] as const)
  void test(`editor, ${width} px: imports photos from a ZIP file`, options, async (t) => {
    const { page, ...visit } = await openVisit(t, service, { loggedInAs: 'edna', width, language });
    const isEnglish = language === 'en';
    const zip = await zipWith({
      'cats/luna.jpg': (await samplePhoto('cat-luna.jpg')).buffer,
      'Müsli.jpg': (await samplePhoto('cat-miso.jpg')).buffer,
      'notes.txt': Buffer.from('Luna likes fish.'),
      'large.jpg': Buffer.alloc(MAX_PHOTO_BYTES + 1),
      'bomb.jpg': Buffer.alloc(MAX_PHOTO_BYTES * 5),
    });
    const photosOf = {
      Luna: 'cats/luna.jpg',
      Müsli: 'Müsli.jpg|https://example.org/2.jpg',
      Zoe: 'zoe.jpg',
      Max: 'large.jpg',
      Tim: 'cats/luna.jpg|notes.txt',
      Bob: 'bomb.jpg',
      Rex: '',
    };
    const rows = Object.entries(photosOf).map(([name, photos]) => `${name} zip${width},${photos}`);
    await visit.open('/pets/transfer');
    const chunks: string[] = [];
    page.on('request', (request) => chunks.push(...(request.url().match(/zip-photos[^/]*\.js$/) ?? [])));
    await visit.expectShifts(async () => {
      await choose(page, 'pets.csv', `name,photoUrls\n${rows.join('\n')}\n`);
      await page.getByRole('main').getByRole('combobox').selectOption('none');
      await page.getByText(isEnglish ? '7 new' : '7 neu').waitFor();
      assert.deepEqual(chunks, []);
      await chooseZip(page, withFalseSize(zip, MAX_PHOTO_BYTES * 5, 1000));
      await page.getByText(isEnglish ? '5 new' : '5 neu').waitFor();
    });
    assert.equal(chunks.length, 1);
    await expectTexts(
      page,
      isEnglish
        ? ['5 rows name photos in the ZIP file.', '1 photo is missing in the ZIP file: zoe.jpg']
        : ['5 Zeilen nennen Fotos in der ZIP-Datei.', '1 Foto fehlt in der ZIP-Datei: zoe.jpg'],
    );
    await expectTexts(
      page,
      isEnglish
        ? ['Row 4: zoe.jpg is not in the ZIP file.', /^Row 5: large.jpg is too large. The limits are 10\sMiB/]
        : ['Zeile 4: zoe.jpg fehlt in der ZIP-Datei.', /^Zeile 5: large.jpg ist zu groß. Erlaubt sind 10\sMiB/],
    );
    await checkScreens(page, `transfer ZIP preview ${width}`);

    await visit.expectShifts(async () => {
      visit.expect(/status of 415/);
      await page.getByRole('button', { name: isEnglish ? 'Import 5 rows' : '5 Zeilen importieren' }).click();
      await page.getByRole('heading', { name: isEnglish ? 'Import finished' : 'Import beendet' }).waitFor();
    });
    await expectTexts(
      page,
      isEnglish
        ? [
            'stored without all photos: 2 rows',
            /^Row 6: notes.txt is not a JPEG/,
            'Row 7: bomb.jpg is damaged in the ZIP file.',
          ]
        : [
            'nicht mit allen Fotos gespeichert: 2 Zeilen',
            /^Zeile 6: notes.txt ist kein Foto/,
            'Zeile 7: bomb.jpg ist in der ZIP-Datei beschädigt.',
          ],
    );
    await checkScreens(page, `transfer ZIP report ${width}`);
    const pets = await petsNamed(new RegExp(` zip${width}$`));
    assert.deepEqual(
      pets.map(({ name, photoUrls }) => [name.split(' ')[0], photoUrls.length]),
      [
        ['Luna', 1],
        ['Müsli', 2],
        ['Tim', 1],
        ['Bob', 0],
        ['Rex', 0],
      ],
    );
    const stored = await fetch(pets[0]?.photoUrls[0] ?? '');
    assert.deepEqual([stored.status, stored.headers.get('content-type')], [200, 'image/jpeg']);
  });

void test('file that is no ZIP file, and one with an unsafe name: nothing can be imported', options, async (t) => {
  const { page, ...visit } = await openVisit(t, service, { loggedInAs: 'edna' });
  const unsafe = withName(await zipWith({ 'xx/luna.jpg': Buffer.from('x') }), 'xx/luna', '../luna');
  await visit.open('/pets/transfer');
  await visit.expectShifts(async () => {
    await choose(page, 'pets.csv', 'id,name,photoUrls\n5000000,Luna,luna.jpg\n');
    await chooseZip(page, Buffer.from('id,name\n'));
    await page.getByRole('alert').getByText('is not a ZIP file, or it is damaged').waitFor();
    assert.equal(await page.getByRole('button', { name: /^Import/ }).count(), 0);
    await chooseZip(page, unsafe);
    await page.getByRole('alert').getByText('has a name that is not allowed: ../luna.jpg').waitFor();
    assert.equal(await page.getByRole('button', { name: /^Import/ }).count(), 0);
    await page.getByLabel(/^Photos \(/).setInputFiles([]);
    await page.getByText('1 new').waitFor();
  });
  assert.deepEqual(await petsNamed(/^Luna$/), []);
});

void test('editor: cancels an import with photos, and continues it', options, async (t) => {
  const { page, ...visit } = await openVisit(t, service, { loggedInAs: 'edna' });
  const zip = await zipWith({ 'rex.jpg': (await samplePhoto('dog-bruno.jpg')).buffer });
  const rows = Array.from({ length: 120 }, (_, index) => `${6_000_001 + index},Photographed ${index},rex.jpg`);
  await visit.open('/pets/transfer');
  await visit.expectShifts(async () => {
    await choose(page, 'pets.csv', `id,name,photoUrls\n${rows.join('\n')}\n`);
    await chooseZip(page, zip);
    await page.getByRole('button', { name: 'Import 120 rows' }).click();
    await page.getByRole('button', { name: 'Cancel import' }).click();
    await page.getByRole('heading', { name: 'Import cancelled' }).waitFor();
    const stored = await petsNamed(/^Photographed /);
    assert.ok(stored.length < rows.length, String(stored.length));
    assert.ok(stored.every(({ photoUrls }) => photoUrls.length === 1));
    await choose(page, 'again.csv', `id,name,photoUrls\n${rows.join('\n')}\n`);
    await page.getByRole('button', { name: 'Import 120 rows' }).click();
    await page.getByRole('heading', { name: 'Import finished' }).waitFor();
  });
  const all = await petsNamed(/^Photographed /);
  assert.deepEqual([all.length, all.every(({ photoUrls }) => photoUrls.length === 1)], [120, true]);
});

void test('import with photos: a lost connection ends it, and stored rows are reported', options, async (t) => {
  const { page, ...visit } = await openVisit(t, service, { loggedInAs: 'edna' });
  const zip = await zipWith({ 'rex.jpg': (await samplePhoto('dog-bruno.jpg')).buffer });
  const rows = Array.from({ length: 30 }, (_, index) => `Offline ${index},rex.jpg`);
  await visit.open('/pets/transfer');
  let uploads = 0;
  await page.route(/uploadImage$/, (route) => (++uploads > 3 ? route.abort('connectionreset') : route.continue()));
  visit.expect(/ERR_CONNECTION_RESET/);
  await visit.expectShifts(async () => {
    await choose(page, 'pets.csv', `name,photoUrls\n${rows.join('\n')}\n`);
    await page.getByRole('main').getByRole('combobox').selectOption('none');
    await chooseZip(page, zip);
    await page.getByRole('button', { name: 'Import 30 rows' }).click();
    await page.getByRole('heading', { name: 'Import stopped' }).waitFor();
  });
  await expectTexts(page, ['new: 3 rows', 'stored without all photos: 17 rows', 'Row 5: rex.jpg was not uploaded.']);
  assert.equal((await petsNamed(/^Offline /)).length, 20);
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

async function expectTexts(page: Page, texts: readonly (string | RegExp)[]): Promise<void> {
  for (const text of texts) await page.getByRole('main').getByText(text).first().waitFor();
}

async function petsNamed(pattern: RegExp) {
  const pets = await Array.fromAsync(client.exportPets.lines());
  return pets.filter(({ name }) => pattern.test(name));
}

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
