import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Header } from '../../src/transfer/columns.ts';
import { PET_TABLE } from '../../src/transfer/pet-table.ts';
import { PROGRAMS } from '../../src/transfer/programs/programs.ts';
import { readRows, surveyRows } from '../../src/transfer/rows.ts';

/* Exports of other programs, recognized by the names of their columns. */

async function* whole(text: string): AsyncGenerator<string> {
  yield text;
}

async function read(text: string, from?: string) {
  const found: Header[] = [];
  const options = { table: PET_TABLE, from };
  const answers = { weights: 'lb' } as const;
  const { conventions, questions } = await surveyRows(whole(text), {
    ...options,
    answers,
    onHeader: (header) => found.push(header),
  });
  const rows = await Array.fromAsync(readRows(whole(text), { ...options, conventions }));
  return { header: found[0] ?? assert.fail('no header'), questions, rows };
}

/** The columns and a row of each program, and some of the values. */
const EXPORTS: Readonly<
  Record<string, readonly [names: string, cells: string, values: Readonly<Record<string, unknown>>]>
> = {
  ASM3: [
    'ANIMALID,ANIMALCODE,ANIMALLITTER,ANIMALNAME,ANIMALSEX,ANIMALTYPE,ANIMALWEIGHT,ANIMALCOLOR,ANIMALBREED1,ANIMALDOB,ANIMALSPECIES,ANIMALDESCRIPTION,ANIMALNEUTERED,ANIMALDECEASEDDATE,ANIMALNOTFORADOPTION,ANIMALGOODWITHCATS,ANIMALIMAGE,VACCINATIONTYPE',
    '1,A2024001,,Anton,Male,D (Dog),0.0,Black and White,Labrador,05/21/2023,Dog,Calm,1,,0,Yes,https://x/1,',
    { externalId: 'A2024001', name: 'Anton', sex: 'male', weightKg: null, birthDate: '2023-05-21', isAltered: true },
  ],
  ShelterBuddy: [
    'Animal ID,Name,Type,Breed,Secondary Breed,Gender,DOB,Color,Second Color,Spay/Neutered,Microchip,Incoming Date,Source (Current),Status (Current),Person ID',
    '4,Gina,Kitten,Siamese,,Female,2024-05-01,Black,White,Yes,985112000000123,2024-06-01,Stray,Available for Adoption - Waiting Space,12',
    {
      externalId: '4',
      species: 'cat',
      birthDate: '2024-05-01',
      colours: ['Black', 'White'],
      isAltered: true,
      status: 'available',
    },
  ],
  Shelterluv: [
    'Animal ID,Name,Species,Sex,Primary Breed,Secondary Breed,Age (Y/M/D),Primary Color,Current Weight,Altered in Care,Kennel Card / Web Site Memo,Photo',
    '77,Bella,Cat,Female,Domestic Shorthair,,2Y/ 4M/ 26D,Black,10,,<p>Nice</p>,https://x/2',
    { externalId: '77', species: 'cat', weightKg: 4.536, description: 'Nice', birthDateIsEstimated: true },
  ],
  PetPoint: [
    'Animal #,ARN,Animal Name,Species,Primary Breed,Secondary Breed,Gender,Altered,Date Of Birth,Age Group,Intake Date,Microchip Number',
    'A0001,,Carl,Dog,"Retriever, Labrador",Mix,Male,Yes,5/21/2023 12:00:00 AM,Adult,6/1/2024 1:00:00 PM,985112000000123',
    { externalId: 'A0001', breedPrimary: 'Labrador Retriever', isAltered: true, birthDate: '2023-05-21' },
  ],
  RescueGroups: [
    'Animal ID,Status,Species,Rescue ID,Name,Summary,Sex,General Age,Primary Breed,Secondary Breed,Mixed,Color (General),Size Potential (General),OK with Dogs,OK with Cats,Picture 1,Picture 2',
    '9,Available,Guinea Pig,R9,Dora,,Female,Young,Abyssinian,,No,Brown,Small,Yes,,https://x/3,https://x/4',
    {
      externalId: '9',
      status: 'available',
      species: 'small-furry',
      size: 'S',
      photoUrls: ['https://x/3', 'https://x/4'],
    },
  ],
  Petstablished: [
    'Petstablished ID,Pet Name,Pet Type,Pet Breed,Gender,Date of Birth,Age in Years,Weight,Color,Spayed/Neutered?,Gets along with Dogs?,Current Status,Microchip ID',
    '5,Emil,Dog,Beagle,Male,05/21/2023,1,20,"Black, White",Yes,No,Hold,',
    { externalId: '5', species: 'dog', colours: ['Black', 'White'], goodWithDogs: false, status: 'pending' },
  ],
  Petfinder: [
    'ID,Internal,AnimalName,PrimaryBreed,Sex,Size,Age,Desc,Type,Status,Shots,Altered,NoDogs,NoCats,NoKids,photo1,birth_date,adoption_fee',
    '3,i3,Fips,Lop,F,S,Baby,Soft,Rabbit,A,1,1,,1,0,https://x/5,2024-05-01,$50.00',
    {
      externalId: '3',
      species: 'rabbit',
      goodWithCats: false,
      goodWithChildren: true,
      status: 'available',
      feeAmount: 50,
    },
  ],
};

