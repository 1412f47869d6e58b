import type { LabelName, TextLanguage } from '../../domain/organisation/organisation.ts';
import type { Profile } from '../../domain/pets/profile.ts';

/** How a language writes what shelters enter as text. What it does not know stays as it is. */
export interface Words {
  breed: (name: string, species: string | undefined) => string;
  colour: (name: string) => string;
  pattern: (name: string) => string;
  /** A category or a tag. */
  label: (name: string) => string;
  /** A mix of one breed, as `breed` returns it, such as `Boxer mix`. */
  mix: (breed: string) => string;
}

const asEntered = (name: string) => name;

export const ENGLISH_WORDS: Words = {
  breed: asEntered,
  colour: asEntered,
  pattern: asEntered,
  label: asEntered,
  mix: (breed) => `${breed} mix`,
};

/** The names of categories and tags that an organisation has given in each language. */
export type LabelNames = Readonly<Partial<Record<TextLanguage, readonly LabelName[]>>>;

/** The words, with the names that the organisation has given. */
export function withLabels<T extends Words>(words: T, names: readonly LabelName[] = []): T {
  if (names.length === 0) return words;
  const given = new Map(names.map(({ name, translation }) => [name, translation]));
  return { ...words, label: (name: string) => given.get(name) ?? words.label(name) };
}

/** Names of breeds that say that the pet is mixed, such as `Mixed breed`, `Labrador mix` and `Mischling`. */
const SAYS_MIXED = /mix|mischling/i;

/** The known breeds of a pet in words: two, one, such as `Boxer` or `Boxer mix`, or none. */
export function breedsOf(profile: Profile, words: Words): readonly string[] {
  const { species, breedPrimary, breedSecondary, breedIsMixed } = profile;
  const breeds = [breedPrimary, breedSecondary]
    .filter((breed) => breed !== undefined)
    .map((breed) => words.breed(breed, species));
  const [only = ''] = breeds;
  return breeds.length === 1 && breedIsMixed === true && !SAYS_MIXED.test(only) ? [words.mix(only)] : breeds;
}
