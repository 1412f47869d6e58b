import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import styles from './photo-scroller.module.css';

/** Scrolling has ended after this time without a scroll event. Safari supports `scrollend` only since version 26. */
const REST_MS = 150;

export type Scroller = React.RefObject<HTMLUListElement | null>;

export interface Slides {
  /** The index of the visible photo. */
  current: number;
  /** Shows a photo. The index is limited to the existing ones. */
  show: (index: number) => void;
  showNext: () => void;
  showPrevious: () => void;
  /** Handles the arrow keys, Home and End. */
  onKeyDown: (event: KeyboardEvent) => void;
  onScroll: () => void;
}

/**
 * The state of a row of photos with native scrolling: the scroll position determines the current one.
 *
 * @param count number of photos
 * @param first initial index
 */
export function useSlides(scroller: Scroller, { count, first = 0 }: { count: number; first?: number }): Slides {
  const [seen, setSeen] = useState(first);
  // The target of a running scroll: two quick presses move by two photos.
  const target = useRef(first);
  const rest = useRef<ReturnType<typeof setTimeout>>(undefined);
  const current = Math.max(0, Math.min(seen, count - 1));

  useLayoutEffect(() => {
    const list = scroller.current;
    list?.scrollTo({ left: first * list.clientWidth, behavior: 'instant' });
  }, [scroller, first]);
  useEffect(() => () => clearTimeout(rest.current), []);

  function show(index: number) {
    const list = scroller.current;
    if (list === null) return;
    target.current = Math.max(0, Math.min(index, count - 1));
    // The style sheet decides whether it scrolls smoothly.
    list.scrollTo({ left: target.current * list.clientWidth });
  }

  function onScroll() {
    const list = scroller.current;
    if (list === null || list.clientWidth === 0) return;
    const index = Math.round(list.scrollLeft / list.clientWidth);
    setSeen(index);
    clearTimeout(rest.current);
    rest.current = setTimeout(() => {
      target.current = index;
    }, REST_MS);
  }

  const showNext = () => show(target.current + 1);
  const showPrevious = () => show(target.current - 1);
  const keys: Readonly<Record<string, () => void>> = {
    ArrowRight: showNext,
    ArrowLeft: showPrevious,
    Home: () => show(0),
    End: () => show(count - 1),
  };

  function onKeyDown(event: KeyboardEvent) {
    const act = keys[event.key];
    const isOther = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
    if (act === undefined || isOther || event.defaultPrevented) return;
    event.preventDefault();
    act();
  }

  return { current, show, showNext, showPrevious, onScroll, onKeyDown };
}

interface PhotoScrollerProps {
  scroller: Scroller;
  onScroll: () => void;
  /** Makes the list focusable, if nothing in it is: otherwise it could not be scrolled by keyboard. */
  label?: string;
  children: ReactNode;
}

/** The row of photos, one of which is visible. */
export function PhotoScroller({ scroller, onScroll, label, children }: PhotoScrollerProps) {
  return (
    <ul
      ref={scroller}
      className={styles['scroller']}
      tabIndex={label === undefined ? undefined : 0}
      aria-label={label}
      onScroll={onScroll}
    >
      {children}
    </ul>
  );
}
