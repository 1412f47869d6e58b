import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import { createClient } from '../../src/client/client.ts';
import type { Profile } from '../../src/domain/pets/profile.ts';
import { startMenagerie } from '../support/menagerie-process.ts';
import { runOn, type Setup } from '../support/nodes.ts';
import { outputOf, runCommand } from '../support/operator-commands.ts';
import { draftsText, petsOf, prepareImport } from '../support/pet-imports.ts';
import { makePhoto } from '../support/photos.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { logIn, startSecuredService } from '../support/secured.ts';
import { startTestService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';
import { paintPhoto } from '../web/support/photo-files.ts';
import { withFalseSize, withName, withoutUtf8, zipWith } from '../support/zip-files.ts';

for (const setup of [undefined, 3] satisfies (Setup | undefined)[]) {
  const where = setup === undefined ? 'SQLite' : 'three nodes on PostgreSQL';
  const onSetup = (t: Lifetime) => {
    if (setup !== undefined) runOn(t, setup);
  };

  void test(`CSV of an export, ${where}: imported elsewhere, gives the same pets`, async (t) => {
    onSetup(t);
    const { client, base, run } = await prepareImport(t);
    await client.addPet({
      body: {
        id: 2n ** 63n - 1n,
        name: '-1+1',
        category: { id: 7, name: 'Dogs' },
        tags: [{ id: 1, name: 'a|b' }, 'c'],
        status: 'sold',
        photoUrls: ['http://x/a,b'],
      },
    });
    await client.addPet({ body: { name: 'Größe\r\n"X"', category: {}, tags: [{ name: '' }] } });
    const csv = outputOf(await runCommand(['pets', 'export', '--format', 'csv', '--url', base]));
    const before = await petsOf(client);
    for (const { id } of before) await client.deletePet({ petId: id });
    assert.equal(outputOf(await run(csv)), 'pets: 2 created\n');
    assert.deepEqual(await petsOf(client), before);
    assert.equal(outputOf(await run(csv)), 'pets: 2 updated\n');
    assert.deepEqual(await petsOf(client), before);
  });

  void test(`matching by name, ${where}: repeating an import changes nothing`, async (t) => {
    onSetup(t);
    const { client, run } = await prepareImport(t);
    await client.addPet({ body: { id: 50, name: 'Rex', status: 'sold', tags: ['calm'] } });
    const csv = 'id,name,status\r\n99,Rex,available\r\n50,Max,pending\r\n';
    const first = await run(csv, '--match', 'name');
    assert.deepEqual([first.code, first.stdout], [0, 'pets: 1 created, 1 updated\n']);
    const pets = await petsOf(client);
    assert.deepEqual(
      pets.map(({ id, name, status, tags }) => [id === 50n, name, status, tags.length]),
      [
        // The ID in the file is that of another pet.
        [false, 'Max', 'pending', 0],
        // Columns that the file does not have stay unchanged.
        [true, 'Rex', 'available', 1],
      ],
    );
    assert.equal(outputOf(await run(csv, '--match', 'name')), 'pets: 2 updated\n');
    assert.deepEqual(await petsOf(client), pets);
  });
}

void test('rows with problems: reported by row and column, what can be stored is', async (t) => {
  const { client, base, folder, run } = await prepareImport(t);
  for (const id of [1, 2]) await client.addPet({ body: { id, name: 'Rex' } });
  const result = join(folder, 'result.csv');
  const csv = [
    'name,status,vet,tagIds,tags',
    'Rex,sold,,,',
    'Max,sleeping,,,',
    'Zoe,sold,,,',
    'Zoe,pending,,,',
    '"",sold,,,',
    'Tim,sold',
    '=1+1,sold,,9223372036854775808,a',
  ].join('\n');
  const ended = await run(csv, '--match', 'name', '--result', result);
  assert.deepEqual([ended.code, ended.stdout], [1, 'pets: 1 created, 4 failed, 2 incomplete\n']);
  assert.deepEqual(ended.stderr.trimEnd().split('\n'), [
    'Ignored columns: vet',
    'row 2: column name belongs to several pets (IDs 1, 2): match by ID',
    'row 3: column status must be one of available, pending, sold (found "sleeping")',
    'row 5: column name is the same as in row 4',
    'row 6: column name must be a string of 1 to 255 characters with one that is no space (found "")',
    'row 7: The row has 2 cells, but the first row has 5.',
    'row 8: column tagIds must be a 64-bit integer in decimal digits (found "9223372036854775808")',
    draftsText(base, 2),
  ]);
  const rows = (await readFile(result, 'utf8')).split('\r\n');
  assert.equal(rows[0], 'row,outcome,id,error');
  assert.match(rows.find((row) => row.startsWith('4,')) ?? '', /^4,created,\d+,$/);
  assert.equal(rows.length, 9);
});

void test('dry run, unusable files: change nothing', async (t) => {
  const { client, run } = await prepareImport(t);
  await client.addPet({ body: { id: 1, name: 'Rex' } });
  const dry = await run('id,name\n1,Max\n2,Zoe\n', '--dry-run');
  assert.deepEqual([dry.code, dry.stdout], [0, 'Dry run, nothing was stored: pets: 1 created, 1 updated\n']);
  for (const [text, says] of [
    ['name\nMax\n', /no column id.*--match name.*--match none.* Nothing was changed\.\n$/],
    ['id,name\n1,Max\n2,"Zoe\n', /^Row 3 is not valid CSV/],
  ] as const) {
    const ended = await run(text);
    assert.match(ended.stderr, says);
    assert.deepEqual([ended.code, ended.stdout], [1, '']);
    assert.deepEqual(
      (await petsOf(client)).map(({ name }) => name),
      ['Rex'],
    );
  }
  const partial = await run('id,status\n1,sold\n9,sold\n');
  assert.equal(partial.stderr, 'row 3: column name is missing, and no pet with this ID exists\n');
  assert.deepEqual(
    (await petsOf(client)).map(({ name, status }) => [name, status]),
    [['Rex', 'sold']],
  );
  assert.equal(outputOf(await run('name\nMax\nMax\n', '--match', 'none')), 'pets: 2 created\n');
});

void test('profiles: an export in both formats, imported elsewhere, gives the same ones', async (t) => {
  const { base, call } = await startSecuredService(t);
  const client = createClient({ base, token: await logIn(call, 'root') });
  const { key } = await client.createKey({ body: { name: 'import', scopes: ['write:pets'] } });
  const environment = { MENAGERIE_URL: base, MENAGERIE_KEY: key };
  const run = (input: string) => runCommand(['pets', 'import'], { input, environment });
  const exported = async (...flags: string[]) =>
    outputOf(await runCommand(['pets', 'export', '--profiles', ...flags], { environment }));
  await client.updateOrganisation({ body: { locations: [{ id: 'north', name: 'House' }] } });
  await client.updateOwnFields({
    body: { fields: [{ key: 'flies', type: 'yes-no-unknown', label: { en: 'Flies', de: 'Fliegt' }, isPublic: false }] },
  });
  for (const [index, profile] of PROFILES.entries()) {
    await client.addPet({ body: { id: index + 1, name: `Pet ${index}` } });
    await client.replacePetProfile({ petId: index + 1, body: profile });
  }
  const [csv, lines] = [await exported('--format', 'csv'), await exported()];
  for (const file of [csv, lines]) {
    for (const petId of PROFILES.keys()) await client.deletePet({ petId: petId + 1 });
    const created = await run(file);
    assert.deepEqual([created.stdout, created.stderr], ['pets: 3 created\n', `${draftsText(base, 1)}\n`]);
    assert.equal(await exported(), lines);
    // What the file does not have is unknown again.
    await client.patchPetProfile({ petId: 3, body: { size: 'S', own: { flies: true } } });
    assert.equal(outputOf(await run(file)), 'pets: 3 updated\n');
    assert.equal(await exported(), lines);
  }
  assert.equal(outputOf(await run('id,species\n1,\n')), 'pets: 1 updated\n');
  const { species, birthDate } = await client.getPetProfile({ petId: 1 });
  assert.deepEqual([species, birthDate], [undefined, '2024-02-29']);
});

const PROFILES: readonly Profile[] = [
  {
    species: 'dog',
    birthDate: '2024-02-29',
    weightKg: 12.5,
    colours: ['a|b', 'c'],
    isAltered: false,
    location: 'north',
    bondedWith: [{ id: 2n ** 63n - 1n }],
    summary: '=1+1',
    description: ' a\n\n"b" ',
    videoUrls: ['https://example.org/a,b'],
    externalId: '007',
    isPublished: false,
    own: { flies: false },
  },
  { microchip: '276098100000123', medicalNote: '"quoted"', isPublished: true },
  {},
];

void test('CSV for ASM3, and with semicolons for Excel in German: imported again, give the same pets', async (t) => {
  const { base, call } = await startSecuredService(t);
  const token = await logIn(call, 'root');
  const client = createClient({ base, token });
  const environment = { MENAGERIE_URL: base, MENAGERIE_KEY: token };
  const profile = {
    species: 'dog',
    breedPrimary: 'Labrador Retriever',
    sex: 'female',
    birthDate: '2024-05-21',
    size: 'XL',
    weightKg: 12.5,
    colours: ['Black', 'White'],
    isAltered: true,
    microchip: '276098100000123',
    goodWithCats: false,
    intakeDate: '2025-02-03',
    description: 'Calm; "nice"',
    location: 'lake',
    externalId: 'A1',
  } as const;
  await client.updateOrganisation({ body: { country: 'US', locations: [{ id: 'lake', name: 'Am See' }] } });
  await client.addPet({ body: { id: 1, name: 'Bella', status: 'available', profile } });
  await client.addPet({ body: { id: 2, name: 'Sold', status: 'sold' } });
  const exported = async (...flags: string[]) =>
    outputOf(await runCommand(['pets', 'export', ...flags], { environment }));
  const asm3 = await exported('--for', 'asm3');
  const semicolons = await exported('--profiles', '--delimiter', 'semicolon');
  assert.match(asm3, /^\uFEFFANIMALCODE,ANIMALNAME,ANIMALSPECIES,[^]*A1,Bella,Dog,Female,/);
  // In the unit of ASM3 there, and with the name of the location.
  assert.match(asm3, /,27\.5580,.*,"Am See"\r\n/);
  assert.doesNotMatch(asm3, /Sold/);
  assert.match(semicolons, /^\uFEFFid;name;[^]*;"12,5";/);
  const lines = await exported('--profiles');
  for (const file of [asm3, semicolons]) {
    await client.deletePet({ petId: 1 });
    const ended = await runCommand(['pets', 'import', '--publish'], { input: file, environment });
    assert.match(ended.stdout, /^pets: 1 created/, ended.stderr);
    const found = (await Array.fromAsync(client.exportPets.lines({ include: 'profile' }))).find(
      ({ name }) => name === 'Bella',
    );
    assert.deepEqual(found?.profile, profile);
    if (found !== undefined && found.id !== 1n) await client.deletePet({ petId: found.id });
    else assert.equal(await exported('--profiles'), lines);
    await client.addPet({ body: { id: 1, name: 'Bella', status: 'available', profile } });
  }
  const wrong = await runCommand(['pets', 'export', '--for', 'asm3', '--format', 'ndjson'], { environment });
  assert.deepEqual([wrong.code, wrong.stderr], [2, '--for and --delimiter are for CSV only.\n']);
});

void test('profiles: matched by the ID in another system, and problems by row and column, also in a dry run', async (t) => {
  const { client, base, run } = await prepareImport(t);
  const { id } = await client.addPet({ body: { name: 'Rex' } });
  await client.replacePetProfile({ petId: id, body: { externalId: 'A-1', sex: 'male', isPublished: false } });
  const csv = [
    'External ID;name;Geboren;isAltered;weightKg;location',
    'A-1;Roy;3.4.2024;ja;12,5;',
    'A-2;Zoe;;;;',
    ';Max;;;;',
    'A-1;Tim;;;;',
    'A-4;Leo;30.2.2024;perhaps;1.250;south',
    'A-5;Ben;31.12.9999;;1,001;',
  ].join('\n');
  const flags = ['--match', 'externalId', '--rename', '--map', 'Geboren=birthDate'];
  const problems = [
    '1 row has no externalId: each import adds new pets for them.',
    'New locations: south. Add --create-locations to create them, as an administrator.',
    'row 5: column externalId is the same as in row 2',
    'row 6: column birthDate must be a date that exists, such as 2026-11-26; 03/04/2026 is ambiguous (found "30.2.2024")',
    'row 6: column isAltered must be yes, no, or empty if it is unknown (found "perhaps")',
    'row 6: column weightKg must be a weight such as 12.5 kg; a point or comma before three digits is ambiguous (found "1.250")',
    'row 6: column location must be the id or the name of a location of the organisation (found "south")',
    'row 7: column weightKg must be a weight such as 12.5 kg; a point or comma before three digits is ambiguous (found "1,001")',
    'row 7: column birthDate must not be in the future (found "9999-12-31")',
    draftsText(base, 2),
  ];
  const dry = await run(csv, ...flags, '--dry-run');
  assert.deepEqual(dry.stderr.trimEnd().split('\n'), problems);
  assert.equal(dry.stdout, 'Dry run, nothing was stored: pets: 2 created, 1 updated, 1 failed, 2 incomplete\n');
  const ended = await run(csv, ...flags);
  assert.deepEqual([ended.stdout, ended.stderr], ['pets: 2 created, 1 updated, 1 failed, 2 incomplete\n', dry.stderr]);
  const future = await run('externalId;name;intakeDate\nA-1;Roy;9999-12-31\n', '--match', 'externalId', '--dry-run');
  assert.equal(future.stderr, 'row 2: column intakeDate must not be in the future (found "9999-12-31")\n');
  assert.equal((await client.getPetById({ petId: id })).name, 'Roy');
  assert.deepEqual(await client.getPetProfile({ petId: id }), {
    sex: 'male',
    birthDate: '2024-04-03',
    weightKg: 12.5,
    isAltered: true,
    externalId: 'A-1',
    isPublished: false,
  });
  const taken = await run('id,name,externalId\n99,Kim,A-1\n');
  assert.equal(taken.stderr, `row 2: Pet ${id} already has the externalId "A-1".\n`);
});

void test('columns with similar names: read, and named with the flag that ignores one', async (t) => {
  const { client, run } = await prepareImport(t);
  const csv = "Pet's name;Tierart;Pate\r\nRex;Hund;3\r\n";
  const guessed = await run(csv, '--match', 'none');
  assert.deepEqual(
    [guessed.code, guessed.stdout, guessed.stderr],
    [
      0,
      'pets: 1 created\n',
      `Columns with similar names are read: "Pet's name" as name, "Tierart" as species. ` +
        `Add --map 'Pet'\\''s name=' to ignore one.\nIgnored columns: Pate\n`,
    ],
  );
  const imported = await run(csv, '--match', 'none', '--map', "pet's NAME=name", '--map', 'Tierart=category');
  assert.deepEqual([imported.stdout, imported.stderr], ['pets: 1 created\n', 'Ignored columns: Pate\n']);
  const unknown = await run('Titel\nRex\n', '--match', 'none');
  assert.match(
    unknown.stderr,
    /none of the columns id, .*\. It has "Titel"\. Add --map Titel=name to map a column\. Noth/,
  );
  assert.deepEqual(
    (await petsOf(client)).map(({ name, category }) => [name, category]),
    [
      ['Rex', undefined],
      ['Rex', { name: 'Hund' }],
    ],
  );
});

void test('texts that look the same: match each other, and labels that differ in case are pointed out', async (t) => {
  const { client, run } = await prepareImport(t);
  const decomposed = 'Zo\u00eb K\u00f6ter'.normalize('NFD');
  await client.addPet({ body: { id: 1, name: decomposed, category: { name: 'Cats' }, tags: ['Calm'] } });
  // As Excel and a text editor together wrote it.
  const csv = `status,name,category,tags\nAdopted, Zo\u00eb K\u00f6ter,Cats,calm\r\nVermittelt,Crixc,cats,Shy | calm\r\n,Max,Dogs,shy\r\n`;
  const hints = [
    'row 2: column tags has "calm", which differs only in case or spaces from "Calm", which stored pets have\n',
    'row 3: column category has "cats", which differs only in case or spaces from "Cats", which stored pets have\n',
    'row 4: column tags has "shy", which differs only in case or spaces from "Shy", which row 3 has\n',
  ].join('');
  for (const [outcome, stderr] of [
    ['2 created, 1 updated', hints],
    ['3 updated', ''],
  ]) {
    const ended = await run(csv, '--match', 'name');
    assert.deepEqual([ended.stdout, ended.stderr], [`pets: ${outcome}\n`, stderr]);
  }
  assert.deepEqual(
    (await petsOf(client)).map(({ name, status }) => [name, status]),
    [
      ['Zo\u00eb K\u00f6ter', 'sold'],
      ['Crixc', 'sold'],
      ['Max', undefined],
    ],
  );
});

void test('JSON array, and a table on standard input: recognized, at the address of the service', async (t) => {
  const { client, base, run } = await prepareImport(t);
  const url = base.replace(/\/v2$/, '/');
  assert.equal(
    outputOf(await run('[{"name":"Rex"},\n {"name":"Max"}]', '--match', 'none', '--url', url)),
    'pets: 2 created\n',
  );
  const args = ['pets', 'import', '--publish', '--match', 'none', '--url', url];
  assert.equal(outputOf(await runCommand(args, { input: 'name;status\nZoe;sold\n' })), 'pets: 1 created\n');
  assert.deepEqual(
    (await petsOf(client)).map(({ name }) => name),
    ['Rex', 'Max', 'Zoe'],
  );
});

void test('file that is not UTF-8: changes nothing', async (t) => {
  const { base, folder } = await prepareImport(t);
  const file = join(folder, 'latin.csv');
  await writeFile(file, Buffer.from('id,name\n1,Rex\n2,Gr\x81ße\n', 'latin1'));
  const ended = await runCommand(['pets', 'import', file, '--url', base]);
  assert.deepEqual(
    [ended.code, ended.stdout, ended.stderr],
    [1, '', 'The file is not UTF-8. Save it as "CSV UTF-8". Nothing was changed.\n'],
  );
});

void test('photos in a ZIP file: uploaded once, missing ones are reported', async (t) => {
  const { client, folder, run } = await prepareImport(t);
  const files = { 'dogs/rex.jpg': await makePhoto({ seed: 1 }), 'notes.txt': Buffer.from('no photo') };
  const zip = await saveZip(folder, await zipWith(files));
  const csv = 'id,name,photoUrls\n1,Rex,dogs/rex.jpg|http://example.org/rex.jpg\n2,Max,notes.txt\n3,Zoe,zoe.jpg\n';
  for (const stored of ['created', 'updated']) {
    const ended = await run(csv, '--photos', zip);
    assert.equal(ended.stdout, `pets: 1 ${stored}, 2 incomplete\n`);
    assert.match(
      ended.stderr,
      /^row 2: column photoUrls has notes\.txt, which was refused: [^\n]+\nrow 4|row 4: column photoUrls has zoe\.jpg, which is not in the ZIP file/m,
    );
    const [rex] = await petsOf(client);
    assert.equal(rex?.photoUrls.length, 2);
    assert.equal(rex.photoUrls.filter((url) => url.includes('/v2/photo/')).length, 1);
  }
});

void test('ZIP file with an unsafe name, and no ZIP file: are refused', async (t) => {
  const { client, folder, run } = await prepareImport(t);
  const safe = await zipWith({ 'xx/evil.jpg': Buffer.from('x') });
  const unusable: readonly [Buffer, RegExp][] = [
    [
      withName(safe, 'xx/evil', '../evil'),
      /^The ZIP file cannot be used: it has the unsafe name \.\.\/evil\.jpg\. Nothing/,
    ],
    [
      Buffer.from('id,name'),
      /^The ZIP file cannot be used: it is not a ZIP file, or it is damaged\. Nothing was changed\.\n$/,
    ],
    [
      safe.subarray(0, -4),
      /^The ZIP file cannot be used: it is not a ZIP file, or it is damaged\. Nothing was changed\.\n$/,
    ],
  ];
  for (const [zip, message] of unusable) {
    const ended = await run('id,name\n1,Rex\n', '--photos', await saveZip(folder, zip));
    assert.deepEqual([ended.code, ended.stdout], [1, '']);
    assert.match(ended.stderr, message);
  }
  const missing = await run('id,name\n1,Rex\n', '--photos', join(folder, 'none.zip'));
  assert.match(missing.stderr, /^The ZIP file \S+none\.zip cannot be read: no such file or directory\.\n$/);
  assert.deepEqual(await petsOf(client), []);
});

void test('ZIP bomb and damaged photo: are not uploaded', async (t) => {
  const { client, folder, run } = await prepareImport(t);
  const photo = await makePhoto({ seed: 4 });
  const zip = withFalseSize(
    await zipWith({ 'bomb.jpg': Buffer.alloc(1024 * 1024), 'rex.jpg': photo }),
    1024 * 1024,
    100,
  );
  // A byte in the middle of the photo: its data follows that of the bomb.
  zip.writeUInt8(zip.readUInt8(zip.length - (photo.length >> 1)) ^ 1, zip.length - (photo.length >> 1));
  const ended = await run('id,name,photoUrls\n1,Rex,bomb.jpg|rex.jpg\n', '--photos', await saveZip(folder, zip));
  assert.equal(
    ended.stderr,
    'row 2: column photoUrls has bomb.jpg, which is damaged in the ZIP file\n' +
      'row 2: column photoUrls has rex.jpg, which is damaged in the ZIP file\n',
  );
  assert.deepEqual(
    (await petsOf(client)).map(({ photoUrls }) => photoUrls),
    [[]],
  );
});

void test('names in a ZIP file: with backslashes and in the code page of MS-DOS, as Windows writes them, and decomposed', async (t) => {
  const { client, folder, run } = await prepareImport(t);
  const zip = await zipWith({ 'cats/M?sli.jpg': await makePhoto({ seed: 5 }) });
  // In code page 437, 0x81 is the letter \u00fc.
  const named = withoutUtf8(withName(zip, 'cats/M?sli', 'cats\\M\u0081sli'));
  const ended = await run(
    'id,name,photoUrls\n1,M\u00fcsli,cats/M\u00fcsli.jpg\n',
    '--photos',
    await saveZip(folder, named),
  );
  assert.deepEqual([ended.stderr, ended.stdout], ['', 'pets: 1 created\n']);
  assert.equal((await petsOf(client))[0]?.photoUrls.length, 1);
  // As macOS writes it.
  const decomposed = await saveZip(folder, await zipWith({ 'Mu\u0308sli.jpg': await makePhoto({ seed: 6 }) }));
  const csv = 'id,name,photoUrls\n2,A,M\u00fcsli.jpg\n3,B,Mu\u0308sli.jpg\n4,C,.\\M\u00fcsli.jpg\n';
  assert.equal(outputOf(await run(csv, '--photos', decomposed)), 'pets: 3 created\n');
  const added = (await petsOf(client)).slice(1);
  assert.deepEqual(
    added.map(({ photoUrls }) => photoUrls.length),
    [1, 1, 1],
  );
});

void test('names in a ZIP file: in another case, unless that is ambiguous', async (t) => {
  const { client, base, folder, run } = await prepareImport(t);
  const photo = await makePhoto({ seed: 7 });
  const zip = await saveZip(folder, await zipWith({ 'rot.jpg': photo, 'A.jpg': photo, 'a.jpg': photo }));
  const ended = await run('id,name,photoUrls\n1,Rex,ROT.JPG\n2,Max,a.jpg\n3,Zoe,A.JPG\n', '--photos', zip);
  assert.equal(
    ended.stderr,
    `row 4: column photoUrls has A.JPG, which is not in the ZIP file\n${draftsText(base, 1)}\n`,
  );
  assert.deepEqual(
    (await petsOf(client)).map(({ photoUrls }) => photoUrls.length),
    [1, 1, 0],
  );
});

void test('HEIC photo in a ZIP file: named as such', async (t) => {
  const { folder, run } = await prepareImport(t);
  const heic = Buffer.concat([Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'), Buffer.alloc(1000)]);
  const zip = await saveZip(folder, await zipWith({ 'IMG_1.HEIC': heic }));
  const ended = await run('id,name,photoUrls\n1,Rex,img_1.heic\n', '--photos', zip);
  assert.match(ended.stderr, /^row 2: column photoUrls has img_1\.heic, which was refused: The file is a HEIC photo\./);
});

/** A photo in P3 that is to be turned: blue above red, with more pixels than the service accepts. */
function makeTurnedPhoto(): Promise<Buffer> {
  const [width, height] = [7200, 5700];
  const blue = { create: { width: width / 2, height, channels: 3, background: 'blue' } } as const;
  return sharp({ create: { width, height, channels: 3, background: 'red' }, limitInputPixels: false })
    .composite([{ input: blue, left: 0, top: 0 }])
    .withIccProfile('p3')
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
}

void test('photos above the limits: made smaller, upright and in their colours; others stay as they are', async (t) => {
  const { base } = await startTestService(t, { flags: ['--empty', '--max-photo-bytes', '400000'] });
  const client = createClient({ base });
  const folder = await temporaryFolder(t);
  const small = await makePhoto({ seed: 8 });
  const { buffer: heavy } = await paintPhoto('heavy');
  const turned = await makeTurnedPhoto();
  const broken = Buffer.alloc(500_000);
  const zip = await saveZip(folder, await zipWith({ 'turned.jpg': turned, 'small.jpg': small, 'broken.jpg': broken }));
  const web = createServer((_, response) => void response.end(heavy)).listen(0, '127.0.0.1');
  await once(web, 'listening');
  t.after(() => void web.close());
  const address = `http://127.0.0.1:${(web.address() as AddressInfo).port}/heavy.jpg`;
  const file = join(folder, 'pets.csv');
  await writeFile(file, `id,name,photoUrls\n1,Rex,turned.jpg\n2,Max,${address}\n3,Zoe,small.jpg\n4,Tim,broken.jpg\n`);
  const flags = ['--photos', zip, '--fetch-photos', '--private-addresses', '--publish'];
  const ended = await runCommand(['pets', 'import', file, '--url', base, ...flags]);
  assert.deepEqual(
    [ended.stdout, ended.stderr],
    [
      'pets: 3 created, 1 incomplete\n',
      'row 5: column photoUrls has broken.jpg, which was refused: A photo may have at most 400000 bytes. ' +
        'It cannot be made smaller: The file is not a JPEG, PNG, WebP, GIF or AVIF photo, or it is damaged.\n',
    ],
  );
  const [rex, max, zoe] = await petsOf(client);
  const photoOf = async (pet: typeof rex) => Buffer.from(await (await fetch(pet?.photoUrls[0] ?? '')).arrayBuffer());
  const stored = await photoOf(rex);
  const { width, height } = await sharp(stored).metadata();
  assert.ok(width < height && width * height <= 16_000_000 && height > 3000, `${width} x ${height}`);
  const colours = await sharp(stored).resize(1, 2, { fit: 'fill', kernel: 'nearest' }).raw().toBuffer();
  const [isBlue, isRed] = [colours.subarray(0, 3), colours.subarray(3, 6)];
  assert.ok((isBlue[2] ?? 0) > 200 && (isBlue[0] ?? 0) < 60, colours.toString('hex'));
  assert.ok((isRed[0] ?? 0) > 200 && (isRed[2] ?? 0) < 60, colours.toString('hex'));
  const smaller = await sharp(await photoOf(max)).metadata();
  assert.ok(smaller.width >= 600 && smaller.width < 2400, String(smaller.width));
  await client.uploadFile({ petId: 4, body: { file: new Uint8Array(small) } });
  assert.deepEqual((await client.getPetById({ petId: 4 })).photoUrls, zoe?.photoUrls);
});

void test('photos by address: downloaded, but not from private addresses unless allowed', async (t) => {
  const { client, run } = await prepareImport(t);
  const photo = await makePhoto({ seed: 2 });
  const asked: string[] = [];
  const web = createServer(({ url = '' }, response) => {
    asked.push(url);
    if (url === '/moved') response.writeHead(302, { location: '/rex.jpg' }).end();
    else if (url === '/rex.jpg') response.end(photo);
    else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(web, 'listening');
  t.after(() => void web.close());
  const origin = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  const csv = `id,name,photoUrls\n1,Rex,${origin}/moved\n2,Max,${origin}/none\n3,Zoe,http://localhost:1/\n`;
  const refused = await run(csv, '--fetch-photos');
  assert.match(refused.stderr, /^row 2: column photoUrls has \S+, which is not on the public internet\n/);
  assert.match(
    refused.stderr,
    /row 4: column photoUrls has http:\/\/localhost:1\/, which is not on the public internet\n/,
  );
  assert.deepEqual(asked, []);
  const allowed = await run(csv, '--fetch-photos', '--private-addresses');
  assert.match(
    allowed.stderr,
    /^row 3: column photoUrls has \S+, which cannot be downloaded: the server answered with status 404\n/,
  );
  const [rex] = await petsOf(client);
  assert.match(rex?.photoUrls.join() ?? '', /\/v2\/photo\/[0-9a-f]{64}$/);
});

void test('photos of a service at a path: already stored, so not downloaded', async (t) => {
  const { origin } = await startTestService(t, { flags: ['--empty', '--public-url', 'http://127.0.0.1/zoo'] });
  const folder = await temporaryFolder(t);
  const file = join(folder, 'pets.csv');
  await writeFile(file, `id,name,photoUrls\n1,Rex,${origin}/zoo/v2/photo/${'0'.repeat(64)}\n`);
  const ended = await runCommand(['pets', 'import', file, '--url', `${origin}/zoo/v2`, '--publish', '--fetch-photos']);
  assert.deepEqual([ended.stderr, ended.stdout], ['', 'pets: 1 created\n']);
});

void test('SIGINT: ends after the batch, and the same command continues', async (t) => {
  const { client, base, folder } = await prepareImport(t);
  const file = join(folder, 'pets.csv');
  const names = Array.from({ length: 20_000 }, (_, index) => `Pet ${index}`);
  await writeFile(file, `name\n${names.join('\n')}\n`);
  const args = ['pets', 'import', file, '--publish', '--match', 'name', '--url', base];
  const running = startMenagerie(t, args);
  await until('pets are stored', async () => (await client.findPets({ limit: 1 })).total > 0);
  running.child.kill('SIGINT');
  const { code, stdout, stderr } = await running.ended;
  const stored = (await petsOf(client)).length;
  assert.deepEqual([code, stdout], [130, `pets: ${stored} created\n`]);
  assert.equal(stderr, `Cancelled after ${stored} of 20000 rows. Run the same command again to continue.\n`);
  assert.equal(outputOf(await runCommand(args)), `pets: ${20_000 - stored} created, ${stored} updated\n`);
  assert.deepEqual((await petsOf(client)).map(({ name }) => name).toSorted(), names.toSorted());
});

async function saveZip(folder: string, zip: Buffer): Promise<string> {
  const path = join(folder, 'photos.zip');
  await writeFile(path, zip);
  return path;
}
