import assert from 'node:assert/strict';
import { test } from 'node:test';
import { traitsOf } from '../../src/domain/search/pet-traits.ts';
import { nameKeyOf, wordsOf } from '../../src/domain/search/words.ts';

const WORDS: readonly (readonly [text: string, words: readonly string[]])[] = [
  ['', []],
  [' -- !? ', []],
  ['🐕', []],
  ['Rex', ['rex']],
  ["Rex O'Hara-7", ['rex', 'o', 'hara', '7']],
  ['Žofie', ['zofie']],
  ['Z\u030cOFIE', ['zofie']],
  ['Straße', ['strasse']],
  ['STRASSE', ['strasse']],
  ['ΣΊΣΥΦΟΣ σίσυφος', ['σισυφοσ', 'σισυφοσ']],
  ['Bjørn Łukasz', ['bjorn', 'lukasz']],
  ['İstanbul ısı', ['istanbul', 'isi']],
  ['ﬁsh ＡＢＣ ①', ['fish', 'abc', '1']],
  ['猫カフェ7号', ['猫', 'カ', 'フ', 'ェ', '7', '号']],
  ['жучка', ['жучка']],
  ['קטן', ['קטן']],
  ['a\u0000b', ['a', 'b']],
  ['x'.repeat(100), ['x'.repeat(64)]],
  ['𐐀'.repeat(40), ['𐐨'.repeat(32)]],
];

void test('words: letters and digits, without case, accents and character forms', () => {
  for (const [text, words] of WORDS) assert.deepEqual(wordsOf(text), words, text);
});

void test('words: folding twice changes nothing', () => {
  for (const [text, words] of WORDS) assert.deepEqual(words.flatMap(wordsOf), words, text);
});

const keyOf = (name: string) => nameKeyOf(wordsOf(name));

void test('sorting: by words; names without words come first', () => {
  const keys = ['🐕', 'a b', 'A-C', 'ab', 'Ábc', 'b'].map(keyOf);
  assert.deepEqual(keys, ['-', 'a-b', 'a-c', 'ab', 'abc', 'b']);
  assert.deepEqual(keys, keys.toSorted());
  assert.ok(keyOf('\uFDFA'.repeat(255)).length <= 255);
});

void test('traits of a pet: from its stored text, each tag name once', () => {
  const text =
    '{"id":9223372036854775807,"category":{"id":1,"name":"Cats"},"name":"Cat ' +
    'Rex","photoUrls":["\\/v2/photo/x"],"tags":[{"name":"Rex fan"},{"id":1},{"name":"Rex fan"}],"status":"sold"}';
  assert.deepEqual(traitsOf({ text, profile: null }), {
    name: 'Cat Rex',
    categoryName: 'Cats',
    tagNames: ['Rex fan'],
    status: 'sold',
  });
  assert.deepEqual(
    traitsOf({ text: '{"id":1,"category":{"id":1},"name":"","photoUrls":[],"tags":[]}', profile: null }),
    {
      name: '',
      categoryName: null,
      tagNames: [],
      status: null,
    },
  );
});
