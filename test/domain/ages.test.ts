import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { SPECIES, type Species } from '../../src/domain/pets/profile.ts';
import { AGE_GROUPS, ageSetsOf, birthOf, dayNumberOf, type AgeGroup } from '../../src/domain/search/ages.ts';
import { countOf, listOf } from '../../src/domain/search/slots/slots.ts';
import { ageOf } from '../support/naive-search.ts';

function groupOf(birthDate: string, today: string, species?: Species): AgeGroup | undefined {
  // In a slot in the second word of a bitmap, after pets without a day of birth.
  const births = [...Array<number>(40).fill(0), birthOf({ birthDate, ...(species && { species }) })];
  const sets = ageSetsOf(births, Date.parse(`${today}T23:59:59Z`));
  const groups = AGE_GROUPS.filter((group) => countOf(sets[group]) > 0);
  assert.equal(groups.length, 1);
  assert.deepEqual(
    groups.map((group) => [...listOf(sets[group])]),
    [[40]],
  );
  return groups[0];
}

const dates = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

void test('ages: change on the day on which the pet is so many months old', () => {
  assert.equal(groupOf('2026-05-27', '2026-11-26', 'dog'), 'baby');
  assert.equal(groupOf('2026-05-26', '2026-11-26', 'dog'), 'young');
  assert.equal(groupOf('2024-11-27', '2026-11-26', 'dog'), 'young');
  assert.equal(groupOf('2024-11-26', '2026-11-26', 'dog'), 'adult');
  assert.equal(groupOf('2018-11-27', '2026-11-26', 'dog'), 'adult');
  assert.equal(groupOf('2018-11-26', '2026-11-26', 'dog'), 'senior');
  assert.equal(groupOf('2018-11-26', '2026-11-26', 'cat'), 'adult');
  assert.equal(groupOf('2018-11-26', '2026-11-26'), 'senior', 'as a dog');
});

void test('ages: a pet that is born on the last day of a long month', () => {
  assert.equal(groupOf('2025-08-31', '2026-02-28', 'dog'), 'baby');
  assert.equal(groupOf('2025-08-31', '2026-03-01', 'dog'), 'young');
  assert.equal(groupOf('2024-02-29', '2025-02-28', 'rabbit'), 'young');
  assert.equal(groupOf('2024-02-29', '2025-03-01', 'rabbit'), 'adult');
});

void test('ages: a day of birth that has begun elsewhere, and one long ago', () => {
  assert.equal(groupOf('2026-11-27', '2026-11-26', 'dog'), 'baby');
  assert.equal(groupOf('0000-01-01', '2026-11-26', 'reptile-other'), 'senior');
});

void test('ages: are those of a calendar, for every species', () => {
  fc.assert(
    fc.property(dates, dates, fc.constantFrom(undefined, ...SPECIES), (birthDate, today, species) => {
      assert.equal(groupOf(birthDate, today, species), ageOf({ birthDate, ...(species && { species }) }, today));
    }),
    { numRuns: 2000 },
  );
});

void test('days: ascend from 1, and none is 0', () => {
  assert.equal(dayNumberOf(undefined), 0);
  assert.equal(dayNumberOf('0000-01-01'), 1);
  assert.equal(dayNumberOf('9999-12-31') - dayNumberOf('9999-12-30'), 1);
});
