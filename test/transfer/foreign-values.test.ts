import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SPECIES } from '../../src/domain/pets/profile.ts';
import { AGE_GROUPS, ageGroupOf } from '../../src/domain/search/ages.ts';
import { petTable } from '../../src/transfer/pet-table.ts';
import { NO_SITE } from '../../src/transfer/profiles/site.ts';
import type { Answers } from '../../src/transfer/profiles/conventions.ts';
import { answersOfCountry } from '../../src/transfer/profiles/conventions.ts';
import { birthDateOfAge } from '../../src/transfer/profiles/profile-ages.ts';
import { readBreeds } from '../../src/transfer/profiles/profile-breeds.ts';
import { textOfHtml } from '../../src/transfer/profiles/profile-html.ts';
import { readAmount, readWeight, unitIn } from '../../src/transfer/profiles/profile-numbers.ts';
import { readSex, readYesNo, valueOfWord } from '../../src/transfer/profiles/profile-words.ts';
import { readStatus } from '../../src/transfer/profiles/statuses.ts';
import { readRows, surveyRows } from '../../src/transfer/rows.ts';

/* Values as other programs and people write them: each text, and what is read. */

async function* whole(text: string): AsyncGenerator<string> {
  yield text;
}

/** The values of a file, and the questions that it leaves open. */
async function read(text: string, answers: Answers = {}, assumed: Answers = {}) {
  const options = { table: petTable(NO_SITE) };
  const { conventions, questions } = await surveyRows(whole(text), { ...options, answers, assumed });
  const rows = await Array.fromAsync(readRows(whole(text), { ...options, conventions }));
  return { questions, rows, of: (field: string) => rows.map(({ value }) => value[field]) };
}

const DATES: readonly (readonly [title: string, cells: readonly string[], expected: readonly unknown[]])[] = [
  ['one date decides: month first', ['03/04/2024', '05/21/2023', '3/4/25'], ['2024-03-04', '2023-05-21', '2025-03-04']],
  ['one date decides: day first', ['03/04/2024', '21/05/2023'], ['2024-04-03', '2023-05-21']],
  ['with times', ['5/21/2023 12:00:00 AM', '3/4/2025 3:15 PM'], ['2023-05-21', '2025-03-04']],
  ['with hyphens', ['05-21-2023', '03-04-2024'], ['2023-05-21', '2024-03-04']],
  ['points', ['26.11.25', '03.04.2024', '3. 4. 2024'], ['2025-11-26', '2024-04-03', '2024-04-03']],
  [
    'names of months',
    ['21-May-2024', 'May 21, 2024', '21 May 2024', '21. Mai 2024', 'Sept. 1st, 2023', '1-Dec-23', '3. März 2024'],
    ['2024-05-21', '2024-05-21', '2024-05-21', '2024-05-21', '2023-09-01', '2023-12-01', '2024-03-03'],
  ],
  ['the year first', ['2024-05-21', '2024/5/21', '2024-05-21T10:00:00Z'], ['2024-05-21', '2024-05-21', '2024-05-21']],
  ['the last century', ['05/21/99'], ['1999-05-21']],
];

for (const [title, cells, expected] of DATES)
  void test(`dates, ${title}: read`, async () => {
    const { questions, of } = await read(`name,DOB\n${cells.map((cell) => `x,"${cell}"`).join('\n')}\n`);
    assert.deepEqual([questions, of('birthDate')], [[], expected]);
  });

void test('birth dates that are only known roughly: estimated', async () => {
  const { rows, of } = await read('name,DOB\na,ca. 2020\nb,05/2023\nc,~ 3.4.2024\nd,2021-11\ne,3.4.2024\nf,13/2023\n');
  assert.deepEqual(of('birthDate'), ['2020-07-01', '2023-05-01', '2024-04-03', '2021-11-01', '2024-04-03', undefined]);
  assert.deepEqual(of('birthDateIsEstimated'), [true, true, true, true, undefined, undefined]);
  assert.deepEqual(
    rows.map(({ problems }) => problems.length),
    [0, 0, 0, 0, 0, 1],
  );
});

