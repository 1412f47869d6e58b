import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ColumnMap, Header } from '../../src/transfer/columns.ts';
import { PET_TABLE, petTable } from '../../src/transfer/pet-table.ts';
import { profilePatchOf, readProfileCells } from '../../src/transfer/profile-cells.ts';
import type { Site } from '../../src/transfer/profiles/site.ts';
import { NO_CONVENTIONS } from '../../src/transfer/profiles/conventions.ts';
import { readSex, readYesNo, valueOfWord } from '../../src/transfer/profiles/profile-words.ts';
import { readStatus } from '../../src/transfer/profiles/statuses.ts';
import { readRows } from '../../src/transfer/rows.ts';
import type { RowProblem, SourceRow } from '../../src/transfer/source-row.ts';
import { decode } from '../../src/transfer/source-text.ts';
import { USER_TABLE } from '../../src/transfer/user-table.ts';
import deEditing from '../../src/web/texts/de/editing.json' with { type: 'json' };
import dePet from '../../src/web/texts/de/pet.json' with { type: 'json' };
import deProfile from '../../src/web/texts/de/profile.json' with { type: 'json' };
import enEditing from '../../src/web/texts/en/editing.json' with { type: 'json' };
import enPet from '../../src/web/texts/en/pet.json' with { type: 'json' };
import enProfile from '../../src/web/texts/en/profile.json' with { type: 'json' };

/*
 * Tables as other programs and people write them: each input, and what is read.
 */

const same = (text: string) => ({ en: text, de: text });

const SITE: Site = {
  ownFields: [
    { key: 'flies', type: 'yes-no-unknown', label: same('Can it fly?'), isPublic: true },
    { key: 'height', type: 'number', label: same('Height'), isPublic: true },
    {
      key: 'room',
      type: 'choice',
      label: same('Room'),
      isPublic: true,
      choices: [
        { value: 'A', labelDe: 'Grüner Raum' },
        { value: 'C', labelEn: 'B' },
        { value: 'D', labelDe: 'b' },
      ],
    },
  ],
  locations: [{ id: 'north', name: 'Haus Nord' }],
};

interface Options {
  map?: ColumnMap;
  table?: typeof PET_TABLE;
}

/** Reads a file in pieces of this length. */
async function read(file: Uint8Array, length: number, { table = PET_TABLE, ...options }: Options = {}) {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let start = 0; start < file.length; start += length) yield file.subarray(start, start + length);
  }
  let header: Header | undefined;
  const onHeader = (found: Header) => {
    header = found;
  };
  const rows = await Array.fromAsync(readRows(decode(pieces()), { table, onHeader, ...options }));
  return { rows, header };
}

const utf8 = (text: string) => Buffer.from(text);
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

/** A row in short: `2 Rex sold` with its number, or its problems. */
function shortOf({ number, value, problems }: SourceRow): string {
  const { name, status, tags } = value as { name?: string; status?: string; tags?: readonly string[] };
  const words = [name, status, ...(tags ?? []).map((tag) => `#${tag}`)].filter((word) => word !== undefined);
  return [number, ...(problems.length > 0 ? problems.map(({ kind }) => kind) : words)].join(' ');
}

const REX = ['2 Rex sold', '3 Zoe'];

