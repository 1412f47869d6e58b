import type { Species } from '../../../domain/pets/profile.ts';
import { sharedBreedName } from '../../../domain/pets/breed-names.ts';
import { ageWordOf, htmlText, monthFirst, oneLine, wholeStory, youTubeUrl, type ListingPet } from './listing-pet.ts';
import { breedWords, colourWord, photoUrls, Problems, type ListingSite, type SiteRow } from './listing-site.ts';
import { SiteWords } from './site-words.ts';

/*
 * Adopt-a-Pet: `pets.csv` without a header, and `import.cfg`, which names its columns. Dates are MM/DD/YYYY; 1 is yes,
 * 0 no, and an empty cell unknown.
 */

const COLUMNS = [
  ...(['Id', 'Animal', 'Breed', 'Breed2', 'Purebred', 'Age', 'Name', 'Size', 'Sex', 'Color'] as const),
  ...(['Description', 'Status', 'GoodWKids', 'GoodWCats', 'GoodWDogs', 'SpayedNeutered', 'ShotsCurrent'] as const),
  ...(['Housetrained', 'Declawed', 'SpecialNeeds', 'HairLength', 'YouTubeVideoURL', 'Birthdate'] as const),
  ...(['AdoptionFee', 'PhotoURL', 'Cratetrained', 'HeartwormNegative', 'HeartwormPositive', 'Leashtrained'] as const),
  ...(['IndoorOnly', 'FIVPositive', 'SpecialDietaryNeeds'] as const),
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

/** The names that it writes differently from the shared ones, and its nearest ones for breeds that it does not have. */
const BREEDS: Partial<Readonly<Record<Species, Readonly<Record<string, string>>>>> = {
  dog: {
    'American Bully': 'Bull Terrier',
    'Appenzell Mountain Dog': 'Shepherd (Unknown Type)',
    'Belgian Sheepdog': 'Belgian Shepherd',
    'Black Labrador Retriever': 'Labrador Retriever',
    'Blue Lacy': 'Blue Lacy/Texas Lacy',
    'Chinese Foo Dog': 'Shepherd (Unknown Type)',
    'Chocolate Labrador Retriever': 'Labrador Retriever',
    Coonhound: 'Hound (Unknown Type)',
    'English Cocker Spaniel': 'Cocker Spaniel',
    'English Coonhound': 'English (Redtick) Coonhound',
    'Fox Terrier': 'Fox Terrier (Smooth)',
    'Giant Schnauzer': 'Schnauzer (Giant)',
    Hound: 'Hound (Unknown Type)',
    'Illyrian Sheepdog': 'Shepherd (Unknown Type)',
    McNab: 'Shepherd (Unknown Type)',
    'Miniature Poodle': 'Poodle (Miniature)',
    'Miniature Schnauzer': 'Schnauzer (Miniature)',
    'Mountain Dog': 'Bernese Mountain Dog',
    'New Guinea Singing Dog': 'Shepherd (Unknown Type)',
    'Norwegian Lundehund': 'Shepherd (Unknown Type)',
    'Peruvian Inca Orchid': 'Shepherd (Unknown Type)',
    'Pit Bull Terrier': 'American Pit Bull Terrier',
    Poodle: 'Poodle (Standard)',
    Retriever: 'Retriever (Unknown Type)',
    'Saint Bernard': 'St. Bernard',
    Schnauzer: 'Schnauzer (Standard)',
    'Scottish Terrier': 'Scottie, Scottish Terrier',
    Setter: 'Setter (Unknown Type)',
    'Sheep Dog': 'Old English Sheepdog',
    Shepherd: 'Shepherd (Unknown Type)',
    'Shetland Sheepdog': 'Sheltie, Shetland Sheepdog',
    'Smooth Fox Terrier': 'Fox Terrier (Smooth)',
    'South Russian Ovtcharka': 'Shepherd (Unknown Type)',
    Spaniel: 'Spaniel (Unknown Type)',
    Spitz: 'Spitz (Unknown Type, Medium)',
    'Standard Poodle': 'Poodle (Standard)',
    'Standard Schnauzer': 'Schnauzer (Standard)',
    'West Highland White Terrier': 'Westie, West Highland White Terrier',
    'White German Shepherd': 'German Shepherd Dog',
    'Wire Fox Terrier': 'Fox Terrier (Wirehaired)',
    'Wirehaired Terrier': 'Terrier (Unknown Type, Medium)',
    'Yellow Labrador Retriever': 'Labrador Retriever',
    'Yorkshire Terrier': 'Yorkie, Yorkshire Terrier',
  },
  cat: {
    Burmilla: 'Burmese',
    'Canadian Hairless': 'Sphynx',
    'Dilute Calico': 'Calico',
    'Dilute Tortoiseshell': 'Domestic Shorthair',
    'Exotic Shorthair': 'Exotic',
    Havana: 'Havana Brown',
    'Oriental Longhair': 'Oriental',
    'Oriental Shorthair': 'Oriental',
    'Oriental Tabby': 'Oriental',
    Pixiebob: 'Domestic Shorthair',
    Polydactyl: 'Hemingway/Polydactyl',
    Tabby: 'Domestic Shorthair',
    Tiger: 'Domestic Shorthair',
    Torbie: 'Domestic Shorthair',
    Tortoiseshell: 'Domestic Shorthair',
    Tuxedo: 'Domestic Shorthair',
  },
  rabbit: {
    'Angora Rabbit': 'Angora, English',
    'Bunny Rabbit': 'Other/Unknown',
    Chinchilla: 'Chinchilla, Standard',
    'English Lop': 'Lop, English',
    'French Lop': 'Lop, French',
    'Holland Lop': 'Lop, Holland',
    Hotot: 'Blanc de Hotot',
    'Lop Eared': 'Lop-Eared',
  },
  horse: {
    Donkey: 'Donkey/Mule/Burro/Hinny',
    'Donkey / Mule': 'Donkey/Mule/Burro/Hinny',
    Mule: 'Donkey/Mule/Burro/Hinny',
  },
  bird: { Parakeet: 'Parakeet - Other', 'Quaker Parakeet': 'Parakeet - Quaker' },
  'reptile-other': {
    'Bearded Dragon': 'Lizard',
    'Corn Snake': 'Snake',
    Sulcata: 'Tortoise',
    Turtle: 'Turtle - Other',
  },
  barnyard: { Cow: 'Cow or Bull', 'Pot Bellied': 'Pig (Potbellied)' },
};

/** The site has a list of colours for each of these species. */
const COLOURS: Partial<Readonly<Record<Species, SiteWords>>> = {
  dog: new SiteWords(
    'Black; Brindle; Brown/Chocolate; Red/Golden/Orange/Chestnut; Tan/Yellow/Fawn; White; Merle; ' +
      'Gray/Blue/Silver/Salt & Pepper; Black - with White; Black - with Tan, Yellow or Fawn; Brindle - with White; ' +
      'Brown/Chocolate - with Black; Brown/Chocolate - with White; Brown/Chocolate - with Tan; ' +
      'Red/Golden/Orange/Chestnut - with Black; Red/Golden/Orange/Chestnut - with White; ' +
      'Silver & Tan (Yorkie colors); Tan/Yellow/Fawn - with White; Tan/Yellow/Fawn - with Black; ' +
      'Tricolor (Tan/Brown & Black & White); White - with Black; White - with Brown or Chocolate; ' +
      'White - with Tan, Yellow or Fawn; White - with Red, Golden, Orange or Chestnut; White - with Gray or Silver; ' +
      'Black - with Brown, Red, Golden, Orange or Chestnut; Black - with Gray or Silver; ' +
      'Gray/Silver/Salt & Pepper - with White; Gray/Silver/Salt & Pepper - with Black',
    { tricolor: 'Tricolor (Tan/Brown & Black & White)', cream: 'Tan/Yellow/Fawn' },
  ),
  cat: new SiteWords(
    'Black (All); Black (Mostly); Black & White or Tuxedo; Brown or Chocolate; Brown or Chocolate (Mostly); ' +
      'Brown Tabby; Calico or Dilute Calico; Cream or Ivory; Cream or Ivory (Mostly); Gray or Blue; ' +
      'Gray or Blue (Mostly); Gray, Blue or Silver Tabby; Orange or Red; Orange or Red (Mostly); Orange or Red Tabby; ' +
      'Spotted Tabby/Leopard Spotted; Tan or Fawn; Tan or Fawn (Mostly); Tan or Fawn Tabby; Tiger Striped; ' +
      'Tortoiseshell; White; White (Mostly)',
    {
      black: 'Black (All)',
      tabby: 'Brown Tabby',
      'blue tabby': 'Gray, Blue or Silver Tabby',
      'gray tabby': 'Gray, Blue or Silver Tabby',
      'orange tabby': 'Orange or Red Tabby',
      'tan tabby': 'Tan or Fawn Tabby',
      tiger: 'Tiger Striped',
    },
  ),
  horse: new SiteWords(
    'Palomino; Gray; Dun; Cremello; Chestnut/Sorrel; Champagne; Buckskin; Black; Bay; Appy; Grullo; White; Roan; ' +
      'Perlino; Paint',
  ),
  bird: new SiteWords(
    'Gray; Green; Olive; Orange; Pink; Purple/Violet; Red; Rust; Tan; Buff; Yellow; White; Black; Blue; Brown',
  ),
  rabbit: new SiteWords(
    'Sable; Albino or Red-Eyed White; Blue; Black; Blond/Golden; Chinchilla; Chocolate; Cinnamon; Copper; Cream; ' +
      'Dutch; Fawn; Grey/Silver; Harlequin; Lilac; Multi; Orange; Red; Agouti; Siamese; Tan; Tortoise; Tri-color; White',
    { brown: 'Chocolate', tortoiseshell: 'Tortoise' },
  ),
  'small-furry': new SiteWords(
    'Yellow; White; Tortoiseshell; Tan or Beige; Silver or Gray; Sable; Red; Orange; Multi; Lilac; Golden; Cream; ' +
      'Calico; Buff; Brown or Chocolate; Blonde; Black; Albino or Red-Eyed White',
  ),
};

const HAIR: Partial<Readonly<Record<Species, readonly string[]>>> = {
  cat: ['short', 'medium', 'long'],
  rabbit: ['short', 'long'],
  'small-furry': ['hairless', 'short', 'medium', 'long'],
};

export const ADOPTAPET: ListingSite = { columns: COLUMNS, statuses: ['available'], rowOf };

/** The text of `import.cfg`: `#N:column=field`. The cells have the words of the site already. */
export function importConfig(): string {
  return COLUMNS.map((column, index) => `#${index + 1}:${column}=${column}\r\n`).join('');
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
    Color: colourWord(profile, species && COLOURS[species], problems),
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
    Cratetrained: oneOrZero(profile.isCrateTrained),
    HeartwormNegative: oneOrZero(profile.isHeartwormPositive === undefined ? undefined : !profile.isHeartwormPositive),
    HeartwormPositive: oneOrZero(profile.isHeartwormPositive),
    Leashtrained: oneOrZero(profile.isLeashTrained),
    IndoorOnly: oneOrZero(profile.isIndoorOnly),
    FIVPositive: oneOrZero(profile.isFivPositive),
    SpecialDietaryNeeds: oneOrZero(profile.hasSpecialDiet),
  };
  if (pet.status !== 'available') problems.refuse('status-not-listed');
  if (cells.Description === '') problems.note('story-missing');
  return { cells: COLUMNS.map((column) => cells[column]), problems: problems.all };
}

function breedCells({ profile }: ListingPet, problems: Problems): Pick<Record<Column, string>, 'Breed' | 'Breed2'> {
  const { species } = profile;
  const wordFor = (breed: string) => {
    const shared = species && sharedBreedName(species, breed);
    if (species === undefined || shared === undefined) return undefined;
    const isSized = species === 'dog' && (shared === 'Mixed Breed' || shared === 'Terrier');
    return isSized ? withSize(shared, profile.size) : (BREEDS[species]?.[shared] ?? shared);
  };
  const [Breed, Breed2] = breedWords(profile, { wordFor, isRequired: true }, problems);
  return { Breed, Breed2 };
}

/** The site has mixes and terriers by their size. */
function withSize(breed: 'Mixed Breed' | 'Terrier', size: ListingPet['profile']['size']): string {
  if (breed === 'Terrier') return `Terrier (Unknown Type, ${size === 'S' ? 'Small' : 'Medium'})`;
  if (size === 'S') return 'Mixed Breed (Small)';
  return size === 'L' || size === 'XL' ? 'Mixed Breed (Large)' : 'Mixed Breed (Medium)';
}

function oneOrZero(value: boolean | undefined): string {
  if (value === undefined) return '';
  return value ? '1' : '0';
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