void test('dates: what no column says is asked for, and the answer does not change what one says', async () => {
  const text = 'name,DOB,Intake Date\nx,03/04/2024,05/06/2024\n';
  const open = await read(text);
  assert.deepEqual(open.questions[0], { about: 'dates', name: 'DOB', example: '03/04/2024' });
  assert.deepEqual((await read(text, { dates: 'month-first' })).of('birthDate'), ['2024-03-04']);
  assert.deepEqual((await read(text, { dates: 'day-first' })).of('birthDate'), ['2024-04-03']);
  // Another column of the same file decides.
  const decided = await read(`${text}y,,12/31/2023\n`, { dates: 'day-first' });
  assert.deepEqual([decided.questions, decided.of('birthDate')], [[], ['2024-03-04', null]]);
  // Two orders in one column: only the dates with one meaning are read.
  const mixed = await read('name,DOB\nx,03/04/2024\ny,21/05/2023\nz,05/21/2023\n');
  assert.equal(mixed.questions.length, 1);
  assert.deepEqual(mixed.of('birthDate'), [undefined, '2023-05-21', '2023-05-21']);
});

void test('country: decides what the file does not say, which is shown', async () => {
  const american = answersOfCountry('US');
  const file = 'name,DOB,Weight\nx,03/04/2024,10\n';
  const { questions, of } = await read(file, {}, american);
  assert.deepEqual([of('birthDate'), of('weightKg')], [['2024-03-04'], [4.536]]);
  assert.deepEqual(questions, [
    { about: 'dates', name: 'DOB', example: '03/04/2024', assumed: 'month-first' },
    { about: 'weights', name: 'Weight', example: '10', assumed: 'lb' },
  ]);
  const given = await read(file, { dates: 'day-first', weights: 'kg' }, american);
  assert.deepEqual([given.questions, given.of('birthDate'), given.of('weightKg')], [[], ['2024-04-03'], [10]]);
  assert.deepEqual((await read('name,DOB,Weight\nx,21/04/2024,10 kg\n', {}, american)).questions, []);
});

void test('country: its dates and weights answer the questions', () => {
  assert.deepEqual(answersOfCountry('US'), { dates: 'month-first', weights: 'lb' });
  assert.deepEqual(answersOfCountry('DE'), { dates: 'day-first', weights: 'kg' });
  assert.deepEqual(answersOfCountry('GB'), { dates: 'day-first', weights: 'kg' });
  assert.deepEqual(answersOfCountry(undefined), {});
});

void test('weights: units in the cell, in the name of the column, or by an answer', async () => {
  const weights: readonly (readonly [text: string, unit: 'kg' | 'lb' | undefined, expected: number | undefined])[] = [
    ['62.5 lbs', undefined, 28.35],
    ['8 lb 9 oz', undefined, 3.884],
    ['8 lbs. 9 oz.', undefined, 3.884],
    ['8lbs, 9oz', undefined, 3.884],
    ['5.5 kg', 'lb', 5.5],
    ['12,5kg', undefined, 12.5],
    ['350 g', undefined, 0.35],
    ['10', 'lb', 4.536],
    ['10', 'kg', 10],
    ['10', undefined, undefined],
    ['8 stone', 'kg', undefined],
    ['heavy lb', 'kg', undefined],
  ];
  for (const [text, unit, expected] of weights) assert.equal(readWeight(text, unit), expected, text);
  const names = {
    'Weight (lbs)': 'lb',
    'Current Weight LB': 'lb',
    weightKg: 'kg',
    weight_kg: 'kg',
    Gewicht: 'kg',
    Weight: undefined,
  };
  for (const [name, unit] of Object.entries(names)) assert.equal(unitIn(name), unit, name);
  assert.deepEqual((await read('name,Weight (lbs)\nx,10\n')).of('weightKg'), [4.536]);
  const open = await read('name,Weight\nx,10\n');
  assert.deepEqual(open.questions, [{ about: 'weights', name: 'Weight', example: '10' }]);
  assert.deepEqual((await read('name,Weight\nx,10\n', { weights: 'lb' })).of('weightKg'), [4.536]);
  assert.deepEqual((await read('name,Weight\nx,10 lb\n')).questions, []);
});