void test('programs: each is tested', () => {
  assert.deepEqual(
    PROGRAMS.map(({ name }) => name),
    Object.keys(EXPORTS).toSorted((a, b) => a.localeCompare(b)),
  );
});

for (const [program, [names, cells, values]] of Object.entries(EXPORTS))
  void test(`export of ${program}: recognized, and read with its codes`, async () => {
    const { header, questions, rows } = await read(`${names}\n${cells}\n`);
    const total = names.split(',').length;
    assert.deepEqual([header.recognized?.program.name, header.recognized?.known], [program, total]);
    assert.deepEqual([questions, rows[0]?.problems, rows[0]?.leftOut], [[], [], undefined]);
    for (const [field, value] of Object.entries(values)) assert.deepEqual(rows[0]?.value[field], value, field);
  });

void test('export of ASM3: animals that are dead or not for adoption are left out', async () => {
  const names = 'ANIMALCODE,ANIMALNAME,ANIMALSPECIES,ANIMALDECEASEDDATE,ANIMALNOTFORADOPTION';
  const { rows } = await read(`${names}\nA1,Anton,Dog,01/02/2024,0\nA2,Bella,Dog,,1\nA3,Carl,Dog,,0\n`);
  assert.deepEqual(
    rows.map(({ leftOut }) => leftOut),
    ['deceased', 'not-for-adoption', undefined],
  );
});

void test('export of ASM3: movements are statuses, and the comments of older exports are stories', async () => {
  const names = 'ANIMALCODE,ANIMALNAME,ANIMALCOMMENTS,MOVEMENTTYPE';
  const rows = (await read(`${names}\nA1,Anton,Calm,0\nA2,Bella,,1\nA3,Carl,,2\nA4,Dora,,3\nA5,Emil,,5\n`)).rows;
  assert.deepEqual(
    rows.map(({ value, leftOut }) => leftOut ?? value['status']),
    ['available', 'sold', 'available', 'transferred', 'transferred'],
  );
  assert.equal(rows[0]?.value['description'], 'Calm');
});

void test('export of ASM3: a breed that is written twice is one, and a mix is no breed', async () => {
  const names = 'ANIMALCODE,ANIMALNAME,ANIMALBREED1,ANIMALBREED2';
  const { rows } = await read(`${names}\nA1,Anton,Beagle,Beagle\nA2,Bella,Beagle,Mix\nA3,Carl,Beagle,Pug\n`);
  assert.deepEqual(
    rows.map(({ value }) => [value['breedPrimary'], value['breedSecondary'], value['breedIsMixed']]),
    [
      ['Beagle', null, undefined],
      ['Beagle', null, true],
      ['Beagle', 'Pug', undefined],
    ],
  );
});

