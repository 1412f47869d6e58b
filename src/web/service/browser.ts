import { useSyncExternalStore } from 'react';

/** Whether the browser has a network connection. */
export function useOnline(): boolean {
  return useSyncExternalStore(subscribeToConnection, () => navigator.onLine);
}

function subscribeToConnection(onChange: () => void): () => void {
  window.addEventListener('online', onChange);
  window.addEventListener('offline', onChange);
  return () => {
    window.removeEventListener('online', onChange);
    window.removeEventListener('offline', onChange);
  };
}

/** Maximum delay after the page has loaded, for a page that never becomes idle. */
const MAX_IDLE_DELAY_MS = 500;

let idle: Promise<void> | undefined;

/**
 * Resolves when the page has loaded and is idle. Until then, code for staff would compete with the photos on a slow
 * connection.
 */
export function firstIdle(): Promise<void> {
  idle ??= new Promise((resolve) => {
    const wait = () => {
      // Not all browsers support it.
      if ('requestIdleCallback' in window) requestIdleCallback(() => resolve(), { timeout: MAX_IDLE_DELAY_MS });
      else setTimeout(resolve, MAX_IDLE_DELAY_MS);
    };
    if (document.readyState === 'complete') wait();
    else window.addEventListener('load', wait, { once: true });
  });
  return idle;
}
