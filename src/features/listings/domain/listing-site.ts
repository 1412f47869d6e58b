import type { PetStatus } from '../../../domain/pets/pet.ts';
import type { Profile } from '../../../domain/pets/profile.ts';
import type { ListingPet, ListingPhoto } from './listing-pet.ts';
import type { SiteWords } from './site-words.ts';

export const SITE_IDS = ['petfinder', 'adoptapet', 'rescuegroups', 'open'] as const;

export type SiteId = (typeof SITE_IDS)[number];

/**
 * Why a site refuses a pet, or gets less of it, with the field of the profile that solves the problem. Undefined if no
 * such field does.
 */
const PROBLEM_FIELDS = {
  'status-not-listed': undefined,
  'name-missing': undefined,
  'name-too-long': undefined,
  'species-missing': 'species',
  'breed-missing': 'breedPrimary',
  'breed-unknown': 'breedPrimary',
  'second-breed-unknown': 'breedSecondary',
  'sex-missing': 'sex',
  'age-missing': 'birthDate',
  'size-missing': 'size',
  'size-derived': 'size',
  'colour-unknown': 'colours',
  'fee-currency-missing': 'feeCurrency',
  'fee-currency-unknown': 'feeCurrency',
  'story-missing': 'description',
  'photo-missing': undefined,
  'photo-too-small': undefined,
  'photo-not-public': undefined,
} as const satisfies Readonly<Record<string, keyof Profile | undefined>>;

export type ProblemCode = keyof typeof PROBLEM_FIELDS;

export const PROBLEM_CODES = Object.keys(PROBLEM_FIELDS) as readonly ProblemCode[];

export type ProblemField = NonNullable<(typeof PROBLEM_FIELDS)[ProblemCode]>;

export function fieldOfProblem(code: ProblemCode): ProblemField | undefined {
  return PROBLEM_FIELDS[code];
}

export interface ListingProblem {
  code: ProblemCode;
  /** Whether the site refuses the pet. Otherwise it gets the pet without this value. */
  isRefusal: boolean;
  /** The value that the site does not know. */
  value?: string;
}

/** The row of a pet, and what the site will not accept of it. */
export interface SiteRow {
  /** In the order of the columns. */
  cells: readonly string[];
  problems: readonly ListingProblem[];
}

/** The rules of a listing site that reads tables. */
export interface ListingSite {
  columns: readonly string[];
  /** The statuses of pets that it lists. All others leave its table. */
  statuses: readonly PetStatus[];
  /** A pure function: the page shows the problems before the row is sent. */
  rowOf: (pet: ListingPet, nowMs: number) => SiteRow;
}

export function isRefused({ problems }: Pick<SiteRow, 'problems'>): boolean {
  return problems.some((problem) => problem.isRefusal);
}

/** Collects the problems of one pet. */
export class Problems {
  readonly all: ListingProblem[] = [];

  refuse(code: ProblemCode, value?: string): void {
    this.#add(code, true, value);
  }

  note(code: ProblemCode, value?: string): void {
    this.#add(code, false, value);
  }

  #add(code: ProblemCode, isRefusal: boolean, value: string | undefined): void {
    this.all.push({ code, isRefusal, ...(value !== undefined && { value }) });
  }

  /** @returns the value, or an empty cell for a missing one */
  required(value: string | undefined, code: ProblemCode): string {
    if (value === undefined || value === '') this.refuse(code);
    return value ?? '';
  }
}

/** @param shortestSide in pixels */
interface PhotoRules {
  most: number;
  shortestSide: number;
}

export function photoUrls(
  { photos }: Pick<ListingPet, 'photos'>,
  { most, shortestSide }: PhotoRules,
  problems: Problems,
): readonly string[] {
  const isTooSmall = ({ pixels }: ListingPhoto) =>
    pixels !== undefined && Math.min(pixels.width, pixels.height) < shortestSide;
  const reachable = photos.filter(({ url }) => /^https?:\/\//i.test(url));
  const usable = reachable.filter((photo) => !isTooSmall(photo));
  if (reachable.length < photos.length) problems.note('photo-not-public');
  if (usable.length < reachable.length) problems.note('photo-too-small');
  if (photos.length === 0) problems.note('photo-missing');
  return usable.slice(0, most).map(({ url }) => url);
}

/** The words of a site for the colours of a pet. Colours that it does not know are left out. */
export function colourWords(
  { colours = [] }: Profile,
  words: SiteWords | undefined,
  problems: Problems,
): readonly string[] {
  if (words === undefined) return [];
  const found = colours.map((colour) => words.find(colour));
  for (const [index, none] of found.entries()) if (none.length === 0) problems.note('colour-unknown', colours[index]);
  return [...new Set(found.flat())];
}

/** For a site with one colour for each pet, which has words for common pairs. */
export function colourWord(profile: Profile, words: SiteWords | undefined, problems: Problems): string {
  const pair = words?.findWhole((profile.colours ?? []).slice(0, 2).join(' and '));
  return pair ?? colourWords(profile, words, problems)[0] ?? '';
}

interface BreedRules {
  /** The word of the site for a breed; undefined for one that it does not know. */
  wordFor: (breed: string) => string | undefined;
  /** Whether the site refuses a pet without a breed. */
  isRequired: boolean;
}

/** The first and the second breed. An unknown second breed is left out. Without a species, any breed may be known. */
export function breedWords(
  { species, breedPrimary, breedSecondary }: Profile,
  { wordFor, isRequired }: BreedRules,
  problems: Problems,
): readonly [first: string, second: string] {
  const first = breedPrimary === undefined ? undefined : wordFor(breedPrimary);
  const second = breedSecondary === undefined ? undefined : wordFor(breedSecondary);
  if (breedPrimary === undefined && isRequired) problems.refuse('breed-missing');
  if (species !== undefined) {
    if (breedPrimary !== undefined && first === undefined) problems.refuse('breed-unknown', breedPrimary);
    if (breedSecondary !== undefined && second === undefined) problems.note('second-breed-unknown', breedSecondary);
  }
  return [first ?? '', second ?? ''];
}
