import { useEffect, useState, useSyncExternalStore, type RefObject } from 'react';
import type { GridMetrics } from './grid-metrics.ts';

/** Rows that are rendered above and below the screen, so that their photos load in time. */
const ROWS_BEYOND = 3;

/**
 * The indexes of the cards to render: those on the screen and near it, and the rows of the focused card and of the
 * awaited one, which will get the focus. All rows have the same height, so they follow from the scroll position, and
 * nothing is rendered until another row becomes visible.
 *
 * @param begin index of the card that has the focus at first
 */
export function useVisibleIndexes(
  grid: RefObject<HTMLElement | null>,
  slotCount: number,
  { columns, rowHeight, top, isMeasured }: GridMetrics,
  begin: number | undefined,
  awaited: number | undefined,
): readonly number[] {
  const firstSeen = useSyncExternalStore(subscribeToViewport, () => Math.floor((window.scrollY - top) / rowHeight));
  const rowsSeen = useSyncExternalStore(subscribeToViewport, () => Math.ceil(window.innerHeight / rowHeight) + 1);
  const focused = useFocusedIndex(grid, begin);
  // Cards at estimated positions would move after the measurement, and the browser would count that as a layout shift.
  if (!isMeasured) return slotCount > 0 ? [0] : [];
  const last = Math.min(firstSeen + rowsSeen + ROWS_BEYOND, Math.ceil(slotCount / columns));
  // A list that has become shorter may end above the scroll position; then its end is rendered.
  const first = Math.max(0, Math.min(firstSeen - ROWS_BEYOND, last - rowsSeen));
  const rows = new Set(Array.from({ length: Math.max(0, last - first) }, (_, row) => first + row));
  for (const index of [focused, awaited]) if (index !== undefined) rows.add(Math.floor(index / columns));
  return [...rows]
    .toSorted((one, other) => one - other)
    .flatMap((row) => Array.from({ length: columns }, (_, column) => row * columns + column))
    .filter((index) => index < slotCount);
}

let isPrinting = false;

/** Whether the page is being printed: paper shows all loaded cards. */
export function useIsPrinting(): boolean {
  return useSyncExternalStore(subscribeToPrinting, () => isPrinting);
}

function subscribeToPrinting(onChange: () => void): () => void {
  const follow = ({ type }: Event) => {
    isPrinting = type === 'beforeprint';
    onChange();
  };
  for (const type of ['beforeprint', 'afterprint']) window.addEventListener(type, follow);
  return () => {
    for (const type of ['beforeprint', 'afterprint']) window.removeEventListener(type, follow);
  };
}

function subscribeToViewport(onChange: () => void): () => void {
  window.addEventListener('scroll', onChange, { passive: true });
  window.addEventListener('resize', onChange);
  return () => {
    window.removeEventListener('scroll', onChange);
    window.removeEventListener('resize', onChange);
  };
}

function useFocusedIndex(grid: RefObject<HTMLElement | null>, begin: number | undefined): number | undefined {
  const [index, setIndex] = useState(begin);
  useEffect(() => {
    const element = grid.current;
    const follow = ({ type, target }: FocusEvent) => {
      const focused = type === 'focusin' && target instanceof Element ? target.closest('[data-index]') : null;
      setIndex(focused === null ? undefined : Number(focused.getAttribute('data-index')));
    };
    element?.addEventListener('focusin', follow);
    element?.addEventListener('focusout', follow);
    return () => {
      element?.removeEventListener('focusin', follow);
      element?.removeEventListener('focusout', follow);
    };
  }, [grid]);
  return index;
}
