import { X } from 'lucide-react';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl';
import { closeNotice, type Notice } from '../design/notices.ts';
import { useFocusShortcut } from './notice-focus.ts';
import styles from './notice-list.module.css';

/** Moves the focus to the newest notice, and back. */
const KEY = 'F8';

const SHOWN_MS = 6000;
/** Long enough to decide, and to reach it by keyboard. */
const SHOWN_WITH_ACTION_MS = 10_000;

/** The visible notices, the newest last. */
export function NoticeList({ notices }: { notices: readonly Notice[] }) {
  const t = useTranslations('app.notices');
  const isAnnounced = useIsAfterFirstPaint();
  const area = useRef<HTMLElement>(null);
  const leave = useFocusShortcut(area, KEY);
  const listOf = (isError: boolean) =>
    notices
      .filter((each) => isAnnounced && (each.isError ?? false) === isError)
      .map((notice) => <ShownNotice key={notice.id} notice={notice} onLeave={leave} />);
  return (
    <section ref={area} className={styles['area']} aria-label={t('area', { key: KEY })}>
      <div role="alert">{listOf(true)}</div>
      <div role="status">{listOf(false)}</div>
    </section>
  );
}

function ShownNotice({ notice, onLeave }: { notice: Notice; onLeave: () => void }) {
  const t = useTranslations('app.notices');
  const { id, text, action, isError = false } = notice;
  const hold = usePausableTimer(isError ? undefined : action === undefined ? SHOWN_MS : SHOWN_WITH_ACTION_MS, () =>
    closeNotice(id),
  );
  const close = () => {
    onLeave();
    return closeNotice(id);
  };
  return (
    <div className={styles['notice']} data-error={isError || undefined} {...hold}>
      <p className={styles['text']}>{text}</p>
      {action !== undefined && (
        <button
          type="button"
          className={styles['action']}
          onClick={() => {
            // A second click on it, before it disappears, does nothing.
            if (close()) action.run();
          }}
        >
          {action.label}
        </button>
      )}
      <button type="button" className={styles['close']} aria-label={t('close')} onClick={close}>
        <X size="1.25em" aria-hidden="true" />
      </button>
    </div>
  );
}

/** Calls `end` after a delay. The timer restarts after a hover, a focus or a time in the background. */
function usePausableTimer(ms: number | undefined, end: () => void) {
  const [isHovered, setIsHovered] = useState(false);
  const [isFocusWithin, setIsFocusWithin] = useState(false);
  const isHidden = useSyncExternalStore(subscribeToVisibility, () => document.visibilityState === 'hidden');
  const isPaused = isHovered || isFocusWithin || isHidden;
  const ending = useRef(end);
  useEffect(() => {
    ending.current = end;
  });
  useEffect(() => {
    const timer = ms === undefined || isPaused ? undefined : setTimeout(() => ending.current(), ms);
    return () => clearTimeout(timer);
  }, [ms, isPaused]);
  return {
    onPointerEnter: () => setIsHovered(true),
    onPointerLeave: () => setIsHovered(false),
    onFocus: () => setIsFocusWithin(true),
    onBlur: () => setIsFocusWithin(false),
  };
}

function subscribeToVisibility(onChange: () => void): () => void {
  document.addEventListener('visibilitychange', onChange);
  return () => document.removeEventListener('visibilitychange', onChange);
}

/** A live region announces changes, but not its initial content. */
function useIsAfterFirstPaint(): boolean {
  const [isAfter, setIsAfter] = useState(false);
  useEffect(() => {
    const frame = requestAnimationFrame(() => setIsAfter(true));
    return () => cancelAnimationFrame(frame);
  }, []);
  return isAfter;
}
