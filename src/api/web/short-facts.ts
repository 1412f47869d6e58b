import type { Profile } from '../../domain/pets/profile.ts';
import { breedsOf, type Words } from '../words/words.ts';
import { ageOf, ageText } from './age.ts';

export interface FactWords extends Words {
  female: string;
  male: string;
}

interface Shown {
  locale: string;
  nowMs: number;
}

/** The facts by which adopters choose, such as `Boxer mix`, `female` and `2 years`. */
export function shortFacts(profile: Profile, words: FactWords, { locale, nowMs }: Shown): readonly string[] {
  const { sex, birthDate } = profile;
  return [
    breedsOf(profile, words).join(' / '),
    ...(sex === undefined || sex === 'unknown' ? [] : [words[sex]]),
    ...(birthDate === undefined ? [] : [ageText(ageOf(birthDate, nowMs), locale)]),
  ].filter((fact) => fact !== '');
}
