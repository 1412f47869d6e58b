import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COUNTRIES, currencyOf, isCountry, unaskedIn } from '../../src/domain/organisation/country.ts';
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
    assert.deepEqual(unaskedIn(code), ['isDeclawed'], code);
  for (const code of ['US', 'CA', 'XX', '']) assert.deepEqual(unaskedIn(code), [], code);
});
