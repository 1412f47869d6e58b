import { useTranslations } from 'use-intl';
import { useLanguage } from '../../texts/loaded-texts.ts';
import type { ProfileProblem } from './profile-check.ts';
import { isOwn, type InputName, type OwnField } from './profile-inputs.ts';

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
