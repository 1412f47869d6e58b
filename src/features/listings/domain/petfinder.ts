import type { Profile, Species } from '../../../domain/pets/profile.ts';
import { sharedBreedName } from '../../../domain/pets/breed-names.ts';
import { derivedSize } from './derived-size.ts';
import { ageWordOf, oneLine, wholeStory, withBreaks, type ListingPet } from './listing-pet.ts';
import { breedWords, colourWords, photoUrls, Problems, type ListingSite, type SiteRow } from './listing-site.ts';
import { SiteWords } from './site-words.ts';

/*
 * Petfinder: 39 columns in a fixed order, dates such as 2026-11-26, and `1` or an empty cell for most facts. The
 * columns `No...` say that a pet does not get along with others: 1 for that, 0 for a pet that does, empty if it is
 * unknown.
 */

const COLUMNS = [
  ...(['ID', 'Internal', 'AnimalName', 'PrimaryBreed', 'SecondaryBreed', 'Sex', 'Size', 'Age', 'Desc'] as const),
  ...(['Type', 'Status', 'Shots', 'Altered', 'NoDogs', 'NoCats', 'NoKids', 'Housetrained', 'Declawed'] as const),
  ...(['specialNeeds', 'Mix', 'photo1', 'photo2', 'photo3', 'photo4', 'photo5', 'photo6'] as const),
  ...(['arrival_date', 'birth_date', 'primaryColor', 'secondaryColor', 'tertiaryColor', 'coat_length'] as const),
  ...(['adoption_fee', 'display_adoption_fee', 'adoption_fee_waived', 'special_needs_notes'] as const),
  ...(['no_other', 'no_other_note', 'tags'] as const),
];

type Column = (typeof COLUMNS)[number];

const PHOTOS = { most: 6, shortestSide: 300 };

/** A line break in a cell. */
const BREAK = '&#10;';

const TYPES: Readonly<Record<Species, string>> = {
  dog: 'Dog',
  cat: 'Cat',
  rabbit: 'Rabbit',
  'small-furry': 'Small & Furry',
  horse: 'Horse',
  bird: 'Bird',
  'reptile-other': 'Scales, Fins & Other',
  barnyard: 'Barnyard',
};

const STATUS_LETTERS = { available: 'A', pending: 'H' } as const;

/** The names that it writes differently from the shared ones. */
const BREEDS: Readonly<Record<string, string>> = {
  'American Pit Bull Terrier': 'Pit Bull Terrier',
  'Australian Cattle Dog': 'Australian Cattle Dog / Blue Heeler',
  'Belgian Laekenois': 'Belgian Shepherd / Laekenois',
  'Belgian Malinois': 'Belgian Shepherd / Malinois',
  'Belgian Sheepdog': 'Belgian Shepherd / Sheepdog',
  'Belgian Tervuren': 'Belgian Shepherd / Tervuren',
  Brittany: 'Brittany Spaniel',
  'Caucasian Sheepdog': 'Caucasian Sheepdog / Caucasian Ovtcharka',
  'Chinese Crested': 'Chinese Crested Dog',
  Newfoundland: 'Newfoundland Dog',
  'Patterdale Terrier': 'Patterdale Terrier / Fell Terrier',
  'Shetland Sheepdog': 'Shetland Sheepdog / Sheltie',
  'Shih Poo': 'Shih poo',
  'West Highland White Terrier': 'West Highland White Terrier / Westie',
  Xoloitzcuintli: 'Xoloitzcuintli / Mexican Hairless',
  'Domestic Longhair': 'Domestic Long Hair',
  'Domestic Mediumhair': 'Domestic Medium Hair',
  'Domestic Shorthair': 'Domestic Short Hair',
  'Oriental Longhair': 'Oriental Long Hair',
  'Oriental Shorthair': 'Oriental Short Hair',
  Polydactyl: 'Extra-Toes Cat / Hemingway Polydactyl',
  Sphynx: 'Sphynx / Hairless Cat',
  Silkie: 'Silkie / Sheltie',
  'Donkey / Mule': 'Donkey',
  Paint: 'Paint / Pinto',
  Pinto: 'Paint / Pinto',
  'Tennessee Walking Horse': 'Tennessee Walker',
  Budgie: 'Budgie / Budgerigar',
  Lory: 'Lory / Lorikeet',
  Parakeet: 'Parakeet (Other)',
  Parrot: 'Parrot (Other)',
  Peacock: 'Peacock / Peafowl',
  Poicephalus: 'Poicephalus / Senegal',
  Ringneck: 'Ringneck / Psittacula',
  Senegal: 'Poicephalus / Senegal',
  Softbill: 'Softbill (Other)',
  Myotonic: 'Myotonic / Fainting',
};

