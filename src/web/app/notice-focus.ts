import { useEffect, useRef, type RefObject } from 'react';

/**
 * Makes a key move the focus to the last notice from anywhere, and back.
 *
 * @returns moves the focus back to where it was before
 */
export function useFocusShortcut(area: RefObject<HTMLElement | null>, key: string): () => void {
  const origin = useRef<HTMLElement>(null);
  useEffect(() => {
    const section = area.current;
    const rememberOrigin = ({ relatedTarget }: FocusEvent) => {
      if (relatedTarget instanceof HTMLElement && section?.contains(relatedTarget) !== true)
        origin.current = relatedTarget;
    };
    const jump = (event: KeyboardEvent) => {
      if (event.key !== key) return;
      event.preventDefault();
      if (section?.contains(document.activeElement) === true) restoreFocus(area.current, origin.current);
      else lastNoticeIn(section)?.querySelector('button')?.focus();
    };
    section?.addEventListener('focusin', rememberOrigin);
    document.addEventListener('keydown', jump);
    return () => {
      section?.removeEventListener('focusin', rememberOrigin);
      document.removeEventListener('keydown', jump);
    };
  }, [area, key]);
  return () => restoreFocus(area.current, origin.current);
}

function lastNoticeIn(section: HTMLElement | null): Element | undefined {
  return [...(section?.children ?? [])].flatMap(({ children }) => [...children]).at(-1);
}

function restoreFocus(section: HTMLElement | null, origin: HTMLElement | null): void {
  if (section?.contains(document.activeElement) !== true) return;
  const goal = origin?.isConnected === true ? origin : document.querySelector<HTMLElement>('main');
  goal?.focus({ preventScroll: true });
}
