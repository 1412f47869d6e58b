import { Outlet } from '@tanstack/react-router';
import { useRef } from 'react';
import { useTranslations } from 'use-intl';
import { bootstrap } from '../service/bootstrap.ts';
import { ConnectionNotice } from './connection-notice.tsx';
import { useFocusOnArrival } from './focus-on-arrival.ts';
import { Footer } from './footer.tsx';
import { useLiveChanges } from './live-changes.ts';
import { LoginAgain } from './login-again.tsx';
import { Navigation } from './navigation.tsx';
import { NoticeArea } from './notice-area.tsx';
import styles from './shell.module.css';

/** What every page stands in. */
export function Shell() {
  const t = useTranslations('app');
  const main = useRef<HTMLElement>(null);
  useFocusOnArrival(main);
  useLiveChanges();
  return (
    <div className={styles['shell']}>
      <a className={styles['skip']} href="#content">
        {t('skip')}
      </a>
      <Navigation />
      {bootstrap.access === 'sandbox' && (
        <p className={styles['notice']} role="note">
          {t('sandbox')}
        </p>
      )}
      <ConnectionNotice />
      <main ref={main} id="content" tabIndex={-1} className={styles['main']}>
        <Outlet />
      </main>
      <Footer />
      <NoticeArea />
      <LoginAgain />
    </div>
  );
}