const COLOURS: Partial<Readonly<Record<Species, SiteWords>>> = {
  dog: new SiteWords(
    'Apricot / Beige; Bicolor; Black; Brindle; Brown / Chocolate; Golden; Gray / Blue / Silver; ' +
      'Harlequin; Merle (Blue); Merle (Red); Red / Chestnut / Orange; Sable; ' +
      'Tricolor (Brown, Black, & White); White / Cream; Yellow / Tan / Blond / Fawn',
    { tricolor: 'Tricolor (Brown, Black, & White)' },
  ),
  cat: new SiteWords(
    'Black; Black & White / Tuxedo; Blue Cream; Blue Point; Brown / Chocolate; Buff & White; ' +
      'Buff / Tan / Fawn; Calico; Chocolate Point; Cream / Ivory; Cream Point; Dilute Calico; ' +
      'Dilute Tortoiseshell; Flame Point; Gray & White; Gray / Blue / Silver; Lilac Point; Orange & White; ' +
      'Orange / Red; Seal Point; Smoke; Tabby (Brown / Chocolate); Tabby (Buff / Tan / Fawn); ' +
      'Tabby (Gray / Blue / Silver); Tabby (Leopard / Spotted); Tabby (Orange / Red); ' +
      'Tabby (Tiger Striped); Torbie; Tortoiseshell; White',
    { tabby: 'Tabby (Brown / Chocolate)', tiger: 'Tabby (Tiger Striped)' },
  ),
  rabbit: new SiteWords(
    'Agouti; Black; Blue / Gray; Brown / Chocolate; Cream; Lilac; Orange / Red; Sable; Silver Marten; ' +
      'Tan; Tortoiseshell; White',
    { tortoise: 'Tortoiseshell', silver: 'Blue / Gray' },
  ),
};

const COATS = { hairless: 'Hairless', short: 'Short', medium: 'Medium', long: 'Long' } as const;

/** The site shows a fee in dollars, whatever its currency. */
const FEE_CURRENCIES = ['USD', 'CAD'];

export const PETFINDER: ListingSite = {
  columns: COLUMNS,
  statuses: ['available', 'pending'],
  rowOf,
};

function rowOf(pet: ListingPet, nowMs: number): SiteRow {
  const problems = new Problems();
  const { profile } = pet;
  const cells: Record<Column, string> = {
    ID: String(pet.id),
    Internal: oneLine(profile.externalId ?? String(pet.id)),
    AnimalName: problems.required(oneLine(pet.name), 'name-missing'),
    ...breedCells(pet, problems),
    Sex: problems.required(sexLetter(pet), 'sex-missing'),
    Size: sizeCell(profile, nowMs, problems),
    Age: problems.required(ageWordOf(profile, nowMs), 'age-missing'),
    Desc: withBreaks(wholeStory(pet), BREAK),
    Type: problems.required(profile.species && TYPES[profile.species], 'species-missing'),
    ...statusCell(pet, problems),
    Shots: yes(profile.vaccinationsAreCurrent),
    Altered: yes(profile.isAltered),
    NoDogs: inverted(profile.goodWithDogs),
    NoCats: inverted(profile.goodWithCats),
    NoKids: inverted(profile.goodWithChildren),
    Housetrained: yes(profile.isHouseTrained),
    Declawed: yes(profile.isDeclawed),
    specialNeeds: yes(profile.hasSpecialNeeds),
    Mix: yes(profile.breedIsMixed),
    ...photoCells(pet, problems),
    arrival_date: profile.intakeDate ?? '',
    birth_date: profile.birthDate ?? '',
    ...colourCells(pet, problems),
    coat_length: profile.coat === undefined ? '' : COATS[profile.coat],
    ...feeCells(pet, problems),
    special_needs_notes: withBreaks(profile.specialNeedsNote ?? '', BREAK),
    no_other: inverted(profile.goodWithOthers),
    no_other_note: '',
    tags: pet.tags.filter((tag) => !tag.includes(',')).join(','),
  };
  if (cells.Desc === '') problems.note('story-missing');
  return { cells: COLUMNS.map((column) => cells[column]), problems: problems.all };
}

