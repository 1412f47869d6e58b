import { useEffect, useRef, type RefObject } from 'react';

/** What a dialog or a menu takes to give the focus back as it closes. */
const CLOSING_MS = 250;

/**
 * Those who work by keyboard go on where they are: what they have just used goes away while its work is under way, and the focus with it. Whenever `state` has
 * changed and the focus is nowhere, it is brought to the first button of the bar, or where there is none, to where `bringOut` brings it.
 */
export function useLostFocus(bar: RefObject<HTMLElement | null>, state: string, bringOut: () => void): void {
  const before = useRef(state);
  const out = useRef(bringOut);
  useEffect(() => {
    out.current = bringOut;
  });
  useEffect(() => {
    if (before.current === state) return undefined;
    before.current = state;
    const bring = () => {
      if (document.activeElement !== null && document.activeElement !== document.body) return;
      const button = bar.current?.querySelector('button');
      if (button) button.focus({ preventScroll: true });
      else out.current();
    };
    const timers = [setTimeout(bring), setTimeout(bring, CLOSING_MS)];
    return () => timers.forEach(clearTimeout);
  }, [bar, state]);
}
