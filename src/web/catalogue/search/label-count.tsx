import { useFormatter, useTranslations } from 'use-intl';
import styles from './filters.module.css';

/** How many pets have it. The number alone is for the eye. */
export function LabelCount({ count }: { count: number | undefined }) {
  const t = useTranslations('catalogue.filters');
  const format = useFormatter();
  if (count === undefined) return null;
  return (
    <span className={styles['count']}>
      <span aria-hidden="true">{format.number(count)}</span>
      <span className="visually-hidden">{t('count', { count })}</span>
    </span>
  );
}
