import { useLayoutEffect, type RefObject } from 'react';

/** Between the anchor and the list, and around the list. In CSS pixels. */
const GAP = 4;
const MARGIN = 8;

type Alignment = 'end' | 'stretch';

/**
 * Places an open popover below its anchor, or above where there is more space, also while the page scrolls.
 *
 * CSS can do it (anchor positioning), but not in all browsers that we support.
 */
export function usePlacement(
  anchor: RefObject<HTMLElement | null>,
  popover: RefObject<HTMLElement | null>,
  alignment: Alignment,
): void {
  // After each render: a shorter list may fit below.
  useLayoutEffect(() => {
    const update = () => {
      if (anchor.current !== null && popover.current?.matches(':popover-open') === true)
        place(popover.current, anchor.current.getBoundingClientRect(), alignment);
    };
    update();
    window.addEventListener('scroll', update, { capture: true, passive: true });
    window.addEventListener('resize', update);
    return () => {
      window.removeEventListener('scroll', update, { capture: true });
      window.removeEventListener('resize', update);
    };
  });
}

function place(popover: HTMLElement, anchor: DOMRect, alignment: Alignment): void {
  const { clientWidth, clientHeight } = document.documentElement;
  const { style } = popover;
  if (alignment === 'stretch') style.width = `${anchor.width}px`;
  const below = clientHeight - anchor.bottom - GAP - MARGIN;
  const above = anchor.top - GAP - MARGIN;
  const isBelow = popover.scrollHeight <= below || below >= above;
  style.maxHeight = `${Math.max(0, isBelow ? below : above)}px`;
  style.top = isBelow ? `${anchor.bottom + GAP}px` : 'auto';
  style.bottom = isBelow ? 'auto' : `${clientHeight - anchor.top + GAP}px`;
  const left = alignment === 'end' ? anchor.right - popover.offsetWidth : anchor.left;
  style.left = `${Math.max(MARGIN, Math.min(left, clientWidth - popover.offsetWidth - MARGIN))}px`;
}
