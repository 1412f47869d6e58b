import { COATS, ENERGIES, SEXES, SIZES, SPECIES } from '../../domain/pets/profile.ts';
import { spellingKey } from '../../domain/text.ts';

/* The words of files for the values of a profile, in English and German, in any case. */

const YES = 'yes|y|true|t|1|x|ja|j|wahr|✓|on|ok|good|trained|friendly';
const NO = 'no|n|false|f|0|nein|falsch|off|none|not';
/** Neither yes nor no holds for all children, dogs or cats. */
const UNKNOWN =
  'unknown|unbekannt|?|n/a|na|k. a.|u|not sure|unsure|not known|untested|not tested|undetermined|maybe|selective|' +
  'some|sometimes|over 5|over 8|over 10|over 12|older children|older kids|older only|in training|nicht getestet|' +
  'females only|males only|bedingt|teilweise|nach sympathie|nach absprache|auf anfrage|keine angabe|k.a.|nicht bekannt|' +
  'ab 6 jahren|ab 8 jahren|ab 10 jahren|ab 12 jahren|ab 14 jahren|ältere kinder|größere kinder|nur hündinnen|nur rüden';

const YES_NO = yesNoWords({ yes: YES, no: NO, unknown: UNKNOWN });

/** Further words of a column. */
const YES_NO_OF: Readonly<Record<string, ReadonlyMap<string, boolean | null>>> = {
  isAltered: yesNoWords({
    yes: 'altered|spayed|neutered|castrated|sterilized|spayed/neutered|spayed / neutered|s/n|kastriert|sterilisiert',
    no: 'unaltered|not altered|intact|entire|not spayed|not neutered|unkastriert|nicht kastriert',
  }),
  isDeclawed: yesNoWords({ yes: 'declawed|front|front only|front declaw|all four|all paws|both', no: 'not declawed' }),
  vaccinationsAreCurrent: yesNoWords({ yes: 'current|up to date|utd|up-to-date|vaccinated|geimpft|aktuell' }),
  goodWithCats: yesNoWords({ yes: 'cat friendly|good with cats', no: 'no cats' }),
  goodWithDogs: yesNoWords({ yes: 'dog friendly|dog social|good with dogs', no: 'no dogs|no other dogs' }),
  goodWithChildren: yesNoWords({
    yes: 'kid friendly|good with kids|good with children|all ages',
    no: 'no kids|no children|adults only|adult only|adult home only',
    unknown: 'no small children|no young children|teens|teens only',
  }),
  isPublished: yesNoWords({
    yes: 'published|listed|online|public|visible|web|website|veröffentlicht|sichtbar|öffentlich',
    no:
      'draft|unpublished|not published|unlisted|not listed|hidden|private|offline|entwurf|unveröffentlicht|' +
      'nicht veröffentlicht|nicht sichtbar|versteckt|verborgen|intern',
  }),
  isHouseTrained: yesNoWords({
    yes: 'house trained|housetrained|litter trained|stubenrein|fully trained',
    no: 'not trained',
  }),
};

function yesNoWords(words: { yes?: string; no?: string; unknown?: string }): ReadonlyMap<string, boolean | null> {
  const lists: readonly (readonly [list: string | undefined, value: boolean | null])[] = [
    [words.yes, true],
    [words.no, false],
    [words.unknown, null],
  ];
  return new Map(lists.flatMap(([list, value]) => list?.split('|').map((word) => [word, value] as const) ?? []));
}

/** Null if it is unknown; undefined for another word. */
export function readYesNo(word: string, column = ''): boolean | null | undefined {
  const key = spellingKey(word);
  return YES_NO_OF[column]?.get(key) ?? YES_NO.get(key);
}

type Words = Readonly<Record<string, string>>;

