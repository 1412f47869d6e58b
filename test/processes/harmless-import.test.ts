import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createClient, type Client } from '../../src/client/client.ts';
import { runOn, type Setup } from '../support/nodes.ts';
import { draftsText, petsOf, prepareImport } from '../support/pet-imports.ts';
import { runCommand } from '../support/operator-commands.ts';
import { logIn, startSecuredService } from '../support/secured.ts';
import { temporaryFolder } from '../support/service.ts';
import { zipWith } from '../support/zip-files.ts';

/*
 * An import must never empty pets, publish rows that are not pets, replace other pets, or store values that the file
 * does not have.
 */

const ENGINES: readonly (readonly [name: string, setup: Setup | undefined])[] = [
  ['SQLite', undefined],
  ['PostgreSQL', 1],
];

/** The pets with their profiles. */
async function profilesOf(client: Client) {
  return Array.fromAsync(client.exportPets.lines({ include: 'profile' }));
}

for (const [engine, setup] of ENGINES)
  for (const match of ['id', 'externalId', 'name', 'name,category'])
    void test(`row that fails, ${engine}, matched by ${match}: a later row with its key changes nothing`, async (t) => {
      if (setup !== undefined) runOn(t, setup);
      const { client, run } = await prepareImport(t);
      const { id } = await client.addPet({
        body: {
          name: 'Anton',
          category: { name: 'Dogs' },
          status: 'available',
          profile: { externalId: 'A1', species: 'dog', birthDate: '2024-05-01' },
        },
      });
      const before = await profilesOf(client);
      const names = 'id,externalId,name,category,species,birthDate,status';
      const failing = [
        `${id},A1,Anton,Dogs,dog,2024-02-30,available,`,
        // Too many cells, and too few.
        `${id},A1,Anton,Dogs,dog,2024-05-01,available,x`,
        `${id},A1,Anton,Dogs`,
      ];
      for (const row of failing) {
        const ended = await run(`${names}\n${row}\n${id},A1,Anton,Dogs,cat,,\n`, '--match', match, '--strict');
        assert.equal(ended.stdout, 'pets: 2 failed\n', row);
        assert.match(ended.stderr, /row 3: column \w+ is the same as in row 2\n$/);
        assert.deepEqual(await profilesOf(client), before);
      }
    });

/** Column names, rows, and the names of the pets that they are. */
const FOLLOW_UPS: readonly (readonly [names: string, rows: readonly string[], pets: readonly string[]])[] = [
  [
    'externalId,name,species,birthDate',
    ['A1,Anton,dog,2024-05-01', 'A1,Anton,,', 'A2,Bella,cat,', ',Bella,,', ',Bella,,', 'A1,Anton,,'],
    ['Anton', 'Bella'],
  ],
  // A program that repeats everything in the row of each vaccination.
  [
    'name,externalId,tags,photoUrls',
    ['Anton,A1,a|b,https://x/1', 'Bella,A2,,', 'Anton,A1,a|b,', 'Anton,A1,,https://x/1', 'Bella,A2,,'],
    ['Anton', 'Bella'],
  ],
];

for (const [engine, setup] of ENGINES)
  void test(`rows that repeat earlier ones, ${engine}: skipped and counted, however rows are matched`, async (t) => {
    if (setup !== undefined) runOn(t, setup);
    const { client, run } = await prepareImport(t);
    for (const [names, rows, pets] of FOLLOW_UPS)
      for (const match of ['externalId', 'none', 'id', 'name']) {
        const text = [`id,${names}`, ...rows.map((row) => `,${row}`)].join('\n');
        const counts = `pets: ${pets.length} created, ${rows.length - pets.length} skipped\n`;
        const dry = await run(text, '--match', match, '--dry-run');
        assert.deepEqual([dry.code, dry.stdout], [0, `Dry run, nothing was stored: ${counts}`], match);
        const ended = await run(text, '--match', match);
        assert.deepEqual([ended.code, ended.stdout], [0, counts], match);
        const stored = await petsOf(client);
        assert.deepEqual(stored.map(({ name }) => name).toSorted(), pets);
        for (const { id } of stored) await client.deletePet({ petId: id });
      }
  });

void test('rows that repeat earlier ones: with another value, refused', async (t) => {
  const { client, run } = await prepareImport(t);
  const ended = await run('externalId,name,sex\nA1,Anton,male\nA1,Anton,female\nA1,Toni,\n', '--match', 'none');
  assert.deepEqual([ended.code, ended.stdout], [1, 'pets: 1 created, 2 failed\n']);
  assert.deepEqual(
    (await profilesOf(client)).map(({ name, profile }) => [name, profile?.sex]),
    [['Anton', 'male']],
  );
});

