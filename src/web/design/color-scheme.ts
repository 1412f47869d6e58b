import { useEffect, useSyncExternalStore } from 'react';
import { PAPER } from '../../api/web/drawings.ts';

/** The script at the top of the page reads this key before the first paint. */
const KEY = 'menagerie-color-scheme';

export const COLOR_SCHEMES = ['auto', 'light', 'dark'] as const;

type ColorScheme = (typeof COLOR_SCHEMES)[number];

const DARK_DEVICE = matchMedia('(prefers-color-scheme: dark)');

let chosen = readChoice();
const listeners = new Set<() => void>();

/**
 * The colors of the page, and of the browser interface around it.
 *
 * @returns the choice of the user, and changes it
 */
export function useColorScheme(): readonly [ColorScheme, (choice: ColorScheme) => void] {
  const choice = useSyncExternalStore(subscribe, () => chosen);
  const isDeviceDark = useSyncExternalStore(subscribe, () => DARK_DEVICE.matches);
  const scheme = choice === 'auto' ? (isDeviceDark ? 'dark' : 'light') : choice;
  useEffect(() => {
    document.documentElement.dataset['colorScheme'] = scheme;
    for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]'))
      meta.content = PAPER[scheme];
  }, [scheme]);
  return [choice, choose];
}

function choose(choice: ColorScheme): void {
  chosen = choice;
  try {
    localStorage.setItem(KEY, choice);
  } catch {
    // Without storage, the choice lasts until the page is closed.
  }
  for (const listener of listeners) listener();
}

function readChoice(): ColorScheme {
  try {
    const stored = localStorage.getItem(KEY);
    return COLOR_SCHEMES.find((each) => each === stored) ?? 'auto';
  } catch {
    return 'auto';
  }
}

function subscribe(onChange: () => void): () => void {
  const followOtherTabs = ({ key }: StorageEvent) => {
    if (key !== KEY) return;
    chosen = readChoice();
    onChange();
  };
  listeners.add(onChange);
  window.addEventListener('storage', followOtherTabs);
  DARK_DEVICE.addEventListener('change', onChange);
  return () => {
    listeners.delete(onChange);
    window.removeEventListener('storage', followOtherTabs);
    DARK_DEVICE.removeEventListener('change', onChange);
  };
}
