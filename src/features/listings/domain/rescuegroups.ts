import type { Species } from '../../../domain/pets/profile.ts';
import { sharedBreedName } from '../../../domain/pets/breed-names.ts';
import { ageWordOf, htmlText, oneLine, wholeStory, youTubeUrl, type ListingPet } from './listing-pet.ts';
import { breedWords, colourWord, photoUrls, Problems, type ListingSite, type SiteRow } from './listing-site.ts';
import { SiteWords } from './site-words.ts';

/*
 * RescueGroups: a table with a header, without line breaks in cells. A pet whose row is missing is deleted. `Yes`,
 * `No`, or an empty cell if it is unknown.
 */

const COLUMNS = [
  ...([
    'externalID',
    'internalID',
    'rescueID',
    'name',
    'status',
    'type',
    'priBreed',
    'secBreed',
    'mix',
    'sex',
  ] as const),
  ...(['age', 'okwithdogs', 'okwithcats', 'okwithkids', 'declawed', 'housebroken', 'specialNeeds'] as const),
  ...(['altered', 'size', 'uptodate', 'color', 'pattern', 'coatLength', 'courtesy', 'dsc', 'found'] as const),
  ...(['foundDate', 'foundZipcode', 'photo1', 'photo2', 'photo3', 'photo4', 'videoUrl'] as const),
];

type Column = (typeof COLUMNS)[number];

const PHOTOS = { most: 4, shortestSide: 300 };

const MAX_NAME = 50;
const MAX_INTERNAL_ID = 50;

const TYPES: Readonly<Record<Species, string>> = {
  dog: 'Dog',
  cat: 'Cat',
  rabbit: 'Rabbit',
  'small-furry': 'Small & Furry',
  horse: 'Horse',
  bird: 'Bird',
  'reptile-other': 'Reptile',
  barnyard: 'Barnyard',
};

/** The site has a species for each of these kinds of small pets and farm animals. */
const KINDS: Readonly<Record<string, string>> = {
  Chinchilla: 'Chinchilla',
  Degu: 'Degu',
  Ferret: 'Ferret',
  Gerbil: 'Gerbil',
  'Guinea Pig': 'Guinea Pig',
  Abyssinian: 'Guinea Pig',
  Peruvian: 'Guinea Pig',
  Teddy: 'Guinea Pig',
  Hamster: 'Hamster',
  'Dwarf Hamster': 'Hamster',
  Hedgehog: 'Hedgehog',
  Mouse: 'Mouse',
  Rat: 'Rat',
  'Sugar Glider': 'Sugar Glider',
  Alpaca: 'Alpaca',
  Cow: 'Cow',
  Goat: 'Goat',
  Llama: 'Llama',
  Pig: 'Pig',
  'Pot Bellied': 'Pig',
  Sheep: 'Sheep',
};

/** The names that it writes differently from the shared ones. */
const BREEDS: Readonly<Record<string, string>> = {
  'Australian Cattle Dog': 'Australian Cattle Dog (Blue Heeler)',
  'Belgian Laekenois': 'Belgian Shepherd Laekenois',
  'Belgian Malinois': 'Belgian Shepherd Malinois',
  'Belgian Tervuren': 'Belgian Shepherd Tervuren',
  'Domestic Longhair': 'Domestic Long Hair',
  'Domestic Mediumhair': 'Domestic Medium Hair',
  'Domestic Shorthair': 'Domestic Short Hair',
  'Oriental Longhair': 'Oriental Long Hair',
  'Oriental Shorthair': 'Oriental Short Hair',
  'Saint Bernard': 'St. Bernard',
};

const COLOURS = new SiteWords(
  'Black; Brindle; Brown or Chocolate; Gray, Blue or Silver; Red, Golden, Orange or Chestnut; Tan; Tricolor; White; ' +
    'Yellow, Tan, Blond or Fawn',
);