void test('rows that repeat earlier ones: further photos are added to those of the first row', async (t) => {
  const { client, run } = await prepareImport(t);
  const rows = [
    'ANIMALCODE,ANIMALNAME,ANIMALSPECIES,ANIMALIMAGE,VACCINATIONTYPE',
    'A1,Anton,Dog,https://x.example/1.jpg,',
    'A2,Bella,Cat,,',
    'A1,Anton,,https://x.example/2.jpg,',
    'A1,Anton,,,Rabies',
    'A2,Bella,,https://x.example/4.jpg,',
    'A1,Anton,,https://x.example/1.jpg,',
    'A1,Anton,,https://x.example/3.jpg,',
    'A2,Bella,Dog,https://x.example/5.jpg,',
  ].join('\n');
  // A row with another value is refused as a whole.
  const ended = await run(rows);
  assert.deepEqual([ended.code, ended.stdout], [1, 'pets: 2 created, 5 skipped, 1 failed\n'], ended.stderr);
  const again = await run(rows);
  assert.deepEqual([again.code, again.stdout], [1, 'pets: 2 updated, 5 skipped, 1 failed\n'], again.stderr);
  const photosOf = (await petsOf(client)).map(({ name, photoUrls }) => [name, ...photoUrls]);
  assert.deepEqual(photosOf, [
    ['Anton', ...[1, 2, 3].map((number) => `https://x.example/${number}.jpg`)],
    ['Bella', 'https://x.example/4.jpg'],
  ]);
});

void test('rows with only a name and the same one, without keys: are pets of their own', async (t) => {
  const { client, run } = await prepareImport(t);
  const ended = await run('id,name\n,Max\n,Max\n');
  assert.equal(ended.stdout, 'pets: 2 created\n');
  assert.equal((await petsOf(client)).length, 2);
});

for (const [engine, setup] of ENGINES)
  void test(`IDs of another system, ${engine}: do not replace stored pets unless that is wanted`, async (t) => {
    if (setup !== undefined) runOn(t, setup);
    const { client, run } = await prepareImport(t);
    const anton = await client.addPet({ body: { name: 'Anton', profile: { externalId: 'XAnton' } } });
    const bella = await client.addPet({ body: { name: 'Bella', profile: { externalId: 'XBella' } } });
    const before = await profilesOf(client);
    const others = {
      id: `ID,name\n${anton.id},Bruno\n${bella.id},Carla\n`,
      externalId: 'externalId,name\nXAnton,Bruno\nXBella,\nXBella,Carla\n',
    };
    for (const [match, text] of Object.entries(others)) {
      const dry = await run(text, '--match', match, '--dry-run');
      assert.match(dry.stderr, /^The names of nearly all matched pets differ from those in the file \(\d\), /m);
      const ended = await run(text);
      assert.deepEqual([ended.code, ended.stdout], [1, '']);
      assert.match(ended.stderr, /Add --rename to change the names, .* Nothing was changed\.\n$/m);
      assert.deepEqual(await profilesOf(client), before);
    }
    // Names that differ in case only are the same, and one of two may change.
    assert.equal((await run(`id,name\n${anton.id},ANTON\n${bella.id},Bella B.\n`)).stdout, 'pets: 2 updated\n');
    assert.equal((await run(others.id, '--rename')).stdout, 'pets: 2 updated\n');
    assert.deepEqual(
      (await petsOf(client)).map(({ name }) => name),
      ['Bruno', 'Carla'],
    );
  });

void test('rows without --match: matched by the ID in another system, if the file has no other', async (t) => {
  const { client, run } = await prepareImport(t);
  const text = 'externalId,name\n7,Anton\n8,Bella\n';
  assert.equal((await run(text)).stdout, 'pets: 2 created\n');
  assert.equal((await run(text)).stdout, 'pets: 2 updated\n');
  assert.equal((await petsOf(client)).length, 2);
});

