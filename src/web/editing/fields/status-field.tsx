import { useTranslations } from 'use-intl';
import { FieldNotes } from '../../design/fields/field.tsx';
import { StatusMark } from '../../design/badge.tsx';
import type { PetStatus } from '../../service/queries.ts';
import styles from './status-field.module.css';

interface StatusFieldProps {
  id: string;
  status: PetStatus | null;
  onChange: (status: PetStatus | null) => void;
  error: string | undefined;
}

const CHOICES = ['available', 'pending', 'sold', null] as const;

/** Radio buttons: one of the three statuses, or none. */
export function StatusField({ id, status, onChange, error }: StatusFieldProps) {
  const t = useTranslations();
  return (
    <fieldset className={styles['group']} aria-describedby={error === undefined ? undefined : `${id}-error`}>
      <legend className={styles['legend']}>{t('editing.field.status')}</legend>
      <div className={styles['cards']}>
        {CHOICES.map((each) => (
          <label key={each ?? 'none'} className={styles['card']} data-status={each ?? 'none'}>
            <input
              type="radio"
              name={id}
              id={each === status ? id : undefined}
              checked={each === status}
              onChange={() => onChange(each)}
              className="covering"
            />
            <span className={styles['mark']}>{each !== null && <StatusMark status={each} />}</span>
            <span className={styles['name']}>{t(`pet.status.${each ?? 'none'}`)}</span>
            <span className={styles['hint']}>{t(`editing.status.${each ?? 'none'}`)}</span>
          </label>
        ))}
      </div>
      <FieldNotes id={id} error={error} />
    </fieldset>
  );
}
