import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COUNTRIES, currencyOf, habitsIn, isCountry, localeIn } from '../../src/domain/organisation/country.ts';
import { isCurrency } from '../../src/domain/organisation/organisation.ts';

void test('countries: each is listed once, with a name in both languages and a currency', () => {
  assert.equal(new Set(COUNTRIES).size, COUNTRIES.length);
  assert.equal(COUNTRIES.length, 248, 'ISO 3166 without Antarctica');
  for (const language of ['en', 'de']) {
    const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' });
    for (const code of COUNTRIES) assert.ok(names.of(code), code);
  }
  for (const code of COUNTRIES) assert.ok(isCurrency(currencyOf(code) ?? ''), code);
  const some = ['DE', 'AT', 'CH', 'LI', 'GB', 'US', 'SE', 'DK', 'HR', 'BG'].map(currencyOf);
  assert.deepEqual(some, ['EUR', 'EUR', 'CHF', 'CHF', 'GBP', 'USD', 'SEK', 'DKK', 'EUR', 'EUR']);
});

void test('countries: one without a currency, or that no list has, is none', () => {
  for (const code of ['AQ', 'EU', 'UK', 'XX', 'de', '', 'DEU', 'constructor']) {
    assert.equal(isCountry(code), false, code);
    assert.equal(currencyOf(code), undefined, code);
  }
});

void test('countries: nothing is asked about declawing where it is forbidden', () => {
  for (const code of ['DE', 'AT', 'CH', 'GB', 'FR', 'NL', 'IE'])
    assert.deepEqual(habitsIn(code).unasked, ['isDeclawed'], code);
  for (const code of ['US', 'CA', 'XX', '']) assert.equal(habitsIn(code).unasked, undefined, code);
});

void test('country: pets are weighed in pounds in the United States only, with few exceptions', () => {
  for (const code of ['US', 'PR', 'LR']) assert.equal(habitsIn(code).weighsInPounds, true, code);
  for (const code of ['GB', 'CA', 'DE', 'AU']) assert.equal(habitsIn(code).weighsInPounds, undefined, code);
});

void test('country: has a locale in each language', () => {
  for (const [country, locale] of Object.entries({ US: 'en-US', GB: 'en-GB', DE: 'en-DE', MX: 'en-001' }))
    assert.equal(localeIn('en', country), locale);
  assert.equal(localeIn('de', 'CH'), 'de-CH');
});