for (const [engine, setup] of ENGINES)
  void test(`cells that cannot be stored, ${engine}: are left out and listed, a new pet becomes a draft`, async (t) => {
    if (setup !== undefined) runOn(t, setup);
    const { client, run } = await prepareImport(t);
    const stored = await client.addPet({
      body: {
        name: 'Anton',
        status: 'sold',
        photoUrls: ['https://example.org/1.jpg'],
        profile: { externalId: 'A1', birthDate: '2024-05-01', sex: 'male' },
      },
    });
    const zip = join(await temporaryFolder(t), 'photos.zip');
    await writeFile(zip, await zipWith({ 'other.txt': Buffer.from('x') }));
    const text = [
      'externalId,name,status,birthDate,sex,weightKg,photoUrls,isPublished',
      'A1,Anton,sleeping,2024-02-30,female,9999,missing.jpg,',
      'A2,Bella,sleeping,9999-12-31,female,1.250,missing.jpg|https://example.org/2.jpg,yes',
      'A3,,available,2024-02-30,female,,,',
    ].join('\n');
    const problems = [
      'rows 2, 4: column birthDate must be a date that exists',
      // What several rows have is listed once.
      'rows 2, 3: column status must be one of available, pending, sold (found "sleeping")',
      'row 2: column weightKg must be ',
      'rows 2, 3: column photoUrls has missing.jpg, which is not in the ZIP file',
      'row 3: column birthDate must not be in the future',
      'row 3: column weightKg must be ',
      'row 4: column name must be a string of 1 to 255 characters',
    ];
    const strict = await run(text, '--photos', zip, '--strict');
    assert.deepEqual([strict.code, strict.stdout], [1, 'pets: 3 failed\n']);
    assert.equal((await petsOf(client)).length, 1);
    const dry = await run(text, '--photos', zip, '--dry-run');
    assert.equal(dry.stdout, 'Dry run, nothing was stored: pets: 1 failed, 2 incomplete\n');
    const ended = await run(text, '--photos', zip);
    assert.deepEqual([ended.code, ended.stdout, ended.stderr], [1, 'pets: 1 failed, 2 incomplete\n', dry.stderr]);
    for (const problem of problems) assert.ok(ended.stderr.includes(problem), `${problem}\n${ended.stderr}`);
    const [anton, bella] = await profilesOf(client);
    assert.deepEqual(
      [anton?.id, anton?.status, anton?.photoUrls, anton?.profile],
      [stored.id, 'sold', ['https://example.org/1.jpg'], { sex: 'female', birthDate: '2024-05-01', externalId: 'A1' }],
    );
    assert.deepEqual(
      [bella?.name, bella?.status, bella?.photoUrls, bella?.profile],
      ['Bella', undefined, ['https://example.org/2.jpg'], { sex: 'female', externalId: 'A2', isPublished: false }],
    );
  });

void test('rows of pets that are not to be adopted, and repeated column names: left out, and counted by reason', async (t) => {
  const { client, folder, run } = await prepareImport(t);
  const result = join(folder, 'result.csv');
  const rows = ['Anton,Available (Foster)', 'Bella,Deceased', 'Carl,On Hold', 'Dora,Transferred', 'Emil,Euthanized'];
  const others = ['name,status', 'Fips,Not Available', 'Gina,Adoption Pending', 'Hugo,Archived', 'Ida,Adoptable'];
  const text = ['name,status', ...rows, ...others].join('\n');
  const ended = await run(text, '--match', 'none', '--result', result);
  assert.deepEqual(
    [ended.code, ended.stdout, ended.stderr],
    [
      0,
      'pets: 4 created, 6 skipped\n',
      'Skipped: 2 deceased, 1 transferred or returned to their owners, 1 with the column names, 1 not for adoption, 1 deleted\n',
    ],
  );
  assert.deepEqual(
    (await petsOf(client)).map(({ name, status }) => `${name} ${status}`),
    ['Anton available', 'Carl pending', 'Gina pending', 'Ida available'],
  );
  assert.match(await readFile(result, 'utf8'), /^3,skipped,,deceased\r$/m);
});

void test('new pets: are drafts unless the file says that they are listed, and stored ones stay as they are', async (t) => {
  const { client, base, folder } = await prepareImport(t);
  const stored = { externalId: 'S1', isPublished: false };
  await client.addPet({ body: { id: 1, name: 'Stored', profile: stored } });
  await client.addPet({ body: { id: 2, name: 'Published', profile: { externalId: 'S2' } } });
  const imported = async (name: string, text: string, ...flags: string[]) => {
    const file = join(folder, name);
    await writeFile(file, text);
    const { stdout, stderr } = await runCommand(['pets', 'import', file, '--url', base, ...flags]);
    const pets = await profilesOf(client);
    const drafts = pets.filter(({ profile }) => profile?.isPublished === false).map((pet) => pet.name);
    return { stdout, stderr, drafts };
  };
  const table =
    'externalId,name,Sichtbarkeit\nS1,Stored,\nS2,Published,\nA1,Anton,\nA2,Bella,veröffentlicht\nA3,Carl,Entwurf\n';
  const ofTable = await imported('pets.csv', table, '--map', 'Sichtbarkeit=isPublished');
  assert.deepEqual(
    [ofTable.stdout, ofTable.stderr, ofTable.drafts],
    ['pets: 3 created, 2 updated\n', `${draftsText(base, 2)}\n`, ['Stored', 'Anton', 'Carl']],
  );
  const without = await imported('pets.csv', 'externalId,name\nS1,Stored\nB1,Dora\n');
  assert.deepEqual([without.stdout, without.drafts.at(-1)], ['pets: 1 created, 1 updated\n', 'Dora']);
  // In JSON, a profile that does not say so is not that of a draft.
  const lines = '{"id":10,"name":"Emil"}\n{"id":11,"name":"Fips","profile":{"species":"dog"}}\n';
  assert.equal((await imported('pets.ndjson', lines)).drafts.at(-1), 'Emil');
  const published = await imported('pets.csv', 'name,isPublished\nGina,\nHugo,no\n', '--match', 'none', '--publish');
  assert.equal(published.stderr, `${draftsText(base, 1)}\n`);
  assert.deepEqual([published.drafts.includes('Gina'), published.drafts.includes('Hugo')], [false, true]);
});

