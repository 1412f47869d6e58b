import { useFormatter, useTranslations } from 'use-intl';
import styles from './filters.module.css';
import type { ChoiceCount } from './pet-choices.ts';

/** How many pets there would be. The number alone is for the eye. */
export function LabelCount({ counted }: { counted: ChoiceCount | undefined }) {
  const t = useTranslations('catalogue.filters');
  const format = useFormatter();
  if (counted === undefined || (counted.count === 0 && !counted.exact)) return null;
  const { exact } = counted;
  const count = exact ? counted.count : roundDown(counted.count);
  return (
    <span className={styles['count']}>
      <span aria-hidden="true">{exact ? format.number(count) : t('atLeast', { count })}</span>
      <span className="visually-hidden">{t(exact ? 'count' : 'countAtLeast', { count })}</span>
    </span>
  );
}

/** To its first digit: what may be more is not told to the last. */
function roundDown(count: number): number {
  const unit = 10 ** (String(count).length - 1);
  return Math.floor(count / unit) * unit;
}