const tables: readonly [title: string, file: string | Uint8Array, rows: readonly string[]][] = [
  // Line ends
  ['LF', 'name,status\nRex,sold\nZoe,\n', REX],
  ['CRLF', 'name,status\r\nRex,sold\r\nZoe,\r\n', REX],
  ['CR', 'name,status\rRex,sold\rZoe,\r', REX],
  ['LF after the names, then CRLF', 'status,name\nsold,Rex\r\n,Zoe\r\n', REX],
  ['CRLF after the names, then LF', 'name\r\nEola\nEolb\nEolc\r\n', ['2 Eola', '3 Eolb', '4 Eolc']],
  ['every line end in one file', 'name,status\rRex,sold\r\nZoe,\nMax,', [...REX, '4 Max']],
  ['no line end at the end', 'name,status\nRex,sold\nZoe,', REX],
  ['CR before LF: one line end', 'name\n"A"\r\nB\r\n\r\nC\n\nD', ['2 A', '3 B', '5 C', '7 D']],
  ['line ends in quotes are text', 'name\r\n"a\nb\rc\r\nd"\r\n"e"\n', ['2 a\nb\rc\r\nd', '3 e']],
  ['line ends in the quotes of a name', '"name","a\nb"\r\nRex,x\r\n', ['2 Rex']],
  // Delimiters
  ['semicolons', 'name;status\nRex;sold\nZoe;\n', REX],
  ['tabs', 'name\tstatus\nRex\tsold\nZoe\t\n', REX],
  ['pipes', 'name|status\nRex|sold\nZoe|\n', REX],
  ['commas in a quoted name', '"name";"status";"Note (colour, size, origin)"\nRex;sold;a,b,c\nZoe;;\n', REX],
  ['commas in a plain name', 'name;status;Note (colour, size, origin)\nRex;sold;x\nZoe;;"y;z"\n', REX],
  ['a comma in the only known name', 'name, pet;colour\nRex;brown\nZoe;black\n', ['2 Rex', '3 Zoe']],
  ['semicolons in a name', 'name,status,"a;b;c;d"\nRex,sold,;;;\nZoe,,\n', REX],
  ['pipes and commas in cells', 'name;tags;status\nRex;a|b, c;sold\n', ['2 Rex sold #a #b, c']],
  ['commas in cells of the only column', 'name\nRex, the dog\nZoe\n', ['2 Rex, the dog', '3 Zoe']],
  ['the only column', '"name"\n"Rex, the dog"\n', ['2 Rex, the dog']],
  ['sep= names the delimiter', 'sep=;\nname;status\nRex;sold\nZoe;\n', REX],
  ['sep= in quotes, CRLF, another delimiter', '"sep=^"\r\nname^status\r\nRex, a|b^sold\r\n', ['2 Rex, a|b sold']],
  ['sep= with a tab', 'SEP=\t\nname\tstatus\nRex\tsold\nZoe\t\n', REX],
  // Cells
  ['spaces after commas', '"name", "status"\n"Rex", "sold"\n"Zoe, Max" ,\n', ['2 Rex sold', '3 Zoe, Max']],
  ['spaces around cells', ' name , status \n Rex , sold \n\u00a0Zoe,\n', REX],
  ['spaces in quotes of a name', 'name,status\n" Rex ",sold\n"Zoe\t",\n', REX],
  ['delimiters at the ends of rows only', 'name,status\nRex,sold,\nZoe,,,\n', REX],
  ['delimiters at the end of the names only', 'name,status,,\nRex,sold\nZoe,\n', REX],
  ['delimiters at the ends of all', 'name;status;;\nRex;sold;;\nZoe;;;\n', REX],
  [
    'cells beyond the last column, and missing ones',
    'name,status\nRex,sold,x\nZoe\n',
    ['2 cell-count', '3 cell-count'],
  ],
  ['quotation marks in a plain cell', 'name,status\n5" Rex,sold\nO""o,\n', ['2 5" Rex sold', '3 O""o']],
  ['doubled quotation marks', 'name\n"""Rex"""\n"a""b"\n', ['2 "Rex"', '3 a"b']],
  ['empty quotes', 'name,status\nRex,""\n"",sold\n', ['2 Rex', '3  sold']],
  ['blank rows', '\n\nname,status\n\nRex,sold\n,\n \n', ['5 Rex sold']],
  ['a decomposed name', 'name\nZoe\u0308\n', ['2 Zoë']],
  // Titles, and names of columns
  ['a title', 'Our pets in 2026\nname,status\nRex,sold\n', ['3 Rex sold']],
  ['a title that is a name, and a blank row', 'Status;;\n;;\nname;status\nRex;sold\n', ['4 Rex sold']],
  ['titles of several cells', 'Shelter,Cologne\nDate,"2026-01-31"\n\nname,status\nRex,sold\n', ['5 Rex sold']],
  ['a column of names of columns', 'name\nstatus\ntags\n', ['2 status', '3 tags']],
  ['a second table below', 'name,status\nRex,sold\nname,status\n', ['2 Rex sold', '3 name status']],
  ['invisible characters in a name', '\u200Bname,sta\u00ADtus\nRex,sold\nZoe,\n', REX],
  ['names in other cases, with other separators', 'NAME,Photo-URLs,tag_ids,Category ID\nRex,,,\n', ['2 Rex']],
  // Encodings
  ['byte order mark', '\uFEFFname,status\nRex,sold\nZoe,', REX],
  ['byte order mark before quotes', '\uFEFF"name","status"\n"Rex","sold"\nZoe,', REX],
  ['UTF-16 LE with its mark', Buffer.from('\uFEFFname\tstatus\r\nRex\tsold\r\nZoe\t\r\n', 'utf16le'), REX],
  ['UTF-16 LE', Buffer.from('name;status\nRex;sold\nZoe;\n', 'utf16le'), REX],
  ['UTF-16 BE with its mark', utf16be('\uFEFFname,status\nŽofie 猫,sold\n'), ['2 Žofie 猫 sold']],
  ['UTF-16 BE', utf16be('name,status\nRex,sold\nZoe,\n'), REX],
  [
    'Windows-1252',
    Buffer.from('name,status\nK\u00f6ter \x96 \x80,sold\n', 'latin1'),
    ['2 K\u00f6ter \u2013 \u20ac sold'],
  ],
  ['Windows-1252 at the end only', Buffer.from('name\nRex\nZo\u00eb\n', 'latin1'), ['2 Rex', '3 Zo\u00eb']],
  ['Ctrl-Z at the end', 'name,status\r\nRex,sold\r\nZoe,\r\n\x1A', REX],
  ['Ctrl-Z at the end of a cell, and more', 'name,status\nRex,sold\n"Zoe",""\x1A\x1A\r\n', REX],
  ['Ctrl-Z within the text is kept', 'name\nA\x1AB\n', ['2 A\x1AB']],
  // JSON
  ['JSON lines', '{"name":"Rex","status":"sold"}\n\n{"name":"Zoe"}', ['1 Rex sold', '3 Zoe']],
  ['a JSON array', ' [{"name":"Rex","status":"Adopted"},\n{"name":"Zoe"}, 7]', ['1 Rex sold', '2 Zoe', '3 not-json']],
  ['a JSON object of several lines', '\uFEFF{\n  "name": "Rex",\n  "status": "sold"\n}\n', ['1 Rex sold']],
  ['a JSON array in UTF-16', Buffer.from('\uFEFF[{"name":"Žofie"}]', 'utf16le'), ['1 Žofie']],
];