function breedCells(
  { profile }: ListingPet,
  problems: Problems,
): Pick<Record<Column, string>, 'PrimaryBreed' | 'SecondaryBreed'> {
  const wordFor = (breed: string) => {
    const shared = profile.species && sharedBreedName(profile.species, breed);
    return shared === undefined ? undefined : (BREEDS[shared] ?? shared);
  };
  const [PrimaryBreed, SecondaryBreed] = breedWords(profile, { wordFor, isRequired: true }, problems);
  return { PrimaryBreed, SecondaryBreed };
}

function sexLetter({ profile: { sex } }: ListingPet): string {
  if (sex === 'female') return 'F';
  return sex === 'male' ? 'M' : '';
}

function sizeCell(profile: Profile, nowMs: number, problems: Problems): string {
  if (profile.size !== undefined) return profile.size;
  const derived = derivedSize(profile, nowMs);
  if (derived !== undefined) problems.note('size-derived', derived);
  return problems.required(derived, 'size-missing');
}

function statusCell({ status }: ListingPet, problems: Problems): { Status: string } {
  if (status === 'available' || status === 'pending') return { Status: STATUS_LETTERS[status] };
  problems.refuse('status-not-listed');
  return { Status: '' };
}

/** `1` for yes. It reads an empty cell as no, or as unknown. */
function yes(value: boolean | undefined): string {
  return value === true ? '1' : '';
}

/** For the columns `No...`. */
function inverted(getsAlong: boolean | undefined): string {
  if (getsAlong === undefined) return '';
  return getsAlong ? '0' : '1';
}

type PhotoColumn = Extract<Column, `photo${number}`>;

function photoCells(pet: ListingPet, problems: Problems): Record<PhotoColumn, string> {
  const [photo1 = '', photo2 = '', photo3 = '', photo4 = '', photo5 = '', photo6 = ''] = photoUrls(
    pet,
    PHOTOS,
    problems,
  );
  return { photo1, photo2, photo3, photo4, photo5, photo6 };
}

function colourCells({ profile }: ListingPet, problems: Problems) {
  const words = profile.species && COLOURS[profile.species];
  const [primaryColor = '', secondaryColor = '', tertiaryColor = ''] = colourWords(profile, words, problems);
  return { primaryColor, secondaryColor, tertiaryColor };
}

function feeCells({ profile, lacksCurrency }: ListingPet, problems: Problems) {
  const { feeAmount, feeCurrency = '', feeIsWaived } = profile;
  if (lacksCurrency) problems.note('fee-currency-missing');
  const isSent = feeAmount !== undefined && (feeAmount === 0 || FEE_CURRENCIES.includes(feeCurrency));
  if (feeAmount !== undefined && !isSent) problems.note('fee-currency-unknown', feeCurrency);
  return {
    adoption_fee: isSent ? feeAmount.toFixed(2) : '',
    display_adoption_fee: isSent ? '1' : '0',
    adoption_fee_waived: feeIsWaived === undefined ? '' : feeIsWaived ? '1' : '0',
  };
}
