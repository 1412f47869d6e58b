import { Eye, EyeOff } from 'lucide-react';
import { useTranslations } from 'use-intl';
import styles from './status-field.module.css';

interface VisibilityFieldProps {
  id: string;
  isDraft: boolean;
  onChange: (isDraft: boolean) => void;
}

const CHOICES = [
  { isDraft: true, name: 'off', tone: 'pending', Icon: EyeOff },
  { isDraft: false, name: 'on', tone: 'available', Icon: Eye },
] as const;

/** Radio buttons: who sees the pet. */
export function VisibilityField({ id, isDraft: chosen, onChange }: VisibilityFieldProps) {
  const t = useTranslations();
  return (
    <fieldset className={styles['group']}>
      <legend className={styles['legend']}>{t('profile.field.isPublished')}</legend>
      <div className={styles['cards']}>
        {CHOICES.map(({ isDraft, name, tone, Icon }) => (
          <label key={name} className={styles['card']} data-status={tone}>
            <input
              type="radio"
              name={id}
              id={isDraft === chosen ? id : undefined}
              checked={isDraft === chosen}
              onChange={() => onChange(isDraft)}
              className="covering"
            />
            <span className={styles['mark']}>
              <Icon size="1em" aria-hidden />
            </span>
            <span className={styles['name']}>{t(`profileForm.published.${name}`)}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