for (const [title, file, expected] of tables)
  void test(`${title}: read, whatever the chunks`, async () => {
    const bytes = typeof file === 'string' ? utf8(file) : file;
    for (const length of [1, 2, 3, 7, 10_000])
      assert.deepEqual((await read(bytes, length)).rows.map(shortOf), expected, `chunks of ${length}`);
  });

const refusals: readonly [title: string, file: string | Uint8Array, message: RegExp][] = [
  ['nothing', '', /^The file has no rows\.$/],
  ['only blank rows', '\n\n\x1A', /^The file has no rows\.$/],
  ['only names', 'id,name\r\n', /^The file has no rows\.$/],
  ['no known name', 'a;b c\r\n1;2\r\n', /^The first row has none of the columns id, name, .*\. It has "a", "b c"\.$/],
  ['a name twice', 'id,name,NAME\r\n1,2,3\r\n', /^The first row has the column name twice: "name", "NAME"\.$/],
  ['a name twice, in two spellings', 'birth_date,Birth Date\na,b\n', /twice: "birth_date", "Birth Date"\.$/],
  ['an open quote', 'id,name\r\n1,Rex\r\n2,"Max\r\n3,Zoe\r\n', /^Row 3 is not valid CSV: a quoted cell is not closed/],
  ['text after a quote', 'id,name\r\n1,"Rex" the dog\r\n2,Zoe\r\n', /^Row 2 is not valid CSV/],
  ['quotes that are not doubled', 'id;name\r\n1;"He said "no""\r\n', /^Row 2 is not valid CSV/],
  ['an endless quote', `id,name\r\n1,"${'x\n'.repeat(600_000)}`, /^Row 2 has more than 1048576 characters/],
  ['MS-DOS', Buffer.from('name\nM\x81sli\n', 'latin1'), /^The file is not UTF-8\. Save it as "CSV UTF-8"\.$/],
  [
    'UTF-8, then Windows-1252',
    Buffer.concat([utf8(`name\nK\u00f6ter\n${'x\n'.repeat(2000)}`), Buffer.from('K\u00f6ter\n', 'latin1')]),
    /^The file is not UTF-8\./,
  ],
  ['cut UTF-8', utf8('name\nKö').subarray(0, -1), /^The file is not UTF-8\./],
  ['cut UTF-16', Buffer.from('name\nRex\n', 'utf16le').subarray(0, -1), /^The file is not UTF-8\./],
  [
    'a workbook',
    Buffer.from('PK\x03\x04\x14\0\0\0\x08\0\0\0!\0bq\x9A', 'latin1'),
    /^The file is a workbook or another/,
  ],
  ['a short ZIP file', Buffer.from('PK\x03\x04\x14\0\x08\0', 'latin1'), /^The file is a workbook or another/],
  ['UTF-32', Buffer.from('\uFEFFn\0a\0m\0e\0', 'utf16le'), /^The file is a workbook or another file that is not text/],
  ['a cut JSON array', '[{"name":"Rex"},', /^The file is not valid JSON: /],
];

