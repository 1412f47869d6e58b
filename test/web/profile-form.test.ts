import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusedProblems, problemsOf } from '../../src/web/editing/profile/profile-check.ts';
import { changedNames, inputsOf, patchOf, type OwnField } from '../../src/web/editing/profile/profile-inputs.ts';
import { kilogramsText, typedWeight } from '../../src/web/editing/profile/weight-input.ts';
import { mergeInputs } from '../../src/web/editing/profile/profile-merge.ts';
import {
  hiddenValues,
  makesSense,
  progressOf,
  SECTION_NAMES,
  SECTIONS,
} from '../../src/web/editing/profile/profile-sections.ts';
import { PLAIN_FIELDS } from '../../src/domain/pets/profile.ts';

/*
 * The rules of the form of a profile.
 */

const label = { en: 'Shelf', de: 'Regal' };
const OWN: readonly OwnField[] = [
  { key: 'shelf', type: 'number', label, isPublic: false },
  { key: 'isLoud', type: 'yes-no-unknown', label, isPublic: true },
];

void test('profile form: has every field of a profile once', () => {
  const shown = [...SECTION_NAMES.flatMap((name) => SECTIONS[name]), 'isPublished'];
  assert.deepEqual(shown.toSorted(), [...PLAIN_FIELDS].toSorted());
});

void test('profile form: a profile is the same after reading it into inputs', () => {
  const read = {
    descriptionHtml: '<p>Rex</p>',
    species: 'dog',
    weightKg: 12.5,
    colours: ['Black', 'White'],
    goodWithCats: false,
    isAltered: true,
    bondedWith: [{ id: 7n }, { id: 8n }],
    videoUrls: ['https://example.org/a', 'https://example.org/b'],
    isPublished: true,
    own: { shelf: 3, isLoud: false },
  } as const;
  const inputs = inputsOf(read);
  assert.deepEqual(inputs, {
    species: 'dog',
    weightKg: '12.5',
    colours: 'Black, White',
    goodWithCats: 'no',
    isAltered: 'yes',
    bondedWith: '7, 8',
    videoUrls: 'https://example.org/a\nhttps://example.org/b',
    'own/shelf': '3',
    'own/isLoud': 'no',
  });
  assert.deepEqual(changedNames(inputs, { ...inputs, species: ' dog ', sex: '' }), []);
});

void test('profile form: sends changed fields only, null for those that became unknown', () => {
  const before = inputsOf({ species: 'dog', size: 'L', goodWithCats: false, own: { shelf: 3 } });
  const after = {
    ...before,
    size: '',
    weightKg: '12,5',
    colours: 'Black, , White,',
    bondedWith: '9007199254740993',
    isPublished: 'no',
    'own/shelf': '',
    'own/isLoud': 'yes',
  };
  assert.deepEqual(patchOf(before, after, OWN), {
    size: null,
    weightKg: 12.5,
    colours: ['Black', 'White'],
    bondedWith: [{ id: '9007199254740993' }],
    isPublished: false,
    own: { shelf: null, isLoud: true },
  });
  assert.deepEqual(patchOf(after, { ...after, isPublished: '' }, OWN), { isPublished: null });
});

void test('profile form: names the rule that a field breaks', () => {
  const wrong = {
    weightKg: 'heavy',
    feeAmount: '1.234',
    feeCurrency: 'euro',
    summary: 'x'.repeat(201),
    colours: 'a, b, c, d',
    videoUrls: 'ftp://example.org',
    bondedWith: 'Rex',
    'own/shelf': 'top',
  } as const;
  const rules = problemsOf({}, wrong, OWN).map(({ name, rule, max }) => [name, rule, max]);
  assert.deepEqual(
    rules.toSorted((a, b) => String(a[0]).localeCompare(String(b[0]))),
    [
      ['bondedWith', 'ids', 10],
      ['colours', 'tooMany', 3],
      ['feeAmount', 'number', 0],
      ['feeCurrency', 'currency', 0],
      ['own/shelf', 'number', 0],
      ['summary', 'tooLong', 200],
      ['videoUrls', 'url', 5],
      ['weightKg', 'weight', 0],
    ],
  );
  assert.deepEqual(problemsOf({ weightKg: 'heavy' }, { weightKg: 'heavy' }, OWN), [], 'only what is sent is checked');
  const [future] = refusedProblems([{ path: '/birthDate', message: 'must not be in the future' }]);
  assert.deepEqual([future?.name, future?.rule], ['birthDate', 'future']);
  const [own] = refusedProblems([{ path: '/own/shelf', message: 'must be one of a, b' }]);
  assert.deepEqual([own?.name, own?.rule], ['own/shelf', 'other']);
});

