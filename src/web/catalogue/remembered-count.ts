/*
 * How many pets were shown, kept for the case that the page is loaded again: then as many are read, and the place of the reader is there to come back to.
 */

const KEY = 'menagerie-catalogue-count';
/** Above it, coming back to the place costs more than it is worth. */
const MOST = 10_000;

interface Remembered {
  address: string;
  count: number;
}

let expected = findRemembered();

/** @returns 0 where nothing is expected: the search is another, or the page was come to anew */
export function findExpectedCount(address: string): number {
  return expected?.address === address ? expected.count : 0;
}

export function forgetExpectedCount(): void {
  expected = undefined;
}

export function rememberCount(address: string, count: number): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ address, count: Math.min(count, MOST) } satisfies Remembered));
  } catch {
    // A browser that keeps nothing: the list begins at its beginning.
  }
}

function findRemembered(): Remembered | undefined {
  const [arrival] = performance.getEntriesByType('navigation');
  const isBack = arrival instanceof PerformanceNavigationTiming && ['reload', 'back_forward'].includes(arrival.type);
  if (!isBack) return undefined;
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}
