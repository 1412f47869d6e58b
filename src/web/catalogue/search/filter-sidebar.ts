import { useSyncExternalStore } from 'react';

const WIDE = '(min-width: 62rem)';

/** Wide screens have the filters in a sidebar, others in a sheet. */
export function hasFilterSidebar(): boolean {
  return matchMedia(WIDE).matches;
}

export function useFilterSidebar(): boolean {
  return useSyncExternalStore(subscribeToWidth, hasFilterSidebar);
}

function subscribeToWidth(onChange: () => void): () => void {
  const query = matchMedia(WIDE);
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
}
