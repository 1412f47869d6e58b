import { useTranslations } from 'use-intl';
import styles from './select-mode.module.css';
import { toggleSelecting, useIsSelecting } from './selection.ts';

/** Shows the controls of all cards, on screens without a pointer that could hover over one. */
export function SelectMode() {
  const t = useTranslations('staff.selection');
  const isSelecting = useIsSelecting();
  return (
    <button type="button" className={styles['button']} aria-pressed={isSelecting} onClick={toggleSelecting}>
      {t('mode')}
    </button>
  );
}
