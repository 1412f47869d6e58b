import { COATS, ENERGIES, SEXES, SIZES, SPECIES } from '../../domain/pets/profile.ts';
import { spellingKey } from '../../domain/text.ts';

/* The words of files for the values of a profile, in English and German, in any case. */

const YES = 'yes|y|true|1|x|ja|j|wahr|✓';
const NO = 'no|n|false|0|nein|falsch';
const UNKNOWN = 'unknown|unbekannt|?|n/a|k. a.';

const YES_NO = new Map<string, boolean | null>([
  ...YES.split('|').map((word) => [word, true] as const),
  ...NO.split('|').map((word) => [word, false] as const),
  ...UNKNOWN.split('|').map((word) => [word, null] as const),
]);

/** Null if it is unknown; undefined for another word. */
export function readYesNo(word: string): boolean | null | undefined {
  return YES_NO.get(spellingKey(word));
}

type Words = Readonly<Record<string, string>>;

const WORDS: Readonly<Record<string, Words>> = {
  species: {
    dog: 'dogs|hund|hunde',
    cat: 'cats|katze|katzen',
    rabbit: 'rabbits|kaninchen',
    'small-furry': 'small furry|small & furry|small mammal|kleinsäuger|kleintier|kleintiere',
    horse: 'horses|pferd|pferde',
    bird: 'birds|vogel|vögel',
    'reptile-other':
      'reptile|reptiles|reptile or other|other|reptil|reptilien|reptil oder anderes tier|andere|sonstige',
    barnyard: 'farm animal|farm animals|nutztier|nutztiere',
  },
  sex: {
    female: 'f|w|weiblich',
    male: 'm|männlich',
    unknown: 'unbekannt|?',
  },
  size: {
    S: 'small|klein',
    M: 'medium|mittel|mittelgroß',
    L: 'large|groß',
    XL: 'extra large|x-large|very large|sehr groß',
  },
  coat: {
    hairless: 'haarlos|nackt',
    short: 'kurz|kurzhaar',
    medium: 'mittel|mittellang',
    long: 'lang|langhaar',
  },
  energy: {
    low: 'niedrig|gering',
    medium: 'mittel',
    high: 'hoch',
  },
};

const VALUES: Readonly<Record<string, readonly string[]>> = {
  species: SPECIES,
  sex: SEXES,
  size: SIZES,
  coat: COATS,
  energy: ENERGIES,
};

const BY_WORD = new Map(
  Object.entries(VALUES).map(([column, values]) => [column, byWord(values, WORDS[column] ?? {})]),
);

function byWord(values: readonly string[], words: Words): ReadonlyMap<string, string> {
  const pairs = values.flatMap((value) =>
    [value, ...(words[value]?.split('|') ?? [])].map((word) => [spellingKey(word), value] as const),
  );
  return new Map(pairs);
}

/** The value that a word means in a column such as `species`; undefined for an unknown word. */
export function valueOfWord(column: string, word: string): string | undefined {
  return BY_WORD.get(column)?.get(spellingKey(word));
}

export function valuesOf(column: string): readonly string[] {
  return VALUES[column] ?? [];
}