void test('locations that do not exist: named, and created all at once by an administrator', async (t) => {
  const { base, call } = await startSecuredService(t);
  const token = await logIn(call, 'root');
  const client = createClient({ base, token });
  const { key } = await client.createKey({ body: { name: 'import', scopes: ['write:pets'] } });
  await client.updateOrganisation({ body: { name: 'Tierheim', locations: [{ name: 'Haus 1' }] } });
  const file = join(await temporaryFolder(t), 'pets.csv');
  const rows = ['A1,Anton,Dog,haus 1', 'A2,Bella,Cat,Katzenhaus', 'A3,Carl,Cat,katzenhaus', 'A4,Dora,Dog,Pflegestelle'];
  await writeFile(file, ['ANIMALCODE,ANIMALNAME,ANIMALSPECIES,ANIMALLOCATION', ...rows].join('\n'));
  const run = (apiKey: string, ...flags: string[]) =>
    runCommand(['pets', 'import', file, '--url', base, '--key', apiKey, '--publish', ...flags]);
  const without = await run(key, '--dry-run');
  assert.match(without.stderr, /^New locations: Katzenhaus, Pflegestelle\. Add --create-locations /m);
  assert.equal(without.stdout, 'Dry run, nothing was stored: pets: 1 created, 3 incomplete\n');
  const dry = await run(key, '--create-locations', '--dry-run');
  assert.equal(dry.stdout, 'Dry run, nothing was stored: pets: 4 created\n');
  const refused = await run(key, '--create-locations');
  assert.match(refused.stderr, /^--create-locations requires the session of an administrator as --key\./m);
  assert.equal((await petsOf(client)).length, 0);
  assert.equal((await run(token, '--create-locations')).stdout, 'pets: 4 created\n');
  const { name, locations } = await client.getOrganisation();
  const ids = ['haus-1', 'katzenhaus', 'pflegestelle'];
  assert.deepEqual([name, locations?.map(({ id }) => id)], ['Tierheim', ids]);
  assert.deepEqual(
    (await profilesOf(client)).map(({ profile }) => profile?.location),
    ['haus-1', 'katzenhaus', 'katzenhaus', 'pflegestelle'],
  );
});

void test('export of another program: recognized without a flag, and imported again each week', async (t) => {
  const { client, run } = await prepareImport(t);
  const text = [
    'ANIMALID,ANIMALCODE,ANIMALNAME,ANIMALSPECIES,ANIMALDOB,ANIMALNEUTERED,ANIMALDECEASEDDATE,VACCINATIONTYPE',
    '1,A1,Anton,Dog,05/21/2023,1,,',
    ',A1,Anton,,,,,Rabies',
    '2,A2,Bella,Guinea Pig,03/04/2024,0,,',
    '3,A3,Carl,Cat,03/04/2024,0,06/01/2024,',
  ].join('\n');
  const skipped = 'Skipped: 1 with nothing new about the pet of an earlier row, 1 deceased\n';
  for (const outcome of ['created', 'updated']) {
    const ended = await run(text);
    assert.deepEqual(
      [ended.code, ended.stdout, ended.stderr],
      [
        0,
        `pets: 2 ${outcome}, 2 skipped\n`,
        `This looks like an export of ASM3: 8 of 8 columns are known.\n${skipped}`,
      ],
    );
  }
  assert.deepEqual(
    (await profilesOf(client)).map(({ name, profile }) => [name, profile?.externalId, profile?.birthDate]),
    [
      ['Anton', 'A1', '2023-05-21'],
      ['Bella', 'A2', '2024-03-04'],
    ],
  );
  // An animal that has died since the last export is named: it may still be shown.
  const later = await run(text.replace('03/04/2024,0,,', '03/04/2024,0,06/02/2024,'), '--dry-run');
  assert.match(later.stderr, /^Skipped, but still stored here: IDs 2\. Change their status, /m);
  const none = await run(text, '--from', 'none');
  assert.match(none.stderr, /^Columns with similar names are read: /);
  const unknown = await run(text, '--from', 'paper');
  assert.deepEqual([unknown.code, unknown.stderr.split(' | ')[0]], [2, '--from must be one of asm3']);
});
