import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ageOf, ageText } from '../../src/api/web/age-and-breed.ts';
import { shortFacts } from '../../src/api/web/short-facts.ts';

const NOW_MS = Date.UTC(2026, 10, 26, 12);

void test('age: in the largest unit that says enough', () => {
  for (const [birthDate, english, german] of [
    ['2026-11-26', '0 days', '0 Tage'],
    ['2026-11-27', '0 days', '0 Tage'],
    ['2026-11-13', '13 days', '13 Tage'],
    ['2026-11-12', '2 weeks', '2 Wochen'],
    ['2026-09-28', '8 weeks', '8 Wochen'],
    ['2026-09-26', '2 months', '2 Monate'],
    ['2025-11-27', '11 months', '11 Monate'],
    ['2025-11-26', '1 year', '1 Jahr'],
    ['2024-02-29', '2 years', '2 Jahre'],
  ] as const) {
    const age = ageOf(birthDate, NOW_MS);
    assert.deepEqual([ageText(age, 'en'), ageText(age, 'de')], [english, german], birthDate);
  }
});

void test('mixed breeds: the name of a breed that says so gets no second mix', () => {
  const words = { female: 'female', male: 'male', mix: (breed: string) => `${breed} mix` };
  const mixOf = (breedPrimary: string) =>
    shortFacts({ breedPrimary, breedIsMixed: true }, words, { locale: 'en', nowMs: 0 });
  assert.deepEqual(['Boxer', 'Mixed breed', 'Labrador mix', 'Mischling'].flatMap(mixOf), [
    'Boxer mix',
    'Mixed breed',
    'Labrador mix',
    'Mischling',
  ]);
});
