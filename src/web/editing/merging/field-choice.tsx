import { useTranslations, useFormatter } from 'use-intl';
import type { FieldName, PetFields } from '../form-state/pet-fields.ts';
import { mergeVersions, tagKey, type Choice, type ThreeVersions } from '../form-state/three-way-merge.ts';
import styles from './conflict-dialog.module.css';

interface FieldChoiceProps {
  field: FieldName;
  versions: ThreeVersions;
  choice: Choice;
  onChoose: (choice: Choice) => void;
}

/** The previous value of a field, and the choice between the two new ones. */
export function FieldChoice({ field, versions, choice, onChoose }: FieldChoiceProps) {
  const t = useTranslations('editing');
  const fieldText = useFieldText();
  const sides: readonly Choice[] = field === 'tags' ? ['both', 'mine', 'theirs'] : ['mine', 'theirs'];
  return (
    <fieldset className={styles['field']}>
      <legend>{t(`field.${field}`)}</legend>
      <p className={styles['was']}>{t('conflict.was', { value: fieldText(field, versions.base) })}</p>
      <div className={styles['sides']}>
        {sides.map((side) => (
          <label key={side} className={styles['side']}>
            <input
              type="radio"
              name={`conflict-${field}`}
              checked={choice === side}
              onChange={() => onChoose(side)}
              data-autofocus={choice === side || undefined}
            />
            <span className="soft small">{t(`conflict.${side}`)}</span>
            <span className={styles['value']}>{fieldText(field, mergeVersions(versions, { [field]: side }))}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

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