const SIZES = { S: 'Small', M: 'Medium', L: 'Large', XL: 'X-Large' } as const;
const SEXES = { female: 'Female', male: 'Male', unknown: '' } as const;
const COATS = { hairless: '', short: 'Short', medium: 'Medium', long: 'Long' } as const;
const STATUSES = { available: 'Available', pending: 'Hold' } as const;

export const RESCUEGROUPS: ListingSite = { columns: COLUMNS, statuses: ['available', 'pending'], rowOf };

function rowOf(pet: ListingPet, nowMs: number): SiteRow {
  const problems = new Problems();
  const { profile } = pet;
  const cells: Record<Column, string> = {
    externalID: String(pet.id),
    internalID: oneLine(profile.externalId ?? '').slice(0, MAX_INTERNAL_ID),
    rescueID: '',
    name: nameCell(pet, problems),
    ...statusCell(pet, problems),
    ...breedCells(pet, problems),
    mix: yesNo(profile.breedIsMixed),
    sex: SEXES[profile.sex ?? 'unknown'],
    age: ageWordOf(profile, nowMs) ?? '',
    okwithdogs: yesNo(profile.goodWithDogs),
    okwithcats: yesNo(profile.goodWithCats),
    okwithkids: yesNo(profile.goodWithChildren),
    declawed: yesNo(profile.isDeclawed),
    housebroken: yesNo(profile.isHouseTrained),
    specialNeeds: yesNo(profile.hasSpecialNeeds),
    altered: yesNo(profile.isAltered),
    size: profile.size === undefined ? '' : SIZES[profile.size],
    uptodate: yesNo(profile.vaccinationsAreCurrent),
    color: colourWord(profile, COLOURS, problems),
    pattern: '',
    coatLength: profile.coat === undefined ? '' : COATS[profile.coat],
    courtesy: 'No',
    dsc: htmlText(wholeStory(pet)),
    found: '',
    foundDate: '',
    foundZipcode: '',
    ...photoCells(pet, problems),
    videoUrl: youTubeUrl(profile.videoUrls),
  };
  if (cells.dsc === '') problems.note('story-missing');
  return { cells: COLUMNS.map((column) => cells[column]), problems: problems.all };
}

function nameCell({ name }: ListingPet, problems: Problems): string {
  const line = problems.required(oneLine(name), 'name-missing');
  if (line.length > MAX_NAME) problems.refuse('name-too-long');
  return line;
}

function statusCell({ status }: ListingPet, problems: Problems): { status: string } {
  if (status === 'available' || status === 'pending') return { status: STATUSES[status] };
  problems.refuse('status-not-listed');
  return { status: '' };
}

/** Only a dog needs no breed. */
function breedCells({ profile }: ListingPet, problems: Problems): Record<'type' | 'priBreed' | 'secBreed', string> {
  const { species } = profile;
  const shared = (breed: string) => species && sharedBreedName(species, breed);
  const wordFor = (breed: string) => {
    const name = shared(breed);
    return name === undefined ? undefined : (BREEDS[name] ?? name);
  };
  const [priBreed, secBreed] = breedWords(profile, { wordFor, isRequired: species !== 'dog' }, problems);
  const hasKinds = species === 'small-furry' || species === 'barnyard';
  const kind = hasKinds && profile.breedPrimary !== undefined ? KINDS[shared(profile.breedPrimary) ?? ''] : undefined;
  const type = problems.required(kind ?? (species && TYPES[species]), 'species-missing');
  return { type, priBreed, secBreed };
}

function yesNo(value: boolean | undefined): string {
  if (value === undefined) return '';
  return value ? 'Yes' : 'No';
}

function photoCells(pet: ListingPet, problems: Problems): Record<'photo1' | 'photo2' | 'photo3' | 'photo4', string> {
  const [photo1 = '', photo2 = '', photo3 = '', photo4 = ''] = photoUrls(pet, PHOTOS, problems);
  return { photo1, photo2, photo3, photo4 };
}
