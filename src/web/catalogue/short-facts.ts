import { use, useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { cardMarks, shortFacts, type CardMark } from '../../api/web/short-facts.ts';
import { useWords } from '../texts/words.ts';
import type { Profile } from './arrivals.ts';
import { PlacesContext } from './places.ts';

interface ShortFacts {
  facts: readonly string[];
  marks: readonly CardMark[];
}

/** The facts of a pet in a few words, and what else families should notice. */
export function useShortFacts(profile: Profile = {}, category?: string): ShortFacts {
  const t = useTranslations('pet.facts');
  const locale = useLocale();
  const [nowMs] = useState(Date.now);
  const words = { ...useWords(), female: t('female'), male: t('male') };
  const place = use(PlacesContext)[profile.location ?? ''];
  const facts = shortFacts(profile, words, { locale, nowMs, category: category && words.label(category) });
  return { facts: place === undefined ? facts : [...facts, place], marks: cardMarks(profile, nowMs) };
}
