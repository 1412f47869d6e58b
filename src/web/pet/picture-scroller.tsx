import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import styles from './picture-scroller.module.css';

/** Scrolling has come to rest when nothing was heard of it for so long. Safari tells of it since 26 only. */
const REST_MS = 150;

export type Scroller = React.RefObject<HTMLUListElement | null>;

export interface Slides {
  /** The one that is seen. */
  current: number;
  /** Shows another; below the first and above the last there is none. */
  show: (index: number) => void;
  showNext: () => void;
  showPrevious: () => void;
  /** Of whatever has the focus: the arrow keys, and the ends. */
  onKeyDown: (event: KeyboardEvent) => void;
  onScroll: () => void;
}

/**
 * Pictures side by side, which a finger moves as it does everywhere else: the browser scrolls, and says which one is seen.
 *
 * @param count how many there are
 * @param first the one to begin with
 */
export function useSlides(scroller: Scroller, { count, first = 0 }: { count: number; first?: number }): Slides {
  const [seen, setSeen] = useState(first);
  // Where it is going: two quick presses go two pictures on.
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
    // The style sheet says whether it glides there.
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

interface PictureScrollerProps {
  scroller: Scroller;
  onScroll: () => void;
  /** For where nothing in it can have the focus: else it could not be scrolled by keys. */
  label?: string;
  children: ReactNode;
}

/** The pictures themselves: one is seen, the others are beside it. */
export function PictureScroller({ scroller, onScroll, label, children }: PictureScrollerProps) {
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