void test('export of Shelterluv: an animal is at the last of its locations', async () => {
  const { rows } = await read('Animal ID,Name,Age (Y/M/D),Location\n1,Rex,1Y,"Intake, Kennel 3"\n2,Max,1Y,Cats\n');
  assert.deepEqual(
    // The organisation has none of them.
    rows.map(({ problems }) => problems.map(({ value }) => value)),
    [['Kennel 3'], ['Cats']],
  );
});

void test('program: chosen, or none; other tables are not recognized', async () => {
  const [names = '', cells = ''] = EXPORTS['Shelterluv'] ?? [];
  assert.equal((await read(`${names}\n${cells}\n`, 'none')).header.recognized, undefined);
  assert.equal((await read('Name,Animal ID\nAnton,1\n', 'petpoint')).header.recognized?.program.name, 'PetPoint');
  for (const other of ['name,status\nRex,sold\n', 'Name,Animal ID,Species\nRex,1,dog\n'])
    assert.equal((await read(other)).header.recognized, undefined, other);
});

void test('export of Petfinder: the one of its own list is recognized as well', async () => {
  const names = 'Petfinder SystemID,Animal ID,Name,Status,Arrival Date,Animal Type,Species,Breed,2nd Breed,Age,Gender';
  const { header, rows } = await read(`${names}\n7,,Hugo,Adoptable,2024-05-01,Dog,Dog,Pug,,Baby,Male\n`);
  assert.deepEqual([header.recognized?.program.name, header.recognized?.known], ['Petfinder', 11]);
  const { externalId, name, status, species, breedPrimary, sex } = rows[0]?.value ?? {};
  assert.deepEqual(
    [externalId, name, status, species, breedPrimary, sex],
    ['7', 'Hugo', 'available', 'dog', 'Pug', 'male'],
  );
});

void test('export of PetPoint: outcomes are statuses, if it has no stages', async () => {
  const names = 'Animal #,ARN,Animal Name,Species,Outcome Type,Outcome Date';
  const { rows } = await read(
    `${names}\nA1,,Anton,Dog,,\nA2,,Bella,Dog,Adoption,6/1/2024\nA3,,Carl,Dog,Return to Owner/Guardian,6/21/2024\n`,
  );
  assert.deepEqual(
    rows.map(({ value, leftOut }) => leftOut ?? value['status']),
    [undefined, 'sold', 'transferred'],
  );
});

