import { useRouterState, Outlet } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useTranslations } from 'use-intl';
import { bootstrap } from '../service/bootstrap.ts';
import { ConnectionNotice } from './connection-notice.tsx';
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

/** A page that is come to by a link begins at its heading, for those who do not see that it has changed. */
function useFocusOnArrival(main: React.RefObject<HTMLElement | null>): void {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path || before.current === undefined) {
      before.current = path;
      return;
    }
    before.current = path;
    const heading = main.current?.querySelector('h1');
    (heading ?? main.current)?.focus({ preventScroll: true });
  }, [path, main]);
}
