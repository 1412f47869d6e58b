import { Button } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { Work } from './bulk-work.ts';
import styles from '../selection-bar.module.css';

/** How far the change of many pets has come. */
export function ProgressOfWork({ work: { isUndo, share, count, stop } }: { work: Work }) {
  const t = useTranslations('staff.bulk');
  const text = t(isUndo ? 'undoing' : 'working', { count });
  return (
    <>
      <p role="status" className={styles['working']}>
        {text}
      </p>
      <progress className={styles['progress']} value={share} aria-label={text} />
      <Button variant="default" onClick={stop}>
        {t('stop')}
      </Button>
    </>
  );
}
