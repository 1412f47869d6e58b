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
    const isArrival = before.current !== path && before.current !== undefined;
    before.current = path;
    return isArrival && main.current !== null ? keepAtHeading(main.current) : undefined;
  }, [path, main]);
}

/**
 * A page whose pet is still being loaded gets its heading later, or another one: the focus would be lost with the first. It is brought there until the
 * reader does something. @returns ends it
 */
function keepAtHeading(main: HTMLElement): () => void {
  const bring = () => (main.querySelector('h1') ?? main).focus({ preventScroll: true });
  const observer = new MutationObserver(() => {
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body || activeElement === main) bring();
  });
  const end = () => {
    observer.disconnect();
    for (const event of ['keydown', 'pointerdown']) document.removeEventListener(event, end, true);
  };
  for (const event of ['keydown', 'pointerdown']) document.addEventListener(event, end, true);
  observer.observe(main, { childList: true, subtree: true });
  bring();
  return end;
}