/** The columns of animals in the files of each program, and how many of them are imported. */
const COLUMNS: Readonly<Record<string, readonly [columns: string, imported: number]>> = {
  ASM3: [
    'ANIMALID|ANIMALCODE|ANIMALLITTER|ANIMALNAME|ANIMALSEX|ANIMALTYPE|ANIMALWEIGHT|ANIMALCOLOR|ANIMALBREED1|ANIMALBREED2|ANIMALDOB|ANIMALLOCATION|ANIMALUNIT|ANIMALSPECIES|ANIMALDESCRIPTION|ANIMALWARNING|ANIMALHIDDENDETAILS|ANIMALHEALTHPROBLEMS|ANIMALMARKINGS|ANIMALREASONFORENTRY|ANIMALNEUTERED|ANIMALNEUTEREDDATE|ANIMALMICROCHIP|ANIMALMICROCHIPDATE|ANIMALENTRYDATE|ANIMALDECEASEDDATE|ANIMALDECEASEDREASON|ANIMALDECEASEDNOTES|ANIMALEUTHANIZED|ANIMALJURISDICTION|ANIMALPICKUPLOCATION|ANIMALPICKUPADDRESS|ANIMALENTRYCATEGORY|ANIMALNOTFORADOPTION|ANIMALNONSHELTER|ANIMALTRANSFER|ANIMALGOODWITHCATS|ANIMALGOODWITHDOGS|ANIMALGOODWITHKIDS|ANIMALHOUSETRAINED|ANIMALIMAGE|ANIMALPDFNAME|ANIMALPDFDATA|ANIMALHTMLNAME|ANIMALHTMLDATA',
    21,
  ],
  ShelterBuddy: [
    'Animal ID|Name|Type|Breed|Secondary Breed|Incoming Date|DOB|Spay/Neutered|Spay/Neutered Date|Microchip|Gender|Color|Second Color|Surrender Reason|Source (Current)|Status (Current)|Distinguishing Features|Euthanasia Reason|General Notes from animal details screen|Person ID|Person First Name|Person Last Name|Mailing Address|Mailing Suburb|Mailing Post Code',
    13,
  ],
  Shelterluv: [
    'Animal ID|Name|Species|Sex|Primary Breed|Secondary Breed|Age (Y/M/D)|Age (Months)|Primary Color|Current Weight|Altered|Altered in Care|Altered before Arrival|Microchip Number|Attributes|Photo|Kennel Card / Web Site Memo|Medical|Behavioral|History|Private**|In Custody|Created Date|Intake Date|Intake Type|Intake Subtype|Intake Memo|Intake From Name|Location|Outcome By|Outcome To Person Name|Comments|Comments1|Comments2|Comments3',
    16,
  ],
  PetPoint: [
    "Animal #|ARN|Animal Name|Species|Primary Breed|Secondary Breed|Gender|Altered|Date Of Birth|Age Group|Animal Description|Distinguishing Markings|Microchip Number|Microchip Issue Date|Location|Intake Date|Intake Type|Intake Subtype|Intake Condition|Reason|Jurisdiction|Admitter|Street Address|City|Province|Postal Code|Admitter's Email|Admitter's Home Phone|Admitter's Cell Phone",
    12,
  ],
  RescueGroups: [
    'Animal ID|Status|Species|Rescue ID|Internal ID|Name|Summary|Sex|General Age|Birthdate|Breed|Primary Breed|Secondary Breed|Mixed|Color (General)|Size Potential (General)|Altered|Declawed|Housetrained|Special Needs|OK with Dogs|OK with Cats|OK with Kids|Microchip Number|Description|Description (no html)|Notes|Origin|Received Date|Created|Last Updated|Location|Foster ID|Groups|Picture 1|Picture 2|Picture 3|Picture 4',
    27,
  ],
  Petstablished: [
    "Petstablished ID|Pet Name|Pet Type|Pet Breed|Pet Primary Breed|Pet Secondary Breed|Gender|Date of Birth|Age in Years|Size|Weight|Color|Coat Length|Coat Pattern|Spayed/Neutered?|Special Need?|Gets along with Dogs?|Gets along with Cats?|Gets along with Kids?|Microchip ID|Date Pet Entered Your Care|Type of Intake|Where was pet originally found|Current Status|Current Location|Current Foster/Adopter|Current Foster/Adopter Email|Adoption/Foster Date|Previous Owner Information|Description|Internal Notes|Additional Comments|Pet Owner's Home Number|Pet Owner's Cell Number|Pet Owner's Work Phone",
    23,
  ],
  Petfinder: [
    'ID|Internal|AnimalName|PrimaryBreed|SecondaryBreed|Sex|Size|Age|Desc|Type|Status|Shots|Altered|NoDogs|NoCats|NoKids|Housetrained|Declawed|specialNeeds|Mix|photo1|photo2|photo3|photo4|photo5|photo6|arrival_date|birth_date|primaryColor|secondaryColor|tertiaryColor|coat_length|adoption_fee|display_adoption_fee|adoption_fee_waived|special_needs_notes|no_other|no_other_note|tags',
    35,
  ],
};

for (const [program, [columns, imported]] of Object.entries(COLUMNS))
  void test(`files of ${program}: all columns of animals are known, and ${imported} are imported`, async () => {
    const names = columns.split('|');
    const { header } = await read(`${names.join()}\n${names.map(() => 'x').join()}\n`);
    assert.equal(header.recognized?.program.name, program);
    assert.deepEqual([header.recognized.known, header.recognized.total], [names.length, names.length]);
    assert.equal(header.columns.filter((column) => column !== undefined).length, imported);
  });

void test('files of a program with two columns for one value: the more exact one is imported', async () => {
  const { rows } = await read('Animal ID,Rescue ID,Name,Breed,Primary Breed\n1,,Rex,Hound mix,Beagle\n');
  assert.equal(rows[0]?.value['breedPrimary'], 'Beagle');
});
