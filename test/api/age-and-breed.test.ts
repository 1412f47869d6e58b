import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ageOf, ageText } from '../../src/api/web/age.ts';
import { cardMarks, shortFacts } from '../../src/api/web/short-facts.ts';
import { GERMAN_WORDS } from '../../src/api/words/german-words.ts';
import { ENGLISH_WORDS } from '../../src/api/words/words.ts';
import type { Profile } from '../../src/domain/pets/profile.ts';

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
  const words = { ...ENGLISH_WORDS, female: 'female', male: 'male' };
  const mixOf = (breedPrimary: string) =>
    shortFacts({ breedPrimary, breedIsMixed: true }, words, { locale: 'en', nowMs: 0 });
  assert.deepEqual(['Boxer', 'Mixed breed', 'Labrador mix', 'Mischling'].flatMap(mixOf), [
    'Boxer mix',
    'Mixed breed',
    'Labrador mix',
    'Mischling',
  ]);
});

void test('card: the age first, then breed or category and sex', () => {
  const words = { ...ENGLISH_WORDS, female: 'female', male: 'male' };
  const shown = { locale: 'en', nowMs: Date.UTC(2026, 6, 1), category: 'Cats' };
  const profile = { birthDate: '2024-06-01', sex: 'female' } as const;
  assert.deepEqual(shortFacts({ ...profile, breedPrimary: 'Siamese' }, words, shown), ['2 years', 'Siamese', 'female']);
  assert.deepEqual(shortFacts(profile, words, shown), ['2 years', 'Cats', 'female']);
});

const marksOf = (profile: Profile) => cardMarks(profile, Date.UTC(2026, 6, 1)).join();

void test('card: pets that are new, wait long or stay together are marked', () => {
  assert.equal(marksOf({}), '');
  assert.equal(marksOf({ intakeDate: '2026-06-25', bondedWith: [{ id: 7n }] }), 'bonded,new');
  assert.equal(marksOf({ intakeDate: '2026-06-01' }), '');
  assert.equal(marksOf({ intakeDate: '2026-01-01' }), 'waiting');
});

void test('mixed breeds: are compounds in German, of the German name', () => {
  const words = { ...GERMAN_WORDS, female: 'weiblich', male: 'männlich' };
  const factsOf = (profile: Profile) => shortFacts(profile, words, { locale: 'de', nowMs: 0 }).join();
  for (const [profile, text] of [
    [{ species: 'cat', breedPrimary: 'Persian', breedIsMixed: true }, 'Perser-Mischling'],
    [{ species: 'dog', breedPrimary: 'Golden Retriever', breedIsMixed: true }, 'Golden-Retriever-Mischling'],
    [{ species: 'dog', breedPrimary: 'Mixed Breed', breedIsMixed: true }, 'Mischling'],
    [{ species: 'dog', breedPrimary: 'German Shepherd Mix', breedIsMixed: true }, 'Deutscher-Schäferhund-Mischling'],
    [{ species: 'cat', breedPrimary: 'Domestic Shorthair', breedIsMixed: true }, 'Hauskatze, kurzhaarig'],
    [{ species: 'dog', breedPrimary: 'Rough Collie (old)', breedIsMixed: true }, 'Rough Collie (old), Mischling'],
    [{ breedPrimary: 'Great Dane', breedSecondary: 'Poodle', breedIsMixed: true }, 'Deutsche Dogge / Pudel'],
    [{ breedPrimary: 'Zwergwidder', breedIsMixed: false, sex: 'male' }, 'Zwergwidder,männlich'],
  ] as const satisfies readonly (readonly [Profile, string])[])
    assert.equal(factsOf(profile), text);
});