for (const [title, file, message] of refusals)
  void test(`${title}: refused with a sentence`, async () => {
    const bytes = typeof file === 'string' ? utf8(file) : file;
    await assert.rejects(read(bytes, 10_000), { name: 'UnusableFile', message });
  });

const mapped = (...pairs: [string, string][]) => new Map(pairs);

/** The names of a table, and the columns that they are similar to, as far as no other column is the same one. */
const similarNames: readonly [names: string, similar: Readonly<Record<string, string>>, table?: typeof PET_TABLE][] = [
  ['id,Pet name,Tierart', { 'Pet name': 'name', Tierart: 'species' }],
  ['PetName,petType,PET_STATUS', { PetName: 'name', petType: 'species', PET_STATUS: 'status' }],
  ['name,Animal Type,Type', { 'Animal Type': 'species', Type: 'category' }],
  [
    'Name des Tieres,Art des Tieres,Tier-ID',
    { 'Name des Tieres': 'name', 'Art des Tieres': 'species', 'Tier-ID': 'externalId' },
  ],
  ['ANIMALID,id,name', { ANIMALID: 'externalId' }],
  ['Animal ID,Pet Name,Identifier', { 'Animal ID': 'externalId', 'Pet Name': 'name' }],
  ['pet_id,Animal Code,name', { pet_id: 'externalId' }],
  ["Pet's name,Schlagwo\u0308rter,Fotos", { "Pet's name": 'name', Schlagwörter: 'tags', Fotos: 'photoUrls' }],
  ['Rufname,Kategorie,Vermittlungsstatus', { Rufname: 'name', Kategorie: 'category', Vermittlungsstatus: 'status' }],
  ['name*,Status (sold or not),Alter', { 'name*': 'name', 'Status (sold or not)': 'status', Alter: 'estimatedAge' }],
  ['name,Pet name,Species,Category,Nr,Pet', {}],
  ['Species,Tierart,name', { Tierart: 'category' }],
  [
    'Rasse,Kinder,Größe (ausgewachsen),name',
    { Rasse: 'breedPrimary', Kinder: 'goodWithChildren', 'Größe (ausgewachsen)': 'size' },
  ],
  [
    'Breed,Date of birth,Good with kids?,Chip no,name',
    { Breed: 'breedPrimary', 'Date of birth': 'birthDate', 'Good with kids?': 'goodWithChildren' },
  ],
  ['User name,Vorname,E-Mail,Benutzername', { Vorname: 'firstName' }, USER_TABLE],
];

