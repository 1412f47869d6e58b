import { useFormatter, useTranslations } from 'use-intl';
import { bootstrap } from '../../service/bootstrap.ts';
import { useLanguage } from '../../texts/loaded-texts.ts';
import { useWords } from '../../texts/words.ts';
import type { ProfileProblem } from './profile-check.ts';
import { inputOf, isOwn, typeOf, type InputName, type Inputs, type OwnField } from './profile-inputs.ts';
import { weightWithUnit } from './weight-input.ts';

export function useLabelOf(ownFields: readonly OwnField[]): (name: InputName) => string {
  const t = useTranslations('profile.field');
  const language = useLanguage();
  return (name) => {
    if (!isOwn(name)) return t(name);
    const key = name.slice('own/'.length);
    return ownFields.find((field) => field.key === key)?.label[language] ?? key;
  };
}

/** Describes a problem in the language of the page, or with the message of the service for an unknown rule. */
export function useProfileProblemText(): (problem: ProfileProblem) => string {
  const t = useTranslations('profileForm.problem');
  return ({ rule, max, message }) => t(rule, { max, message });
}

/** The value of a field in words; undefined if it has none. */
export function useValueText(ownFields: readonly OwnField[]): (name: InputName, inputs: Inputs) => string | undefined {
  const t = useTranslations('profile');
  const language = useLanguage();
  const format = useFormatter();
  const words = useWords();
  return (name, inputs) => {
    const text = inputOf(inputs, name);
    if (name === 'isPublished') return t(text === 'no' ? 'visibility.draft' : 'visibility.published');
    if (text === '') return undefined;
    const own = ownFields.find(({ key }) => name === `own/${key}`);
    const type = isOwn(name) ? own?.type : typeOf(name);
    if (type === 'yes-no' || type === 'yes-no-unknown') return t(text === 'yes' ? 'yesNo.yes' : 'yesNo.no');
    if (type === 'date')
      return format.dateTime(new Date(`${text}T00:00:00Z`), { dateStyle: 'medium', timeZone: 'UTC' });
    if (name === 'weightKg') return weightWithUnit(text, weightUnit());
    if (type === 'breed') return words.breed(text, inputs.species || undefined);
    if (name === 'pattern') return words.pattern(text);
    if (name === 'colours') return format.list(text.split(',').map((colour) => words.colour(colour.trim())));
    if (type === 'word') return t(`${name}.${text}` as 'species.dog');
    const choice = own?.choices?.find(({ value }) => value === text);
    return (language === 'de' ? choice?.labelDe : choice?.labelEn) ?? text;
  };
}

export function weightUnit(): 'kg' | 'lb' {
  return bootstrap.site.weighsInPounds ? 'lb' : 'kg';
}

/** Fields that are about something that a pet may have. The others are facts, which are unknown if they are absent. */
const MAY_BE_NONE: ReadonlySet<InputName> = new Set([
  ...(['breedSecondary', 'specialNeedsNote', 'microchip', 'medicalNote', 'unit', 'bondedWith', 'holdUntil'] as const),
  ...(['summaryEn', 'descriptionEn', 'summaryDe', 'descriptionDe'] as const),
  ...(['summary', 'description', 'feeAmount', 'feeCurrency', 'videoUrls', 'externalId'] as const),
]);

/** Like `useValueText`, with a word for an absent value. */
export function useValueOrAbsence(ownFields: readonly OwnField[]): (name: InputName, inputs: Inputs) => string {
  const t = useTranslations('profile');
  const valueText = useValueText(ownFields);
  return (name, inputs) => valueText(name, inputs) ?? t(MAY_BE_NONE.has(name) ? 'absent' : 'yesNo.unknown');
}