const WORDS: Readonly<Record<string, Words>> = {
  species: {
    dog: 'dogs|hund|hunde|puppy|puppies|welpe|canine|k9',
    cat: 'cats|katze|katzen|kitten|kittens|kätzchen|feline|kater',
    rabbit: 'rabbits|kaninchen|bunny|bunnies|hase|lagomorph',
    'small-furry':
      'small furry|small & furry|small&furry|small and furry|small mammal|small animal|small animals|pocket pet|guinea pig|' +
      'guinea pigs|hamster|hamsters|gerbil|gerbils|mouse|mice|rat|rats|ferret|ferrets|chinchilla|chinchillas|degu|degus|' +
      'hedgehog|hedgehogs|sugar glider|rodent|kleinsäuger|kleintier|kleintiere|meerschweinchen|maus|mäuse|ratte|ratten|' +
      'rennmaus|frettchen|igel|nagetier|nager',
    horse: 'horses|pferd|pferde|pony|ponies|donkey|donkeys|mule|equine|esel|ponys',
    bird:
      'birds|vogel|vögel|parrot|parakeet|budgie|budgerigar|cockatiel|canary|finch|dove|pigeon|owl|chicken|chickens|hen|' +
      'rooster|duck|goose|turkey|avian|papagei|wellensittich|nymphensittich|kanarienvogel|taube|huhn|hühner|ente|gans|' +
      'geflügel',
    'reptile-other':
      'reptile|reptiles|reptile or other|other|reptil|reptilien|reptil oder anderes tier|andere|sonstige|' +
      'scales, fins & other|scales, fins and other|snake|lizard|turtle|tortoise|terrapin|gecko|iguana|bearded dragon|' +
      'frog|amphibian|fish|goldfish|spider|exotic|wildlife|schlange|echse|schildkröte|fisch|amphibie|exot|sonstiges',
    barnyard:
      'farm animal|farm animals|farm-type animal|farm type animal|livestock|pig|pigs|potbellied pig|goat|goats|sheep|cow|' +
      'cattle|llama|alpaca|camel|nutztier|nutztiere|schwein|ziege|schaf|kuh|rind|lama|alpaka',
  },
  size: {
    S: 'small|klein|x-small|xs|extra small|extra-small|toy|tiny|sehr klein|mini',
    M: 'medium|med|mittel|mittelgroß',
    L: 'large|groß',
    XL: 'extra large|extra-large|x-large|xlarge|very large|giant|xxl|sehr groß|riesig',
  },
  coat: {
    hairless: 'haarlos|nackt|bald',
    short: 'kurz|kurzhaar|shorthair|short hair|short-haired|smooth',
    medium: 'mittel|mittellang|medium hair|semi-long|halblang',
    long: 'lang|langhaar|longhair|long hair|long-haired',
  },
  energy: {
    low: 'niedrig|gering|calm|lazy|very low|ruhig',
    medium: 'mittel|moderate|average|moderately active',
    high: 'hoch|active|very active|very high|aktiv',
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
  const words = BY_WORD.get(column);
  // Programs add limits, such as Large (60-99).
  return words?.get(spellingKey(word)) ?? words?.get(spellingKey(word.split('(', 1)[0] ?? ''));
}

const FEMALE = words('f|w|female|weiblich|weibl|wk|hündin|weibchen|mare|stute|queen|doe|hen|girl|fs|sf|fi|katze');
const MALE = words(
  'm|male|männlich|männl|mk|rüde|männchen|kater|gelding|stallion|wallach|hengst|tom|buck|boy|mn|nm|mc|cm|mi',
);
const ALTERED = words(
  'altered|spayed|neutered|castrated|kastriert|kastrierte|kastrierter|kastr|k|mk|wk|fs|sf|mn|nm|mc|cm|gelding|wallach',
);
const INTACT = words('intact|unaltered|entire|unkastriert|unkastrierte|unkastrierter|fi|mi|stallion|hengst');

const NOT = words('not|nicht|un');

function words(list: string): ReadonlySet<string> {
  return new Set(list.split('|'));
}

/** The sex in a cell such as `Neutered Male` or `FS`, and whether the cell says that the pet is altered. */
export function readSex(text: string): { sex: string; isAltered: boolean | undefined } | undefined {
  const parts = spellingKey(text).match(/\p{L}+/gu) ?? [];
  const isOneOf = (set: ReadonlySet<string>) => parts.some((part) => set.has(part));
  const isUnknown = /^(?:unknown|unbekannt|\?|u|n\/a|unsure|not sure)$/.test(spellingKey(text));
  if (isUnknown) return { sex: 'unknown', isAltered: undefined };
  if (isOneOf(FEMALE) === isOneOf(MALE)) return undefined;
  const isIntact = isOneOf(INTACT) || isOneOf(NOT);
  const isAltered = isIntact ? false : isOneOf(ALTERED) ? true : undefined;
  return { sex: isOneOf(FEMALE) ? 'female' : 'male', isAltered };
}

export function valuesOf(column: string): readonly string[] {
  return VALUES[column] ?? [];
}

/** The only entry with this name; the first of its names comes before the others. */
export function findByName<T>(
  entries: readonly T[],
  text: string,
  namesOf: (entry: T) => readonly string[],
): T | undefined {
  const exact = entries.find((entry) => namesOf(entry)[0] === text);
  const key = spellingKey(text);
  const similar = entries.filter((entry) => namesOf(entry).some((name) => spellingKey(name) === key));
  return exact ?? (similar.length === 1 ? similar[0] : undefined);
}
