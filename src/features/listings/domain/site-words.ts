import { wordKey } from '../../../domain/word-key.ts';

/** Words that say nothing about a colour, and those that sites spell in one way. */
const SAME_WORDS: Readonly<Record<string, string>> = {
  and: '',
  or: '',
  with: '',
  grey: 'gray',
  ginger: 'orange',
  liver: 'chocolate',
  tortie: 'tortoiseshell',
  torti: 'tortoiseshell',
  tricolour: 'tricolor',
};

/** Equal for phrases with the same words in any order: `White and Black`, `Black & White`. */
function phraseKey(phrase: string): string {
  const words = phrase.split(/[^\p{L}\p{N}]+/u).map((word) => wordKey(word));
  const same = words.map((word) => SAME_WORDS[word] ?? word).filter((word) => word !== '');
  return [...new Set(same)].toSorted().join(' ');
}

/** The colours of which a site has one word: `Red/Golden - with White` is red with white, and golden with white. */
function phrasesOf(word: string): readonly string[] {
  const groups = word.split(/ - with |\(/).map((group) => group.split(/\/|,| or /));
  return groups.reduce((phrases, group) => phrases.flatMap((phrase) => group.map((each) => `${phrase} ${each}`)), ['']);
}

/** The words of a site for colours. */
export class SiteWords {
  readonly #byKey: ReadonlyMap<string, string>;
  readonly #byPhrase: ReadonlyMap<string, string>;

  /**
   * @param list separated by semicolons, because words contain commas. Of words for one colour, the first one is used.
   * @param synonyms words by other words
   */
  constructor(list: string, synonyms: Readonly<Record<string, string>> = {}) {
    const words = list.split('; ');
    const phrases = words.flatMap((word) => phrasesOf(word).map((phrase) => [phrase, word] as const));
    const whole = words.map((word) => [word, word] as const);
    // The last entry of a key wins: that of a whole word, and of the first of several words.
    const all = [...whole, ...Object.entries(synonyms), ...phrases].toReversed();
    this.#byPhrase = new Map(all.map(([phrase, word]) => [phraseKey(phrase), word]));
    this.#byKey = new Map(whole.map(([text, word]) => [wordKey(text), word]));
  }

  /** The word for a colour, or the words for its parts. Empty for an unknown colour. */
  find(colour: string): readonly string[] {
    const whole = this.findWhole(colour);
    if (whole !== undefined) return [whole];
    const parts = colour.split(/\s(?:and|with|und|mit)\s|[&/,+]/i);
    return [...new Set(parts.flatMap((part) => this.findWhole(part) ?? []))];
  }

  findWhole(colour: string): string | undefined {
    return this.#byKey.get(wordKey(colour)) ?? this.#byPhrase.get(phraseKey(colour));
  }
}
