import { useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';

/**
 * Adds a history entry as long as something covers the page, so that going back closes it instead of leaving the page.
 *
 * @param onBack closes the cover
 * @param isClosable false if it must stay open, for example while something is in progress
 */
export function useBackToClose(onBack: () => void, isClosable = true): void {
  const router = useRouter();
  const back = useEffectEvent(() => {
    if (isClosable) onBack();
    return isClosable;
  });
  useEffect(() => {
    let close: (() => void) | undefined;
    let isOver = false;
    // No page needs it before its first cover. Without it, going back leaves the page.
    void import('./covers.ts').then(
      (covers) => {
        if (!isOver) close = covers.coversOf(router).open(() => back());
      },
      () => {},
    );
    return () => {
      isOver = true;
      close?.();
    };
  }, [router]);
}
