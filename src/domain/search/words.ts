/*
 * What pets are found by, the same on every engine: words, as people type them, and exact names.
 */

/** Letters that no normal form takes apart, though people type them as others. */
const TYPED_AS: Readonly<Record<string, string>> = {
  ς: 'σ',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ħ: 'h',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ð: 'd',
  ı: 'i',
};

/** Scripts that write without spaces: each of their characters is a word, so that what stands in the middle is found as well. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[[\p{L}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]+/gv;

/** What is longer counts by its beginning: an index has an end. */
const MAX_WORD_LENGTH = 64;
const MAX_KEY_LENGTH = 255;

/** The words of a text in their order: letters and digits, without regard to case, accents, or in which form a character is written. */
export function wordsOf(text: string): readonly string[] {
  // Nearly all names are of this kind, and take a tenth of the time.
  if (/^[\x20-\x7e]*$/.test(text)) return (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).map(cutWord);
  return (fold(text).match(WORD) ?? []).map(cutWord);
}

/** What names are sorted by: their words. Those without letters and digits come first. By the bytes of UTF-8, whatever the language of a database. */
export function nameKeyOf(name: string): string {
  return keyOfWords(wordsOf(name));
}

export function keyOfWords(words: readonly string[]): string {
  const key = words.join('-');
  return key === '' ? '-' : cut(key, MAX_KEY_LENGTH);
}

/** An exact name as letters, digits and `_` only, whatever is in it: other names have other codes. */
export function codeOf(name: string): string {
  return name.replaceAll(/[^a-z0-9]/g, (unit) => `_${unit.charCodeAt(0).toString(36)}_`);
}

function fold(text: string): string {
  return (
    text
      .normalize('NFKD')
      // By way of capitals, so that ß is ss; once more taken apart, for small letters of capitals may have marks again.
      .toUpperCase()
      .toLowerCase()
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .replaceAll(/[ςøłđħæœþðı]/g, (letter) => TYPED_AS[letter] ?? letter)
  );
}

function cutWord(word: string): string {
  return cut(word, MAX_WORD_LENGTH);
}

/** Not through the middle of a character. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  return text.slice(0, /[\uD800-\uDBFF]/.test(text[length - 1] ?? '') ? length - 1 : length);
}
