import { useTranslations } from 'use-intl';
import type { FieldName } from '../pet-fields.ts';
import { useFieldText } from './field-text.ts';
import { mergeVersions, type Choice, type ThreeVersions } from './three-way.ts';
import styles from './conflict-dialog.module.css';

interface FieldChoiceProps {
  field: FieldName;
  versions: ThreeVersions;
  choice: Choice;
  onChoose: (choice: Choice) => void;
}

/** What a field was, what each of two has made of it, and which it is to be. */
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
            <span className={styles['whose']}>{t(`conflict.${side}`)}</span>
            <span className={styles['value']}>{fieldText(field, mergeVersions(versions, { [field]: side }))}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
