import { useFormatter, useTranslations } from 'use-intl';
import { useLanguage } from '../../texts/loaded-texts.ts';
import type { ProfileProblem } from './profile-check.ts';
import { inputOf, isOwn, typeOf, type InputName, type Inputs, type OwnField } from './profile-inputs.ts';

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

/** The value of a field in words; undefined if it is unknown. */
export function useValueText(ownFields: readonly OwnField[]): (name: InputName, inputs: Inputs) => string | undefined {
  const t = useTranslations('profile');
  const pet = useTranslations('pet');
  const language = useLanguage();
  const format = useFormatter();
  return (name, inputs) => {
    const text = inputOf(inputs, name);
    if (text === '') return undefined;
    const own = ownFields.find(({ key }) => name === `own/${key}`);
    if (name === 'isPublished') return pet('draft');
    const type = isOwn(name) ? own?.type : typeOf(name);
    if (type === 'yes-no' || type === 'yes-no-unknown') return t(text === 'yes' ? 'yesNo.yes' : 'yesNo.no');
    if (type === 'date')
      return format.dateTime(new Date(`${text}T00:00:00Z`), { dateStyle: 'medium', timeZone: 'UTC' });
    if (type === 'word') return t(`${name}.${text}` as 'species.dog');
    const choice = own?.choices?.find(({ value }) => value === text);
    return (language === 'de' ? choice?.labelDe : choice?.labelEn) ?? text;
  };
}
