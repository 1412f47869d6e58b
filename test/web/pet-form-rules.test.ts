import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withTags } from '../../src/web/editing/form-state/tag-words.ts';
import { isKeyValid } from '../../src/web/editing/form-state/draft-storage.ts';
import { problemsOf, refusedProblems } from '../../src/web/editing/form-state/pet-check.ts';
import {
  NEW_PET,
  newPetBody,
  petPatchBody,
  tidied,
  typedCategory,
} from '../../src/web/editing/form-state/pet-fields.ts';

const BISCUIT = {
  ...NEW_PET,
  name: 'Biscuit',
  category: { id: '9007199254740993', name: 'Dogs' },
  tags: [{ id: '5' }, { name: 'small' }],
};

function rules(part: object): unknown[] {
  return problemsOf({ ...BISCUIT, ...part }).map(({ field, rule, tag }) => [field, rule, tag]);
}

void test('form: validated with the rules of the service, each problem at its field', () => {
  const long = 'x'.repeat(256);
  assert.deepEqual(rules({}), []);
  assert.deepEqual(rules({ name: ' ' }), [['name', 'missing', undefined]]);
  assert.deepEqual(rules({ name: long }), [['name', 'tooLong', undefined]]);
  assert.deepEqual(rules({ name: 'a\u0000' }), [['name', 'characters', undefined]]);
  assert.deepEqual(rules({ category: { name: long } }), [['category', 'tooLong', undefined]]);
  assert.deepEqual(rules({ tags: [{ name: 'fine' }, { name: long }] }), [['tags', 'tooLong', long]]);
  assert.deepEqual(rules({ tags: Array.from({ length: 101 }, (_, at) => ({ name: `${at}` })) }), [
    ['tags', 'tooMany', undefined],
  ]);
});

void test('form: a problem with an unknown rule keeps the message of the service', () => {
  const [problem] = refusedProblems([{ path: '/name', message: 'must not rhyme' }], BISCUIT);
  assert.deepEqual(problem, { field: 'name', rule: 'other', message: 'must not rhyme' });
});

void test('patch: contains the changed fields only, and no ID of the previous category', () => {
  assert.deepEqual(petPatchBody(BISCUIT, { ...BISCUIT, name: 'Cookie' }), { name: 'Cookie' });
  assert.deepEqual(petPatchBody(BISCUIT, { ...BISCUIT, category: { name: 'Cats' } }), {
    category: { id: null, name: 'Cats' },
  });
  assert.deepEqual(petPatchBody(BISCUIT, { ...BISCUIT, category: null, status: null }), {
    category: null,
    status: null,
  });
  assert.deepEqual(petPatchBody(BISCUIT, { ...BISCUIT, tags: [{ id: '5' }] }), { tags: [{ id: 5n }] });
  assert.deepEqual(newPetBody(BISCUIT).category, { id: 9_007_199_254_740_993n, name: 'Dogs' });
});

void test('category: typing the previous name restores the category', () => {
  assert.equal(typedCategory('Dogs', BISCUIT.category), BISCUIT.category);
  assert.deepEqual(typedCategory('Dog', BISCUIT.category), { name: 'Dog' });
  assert.equal(typedCategory('', BISCUIT.category), null);
  const kittens = { id: '1', name: 'Ka\u0308tzchen' };
  assert.deepEqual(
    ['K\u00e4tzchen', 'K\u00e4tzchen '].map((text) => typedCategory(text, kittens)),
    [kittens, { name: 'K\u00e4tzchen ' }],
  );
  assert.deepEqual(typedCategory('Dogs', { id: '7' }), { id: '7', name: 'Dogs' });
});

void test('tidied: trims changed texts only, and converts them to NFC', () => {
  const before = { ...BISCUIT, name: ' Biscuit ' };
  assert.equal(tidied(before, before).name, ' Biscuit ');
  assert.equal(tidied({ ...before, name: ' Coo\u0308kie ' }, before).name, 'Co\u00f6kie');
  assert.equal(tidied({ ...before, category: { name: '  ' } }, before).category, null);
});

void test('withTags: splits a text, drops duplicates, and takes the spelling of existing tags', () => {
  const tags = withTags([{ name: 'small' }], ' Calm,small;  very   funny\nSMALL\told, scho\u0308n', [
    'calm',
    'old',
    'sch\u00f6n',
  ]);
  assert.deepEqual(tags, [
    { name: 'small' },
    { name: 'calm' },
    { name: 'very funny' },
    { name: 'old' },
    { name: 'sch\u00f6n' },
  ]);
});

void test('key of an attempt to save: valid for 20 hours', () => {
  const attempt = { key: 'a', atMs: 1000, fields: NEW_PET, sent: NEW_PET };
  const endMs = 1000 + 20 * 3_600_000;
  assert.equal(isKeyValid(attempt, endMs - 1), true);
  assert.equal(isKeyValid(attempt, endMs), false);
});
