import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { useTranslations } from 'use-intl';
import { bootstrap } from '../service/bootstrap.ts';
import { useRouteFocus } from './route-focus.ts';
import { Header } from '../design/header.tsx';
import { Navigation } from './navigation.tsx';
import footer from './footer.module.css';
import styles from './shell.module.css';
import { useTopDialog } from '../design/top-dialog.ts';
import { subscribeToNotices, shownNotices, type Notice } from '../design/notices.ts';
import { extraPart, firstIdle, useOnline } from '../service/browser.ts';
import { shownPrompt, subscribeToPrompt } from '../service/reauthentication.ts';
import { useCurrentUser, usePermissions } from '../service/current-user.ts';

/** The frame of every page. */
export function Shell() {
  const t = useTranslations('app');
  const main = useRef<HTMLElement>(null);
  // Before its results, the catalogue has dozens of filters.
  const isCatalogue = useRouterState({ select: ({ location }) => location.pathname === '/' });
  useRouteFocus(main);
  const { writePets } = usePermissions();
  const prompt = useSyncExternalStore(subscribeToPrompt, shownPrompt);
  const isRestricted = useCurrentUser()?.needsSecondFactor;
  useLiveChanges(writePets);
  return (
    <div className={styles['shell']}>
      <a className={styles['skip']} href="#content">
        {t('skip')}
      </a>
      {isCatalogue && !isRestricted && (
        <a className={styles['skip']} href="#results">
          {t('skipToResults')}
        </a>
      )}
      <Header {...bootstrap}>{(bootstrap.setup ?? isRestricted) ? <></> : <Navigation />}</Header>
      <ConnectionNotice />
      <main ref={main} id="content" tabIndex={-1} className={styles['main']}>
        {isRestricted ? (
          <Suspense>
            <RequiredFactorPage />
          </Suspense>
        ) : (
          <Outlet />
        )}
      </main>
      <footer className={footer['footer']}>
        <Suspense>
          <FooterContent />
        </Suspense>
      </footer>
      <NoticeArea isForStaff={writePets} />
      {writePets && (
        <Suspense>
          <ReportMissingUploads />
        </Suspense>
      )}
      {prompt && (
        <Suspense>
          <LoginAgainDialog {...prompt} />
        </Suspense>
      )}
    </div>
  );
}

/** Over the page, when the session has ended while the user works, or needs a proof. */
const LoginAgainDialog = lazy(async () => ({
  default: (await import('../account/entry/login-again-dialog.tsx')).LoginAgainDialog,
}));

/** Shown instead of every page, for users who must set up or prove a second factor first. */
const RequiredFactorPage = lazy(async () => ({
  default: (await import('../account/required-factor-page.tsx')).RequiredFactorPage,
}));

/** Shown to those who may change pets. Only their browsers load the code. */
const ReportMissingUploads = extraPart(async () => (await import('../photos/use-uploads.ts')).ReportMissingUploads);

/** It starts below the screen, so nothing moves when its code arrives. */
const FooterContent = extraPart(async () => (await import('./footer.tsx')).FooterContent);

const loadNotices = () => import('./notice-list.tsx');

const NoticeList = lazy(async () => ({
  default: await loadNotices().then(
    (parts) => parts.NoticeList,
    () => PlainNotices,
  ),
}));

/** For a user who went offline before the code was loaded. */
function PlainNotices({ notices }: { notices: readonly Notice[] }) {
  return <div role="alert">{notices.at(-1)?.text}</div>;
}

/**
 * Shows notices, in the topmost dialog if one is open: everything outside of it is inert. Their code is loaded with the
 * first one, because most visitors never see any. For staff it is loaded earlier, as a change that fails offline shows
 * one.
 */
function NoticeArea({ isForStaff }: { isForStaff: boolean }) {
  const area = useRef<HTMLDivElement>(null);
  // Moved as a whole: timers of notices go on.
  const [host] = useState(() => document.createElement('div'));
  const dialog = useTopDialog();
  useLayoutEffect(() => (dialog ?? area.current)?.append(host), [dialog, host]);
  useEffect(() => {
    if (isForStaff) void firstIdle().then(() => loadNotices().catch(() => {}));
  }, [isForStaff]);
  const notices = useSyncExternalStore(subscribeToNotices, shownNotices);
  const [isWanted, setIsWanted] = useState(false);
  // It stays mounted: a live region announces changes only.
  if (notices.length > 0 && !isWanted) setIsWanted(true);
  return (
    <div ref={area}>{createPortal(<Suspense>{isWanted && <NoticeList notices={notices} />}</Suspense>, host)}</div>
  );
}

/** Shown while the device is offline: the content may be outdated. */
function ConnectionNotice() {
  const t = useTranslations('app');
  const isOnline = useOnline();
  return <div role="status">{!isOnline && <p className={styles['offline']}>{t('offline')}</p>}</div>;
}

/** The photos of the page are loaded first. */
const LIVE_CHANGES_DELAY_MS = 1000;

/** Shows the changes of other users to those who may change pets. Only their browsers load the code. */
function useLiveChanges(writePets: boolean): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (!writePets) return undefined;
    let isOver = false;
    let end: (() => void) | undefined;
    const begin = async () => {
      const { followChanges } = await import('../service/live-changes.ts');
      if (!isOver) end = followChanges(queries);
    };
    // Without the code, pages keep what they have loaded.
    const timer = setTimeout(() => void begin().catch(() => {}), LIVE_CHANGES_DELAY_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
      end?.();
    };
  }, [queries, writePets]);
}