for (const [names, expected, table] of similarNames)
  void test(`similar names, ${names}: found, and imported`, async () => {
    const file = utf8(`${names}\n${names}\n`);
    const { header } = await read(file, 1000, { ...(table && { table }) });
    assert.deepEqual(Object.fromEntries(header?.similar ?? []), expected);
    for (const [index, name] of (header?.names ?? []).entries())
      if (name in expected) assert.equal(header?.columns[index], expected[name], name);
  });

void test('names that are unknown: reported, also those of unnamed columns and rows above', async () => {
  const { header } = await read(utf8('Pets\nname,Vet,,status,\nRex,3,x,sold,\n'), 1000);
  assert.deepEqual([header?.ignored, header?.rowsAbove], [['Vet', 'column 3'], 1]);
});

void test('column map: names in any case and form, also of columns that would be known or are not imported', async () => {
  const file = utf8('Titel;Zusta\u0308nde;name\nRex;vermittelt;x\n');
  const map = mapped(['titel', 'name'], ['zustände', 'status'], ['name', '']);
  const { rows, header } = await read(file, 1000, { map });
  assert.deepEqual(rows.map(shortOf), ['2 Rex sold']);
  assert.deepEqual(header?.columns, ['name', 'status', undefined]);
  await assert.rejects(read(file, 1000, { map: mapped(['title', 'name']) }), {
    message: 'The file has no column "title" to map. Its columns are "Titel", "Zustände", "name".',
  });
  await assert.rejects(read(utf8('[{"name":"Rex"}]'), 1000, { map }), {
    message: /^The file is JSON, which has no col/,
  });
  await assert.rejects(read(file, 1000, { map: mapped(['titel', 'name']) }), { message: /twice: "Titel", "name"/ });
});

void test('profile: the labels and words of all pages are recognized, in any case', async () => {
  for (const { field } of [deProfile, enProfile])
    for (const [column, label] of Object.entries(field)) {
      if (column === 'own') continue;
      const { header } = await read(utf8(`name,"${label}"\nRex,\n`), 1000);
      assert.deepEqual(header?.columns, ['name', column], label);
    }
  for (const { yesNo } of [deProfile, enProfile])
    assert.deepEqual(
      [yesNo.yes, yesNo.no, yesNo.unknown].map((word) => readYesNo(word.toUpperCase())),
      [true, false, null],
    );
  for (const { species, sex, size, coat, energy } of [deProfile, enProfile])
    for (const [column, words] of Object.entries({ species, sex, size, coat, energy }))
      for (const [value, word] of Object.entries(words))
        for (const each of [value, word, word.toUpperCase(), ` ${word} `])
          assert.equal(column === 'sex' ? readSex(each)?.sex : valueOfWord(column, each), value, `${column} ${each}`);
});

