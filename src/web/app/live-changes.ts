import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { usePermissions } from '../service/viewer.ts';

/** The pictures of the page come first. */
const DELAY_MS = 1000;

/** Whoever may change pets sees what others change. What follows is loaded for them alone. */
export function useLiveChanges(): void {
  const queries = useQueryClient();
  const { writePets } = usePermissions();
  useEffect(() => {
    if (!writePets) return undefined;
    let isOver = false;
    let end: (() => void) | undefined;
    const begin = async () => {
      const { followChanges } = await import('../service/live-changes.ts');
      if (!isOver) end = followChanges(queries);
    };
    // Where it cannot be loaded, pages are as new as what was read.
    const timer = setTimeout(() => void begin().catch(() => {}), DELAY_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
      end?.();
    };
  }, [queries, writePets]);
}
