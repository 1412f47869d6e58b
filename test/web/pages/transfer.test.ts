import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { createClient } from '../../../src/client/client.ts';
import { logIn, startSecuredService } from '../../support/secured.ts';
import { withFalseSize, withName, zipWith } from '../../support/zip-files.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { chunkOf } from '../support/chunk-files.ts';
import { checkState } from '../support/pages.ts';
import { samplePhoto } from '../support/photo-files.ts';
import { openVisit } from '../support/visit.ts';

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

function matchField(page: Page) {
  return page.getByLabel(/^(?:Match rows to pets by|Zeilen zuordnen nach)$/);
}

function chooseZip(page: Page, zip: Buffer): Promise<void> {
  const file = { name: 'photos.zip', mimeType: 'application/zip', buffer: zip };
  return page.getByLabel(/^(?:Photos|Fotos) \(/).setInputFiles(file);
}

void test('editor, 375 px, German: previews a file, imports it, and saves the results', options, async (t) => {
  const { page, ...visit } = await openVisit(t, service, { loggedInAs: 'edna', width: 375, language: 'de' });
  const existing = await client.addPet({ body: { name: 'Rex', status: 'sold', tags: ['calm'] } });
  await visit.open('/pets/transfer');
  const rows = 'name,status,vet\nRex,available,Dr. Who\n=Max,pending,\nZoe,asleep,\nTim,sold,\nTim,pending,\n';
  await visit.expectShifts(async () => {
    await choose(page, 'pets.csv', rows);
    // Without a column id, all rows are added.
    await page.getByText('4 neu').waitFor();
    assert.equal(await matchField(page).inputValue(), 'none');
    await matchField(page).selectOption('name');
    await page.getByText('1 vorhanden').waitFor();
  });
  await expectTexts(page, [
    '2 neu',
    /^1 Zeile mit unlesbaren Zellen/,
    'Nicht beachtete Spalten: vet',
    /Zeile 4: Der Status muss .* In der Datei: „asleep“/,
    /Zeile 6: name kommt schon/,
  ]);
  await checkState(page, 'transfer preview');

  await visit.expectShifts(async () => {
    await page.getByLabel('Tiere mit unlesbaren Zellen nicht importieren').check();
    await page.getByRole('button', { name: '3 Zeilen importieren' }).waitFor();
    await page.getByLabel('Tiere mit unlesbaren Zellen nicht importieren').uncheck();
    await page.getByRole('button', { name: '4 Zeilen importieren' }).click();
    await page.getByRole('heading', { name: 'Import beendet' }).waitFor();
  });
  await checkState(page, 'transfer report');
  const pet = await client.getPetById({ petId: existing.id });
  assert.deepEqual([pet.status, pet.tags], ['available', [{ name: 'calm' }]]);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Ergebnisse speichern' }).click();
  const results = await readFile(await (await download).path(), 'utf8');
  assert.match(
    results,
    new RegExp(
      `^\uFEFFrow,outcome,id,error\r\n2,updated,${existing.id},\r\n3,created,\\d+,\r\n4,incomplete,\\d+,"column status`,
    ),
  );
});

void test(
  'editor, 768 px: chooses what the columns are, which is remembered, and sees similar labels',
  options,
  async (t) => {
    const { page, ...visit } = await openVisit(t, service, { loggedInAs: 'edna', width: 768 });
    const rows = 'Our pets\r\nRufname;Kategorie;Pate;Vermittlung\r\nRob;Cats;3;Vermittelt\r\nRoy;cats;4;lost\r\n';
    await visit.open('/pets/transfer');
    await visit.expectShifts(async () => {
      await choose(page, 'tiere.txt', rows);
      await page.getByText('Columns: 3 of 4 are imported').waitFor();
      await page.getByLabel('Pate', { exact: true }).selectOption('tags');
      await page.getByText('Columns: 4 of 4 are imported').waitFor();
      await page.getByLabel('Vermittlung', { exact: true }).selectOption('');
      await page.getByText('2 new').waitFor();
    });
    await expectTexts(page, [
      'Chosen because the name is similar',
      '1 row above the column names will not be imported.',
      'Row 4: category “cats”. Row 3 has “Cats”.',
    ]);
    await checkState(page, 'transfer columns');
    await page.reload();
    await visit.expectShifts(async () => {
      await choose(page, 'more.txt', rows);
      await page.getByText('2 new').waitFor();
      assert.equal(await page.getByLabel('Pate', { exact: true }).inputValue(), 'tags');
      await page.getByLabel('Vermittlung', { exact: true }).selectOption('status');
      await page.getByText('Row 4: The status must be Available, Pending or Adopted. In the file: “lost”').waitFor();
      // A table without a known name can be mapped as well.
      await choose(page, 'unknown.csv', 'Titel,X\nRon,1\n');
      await page.getByRole('alert').getByText('No column has a known name').waitFor();
      await page.getByLabel('Titel', { exact: true }).selectOption('name');
      await page.getByRole('button', { name: 'Import 1 row', exact: true }).click();
      await page.getByRole('heading', { name: 'Import finished' }).waitFor();
    });
    assert.equal((await petsNamed(/^Ron$/)).length, 1);
  },
);

void test('editor, 375 px, German: imports profiles, and sees wrong cells by column', options, async (t) => {
  const { page, ...visit } = await openVisit(t, service, { loggedInAs: 'edna', width: 375, language: 'de' });
  await visit.open('/pets/transfer');
  const rows = [
    'externalId;name;Rasse;isAltered;birthDate;species;weightKg',
    'W-1;Wanda;Boxer;ja;3.4.2024;Hund;12,5',
    'W-2;Willy;;vielleicht;30.2.2024;Drache;1.250',
  ].join('\n');
  await choose(page, 'pets.csv', rows);
  await page.getByText('1 neu').waitFor();
  assert.equal(await matchField(page).inputValue(), 'externalId');
  const breed = page.getByLabel('Rasse');
  assert.equal(await breed.inputValue(), 'breedPrimary');
  assert.equal(await breed.locator('option:checked').textContent(), 'Rasse (breedPrimary)');
  await expectTexts(page, [
    /isAltered muss ja oder nein sein.* In der Datei: „vielleicht“/,
    /birthDate muss ein Datum sein.* In der Datei: „30\.2\.2024“/,
    /species muss eines von dog, cat, .* In der Datei: „Drache“/,
    /weightKg muss eine Zahl .* In der Datei: „1\.250“/,
  ]);
  await checkState(page, 'transfer preview with profiles');
  await page.getByRole('button', { name: '2 Zeilen importieren' }).click();
  await page.getByRole('heading', { name: 'Import beendet' }).waitFor();
  const [pet] = (await client.findPets({ text: 'Wanda', limit: 1 })).pets;
  assert.deepEqual(await client.getPetProfile({ petId: pet?.id ?? 0n }), {
    species: 'dog',
    breedPrimary: 'Boxer',
    birthDate: '2024-04-03',
    weightKg: 12.5,
    isAltered: true,
    externalId: 'W-1',
    isPublished: false,
  });
});

async function drafts(): Promise<number> {
  return (await client.findPets({ text: 'drafted', published: false, limit: 1 })).total;
}

void test(
  'editor, 375 px, German: publishes all imported drafts with one click, and a selection',
  options,
  async (t) => {
    const { page, ...visit } = await openVisit(t, service, { loggedInAs: 'edna', width: 375, language: 'de' });
    await visit.open('/pets/transfer');
    const rows = ['externalId;name;Sichtbarkeit', 'D-1;Dora drafted;', 'D-2;Dino drafted;', 'D-3;Duke drafted;ja'];
    await visit.expectShifts(async () => {
      await choose(page, 'pets.csv', rows.join('\n'));
      await page.getByText('2 Entwürfe: Nur das Team sieht sie').waitFor();
      await page.getByRole('button', { name: '3 Zeilen importieren' }).click();
      await page.getByRole('heading', { name: 'Import beendet' }).waitFor();
      await checkState(page, 'transfer drafts');
      assert.equal(await drafts(), 2);
      await page.getByRole('button', { name: 'Alle 2 veröffentlichen' }).click();
      await page.getByText('2 Tiere sind veröffentlicht.').waitFor();
    });
    assert.equal(await drafts(), 0);
    await visit.expectShifts(async () => {
      await choose(page, 'pets.csv', 'externalId,name\nE-1,Ella drafted\nE-2,Eddi drafted\n');
      await page.getByRole('button', { name: '2 Zeilen importieren' }).click();
      await page.getByRole('link', { name: 'Alle Entwürfe durchsehen' }).click();
      await page.getByRole('button', { name: 'Entwurf entfernen' }).waitFor();
      await page.getByRole('button', { name: 'Auswählen', exact: true }).click();
      await page.getByLabel('Ella drafted auswählen').check();
      await page.getByRole('button', { name: 'Status', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Veröffentlichen' }).click();
      await page.getByText('Sichtbarkeit von 1 Tier geändert.').waitFor();
      await page.getByText('Ella drafted').waitFor({ state: 'detached' });
    });
    assert.equal(await drafts(), 1);
    await page.getByRole('button', { name: 'Rückgängig' }).click();
    await page.getByText('Änderung an 1 Tier rückgängig gemacht.').waitFor();
    assert.equal(await drafts(), 2);
  },
);

void test('editor, 375 px, German: sees which animals that have died are still stored', options, async (t) => {
  const { page, ...visit } = await openVisit(t, service, { loggedInAs: 'edna', width: 375, language: 'de' });
  const { id } = await client.addPet({ body: { name: 'Stella stored', profile: { externalId: 'G-1' } } });
  await visit.open('/pets/transfer');
  await visit.expectShifts(async () => {
    await choose(page, 'pets.csv', 'externalId;name;status\nG-1;Stella stored;verstorben\n');
    await page.getByText('1 Tier, das ausgelassen wird, ist hier noch gespeichert.').waitFor();
  });
  await page.getByRole('link', { name: String(id), exact: true }).waitFor();
  await checkState(page, 'transfer still stored');
});

void test('administrator, 375 px, German: creates the locations that a file names', options, async (t) => {
  const { page, ...visit } = await openVisit(t, service, { loggedInAs: 'root', width: 375, language: 'de' });
  await visit.open('/pets/transfer');
  await visit.expectShifts(async () => {
    await choose(page, 'pets.csv', 'externalId;Name;Tierart;Standort\nL-1;Lotte located;Hund;Haus 1\n');
    await page.getByText('Diesen Standort hat die Organisation noch nicht: Haus 1').waitFor();
    await checkState(page, 'transfer locations');
    await page.getByRole('button', { name: 'Standort anlegen' }).click();
    await page.getByText('1 neu').waitFor();
    await page.getByRole('button', { name: '1 Zeile importieren' }).click();
    await page.getByRole('heading', { name: 'Import beendet' }).waitFor();
  });
  const [pet] = (await client.findPets({ text: 'Lotte', limit: 1 })).pets;
  const { species, location } = await client.getPetProfile({ petId: pet?.id ?? 0n });
  assert.deepEqual([species, location], ['dog', 'haus-1']);
});

void test(
  'editor, 375 px, German: an export of ASM3 is recognized, and shown without its rows of records',
  options,
  async (t) => {
    const { page, ...visit } = await openVisit(t, service, { loggedInAs: 'edna', width: 375, language: 'de' });
    await visit.open('/pets/transfer');
    const rows = [
      'ANIMALID,ANIMALCODE,ANIMALNAME,ANIMALLOCATION,MOVEMENTTYPE,VACCINATIONTYPE',
      '1,M-1,Mona moved,Haus 7,0,',
      ',M-1,Mona moved,,,Rabies',
      '2,M-2,Moritz moved,Haus 7,1,',
    ];
    await visit.expectShifts(async () => {
      await choose(page, 'pets.csv', `${rows.join('\n')}\n`);
      await expectTexts(page, [
        'Das sieht nach einem Export aus ASM3 aus: 6 von 6 Spalten sind bekannt.',
        '1 Zeile, die eine frühere wiederholt',
        /^Zeilen 2, 4: location .* In der Datei: „Haus 7“/,
      ]);
      await checkState(page, 'transfer export of a program');
    });
    assert.equal(await page.getByLabel('ANIMALCODE').isVisible(), false);
    const results = await page.getByRole('rowheader').allTextContents();
    assert.deepEqual(results, ['2', '4']);
    await page.getByText('Spalten: 4 von 6 werden importiert').click();
    assert.ok(await page.getByLabel('ANIMALCODE').isVisible());
  },
);

void test('editor, 375 px, German: is asked before stored pets get the names of others', options, async (t) => {
  const { page, ...visit } = await openVisit(t, service, { loggedInAs: 'edna', width: 375, language: 'de' });
  const { id } = await client.addPet({ body: { name: 'Anton first' } });
  await visit.open('/pets/transfer');
  await visit.expectShifts(async () => {
    await choose(page, 'pets.csv', `Animal ID,name\n${id},Bruno\n`);
    await page.getByText('1 neu').waitFor();
    assert.equal(await matchField(page).inputValue(), 'externalId');
    await choose(page, 'pets.csv', `ID,name,tags\n${id},Bruno second,a\n${id},Bruno second,\n`);
    await page.getByText('1 gespeichertes Tier heißt anders').waitFor();
    await page.getByText('1 Zeile, die eine frühere wiederholt').waitFor();
    await checkState(page, 'transfer question');
    const start = page.getByRole('button', { name: '1 Zeile importieren' });
    assert.ok(await start.isDisabled());
    await page.getByLabel('Es sind dieselben Tiere').check();
    await start.click();
    await page.getByRole('heading', { name: 'Import beendet' }).waitFor();
  });
  assert.equal((await client.getPetById({ petId: id })).name, 'Bruno second');
});

void test('editor, 375 px, German: answers what no column of the file says', options, async (t) => {
  const { page, ...visit } = await openVisit(t, service, { loggedInAs: 'edna', width: 375, language: 'de' });
  await visit.open('/pets/transfer');
  const rows =
    'Animal ID,Name,DOB,Weight,Microchip,Description\nQ-1,Quentin,03/04/2024,10,9.85112E+14,<p>Calm &amp; nice</p>\n';
  await visit.expectShifts(async () => {
    await choose(page, 'pets.csv', rows);
    const dates = page.getByLabel('Ein Datum wie 03/04/2026 beginnt mit');
    await dates.waitFor();
    await expectTexts(page, [
      'Spalte DOB: 03/04/2024',
      'Spalte Weight: 10',
      /Microchip|microchip hat in einer Tabellenkalkulation/,
    ]);
    const start = page.getByRole('button', { name: '1 Zeile importieren' });
    assert.ok(await start.isDisabled());
    await checkState(page, 'transfer questions');
    await dates.selectOption('month-first');
    await page.getByLabel('Gewichte ohne Einheit sind in').selectOption('lb');
    await page.getByText('2024-03-04').waitFor();
    await page.getByText('4.536').waitFor();
    await start.click();
    await page.getByRole('heading', { name: 'Import beendet' }).waitFor();
  });
  const [pet] = (await client.findPets({ text: 'Quentin', limit: 1 })).pets;
  const { descriptionHtml, ...profile } = await client.getPetProfile({ petId: pet?.id ?? 0n });
  assert.equal(descriptionHtml, '<p>Calm &amp; nice</p>');
  assert.deepEqual(profile, {
    birthDate: '2024-03-04',
    weightKg: 4.536,
    description: 'Calm & nice',
    externalId: 'Q-1',
    isPublished: false,
  });
});

const BOMB_BYTES = 50 * 1024 * 1024;

/** A photo that lies on its side, with more pixels than the service accepts. */
function makeLargePhoto(): Promise<Buffer> {
  return sharp({ create: { width: 7200, height: 5700, channels: 3, background: 'teal' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
}

void test('editor, 1440 px, English: imports photos from a ZIP file', options, async (t) => {
  const { page, ...visit } = await openVisit(t, service, { loggedInAs: 'edna' });
  const zip = await zipWith({
    'cats/luna.jpg': (await samplePhoto('cat-luna.jpg')).buffer,
    'Müsli.jpg': (await samplePhoto('cat-miso.jpg')).buffer,
    'notes.txt': Buffer.from('Luna likes fish.'),
    'large.jpg': await makeLargePhoto(),
    'bomb.jpg': Buffer.alloc(BOMB_BYTES),
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
  const rows = Object.entries(photosOf).map(([name, photos]) => `${name} zipped,${photos},yes`);
  await visit.open('/pets/transfer');
  const chunks: string[] = [];
  const zipCode = await chunkOf('zip-photos.ts');
  page.on('request', (request) => {
    if (request.url().endsWith(zipCode)) chunks.push(request.url());
  });
  await visit.expectShifts(async () => {
    await choose(page, 'pets.csv', `name,photoUrls,isPublished\n${rows.join('\n')}\n`);
    await page.getByText('7 new').waitFor();
    assert.deepEqual(chunks, []);
    await chooseZip(page, withFalseSize(zip, BOMB_BYTES, 1000));
    await page.getByText('6 new').waitFor();
  });
  assert.equal(chunks.length, 1);
  await expectTexts(page, [
    '5 rows name photos in the ZIP file.',
    '1 photo is missing in the ZIP file: zoe.jpg',
    'Row 4: zoe.jpg is not in the ZIP file.',
  ]);
  await checkState(page, 'transfer ZIP preview');

  await visit.expectShifts(async () => {
    visit.expect(/status of 415/);
    await page.getByRole('button', { name: 'Import 7 rows' }).click();
    await page.getByRole('heading', { name: 'Import finished' }).waitFor();
  });
  await expectTexts(page, [
    'stored without all values or photos: 3 rows',
    /^Row 6: notes.txt is not a JPEG/,
    'Row 7: bomb.jpg is damaged in the ZIP file.',
  ]);
  await checkState(page, 'transfer ZIP report');
  const pets = await petsNamed(/ zipped$/);
  assert.deepEqual(
    pets.map(({ name, photoUrls }) => [name.split(' ')[0], photoUrls.length]),
    [
      ['Luna', 1],
      ['Müsli', 2],
      ['Zoe', 0],
      ['Max', 1],
      ['Tim', 1],
      ['Bob', 0],
      ['Rex', 0],
    ],
  );
  const stored = await fetch(pets[0]?.photoUrls[0] ?? '');
  assert.deepEqual([stored.status, stored.headers.get('content-type')], [200, 'image/jpeg']);
  const large = await fetch(pets[3]?.photoUrls[0] ?? '');
  const { width, height } = await sharp(await large.arrayBuffer()).metadata();
  assert.ok(width < height && width * height <= 16_000_000, `${width} x ${height}`);
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
  // Three batches.
  const rows = Array.from({ length: 60 }, (_, index) => `${6_000_001 + index},Photographed ${index},rex.jpg`);
  await visit.open('/pets/transfer');
  const release = await holdSecondBatch(page);
  await visit.expectShifts(async () => {
    await choose(page, 'pets.csv', `id,name,photoUrls\n${rows.join('\n')}\n`);
    await chooseZip(page, zip);
    await page.getByRole('button', { name: 'Import 60 rows' }).click();
    await page.getByRole('button', { name: 'Cancel import' }).click();
    release();
    await page.getByRole('heading', { name: 'Import cancelled' }).waitFor();
    const stored = await petsNamed(/^Photographed /);
    assert.ok(stored.length < rows.length, String(stored.length));
    assert.ok(stored.every(({ photoUrls }) => photoUrls.length === 1));
    await choose(page, 'again.csv', `id,name,photoUrls\n${rows.join('\n')}\n`);
    await page.getByRole('button', { name: 'Import 60 rows' }).click();
    await page.getByRole('heading', { name: 'Import finished' }).waitFor();
  });
  const all = await petsNamed(/^Photographed /);
  assert.deepEqual([all.length, all.every(({ photoUrls }) => photoUrls.length === 1)], [60, true]);
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
    await chooseZip(page, zip);
    await page.getByRole('button', { name: 'Import 30 rows' }).click();
    await page.getByRole('heading', { name: 'Import stopped' }).waitFor();
  });
  await expectTexts(page, [
    'new: 3 rows',
    'stored without all values or photos: 17 rows',
    'Rows 5, 6, 7 and 14 more: rex.jpg was not uploaded.',
  ]);
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
  // Three batches.
  const rows = Array.from({ length: 3000 }, (_, index) => `${first + index},Many ${index}`);
  const release = await holdSecondBatch(page);
  await visit.expectShifts(async () => {
    await choose(page, 'pets.csv', `id,name\n${rows.join('\n')}\n`);
    await page.getByRole('button', { name: 'Import 3,000 rows' }).click();
    await page.getByRole('button', { name: 'Cancel import' }).click();
    release();
    await page.getByRole('heading', { name: 'Import cancelled' }).waitFor();
    const stored = await countMany();
    assert.ok(stored < rows.length, String(stored));
    await choose(page, 'again.csv', `id,name\n${rows.join('\n')}\n`);
    await page.getByRole('button', { name: 'Import 3,000 rows' }).click();
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
    await checkState(page, 'transfer users');
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

/**
 * Holds the second batch of an import, so that the import can be cancelled before it ends.
 *
 * @returns releases it
 */
async function holdSecondBatch(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let batches = 0;
  await page.route('**/v2/bulk', async (route) => {
    batches += 1;
    if (batches === 2) await promise;
    // The page may have cancelled the request.
    await route.continue().catch(() => {});
  });
  return resolve;
}

async function expectTexts(page: Page, texts: readonly (string | RegExp)[]): Promise<void> {
  for (const text of texts) await page.getByRole('main').getByText(text).first().waitFor();
}

async function petsNamed(pattern: RegExp) {
  const pets = await Array.fromAsync(client.exportPets.lines());
  return pets.filter(({ name }) => pattern.test(name));
}