const cells: readonly (readonly [column: string, cell: string, value: unknown])[] = [
  ...['yes', 'YES', 'true', '1', 'ja', 'WAHR'].map((cell) => ['isAltered', cell, true] as const),
  ...['no', 'False', '0', 'nein'].map((cell) => ['isAltered', cell, false] as const),
  ...['', ' ', 'unknown', 'Unbekannt'].map((cell) => ['isAltered', cell, null] as const),
  ['isAltered', 'perhaps', undefined],
  ...[
    '2026-04-03',
    '2026/4/3',
    '2026-04-03 00:00:00',
    '3.4.2026',
    '03. 04. 2026',
    '3.4.26',
    '2026-04-03T12:00:00Z',
  ].map((cell) => ['birthDate', cell, '2026-04-03'] as const),
  ...['26/11/2025', '11/26/2025'].map((cell) => ['birthDate', cell, '2025-11-26'] as const),
  ['birthDate', '4/4/2026', '2026-04-04'],
  ...['03/04/2026', '2026-02-30', '30.2.2026', '13/13/2026', 'April', 'April 2026', '46000'].map(
    (cell) => ['birthDate', cell, undefined] as const,
  ),
  ...['12.5', '12,5', '12,50', '+12.5', '1.25e1'].map((cell) => ['weightKg', cell, 12.5] as const),
  ...['0,125', '0.125'].map((cell) => ['weightKg', cell, 0.125] as const),
  ['weightKg', '1250', 1250],
  ...['1.250', '1,250', '12 stone', 'heavy', '1.250 lb'].map((cell) => ['weightKg', cell, undefined] as const),
  ['colours', 'black | white', ['black', 'white']],
  ['colours', '["a|b"]', ['a|b']],
  ['bondedWith', '7|9223372036854775807', [{ id: '7' }, { id: '9223372036854775807' }]],
  ['species', 'Hund', 'dog'],
  ['species', 'Drache', undefined],
  ['location', 'north', 'north'],
  ['location', 'haus  NORD', 'north'],
  ['location', 'south', undefined],
  ['summary', '"a" and "b"', '"a" and "b"'],
  ['own.flies', 'ja', true],
  ['own.flies', 'hoch', undefined],
  ['own.height', '12,5', 12.5],
  ['own.room', 'grüner raum', 'A'],
  ['own.room', 'B', undefined],
];

void test('profile: cells are read if they have one meaning, and refused with their column otherwise', () => {
  for (const [column, cell, expected] of cells) {
    const problems: RowProblem[] = [];
    const conventions = { ...NO_CONVENTIONS, weightUnit: 'kg' } as const;
    const { values } = readProfileCells(new Map([[column, cell]]), { site: SITE, conventions }, problems);
    assert.deepEqual(values[column], expected, `${column}: ${cell}`);
    assert.deepEqual(
      problems.map((problem) => [problem.column, problem.value]),
      expected === undefined ? [[column, cell]] : [],
    );
  }
});

void test('profile: the labels of own fields are names of their columns', async () => {
  const table = petTable(SITE);
  const { rows, header } = await read(utf8('name,Can it fly?,OWN.HEIGHT\nRex,ja,3\n'), 1000, {
    table,
  });
  assert.deepEqual(header?.columns, ['name', 'own.flies', 'own.height']);
  assert.deepEqual(rows.map(profilePatchOf), [{ own: { flies: true, height: 3 } }]);
});

void test('status: the words of all pages and of the API, in any case', () => {
  for (const { status } of [dePet, enPet])
    for (const [expected, word] of Object.entries(status))
      for (const each of [word, word.toUpperCase(), ` ${word.toLowerCase()} `])
        assert.equal(readStatus(each).status, expected === 'none' ? '' : expected, each);
  for (const { status } of [deEditing, enEditing])
    for (const [expected, word] of Object.entries(status))
      assert.equal(readStatus(word).status, expected === 'none' ? '' : expected, word);
  for (const word of ['available', 'PENDING', 'Sold']) assert.equal(readStatus(word).status, word.toLowerCase());
  assert.equal(readStatus('asleep').status, 'asleep');
});

void test('Windows-1252 after many other rows: read, whatever the chunks', async () => {
  const file = Buffer.from(`name\n${'Rex\n'.repeat(3000)}Zo\u00eb\nM\u00fcsli\n`, 'latin1');
  for (const length of [1, 7, 1000, 1024, 5000, 100_000])
    assert.deepEqual((await read(file, length)).rows.map(shortOf).slice(-2), ['3002 Zo\u00eb', '3003 M\u00fcsli']);
  const utf = utf8(`name\n${'Rex\n'.repeat(3000)}Zo\u00eb\nM\u00fcsli\n`);
  for (const length of [1, 7, 1000, 1024, 5000, 100_000])
    assert.deepEqual((await read(utf, length)).rows.map(shortOf).slice(-2), ['3002 Zo\u00eb', '3003 M\u00fcsli']);
});
