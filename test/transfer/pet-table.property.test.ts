import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { readPet } from '../../src/api/read-pet.ts';
import type { Pet } from '../../src/api/records/pet.ts';
import type { SentPet } from '../../src/api/records/sent-pet.ts';
import { readJson } from '../../src/client/int64-text.ts';
import { petText, recordOf } from '../../src/domain/pets/pet.ts';
import { canonicalText } from '../../src/domain/text.ts';
import { readCsv, type CsvRow } from '../../src/transfer/csv-reader.ts';
import { csvText, unguardFormula } from '../../src/transfer/csv.ts';
import { PET_COLUMNS, PET_TABLE, petCells } from '../../src/transfer/pet-table.ts';
import { readRows } from '../../src/transfer/rows.ts';
import type { SourceRow } from '../../src/transfer/source-row.ts';
import { canonicalPet, int64, petDetails } from '../support/arbitraries.ts';

/** Characters that begin formulas or separate cells and entries. */
const NASTY = fc.string({
  unit: fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\n', "'", '|', ',', ';', '"', '[', '{', ' ', 'a', '＝'),
});

const pets = fc.array(
  fc
    .tuple(
      int64.filter((id) => id > 0n),
      petDetails,
      fc.option(NASTY, { nil: undefined }),
    )
    .map(([id, pet, text]) => {
      const nasty =
        text === undefined
          ? pet
          : { ...pet, name: text, category: { name: text }, tags: [{ name: text }], photoUrls: [text] };
      return JSON.parse(
        JSON.stringify(readJson(petText(id, recordOf(canonicalPet(nasty)))), bigintText),
        bigintOf,
      ) as Pet;
    }),
  { maxLength: 5 },
);

/** Without null prototypes and photos of the service, which have another form on the wire. */
function bigintText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `bigint ${value}` : value;
}

function bigintOf(_key: string, value: unknown): unknown {
  return typeof value === 'string' && /^bigint -?\d+$/.test(value) ? BigInt(value.slice(7)) : value;
}

/** The text in chunks of this length. */
async function* chunked(text: string, length: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length);
}

function rowsOf(text: string, length = 1000): Promise<SourceRow[]> {
  return Array.fromAsync(readRows(chunked(text, length), { format: 'csv', table: PET_TABLE }));
}

/** Like a request, without its rules. */
function petOf({ value }: SourceRow): unknown {
  const { id, pet } = readPet(value as unknown as SentPet);
  return { id, ...pet };
}

void test('CSV: every pet comes back exactly, whatever the chunks', () =>
  fc.assert(
    fc.asyncProperty(pets, fc.integer({ min: 1, max: 50 }), async (expected, length) => {
      fc.pre(expected.length > 0);
      const text = csvText([PET_COLUMNS, ...expected.map(petCells)]);
      const rows = await rowsOf(text, length);
      assert.deepEqual(
        rows.flatMap(({ problems }) => problems),
        [],
      );
      assert.deepEqual(rows.map(petOf), expected);
    }),
  ));

void test('table in any dialect: read back, with mixed line ends and quotation marks where they are needed', () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom(',', ';', '\t', '|'),
      fc.array(fc.record({ name: NASTY, isQuoted: fc.boolean(), lineEnd: fc.constantFrom('\n', '\r\n', '\r') }), {
        minLength: 1,
        maxLength: 8,
      }),
      async (delimiter, rows) => {
        const cells = rows.map(({ name, isQuoted, lineEnd }, index) => {
          const needsQuotes = isQuoted || name !== name.trim() || /^"|[\r\n,;\t|]/.test(name);
          return `${index + 1}${delimiter}${needsQuotes ? `"${name.replaceAll('"', '""')}"` : name}${lineEnd}`;
        });
        const read = await rowsOf(`"id"${delimiter}"name"\r\n${cells.join('')}`, 3);
        assert.deepEqual(
          read.map(({ number, value }) => [number, value['name']]),
          rows.map(({ name }, index) => [index + 2, canonicalText(unguardFormula(name))]),
        );
      },
    ),
  ));

/** The rows of a table, and the message about it, if any. */
async function outcomeOf(text: string, partLength: number): Promise<[CsvRow[], message?: string]> {
  const rows: CsvRow[] = [];
  try {
    for await (const row of readCsv(chunked(text, 1), ',', partLength)) rows.push(row);
  } catch (error) {
    return [rows, (error as Error).message];
  }
  return [rows];
}

const TABLE_TEXT = fc.string({
  unit: fc.constantFrom('"', '"', ',', ',', '\r', '\n', '\r\n', '""', ' ', '\u00a0', 'a', 'ö', '猫', '😀', '\uFEFF'),
  maxLength: 40,
});

void test('CSV: the same rows and faults, wherever its parts end', () =>
  fc.assert(
    fc.asyncProperty(TABLE_TEXT, fc.integer({ min: 1, max: 20 }), async (text, partLength) =>
      assert.deepEqual(await outcomeOf(text, partLength), await outcomeOf(text, 1000)),
    ),
    { numRuns: 300 },
  ));

void test('CSV: no cell begins a formula', () =>
  fc.assert(
    fc.property(NASTY, (name) => {
      assert.doesNotMatch(csvText([[name]]), /^"?[=+\-@\t\r\n＝](?!\n$)/);
    }),
  ));

void test('CSV: a wrong row has problems by column', async () => {
  const rows = await rowsOf('id,tags,tagIds,photoUrls\r\n1,a|b,7,"[1"\r\n2,a\r\n');
  assert.deepEqual(
    rows.map(({ number, problems }) => [number, problems.map(({ column, kind }) => `${column} ${kind}`)]),
    [
      [2, ['tagIds invalid', 'photoUrls invalid']],
      [3, ['undefined cell-count']],
    ],
  );
});
