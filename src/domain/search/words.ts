/* The words and names by which pets are found. They are normalized here, so that all engines find the same pets. */

/** Letters that users type as other letters, but that no Unicode normalization form decomposes. */
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

/** In scripts without spaces, each character is a word, so that text in the middle of a name is found. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[[\p{L}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]+/gv;

/** Longer words and keys are truncated. */
const MAX_WORD_LENGTH = 64;
const MAX_KEY_LENGTH = 255;

/** The words of a text in order: letters and digits, normalized for case, accents and compatibility forms. */
export function wordsOf(text: string): readonly string[] {
  // Nearly all names are ASCII. This path takes a tenth of the time.
  if (/^[\x20-\x7e]*$/.test(text)) return (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).map(cutWord);
  return (fold(text).match(WORD) ?? []).map(cutWord);
}

/** Whether one of the words begins so. */
export function hasPrefix(words: readonly string[], prefix: string): boolean {
  return words.some((word) => word.startsWith(prefix));
}

/** The sort key of a name by its words. Names without letters and digits come first. */
export function nameKeyOf(words: readonly string[]): string {
  const key = words.join('-');
  return key === '' ? '-' : cut(key, MAX_KEY_LENGTH);
}

function fold(text: string): string {
  return (
    text
      .normalize('NFKD')
      // Via upper case, so that ß becomes ss. Normalized again, because the lower case of a capital may have combining
      // marks.
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

/** Truncates a text without splitting a surrogate pair. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  return text.slice(0, /[\uD800-\uDBFF]/.test(text[length - 1] ?? '') ? length - 1 : length);
}
