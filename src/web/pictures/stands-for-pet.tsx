import { Star } from 'lucide-react';
import { useTranslations } from 'use-intl';
import rowStyles from './picture-row.module.css';

/** The first picture is the one in lists. */
export function StandsForPet() {
  const t = useTranslations('pictures');
  return (
    <span className={rowStyles['first']}>
      <Star size="1em" fill="currentColor" aria-hidden />
      {t('isFirst')}
    </span>
  );
}
