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

/** The key code of every key that an input method handles (UI Events, 8.2). */
const INPUT_METHOD_KEY_CODE = 229;

/**
 * Hides the keys of input methods from all handlers, so that Enter confirms a word and does nothing else. In Safari,
 * the composition has already ended when that Enter arrives, and only its key code shows where it comes from.
 */
export function ignoreInputMethodKeys(): void {
  window.addEventListener('keydown', stopInputMethodKey, true);
}

function stopInputMethodKey(event: KeyboardEvent): void {
  if (event.isComposing || event.keyCode === INPUT_METHOD_KEY_CODE) event.stopImmediatePropagation();
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

/**
 * Loads code when the page is idle. Without a connection, the page stays as it is until the connection is back. Some
 * browsers then refuse to load the same code again, so that the document is reloaded (`routing/chunk-errors.ts`).
 */
export async function loadWhenIdle<Code>(load: () => Promise<Code>): Promise<Code> {
  await firstIdle();
  try {
    return await load();
  } catch (error) {
    if (navigator.onLine) throw error;
    await new Promise((resolve) => window.addEventListener('online', resolve, { once: true }));
    return load();
  }
}
