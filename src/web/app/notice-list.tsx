import { X } from 'lucide-react';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl';
import { closeNotice, type Notice } from '../design/notices.ts';
import { useWayThereAndBack } from './notice-focus.ts';
import styles from './notice-list.module.css';

/** Leads from anywhere to the newest notice, and back. */
const KEY = 'F8';

const SHOWN_MS = 6000;
/** Long enough to decide, and to get there by keyboard. */
const SHOWN_WITH_ACTION_MS = 10_000;

/** The notices that are shown now, the newest at the end. */
export function NoticeList({ notices }: { notices: readonly Notice[] }) {
  const t = useTranslations('app.notices');
  const isHeard = useIsAfterFirstPaint();
  const area = useRef<HTMLElement>(null);
  const leave = useWayThereAndBack(area, KEY);
  const listOf = (isTrouble: boolean) =>
    notices
      .filter((each) => isHeard && (each.isTrouble ?? false) === isTrouble)
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
  const { id, text, action, isTrouble = false } = notice;
  const hold = useHeldTimer(isTrouble ? undefined : action === undefined ? SHOWN_MS : SHOWN_WITH_ACTION_MS, () =>
    closeNotice(id),
  );
  const close = () => {
    onLeave();
    closeNotice(id);
  };
  return (
    <div className={styles['notice']} data-trouble={isTrouble || undefined} {...hold}>
      <p className={styles['text']}>{text}</p>
      {action !== undefined && (
        <button
          type="button"
          className={styles['action']}
          onClick={() => {
            close();
            action.run();
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

/** Runs `end` after so long, counted anew from when nobody points at it, is in it, or has the page in the background any more. */
function useHeldTimer(ms: number | undefined, end: () => void) {
  const [isPointedAt, setIsPointedAt] = useState(false);
  const [isInside, setIsInside] = useState(false);
  const isHidden = useSyncExternalStore(followVisibility, () => document.visibilityState === 'hidden');
  const isHeld = isPointedAt || isInside || isHidden;
  const ending = useRef(end);
  useEffect(() => {
    ending.current = end;
  });
  useEffect(() => {
    const timer = ms === undefined || isHeld ? undefined : setTimeout(() => ending.current(), ms);
    return () => clearTimeout(timer);
  }, [ms, isHeld]);
  return {
    onPointerEnter: () => setIsPointedAt(true),
    onPointerLeave: () => setIsPointedAt(false),
    onFocus: () => setIsInside(true),
    onBlur: () => setIsInside(false),
  };
}

function followVisibility(onChange: () => void): () => void {
  document.addEventListener('visibilitychange', onChange);
  return () => document.removeEventListener('visibilitychange', onChange);
}

/** A live region tells what is put into it, but not what it is born with. */
function useIsAfterFirstPaint(): boolean {
  const [isAfter, setIsAfter] = useState(false);
  useEffect(() => {
    const frame = requestAnimationFrame(() => setIsAfter(true));
    return () => cancelAnimationFrame(frame);
  }, []);
  return isAfter;
}
