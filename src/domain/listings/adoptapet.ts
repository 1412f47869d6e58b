import type { Species } from '../pets/profile.ts';
import { sharedBreedName } from './breed-names.ts';
import { ageWordOf, htmlText, monthFirst, oneLine, wholeStory, youTubeUrl, type ListingPet } from './listing-pet.ts';
import { breedWords, colourWords, photoUrls, Problems, type ListingSite, type SiteRow } from './listing-site.ts';
import { siteWords } from './site-words.ts';

/*
 * Adopt-a-Pet: `pets.csv` without a header, and `import.cfg`, which names its columns and maps values to those of the
 * site. Dates are MM/DD/YYYY; 1 is yes, 0 no, and an empty cell unknown.
 */

const COLUMNS = [
  ...(['Id', 'Animal', 'Breed', 'Breed2', 'Purebred', 'Age', 'Name', 'Size', 'Sex', 'Color'] as const),
  ...(['Description', 'Status', 'GoodWKids', 'GoodWCats', 'GoodWDogs', 'SpayedNeutered', 'ShotsCurrent'] as const),
  ...(['Housetrained', 'Declawed', 'SpecialNeeds', 'HairLength', 'YouTubeVideoURL', 'Birthdate'] as const),
  ...(['AdoptionFee', 'PhotoURL'] as const),
];

type Column = (typeof COLUMNS)[number];

const PHOTOS = { most: 1, shortestSide: 300 };

const ANIMALS: Readonly<Record<Species, string>> = {
  dog: 'Dog',
  cat: 'Cat',
  rabbit: 'Rabbit',
  'small-furry': 'Small Animal',
  horse: 'Horse',
  bird: 'Bird',
  'reptile-other': 'Reptile',
  barnyard: 'Farm Animal',
};

/** The site reports an error for the size of other animals. */
const WITH_SIZE: readonly Species[] = ['dog', 'cat'];

/** The names of `pets.csv`, and those of the site. Others are the same. */
const BREEDS: Readonly<Record<string, string>> = {
  Coonhound: 'Hound (Unknown Type)',
  'English Coonhound': 'English (Redtick) Coonhound',
  'Fox Terrier': 'Fox Terrier (Smooth)',
  'Smooth Fox Terrier': 'Fox Terrier (Smooth)',
  'Wire Fox Terrier': 'Fox Terrier (Wirehaired)',
  Hound: 'Hound (Unknown Type)',
  'Miniature Poodle': 'Poodle (Miniature)',
  'Miniature Schnauzer': 'Schnauzer (Miniature)',
  'Mixed Breed Large': 'Mixed Breed (Large)',
  'Mixed Breed Medium': 'Mixed Breed (Medium)',
  'Mixed Breed Small': 'Mixed Breed (Small)',
  'Pit Bull Terrier': 'American Pit Bull Terrier',
  Poodle: 'Poodle (Standard)',
  'Standard Poodle': 'Poodle (Standard)',
  Retriever: 'Retriever (Unknown Type)',
  'Saint Bernard': 'St. Bernard',
  Schnauzer: 'Schnauzer (Standard)',
  'Giant Schnauzer': 'Schnauzer (Giant)',
  'Standard Schnauzer': 'Schnauzer (Standard)',
  'Scottish Terrier': 'Scottie, Scottish Terrier',
  Setter: 'Setter (Unknown Type)',
  Shepherd: 'Shepherd (Unknown Type)',
  'Shetland Sheepdog': 'Sheltie, Shetland Sheepdog',
  Spaniel: 'Spaniel (Unknown Type)',
  Spitz: 'Spitz (Unknown Type, Medium)',
  Terrier: 'Terrier (Unknown Type, Medium)',
  'West Highland White Terrier': 'Westie, West Highland White Terrier',
  'White German Shepherd': 'German Shepherd Dog',
  'Wirehaired Terrier': 'Terrier (Unknown Type, Medium)',
  'Yorkshire Terrier': 'Yorkie, Yorkshire Terrier',
  'Exotic Shorthair': 'Exotic',
  Havana: 'Havana Brown',
  'Oriental Longhair': 'Oriental',
  'Oriental Shorthair': 'Oriental',
  Polydactyl: 'Hemingway/Polydactyl',
  Tabby: 'Domestic Shorthair',
  Tiger: 'Domestic Shorthair',
  Torbie: 'Domestic Shorthair',
  Tortoiseshell: 'Domestic Shorthair',
  Tuxedo: 'Domestic Shorthair',
  'Angora Rabbit': 'Angora, English',
  'English Lop': 'Lop, English',
  'French Lop': 'Lop, French',
  'Holland Lop': 'Lop, Holland',
  Hotot: 'Blanc de Hotot',
  'Lop Eared': 'Lop-Eared',
  'Pot Bellied': 'Pig (Potbellied)',
};

/** The colours of `pets.csv`, and those of the site. */
const COLOURS: Readonly<Record<string, string>> = {
  Black: 'Black',
  'Black and White': 'Black - with White',
  'Black and Tan': 'Black - with Tan, Yellow or Fawn',
  Brindle: 'Brindle',
  'Brindle and White': 'Brindle - with White',
  Brown: 'Brown/Chocolate',
  Chocolate: 'Brown/Chocolate',
  Gray: 'Gray or Blue',
  Blue: 'Gray or Blue',
  Orange: 'Red/Golden/Orange/Chestnut',
  Golden: 'Red/Golden/Orange/Chestnut',
  Red: 'Red/Golden/Orange/Chestnut',
  Tan: 'Tan/Yellow/Fawn',
  Yellow: 'Tan/Yellow/Fawn',
  White: 'White',
};