void test('profile form: weights come back as they were typed, in pounds and in kilograms', () => {
  for (const typed of ['61.7', '8.6', '8 lb 9 oz', '12 lb 1 oz', '3.5 oz', '0.5 oz', '150', '61.73', '0.9 oz', '1250'])
    assert.equal(typedWeight(kilogramsText(typed, 'lb'), 'lb'), typed);
  for (const typed of ['12.5', '0.085', '27.987', '1.25', '1250'])
    assert.equal(typedWeight(kilogramsText(typed, 'kg'), 'kg'), typed);
  assert.equal(kilogramsText('61.7', 'lb'), '27.987');
  assert.equal(kilogramsText(' 61,7 ', 'lb'), '27.987');
  assert.equal(kilogramsText('28 kg', 'lb'), '28', 'a unit that is typed counts');
  assert.equal(kilogramsText('1.250', 'kg'), '1.25');
  for (const typed of ['', 'heavy', '61.', '8 feet']) assert.equal(kilogramsText(typed, 'lb'), typed);
  assert.equal(typedWeight('28', 'lb'), '61.73', 'a weight that was entered in kilograms is rounded');
  assert.equal(typedWeight('heavy', 'lb'), 'heavy');
});

void test('profile form: counts the facts that make sense for the species', () => {
  const none = progressOf({}, [], []);
  assert.equal(none.done, 0);
  assert.equal(progressOf({}, OWN, []).all, none.all + 2);
  assert.deepEqual(progressOf({ species: 'dog', 'own/shelf': '3', goodWithCats: 'no' }, OWN, []), {
    done: 3,
    // Without what only cats have: declawed, FIV, indoor only.
    all: none.all + 2 - 3,
  });
  assert.equal(progressOf({ isPublished: 'no', feeCurrency: 'EUR', unit: 'A 12' }, [], []).done, 0);
});

void test('profile form: hides fields that make no sense for a species, and keeps their values', () => {
  assert.equal(makesSense('isDeclawed', 'dog', []), false);
  assert.equal(makesSense('isDeclawed', 'cat', []), true);
  assert.equal(makesSense('isDeclawed', '', []), true);
  const inputs = { species: 'dog', isDeclawed: 'no' } as const;
  assert.deepEqual(hiddenValues(inputs, []), ['isDeclawed']);
  assert.deepEqual(patchOf({ species: 'cat', isDeclawed: 'no' }, inputs, []), { species: 'dog' });
});

void test('profile form: hides what is not asked in the country, and keeps its values', () => {
  const unasked = ['isDeclawed'] as const;
  assert.equal(makesSense('isDeclawed', 'cat', unasked), false);
  assert.equal(makesSense('isDeclawed', '', unasked), false);
  assert.equal(makesSense('isAltered', 'cat', unasked), true);
  const inputs = { species: 'cat', isDeclawed: 'yes' } as const;
  assert.deepEqual(hiddenValues(inputs, unasked), ['isDeclawed']);
  assert.deepEqual(hiddenValues(inputs, []), []);
  assert.equal(progressOf(inputs, [], unasked).all, progressOf(inputs, [], []).all - 1);
});

void test('profile form: merges changes of different fields, and reports fields that both changed', () => {
  const base = { species: 'dog', size: 'M', sex: 'male' } as const;
  const mine = { ...base, size: 'L', weightKg: '20' };
  const theirs = { species: 'dog', sex: '', size: 'S', weightKg: '20', unit: 'A 1' };
  assert.deepEqual(mergeInputs(base, mine, theirs), {
    mine: { species: 'dog', sex: '', size: 'L', weightKg: '20', unit: 'A 1' },
    taken: ['sex', 'unit'],
    overlapping: ['size'],
  });
});
