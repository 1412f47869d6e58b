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
  /** The name of the category, instead of an unknown breed. */
  category?: string | undefined;
}

/** The facts by which adopters choose, such as `2 years`, `Boxer mix` and `female`. A short line cuts the last ones. */
export function shortFacts(
  profile: Profile,
  words: FactWords,
  { locale, nowMs, category = '' }: Shown,
): readonly string[] {
  const { sex, birthDate } = profile;
  return [
    ...(birthDate === undefined ? [] : [ageText(ageOf(birthDate, nowMs), locale)]),
    breedsOf(profile, words).join(' / ') || category,
    ...(sex === undefined || sex === 'unknown' ? [] : [words[sex]]),
  ].filter((fact) => fact !== '');
}

const DAY_MS = 24 * 3_600_000;
const NEW_DAYS = 14;
const LONG_DAYS = 180;

export type CardMark = 'bonded' | 'new' | 'waiting';

/** What families should notice about a pet that looks for a home. */
export function cardMarks({ bondedWith = [], intakeDate }: Profile, nowMs: number): readonly CardMark[] {
  const days = (nowMs - Date.parse(intakeDate ?? '')) / DAY_MS;
  return [
    ...(bondedWith.length > 0 ? ['bonded' as const] : []),
    ...(days < NEW_DAYS ? ['new' as const] : []),
    ...(days >= LONG_DAYS ? ['waiting' as const] : []),
  ];
}