void test('amounts: with currencies, which are kept', async () => {
  assert.deepEqual(readAmount('$150.00'), { amount: 150, currency: undefined });
  assert.deepEqual(readAmount('1,250.50'), { amount: 1250.5, currency: undefined });
  for (const text of ['150 €', '€150', '150,00 EUR', 'EUR 150', '150,- Euro'])
    assert.deepEqual(readAmount(text), { amount: 150, currency: 'EUR' }, text);
  for (const text of ['free', '150-200', '1.250']) assert.equal(readAmount(text), undefined, text);
  const { rows } = await read('name,Adoption fee\nx,150 €\ny,$80\n');
  assert.deepEqual(
    rows.map(({ value, fields }) => [value['feeAmount'], value['feeCurrency'], fields.has('feeCurrency')]),
    [
      [150, 'EUR', true],
      [80, undefined, false],
    ],
  );
});

void test('ages: estimated birth dates, only for new pets', async () => {
  const now = Date.UTC(2026, 10, 28);
  const age = (text: string, isInMonths = false) => birthDateOfAge(text, { species: 'dog', isInMonths }, now);
  assert.equal(age('2Y/ 4M/ 26D'), '2024-07-02');
  assert.equal(age('3 years 6 months'), '2023-05-29');
  for (const text of ['2', '2.0', '2 yrs', '2 years old', '24 months', '2 Jahre'])
    assert.match(age(text) ?? '', /^2024-11-2[78]$/, text);
  assert.match(age('18', true) ?? '', /^2025-05-2/);
  assert.match(age('8 weeks') ?? '', /^2026-10-03$/);
  for (const text of ['Baby', 'Young', 'Adult', 'Senior', 'Puppy', 'Adult (3-8 yrs)']) assert.ok(age(text), text);
  for (const text of ['2 apples', 'old dog', '-1', '']) assert.equal(age(text), undefined, text);
  const { rows } = await read('name,Age,DOB\nx,2 years,\ny,2 years,2020-01-01\n');
  assert.equal(rows[0]?.value['birthDateIsEstimated'], true);
  assert.deepEqual([...(rows[0].onlyNew ?? [])], ['birthDate', 'birthDateIsEstimated']);
  assert.deepEqual([rows[1]?.value['birthDate'], rows[1]?.onlyNew?.size], ['2020-01-01', 0]);
  const months = await read('name,Age (Months)\nx,12\n');
  assert.match(String(months.of('birthDate')[0]), new RegExp(`^${new Date().getUTCFullYear() - 1}-`));
});

void test('ages in words: in the age group of the catalogue, for each species', () => {
  const nowMs = Date.now();
  for (const species of [...SPECIES, undefined])
    for (const group of AGE_GROUPS) {
      const birthDate = birthDateOfAge(group, { species, isInMonths: false }, nowMs);
      assert.equal(
        ageGroupOf({ ...(species && { species }), ...(birthDate && { birthDate }) }, nowMs),
        group,
        `${species} ${group}`,
      );
    }
});

void test('yes and no: the words of other programs', async () => {
  const words: readonly (readonly [column: string, word: string, expected: boolean | null | undefined])[] = [
    ['isAltered', 'Altered', true],
    ['isAltered', 'Intact', false],
    ['isAltered', 'Y', true],
    ['goodWithDogs', 'Selective', null],
    ['goodWithChildren', 'Over 12', null],
    ['goodWithCats', 'Not sure', null],
    ['goodWithCats', 'Altered', undefined],
  ];
  for (const [column, word, expected] of words) assert.equal(readYesNo(word, column), expected, word);
  const { of } = await read('name,NoCats,No Dogs,noKids\nx,1,0,\ny,Y,N,unknown\n');
  assert.deepEqual(
    [of('goodWithCats'), of('goodWithDogs'), of('goodWithChildren')],
    [
      [false, false],
      [true, true],
      [null, null],
    ],
  );
});

