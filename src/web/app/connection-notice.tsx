import { useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl';
import styles from './shell.module.css';

/** Lies over the page, and says that the device is offline: what is seen may be old. */
export function ConnectionNotice() {
  const t = useTranslations('app');
  const isOnline = useSyncExternalStore(followConnection, () => navigator.onLine);
  return <div role="status">{!isOnline && <p className={styles['offline']}>{t('offline')}</p>}</div>;
}

function followConnection(onChange: () => void): () => void {
  window.addEventListener('online', onChange);
  window.addEventListener('offline', onChange);
  return () => {
    window.removeEventListener('online', onChange);
    window.removeEventListener('offline', onChange);
  };
}
