import { useId } from 'react';
import { useTranslations } from 'use-intl';
import type { AccessMode } from '../../api/web/bootstrap.ts';
import styles from '../administration/administration.module.css';

interface AccessFieldProps {
  choices: readonly AccessMode[];
  access: AccessMode;
  onChange: (access: AccessMode) => void;
}

/** Radio buttons for the access modes, with a sentence each. A single mode was chosen by a flag or a variable. */
export function AccessField({ choices, access, onChange }: AccessFieldProps) {
  const t = useTranslations('setup');
  const group = useId();
  if (choices.length < 2) return <p className={styles['text']}>{t('accessFixed')}</p>;
  return (
    <fieldset className={styles['roles']}>
      <legend>{t('access')}</legend>
      {choices.map((each) => (
        <label key={each} className={styles['role']}>
          <input
            type="radio"
            name={group}
            checked={each === access}
            aria-describedby={`${group}-${each}`}
            onChange={() => onChange(each)}
          />
          <strong>{t(`modes.${each}.name`)}</strong>
          <span id={`${group}-${each}`}>{t(`modes.${each}.text`)}</span>
        </label>
      ))}
    </fieldset>
  );
}