void test('sex: with what it says about altering, unless a column says it', async () => {
  const words: Readonly<Record<string, readonly [sex: string, isAltered: boolean | undefined]>> = {
    'Neutered Male': ['male', true],
    'Male (Neutered)': ['male', true],
    FS: ['female', true],
    'Spayed Female': ['female', true],
    Rüde: ['male', undefined],
    Hündin: ['female', undefined],
    'männlich, kastriert': ['male', true],
    'Female - not spayed': ['female', false],
    'Male intact': ['male', false],
    Unknown: ['unknown', undefined],
  };
  for (const [word, [sex, isAltered]] of Object.entries(words))
    assert.deepEqual(readSex(word), { sex, isAltered }, word);
  for (const word of ['hermaphrodite', 'male/female']) assert.equal(readSex(word), undefined, word);
  const { of } = await read('name,Sex,Altered\nx,Neutered Male,No\ny,Neutered Male,\n');
  assert.deepEqual(
    [of('sex'), of('isAltered')],
    [
      ['male', 'male'],
      [false, true],
    ],
  );
});

void test('species and sizes: the words of other programs', () => {
  const species: Readonly<Record<string, string>> = {
    'Guinea Pig': 'small-furry',
    Hamster: 'small-furry',
    Kitten: 'cat',
    'Small&Furry': 'small-furry',
    Bunny: 'rabbit',
    Pony: 'horse',
    Chicken: 'bird',
    Tortoise: 'reptile-other',
    Pig: 'barnyard',
    Meerschweinchen: 'small-furry',
  };
  for (const [word, expected] of Object.entries(species)) assert.equal(valueOfWord('species', word), expected, word);
  assert.equal(valueOfWord('size', 'Large (60-99)'), 'L');
  assert.equal(valueOfWord('size', 'Very Large'), 'XL');
});

void test('breeds: as programs and sites spell them', async () => {
  const breeds: Readonly<
    Record<string, readonly [primary: string, secondary?: string | undefined, isMixed?: boolean]>
  > = {
    'Retriever, Labrador': ['Labrador Retriever'],
    'Labrador Retriever Mix': ['Labrador Retriever', undefined, true],
    'Retriever, Labrador / Mix': ['Labrador Retriever', undefined, true],
    'Terrier, Pit Bull/Boxer': ['Pit Bull Terrier', 'Boxer', true],
    'Labrador Retriever (Mix)': ['Labrador Retriever', undefined, true],
    'Poodle / Boxer / mixed': ['Poodle', 'Boxer', true],
    'Andalusian Terrier, Sherry Terrier': ['Andalusian Terrier, Sherry Terrier'],
    Mix: ['Mix'],
    Beagle: ['Beagle'],
  };
  for (const [text, [primary, secondary, isMixed]] of Object.entries(breeds))
    assert.deepEqual(readBreeds(text), { primary, secondary, isMixed }, text);
  const { of } = await read('name,Primary Breed,Secondary Breed\nx,"Retriever, Labrador",Boxer\n');
  assert.deepEqual([of('breedPrimary'), of('breedSecondary')], [['Labrador Retriever'], ['Boxer']]);
});

