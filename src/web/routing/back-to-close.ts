import { useRouter, useRouterState } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useId, useRef } from 'react';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The ID of the cover that is open at this history entry, such as a photo in full screen. */
    cover?: string | undefined;
  }
}

/**
 * Adds a history entry while something covers the page, so that going back closes it instead of leaving the page.
 *
 * @param onBack called when the user goes back; it should close the cover
 * @returns a function to call when the cover was closed; it removes the entry
 */
export function useBackToClose(onBack: () => void): () => void {
  const router = useRouter();
  const id = useId();
  const isCovered = useRouterState({ select: ({ location }) => location.state.cover === id });
  const wasCovered = useRef(false);
  const firstHref = useRef<string>(undefined);

  useEffect(() => {
    firstHref.current ??= router.latestLocation.href;
    void router.navigate({
      to: '.',
      search: true,
      hash: true,
      state: (before) => ({ ...before, cover: id }),
      resetScroll: false,
    });
  }, [router, id]);

  const goBack = useEffectEvent(onBack);
  useEffect(() => {
    if (isCovered) wasCovered.current = true;
    else if (wasCovered.current) {
      wasCovered.current = false;
      goBack();
    }
  }, [isCovered]);

  return () => {
    if (!wasCovered.current) return;
    wasCovered.current = false;
    // With another address, the entry is that of a change, such as of the filters, and stays.
    if (router.latestLocation.href === firstHref.current) router.history.back();
    else
      void router.navigate({
        to: '.',
        search: true,
        hash: true,
        state: (before) => ({ ...before, cover: undefined }),
        replace: true,
        resetScroll: false,
      });
  };
}
