import { useState } from 'react';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import type { AboutPet } from '../../../api/web/first-view.ts';
import { ageOf, ageText } from '../../../api/web/age.ts';
import type { Site } from '../../../api/web/site.ts';
import { breedsOf } from '../../../api/words/words.ts';
import { useWords } from '../../texts/words.ts';
import type { Fact } from './fact-list.tsx';

type Profile = AboutPet['profile'];

export type WeighingSite = Pick<Site, 'weighsInPounds'>;

/** The fields that say with whom a pet gets along. */
export const COMPANION_FIELDS = ['goodWithChildren', 'goodWithDogs', 'goodWithCats', 'goodWithOthers'] as const;

export function useYesNo(): (value: boolean | undefined) => string | undefined {
  const t = useTranslations('profile.yesNo');
  return (value) => (value === undefined ? undefined : t(value ? 'yes' : 'no'));
}

/** Fields of a profile as visitors read them; undefined if they are unknown. */
export function useProfileWords({ profile, location }: Pick<AboutPet, 'profile' | 'location'>, site: WeighingSite) {
  const t = useTranslations('petPage.about');
  const format = useFormatter();
  const words = useWords();
  const { colours, pattern, intakeDate, isFostered } = profile;
  return {
    breed: useBreed(profile),
    age: useAge(profile),
    fee: useFee(profile),
    weight: useWeight(profile, site),
    colours: colours && format.list(colours.map(words.colour)),
    pattern: pattern && words.pattern(pattern),
    place: isFostered === true ? t('fostered') : location && [location.name, location.place].filter(Boolean).join(', '),
    since: intakeDate === undefined ? undefined : format.dateTime(dayOf(intakeDate), MONTH),
  };
}

/** The own fields that are public, or those that only staff see. */
export function useOwnFacts({ profile: { own = {} }, ownFields }: AboutPet, isPublic: boolean): readonly Fact[] {
  const yesNo = useYesNo();
  // The locale of the application has a region, such as en-GB.
  const isGerman = useLocale().startsWith('de');
  const format = useFormatter();
  const values = new Map(Object.entries(own));
  const textOf = ({ key, type, choices = [] }: AboutPet['ownFields'][number]) => {
    const value = values.get(key);
    if (typeof value === 'boolean') return yesNo(value);
    if (typeof value === 'number') return format.number(value);
    const day = type === 'date' && value !== undefined ? dayOf(value).getTime() : Number.NaN;
    // The type may have changed since the value was stored.
    if (!Number.isNaN(day)) return format.dateTime(day, LONG_DATE);
    return choices.find((choice) => choice.value === value)?.[isGerman ? 'labelDe' : 'labelEn'] ?? value;
  };
  return ownFields
    .filter((field) => field.isPublic === isPublic)
    .map((field) => [field.label[isGerman ? 'de' : 'en'], textOf(field)]);
}

/** The languages of the page and of the texts that have no other one. */
export function usePageOf({ language }: Pick<Site, 'language'>) {
  return { language: useLocale().startsWith('de') ? 'de' : 'en', textLanguage: language } as const;
}

/** The day of an arrival says nothing to visitors. */
const MONTH = { month: 'long', year: 'numeric', timeZone: 'UTC' } as const;

export const LONG_DATE = { dateStyle: 'long', timeZone: 'UTC' } as const;

/** @param date such as `2026-11-26` */
export function dayOf(date: string): Date {
  return new Date(`${date}T00:00:00Z`);
}

/** In the unit of the country: below 10 pounds, with whole ounces. */
function useWeight({ weightKg = 0 }: Profile, { weighsInPounds }: WeighingSite): string {
  const format = useFormatter();
  const text = (value: number, unit: 'kilogram' | 'pound' | 'ounce', maximumFractionDigits = 1) =>
    value > 0 ? format.number(value, { style: 'unit', unit, maximumFractionDigits }) : '';
  if (!weighsInPounds) return text(weightKg, 'kilogram', 2);
  const ounces = weightKg / 0.028_349_523_125;
  const whole = Math.round(ounces);
  if (whole >= 160) return text(ounces / 16, 'pound');
  return `${text(Math.floor(whole / 16), 'pound')} ${text(whole % 16, 'ounce')}`.trim();
}

function useBreed(profile: Profile): string | undefined {
  const t = useTranslations('petPage.about');
  const [first, second] = breedsOf(profile, useWords());
  if (first !== undefined) return second === undefined ? first : t('breeds', { first, second });
  return profile.breedIsMixed === true ? t('mixed') : undefined;
}

function useAge({ birthDate, birthDateIsEstimated }: Profile): string | undefined {
  const t = useTranslations('petPage.about');
  const locale = useLocale();
  const [nowMs] = useState(Date.now);
  if (birthDate === undefined) return undefined;
  const age = ageText(ageOf(birthDate, nowMs), locale);
  return birthDateIsEstimated === true ? t('ageAbout', { age }) : age;
}

function useFee({ feeAmount, feeCurrency, feeIsWaived }: Profile): string | undefined {
  const t = useTranslations('petPage.about');
  const format = useFormatter();
  const fee =
    feeAmount === undefined || feeAmount === 0 || feeCurrency === undefined
      ? undefined
      : format.number(feeAmount, { style: 'currency', currency: feeCurrency, trailingZeroDisplay: 'stripIfInteger' });
  if (feeIsWaived === true) return fee === undefined ? t('waived') : t('waivedUsually', { fee });
  return feeAmount === 0 ? t('noFee') : fee;
}
