import { useSyncExternalStore } from 'react';

const WIDE = '(min-width: 62rem)';

/** Filters have a place beside the pets; else they are seen when they are asked for. */
export function areFiltersBeside(): boolean {
  return matchMedia(WIDE).matches;
}

export function useFiltersBeside(): boolean {
  return useSyncExternalStore(followWidth, areFiltersBeside);
}

function followWidth(onChange: () => void): () => void {
  const query = matchMedia(WIDE);
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
}
