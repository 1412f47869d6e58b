import { useEffect, useState, useSyncExternalStore, type RefObject } from 'react';
import type { GridMeasures } from './grid-measures.ts';

/** Rows that are there above and below what is seen: pictures have time to come. */
const ROWS_BEYOND = 3;

/**
 * The places that are seen, those around them, and those beside the one that has the focus, which must not get lost by scrolling. Rows are all of one
 * height, so nothing but the place of the page counts, and nothing is drawn again before another row comes into sight.
 *
 * @param begin the place that is to get the focus, wherever it is
 */
export function usePlacesInSight(
  grid: RefObject<HTMLElement | null>,
  places: number,
  { columns, rowHeight, top, isMeasured }: GridMeasures,
  begin: number | undefined,
): readonly number[] {
  const firstSeen = useSyncExternalStore(followPage, () => Math.floor((window.scrollY - top) / rowHeight));
  const rowsSeen = useSyncExternalStore(followPage, () => Math.ceil(window.innerHeight / rowHeight) + 1);
  const focused = useFocusedPlace(grid, begin);
  // Where cards stand by a guess, they move once the guess is mended, and the browser counts that as a jump.
  if (!isMeasured) return places > 0 ? [0] : [];
  const last = Math.min(firstSeen + rowsSeen + ROWS_BEYOND, Math.ceil(places / columns));
  // A list that has just become short may be above what is seen; its end is there, then.
  const first = Math.max(0, Math.min(firstSeen - ROWS_BEYOND, last - rowsSeen));
  const rows = new Set(Array.from({ length: Math.max(0, last - first) }, (_, row) => first + row));
  if (focused !== undefined) rows.add(Math.floor(focused / columns));
  return [...rows]
    .toSorted((one, other) => one - other)
    .flatMap((row) => Array.from({ length: columns }, (_, column) => row * columns + column))
    .filter((place) => place < places);
}

let isPrinting = false;

/** Whether the page is being printed: paper shows what is out of sight on the screen. */
export function usePrinting(): boolean {
  return useSyncExternalStore(followPrinting, () => isPrinting);
}

function followPrinting(onChange: () => void): () => void {
  const follow = ({ type }: Event) => {
    isPrinting = type === 'beforeprint';
    onChange();
  };
  for (const type of ['beforeprint', 'afterprint']) window.addEventListener(type, follow);
  return () => {
    for (const type of ['beforeprint', 'afterprint']) window.removeEventListener(type, follow);
  };
}

function followPage(onChange: () => void): () => void {
  window.addEventListener('scroll', onChange, { passive: true });
  window.addEventListener('resize', onChange);
  return () => {
    window.removeEventListener('scroll', onChange);
    window.removeEventListener('resize', onChange);
  };
}

function useFocusedPlace(grid: RefObject<HTMLElement | null>, begin: number | undefined): number | undefined {
  const [place, setPlace] = useState(begin);
  useEffect(() => {
    const element = grid.current;
    const follow = ({ type, target }: FocusEvent) => {
      const focused = type === 'focusin' && target instanceof Element ? target.closest('[data-index]') : null;
      setPlace(focused === null ? undefined : Number(focused.getAttribute('data-index')));
    };
    element?.addEventListener('focusin', follow);
    element?.addEventListener('focusout', follow);
    return () => {
      element?.removeEventListener('focusin', follow);
      element?.removeEventListener('focusout', follow);
    };
  }, [grid]);
  return place;
}
