import { useFormatter, useTranslations } from 'use-intl';
import type { FieldName, PetFields } from '../pet-fields.ts';
import { tagKey } from './three-way.ts';

/** Says what a field holds. */
export function useFieldText(): (field: FieldName, fields: PetFields) => string {
  const t = useTranslations();
  const format = useFormatter();
  const nothing = t('editing.conflict.nothing');
  return (field, { name, status, category, tags }) => {
    if (field === 'name') return name;
    if (field === 'status') return t(`pet.status.${status ?? 'none'}`);
    if (field === 'category') return category === null ? nothing : tagKey(category);
    return tags.length === 0 ? nothing : format.list(tags.map(tagKey), { type: 'unit' });
  };
}
