/*
 * The number of loaded pets, saved for a reload: the same number is loaded again, so that the scroll position can be
 * restored.
 */

const KEY = 'menagerie-catalogue-count';
/** Above this, restoring the position costs too much. */
const MAX_SAVED = 10_000;

interface SavedCount {
  address: string;
  count: number;
}

let saved = readSavedCount();

/** @returns 0 for another search, or after a navigation that is neither a reload nor a history step */
export function findSavedCount(address: string): number {
  return saved?.address === address ? saved.count : 0;
}

export function clearSavedCount(): void {
  saved = undefined;
}

export function saveCount(address: string, count: number): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ address, count: Math.min(count, MAX_SAVED) } satisfies SavedCount));
  } catch {
    // Session storage is disabled: the list starts at the top.
  }
}

function readSavedCount(): SavedCount | undefined {
  const [arrival] = performance.getEntriesByType('navigation');
  const isBack = arrival instanceof PerformanceNavigationTiming && ['reload', 'back_forward'].includes(arrival.type);
  if (!isBack) return undefined;
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}