const COLOUR_WORDS = siteWords(Object.keys(COLOURS).join('; '), {
  grey: 'Gray',
  ginger: 'Orange',
  fawn: 'Tan',
  cream: 'Tan',
});

/** The site does not document its colours of other animals. */
const WITH_COLOUR: readonly Species[] = ['dog'];

const HAIR: Partial<Readonly<Record<Species, readonly string[]>>> = {
  cat: ['short', 'medium', 'long'],
  rabbit: ['short', 'long'],
  'small-furry': ['hairless', 'short', 'medium', 'long'],
};

export const ADOPTAPET: ListingSite = { columns: COLUMNS, statuses: ['available'], rowOf };

/** The text of `import.cfg`: `#N:column=field`, and below it the values that the site calls differently. */
export function importConfig(): string {
  const mapped: Partial<Record<Column, Readonly<Record<string, string>>>> = {
    Breed: BREEDS,
    Breed2: BREEDS,
    Color: COLOURS,
  };
  const lines = COLUMNS.flatMap((column, index) => {
    const values = Object.entries(mapped[column] ?? {}).filter(([ours, theirs]) => ours !== theirs);
    return [`#${index + 1}:${column}=${column}`, ...values.map(([ours, theirs]) => `${ours}=${theirs}`)];
  });
  return `${lines.join('\r\n')}\r\n`;
}

function rowOf(pet: ListingPet, nowMs: number): SiteRow {
  const problems = new Problems();
  const { profile } = pet;
  const { species } = profile;
  const cells: Record<Column, string> = {
    Id: String(pet.id),
    Animal: problems.required(species && ANIMALS[species], 'species-missing'),
    ...breedCells(pet, problems),
    Purebred: oneOrZero(profile.breedIsMixed === undefined ? undefined : !profile.breedIsMixed),
    Age: problems.required(ageWordOf(profile, nowMs), 'age-missing'),
    Name: problems.required(oneLine(pet.name), 'name-missing'),
    Size: species !== undefined && WITH_SIZE.includes(species) ? (profile.size ?? '') : '',
    Sex: problems.required({ female: 'F', male: 'M', unknown: '' }[profile.sex ?? 'unknown'], 'sex-missing'),
    Color: colourCell(pet, problems),
    Description: htmlText(wholeStory(pet)),
    Status: 'Available',
    GoodWKids: oneOrZero(profile.goodWithChildren),
    GoodWCats: oneOrZero(profile.goodWithCats),
    GoodWDogs: oneOrZero(profile.goodWithDogs),
    SpayedNeutered: oneOrZero(profile.isAltered),
    ShotsCurrent: oneOrZero(profile.vaccinationsAreCurrent),
    Housetrained: oneOrZero(profile.isHouseTrained),
    Declawed: oneOrZero(profile.isDeclawed),
    SpecialNeeds: oneOrZero(profile.hasSpecialNeeds),
    HairLength: hairCell(pet),
    YouTubeVideoURL: youTubeUrl(profile.videoUrls),
    Birthdate: monthFirst(profile.birthDate),
    AdoptionFee: feeCell(pet, problems),
    PhotoURL: photoUrls(pet, PHOTOS, problems)[0] ?? '',
  };
  if (pet.status !== 'available') problems.refuse('status-not-listed');
  if (cells.Description === '') problems.note('story-missing');
  return { cells: COLUMNS.map((column) => cells[column]), problems: problems.all };
}

function breedCells({ profile }: ListingPet, problems: Problems): Pick<Record<Column, string>, 'Breed' | 'Breed2'> {
  const { species } = profile;
  const wordFor = (breed: string) => {
    const shared = species && sharedBreedName(species, breed);
    return shared === 'Mixed Breed' ? mixedBreed(profile.size) : shared;
  };
  const [Breed, Breed2] = breedWords(profile, { wordFor, isRequired: true }, problems);
  return { Breed, Breed2 };
}

/** The site has mixes by their size. */
function mixedBreed(size: ListingPet['profile']['size']): string {
  if (size === 'S') return 'Mixed Breed Small';
  return size === 'L' || size === 'XL' ? 'Mixed Breed Large' : 'Mixed Breed Medium';
}

function oneOrZero(value: boolean | undefined): string {
  if (value === undefined) return '';
  return value ? '1' : '0';
}

function colourCell({ profile }: ListingPet, problems: Problems): string {
  const isSent = profile.species !== undefined && WITH_COLOUR.includes(profile.species);
  const [first = ''] = colourWords(profile, isSent ? COLOUR_WORDS : undefined, problems);
  return first;
}

function hairCell({ profile: { species, coat } }: ListingPet): string {
  const lengths = species && HAIR[species];
  return coat !== undefined && lengths?.includes(coat) === true
    ? coat.replace(/^./, (first) => first.toUpperCase())
    : '';
}

function feeCell({ profile, lacksCurrency }: ListingPet, problems: Problems): string {
  const { feeAmount, feeCurrency = '' } = profile;
  if (lacksCurrency) problems.note('fee-currency-missing');
  if (feeAmount === undefined) return '';
  if (feeAmount === 0 || feeCurrency === 'USD' || feeCurrency === 'CAD') return feeAmount.toFixed(2);
  problems.note('fee-currency-unknown', feeCurrency);
  return '';
}
