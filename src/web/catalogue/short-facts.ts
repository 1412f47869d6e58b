import { useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { shortFacts } from '../../api/web/short-facts.ts';
import { useWords } from '../texts/words.ts';
import type { Profile } from './arrivals.ts';

/** The facts of a pet in a few words. Without a breed, its category comes first. */
export function useShortFacts(profile: Profile = {}, category = ''): readonly string[] {
  const t = useTranslations('pet.facts');
  const locale = useLocale();
  const [nowMs] = useState(Date.now);
  const words = { ...useWords(), female: t('female'), male: t('male') };
  const facts = shortFacts(profile, words, { locale, nowMs });
  const hasBreed = profile.breedPrimary !== undefined || profile.breedSecondary !== undefined;
  return hasBreed || category === '' ? facts : [words.label(category), ...facts];
}
