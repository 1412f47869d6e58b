import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, type RefObject } from 'react';
import { bootstrap } from '../service/bootstrap.ts';
import { petReturnedFrom } from '../routing/navigation-history.ts';

/**
 * Moves the focus to the heading after a navigation, so that screen readers start there. After returning from a pet to
 * the list, the focus is on the card of that pet.
 */
export function useRouteFocus(main: RefObject<HTMLElement | null>): void {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const before = useRef(path);
  useEffect(() => {
    const isArrival = before.current !== path && before.current !== undefined;
    before.current = path;
    return isArrival && main.current !== null ? keepFocusAtStart(main.current) : undefined;
  }, [path, main]);
}

/**
 * Keeps the focus at the start of the page until the user does something: while a pet is loading, its heading is
 * mounted later or replaced, and the focus would be lost.
 *
 * @returns ends it
 */
function keepFocusAtStart(main: HTMLElement): () => void {
  const bring = () => {
    const card = cardOf(main, petReturnedFrom());
    (card ?? findInitialFocus(main) ?? main).focus({ preventScroll: true });
    // The list keeps its scroll position, but the user may have moved on to other pets.
    if (card !== undefined && !isInViewport(card)) card.scrollIntoView({ block: 'center', behavior: 'instant' });
  };
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

/** A form starts with its first field, except on touch devices, where the keyboard would cover the page. */
function findInitialFocus(main: HTMLElement): HTMLElement | null {
  const field = matchMedia('(pointer: fine)').matches ? main.querySelector<HTMLElement>('[data-initial-focus]') : null;
  return field ?? main.querySelector('h1');
}

function cardOf(main: HTMLElement, petId: string | undefined): HTMLElement | undefined {
  if (petId === undefined) return undefined;
  return main.querySelector<HTMLElement>(`li a[href="${bootstrap.basePath}/pets/${petId}"]`) ?? undefined;
}

function isInViewport(card: HTMLElement): boolean {
  // The link is only as large as its text, but the whole card should be visible.
  const { top, bottom } = (card.closest('li') ?? card).getBoundingClientRect();
  return bottom > 0 && top < window.innerHeight;
}