void test('stories in HTML: read as Markdown, and other texts stay', async () => {
  assert.equal(textOfHtml('<p>Calm &amp; nice</p>'), 'Calm & nice');
  assert.equal(textOfHtml('<p>One<br>two</p><p><b>Three</b></p>'), 'One\ntwo\n\n**Three**');
  assert.equal(textOfHtml('<ul><li>a</li><li>b</li></ul>'), '- a\n- b');
  assert.equal(textOfHtml('<script>alert(1)</script>Hi &lt;3'), 'Hi <3');
  assert.equal(textOfHtml('a<!-- <b>hidden</b> -->b &#8211; &eacute;&unknown; &#x1F436;'), 'ab – é&unknown; 🐶');
  const { of } = await read(
    'name,description\nx,<div>Loves&nbsp;<i>fish</i></div>\ny,a < b & c > d\nz,"""<p>kept</p>"""\n',
  );
  assert.deepEqual(of('description'), ['Loves *fish*', 'a < b & c > d', '<p>kept</p>']);
});

void test('microchips that a spreadsheet has rounded: refused with the remedy', async () => {
  const { rows } = await read('name,microchip,externalId\nx,9.85112E+14,"9,85112E+14"\ny,985112000000123,A1\n');
  assert.deepEqual(
    rows[0]?.problems.map(({ kind, column }) => [kind, column]),
    [
      ['rounded', 'microchip'],
      ['rounded', 'externalId'],
    ],
  );
  assert.match(rows[0].problems[0]?.message ?? '', /has lost digits in a spreadsheet: format the column as text/);
  assert.equal(rows[1]?.value['microchip'], '985112000000123');
});

void test('lists: several separators, and several columns for one list', async () => {
  const { of } = await read(
    'name,Colour,Tags\nx,"Black, White","a, b"\ny,Black/White,a;b\nz,Black and White,"a, b|c"\nw,"Tricolor (Brown, Black, & White)",\n',
  );
  assert.deepEqual(of('colours'), [
    ['Black', 'White'],
    ['Black', 'White'],
    ['Black', 'White'],
    ['Tricolor (Brown, Black, & White)'],
  ]);
  assert.deepEqual(of('tags'), [['a', 'b'], ['a', 'b'], ['a, b', 'c'], []]);
  const several = await read(
    'name,Picture 1,Picture 2,Primary Color,Secondary Color\nx,https://x/1,https://x/2,Black,White\ny,,https://x/3,,\n',
  );
  assert.deepEqual(
    [several.of('photoUrls'), several.of('colours')[0]],
    [
      [['https://x/1', 'https://x/2'], ['https://x/3']],
      ['Black', 'White'],
    ],
  );
});

void test('statuses: a qualifier says where the pet is, or is the stronger word', () => {
  const statuses: Readonly<Record<string, string>> = {
    'Available - In Foster': 'available',
    'Available (in foster)': 'available',
    'Available in Foster': 'available',
    'AVAILABLE: PetSmart': 'available',
    'Adoptable (pending)': 'pending',
    'Available / Adoption Pending': 'pending',
    'Available - Medical Hold': 'pending',
    'Healthy In Home': 'sold',
    'Adopted - Trial over': 'sold',
    'Verfügbar (Pflegestelle)': 'available',
    asleep: 'asleep',
    'In Home (x)': 'sold',
    'Adopted Offsite': 'sold',
    'Hold For Possible Match': 'pending',
    // It may be that of a foster family.
    'Sick In Home': 'Sick In Home',
    'Foster--Hospice': 'Foster--Hospice',
  };
  for (const [word, status] of Object.entries(statuses))
    assert.deepEqual(readStatus(word), { status, leftOut: undefined }, word);
  const leftOut: Readonly<Record<string, string>> = {
    'Available - Not for adoption': 'not-for-adoption',
    'Deceased (in foster)': 'deceased',
    'Transferred - Available there': 'transferred',
    'Adopted - Deceased': 'deceased',
    'Unassisted Death - In Care': 'deceased',
    'Euthanized During Stray Hold Time': 'deceased',
    'Released to Colony / Wild': 'transferred',
    'Transferred Out -- Pending Acceptance': 'transferred',
    'Return to Owner/Guardian': 'transferred',
  };
  for (const [word, reason] of Object.entries(leftOut)) assert.equal(readStatus(word).leftOut, reason, word);
});
