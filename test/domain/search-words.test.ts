import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tokensOf, traitsOfText } from '../../src/domain/search/tokens.ts';
import { codeOf, nameKeyOf, wordsOf } from '../../src/domain/search/words.ts';

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

void test('words are letters and digits, without regard to case, accents and forms of characters', () => {
  for (const [text, words] of WORDS) assert.deepEqual(wordsOf(text), words, text);
});

void test('the words of a text have no case and no accents left: to fold them again changes nothing', () => {
  for (const [text, words] of WORDS) assert.deepEqual(words.flatMap(wordsOf), words, text);
});

void test('names are sorted by their words, and those without any come first', () => {
  const sorted = ['a b', 'A-C', 'ab', 'Ábc', 'b'];
  assert.deepEqual(sorted.map(nameKeyOf), ['a-b', 'a-c', 'ab', 'abc', 'b']);
  assert.deepEqual(sorted.map(nameKeyOf), sorted.map(nameKeyOf).toSorted());
  assert.equal(nameKeyOf('🐕'), '-');
  assert.ok(nameKeyOf('\uFDFA'.repeat(255)).length <= 255);
});

void test('different names have different codes, of letters, digits and _ only', () => {
  const names = ['a', 'A', '_a_', '_', 'a b', 'a-b', 'é', 'e\u0301', '🐕', '', ' ', '\0', '_w_', '猫'];
  const codes = names.map(codeOf);
  assert.equal(new Set(codes).size, names.length);
  for (const code of codes) assert.match(code, /^[a-z0-9_]*$/);
});

void test('a word is told of once, where it says most, and exact names beside', () => {
  const text =
    '{"id":9223372036854775807,"category":{"id":1,"name":"Cats"},"name":"Cat Rex","photoUrls":["\\/v2/photo/x"],"tags":[{"name":"Rex fan"},{"id":1},{"name":"Rex fan"}],"status":"sold"}';
  assert.deepEqual(tokensOf(traitsOfText(text)), {
    nameKey: 'cat-rex',
    tokens: ['ncat', 'nrex', 'ocats', 'ofan', 'ssold', 'c_1v_ats', 't_2a_ex_w_fan'],
  });
});
