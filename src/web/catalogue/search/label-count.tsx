import { useFormatter, useTranslations } from 'use-intl';
import styles from './filters.module.css';
import type { ChoiceCount } from './pet-choices.ts';

/** How many pets there would be, where that is known exactly. The number alone is for the eye. */
export function LabelCount({ counted }: { counted: ChoiceCount | undefined }) {
  const t = useTranslations('catalogue.filters');
  const format = useFormatter();
  if (counted?.exact !== true) return null;
  const { count } = counted;
  return (
    <span className={styles['count']}>
      <span aria-hidden="true">{format.number(count)}</span>
      <span className="visually-hidden">{t('count', { count })}</span>
    </span>
  );
}
