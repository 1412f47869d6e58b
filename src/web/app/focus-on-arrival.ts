import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, type RefObject } from 'react';
import { petComeBackFrom } from './trail.ts';

/**
 * A page that is come to by a link begins at its heading, for those who do not see that it has changed. Who goes back from a pet to the list goes on at
 * the card of that pet.
 */
export function useFocusOnArrival(main: RefObject<HTMLElement | null>): void {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const before = useRef(path);
  useEffect(() => {
    const isArrival = before.current !== path && before.current !== undefined;
    before.current = path;
    return isArrival && main.current !== null ? keepAtBeginning(main.current) : undefined;
  }, [path, main]);
}

/**
 * A page whose pet is still being loaded gets its heading later, or another one: the focus would be lost with the first. It is brought there until the
 * reader does something. @returns ends it
 */
function keepAtBeginning(main: HTMLElement): () => void {
  const bring = () => {
    const card = cardOf(main, petComeBackFrom());
    (card ?? findBeginning(main) ?? main).focus({ preventScroll: true });
    // The list stands where it was left. From that pet, one may have gone on to others.
    if (card !== undefined && !isInSight(card)) card.scrollIntoView({ block: 'center', behavior: 'instant' });
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

/** Where there is something to be typed at once, its field; but no keyboard comes up by itself over what one wants to see. */
function findBeginning(main: HTMLElement): HTMLElement | null {
  const field = matchMedia('(pointer: fine)').matches ? main.querySelector<HTMLElement>('[data-beginning]') : null;
  return field ?? main.querySelector('h1');
}

function cardOf(main: HTMLElement, petId: string | undefined): HTMLElement | undefined {
  if (petId === undefined) return undefined;
  return main.querySelector<HTMLElement>(`li a[href="/pets/${petId}"]`) ?? undefined;
}

function isInSight(card: HTMLElement): boolean {
  // The link is as large as its words; what one looks for is the card.
  const { top, bottom } = (card.closest('li') ?? card).getBoundingClientRect();
  return bottom > 0 && top < window.innerHeight;
}
