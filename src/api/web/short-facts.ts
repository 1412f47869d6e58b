import type { Profile } from '../../domain/pets/profile.ts';
import { ageOf, ageText, SAYS_MIXED } from './age-and-breed.ts';

/** The words of a language. */
export interface FactWords {
  female: string;
  male: string;
  /** Of one known breed, such as `Boxer mix`. */
  mix: (breed: string) => string;
}

interface Shown {
  locale: string;
  nowMs: number;
}

/** The facts by which adopters choose, such as `Boxer mix`, `female` and `2 years`. */
export function shortFacts(profile: Profile, words: FactWords, { locale, nowMs }: Shown): readonly string[] {
  const { breedPrimary, breedSecondary, breedIsMixed, sex, birthDate } = profile;
  const breeds = [breedPrimary, breedSecondary].filter((breed) => breed !== undefined);
  const [only] = breeds;
  return [
    ...(only !== undefined && breeds.length === 1 && breedIsMixed === true
      ? [SAYS_MIXED.test(only) ? only : words.mix(only)]
      : [breeds.join(' / ')]),
    ...(sex === undefined || sex === 'unknown' ? [] : [words[sex]]),
    ...(birthDate === undefined ? [] : [ageText(ageOf(birthDate, nowMs), locale)]),
  ].filter((fact) => fact !== '');
}
