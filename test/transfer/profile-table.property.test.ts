import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { createCheck } from '../../src/api/check.ts';
import { readProfile } from '../../src/api/read-profile.ts';
import { SentProfile } from '../../src/api/records/profile.ts';
import type { OwnField } from '../../src/domain/organisation/own-field.ts';
import {
  COATS,
  ENERGIES,
  profileFields,
  profileJson,
  PROFILE_LIMITS,
  SEXES,
  SIZES,
  SPECIES,
  PLAIN_FIELDS,
  PROFILE_DEFINITIONS,
  type FieldOfType,
  type Profile,
} from '../../src/domain/pets/profile.ts';
import { canonicalText } from '../../src/domain/text.ts';
import { csvText } from '../../src/transfer/csv.ts';
import { petTable } from '../../src/transfer/pet-table.ts';
import { newProfileOf, profileCells, profilePatchOf } from '../../src/transfer/profile-cells.ts';
import type { Site } from '../../src/transfer/profiles/site.ts';
import { exportedColumns } from '../../src/transfer/profiles/profile-columns.ts';
import { readRows } from '../../src/transfer/rows.ts';
import { trickyText } from '../support/arbitraries.ts';

/* Profiles as rows: whatever is stored comes back from an export, in both formats. */

const own = (key: string, type: OwnField['type'], more: Partial<OwnField> = {}): OwnField => ({
  key,
  type,
  label: { en: key, de: key },
  isPublic: true,
  ...more,
});

const SITE: Site = {
  ownFields: [
    own('note', 'text'),
    own('height', 'number'),
    own('seen', 'date'),
    own('flies', 'yes-no-unknown'),
    own('room', 'choice', { choices: [{ value: 'A' }, { value: 'a', labelEn: 'B' }, { value: '"A"' }] }),
  ],
  locations: [
    { id: 'north', name: 'House' },
    { id: 'House', name: 'north' },
  ],
};

const check = createCheck(SentProfile);

/** Characters that begin formulas or JSON, or separate cells and entries. */
const NASTY = fc.string({
  unit: fc.constantFrom(
    '=',
    '+',
    '-',
    '@',
    '\t',
    '\r',
    '\n',
    "'",
    '|',
    ',',
    ';',
    '"',
    '[',
    '{',
    '}',
    ' ',
    '1',
    '.',
    'e',
  ),
  minLength: 1,
  maxLength: 10,
});

const text = fc
  .oneof(NASTY, trickyText)
  .filter((each) => each !== '' && each.length <= PROFILE_LIMITS.pattern && !/[\0\uD800-\uDFFF]/u.test(each));
/** Compared texts are stored in their canonical form. */
const line = text.map(canonicalText).filter((each) => each !== '');
const date = fc
  .date({ min: new Date('0001-01-01'), max: new Date('2026-01-01'), noInvalidDate: true })
  .map((each) => each.toISOString().slice(0, 10));
const amount = fc.integer({ min: 0, max: 200_000 }).map((cents) => cents / 100);
const list = (entry: fc.Arbitrary<string>, maxLength: number) => fc.uniqueArray(entry, { minLength: 1, maxLength });
const id = fc.oneof(fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }), fc.bigInt({ min: 1n, max: 20n }));

const yesNo = Object.fromEntries(
  PLAIN_FIELDS.filter((name) => PROFILE_DEFINITIONS[name].type === 'yes-no').map((name) => [name, fc.boolean()]),
) as Record<FieldOfType<'yes-no'>, fc.Arbitrary<boolean>>;

const profiles = fc.record(
  {
    ...yesNo,
    species: fc.constantFrom(...SPECIES),
    sex: fc.constantFrom(...SEXES),
    size: fc.constantFrom(...SIZES),
    coat: fc.constantFrom(...COATS),
    energy: fc.constantFrom(...ENERGIES),
    breedPrimary: line,
    breedSecondary: line,
    pattern: line,
    microchip: line,
    unit: line,
    externalId: line,
    specialNeedsNote: text,
    medicalNote: text,
    summary: text,
    description: text,
    birthDate: date,
    intakeDate: date,
    holdUntil: date,
    weightKg: amount,
    feeAmount: amount,
    feeCurrency: fc.constantFrom('EUR', 'CHF'),
    location: fc.constantFrom('north', 'House'),
    colours: list(text, PROFILE_LIMITS.colours),
    videoUrls: list(fc.constantFrom('https://x/a|b', 'http://x/[1]', 'https://x/=,;'), PROFILE_LIMITS.videoUrls),
    bondedWith: fc.array(fc.record({ id }, { noNullPrototype: true }), { minLength: 1, maxLength: 3 }),
    own: fc.record(
      {
        note: text.filter((each) => each.trim() !== ''),
        height: fc.oneof(
          fc.double({ noNaN: true, noDefaultInfinity: true }).map((each) => each + 0),
          fc.constant(1.234),
        ),
        seen: date,
        flies: fc.boolean(),
        room: fc.constantFrom('A', 'a', '"A"'),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
  },
  { requiredKeys: [], noNullPrototype: true },
) as fc.Arbitrary<Profile>;

const textOf = (profile: Profile) => profileJson(profileFields(profile));

async function* whole(content: string): AsyncGenerator<string> {
  yield content;
}

/** The profiles of the rows of a file, as new pets would have them. */
async function readBack(content: string): Promise<readonly string[]> {
  const rows = await Array.fromAsync(readRows(whole(content), { table: petTable(SITE) }));
  return rows.map((row) => {
    assert.deepEqual(row.problems, []);
    const patch = profilePatchOf(row);
    const sent = patch && newProfileOf(check(patch));
    return textOf(readProfile(sent ?? {}));
  });
}

/** An empty object of own fields is none. */
const expected = ({ own: values, ...fields }: Profile) =>
  textOf({ ...fields, ...(Object.keys(values ?? {}).length > 0 && { own: values }) });

void test('CSV: every profile comes back exactly', () =>
  fc.assert(
    fc.asyncProperty(fc.array(profiles, { minLength: 1, maxLength: 4 }), async (all) => {
      const columns = exportedColumns(SITE.ownFields, true);
      const rows = all.map((profile, index) => [`Pet ${index}`, ...profileCells(profile, columns)]);
      assert.deepEqual(await readBack(csvText([['name', ...columns], ...rows])), all.map(expected));
    }),
    { numRuns: 300 },
  ));

void test('NDJSON: every profile comes back exactly', () =>
  fc.assert(
    fc.asyncProperty(fc.array(profiles, { minLength: 1, maxLength: 4 }), async (all) => {
      const lines = all.map((profile) => `{"name":"Rex","profile":${expected(profile)}}\n`);
      assert.deepEqual(await readBack(lines.join('')), all.map(expected));
    }),
  ));
