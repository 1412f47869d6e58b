import { useTranslations } from 'use-intl';
import { PET_LIMITS } from '../../api/pet-schemas.ts';
import type { Problem } from './pet-check.ts';

/** Says what is wrong with a field, in the reader's language; in the words of the service where we know of no such rule. */
export function useProblemText(): (problem: Problem) => string {
  const t = useTranslations('editing.problem');
  return ({ field, rule, tag, message }) => {
    if (field === undefined || rule === 'other') return t('other', { message });
    if (field === 'photoUrls') return t('pictures', { max: PET_LIMITS.photoUrls });
    if (rule === 'missing') return t('missing');
    if (rule === 'tooMany') return t('tooManyTags', { max: PET_LIMITS.tags });
    const about = tag === undefined ? 'text' : 'tag';
    return t(`${rule}.${about}`, { max: PET_LIMITS.nameLength, tag: shortened(tag ?? '') });
  };
}

const LONGEST_SHOWN = 40;

function shortened(text: string): string {
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}
