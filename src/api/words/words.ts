import type { Profile } from '../../domain/pets/profile.ts';

/** How a language writes the breeds and colours that shelters enter. What it does not know stays as it is. */
export interface Words {
  breed: (name: string, species: string | undefined) => string;
  colour: (name: string) => string;
  pattern: (name: string) => string;
  /** A mix of one breed, as `breed` returns it, such as `Boxer mix`. */
  mix: (breed: string) => string;
}

const asEntered = (name: string) => name;

export const ENGLISH_WORDS: Words = {
  breed: asEntered,
  colour: asEntered,
  pattern: asEntered,
  mix: (breed) => `${breed} mix`,
};

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
