import { lazy, useSyncExternalStore, type ComponentType } from 'react';

export function useOnline(): boolean {
  return useSyncExternalStore(subscribeToConnection, () => navigator.onLine);
}

function subscribeToConnection(onChange: () => void): () => void {
  addEventListener('online', onChange);
  addEventListener('offline', onChange);
  return () => {
    removeEventListener('online', onChange);
    removeEventListener('offline', onChange);
  };
}

/** The key code of every key that an input method handles (UI Events, 8.2). */
const INPUT_METHOD_KEY_CODE = 229;

/**
 * Hides the keys of input methods from all handlers, so that Enter confirms a word and does nothing else. In Safari,
 * the composition has already ended when that Enter arrives, and only its key code shows where it comes from.
 */
export function ignoreInputMethodKeys(): void {
  addEventListener('keydown', stopInputMethodKey, true);
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
    else addEventListener('load', wait, { once: true });
  });
  return idle;
}

/**
 * Loads code when the page is idle. Without a connection, the page stays as it is until the connection is back; then,
 * the failure reloads the document (`routing/chunk-errors.ts`), as some browsers never load the same code again.
 */
export async function loadWhenIdle<Code>(load: () => Promise<Code>): Promise<Code> {
  await firstIdle();
  return load().catch(async (error: unknown) => {
    if (!navigator.onLine) await new Promise((resolve) => addEventListener('online', resolve));
    throw error;
  });
}

/** A part that the page can do without. If its code cannot be loaded, it is empty. */
export function extraPart<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return lazy(async () => ({ default: await loadWhenIdle(load).catch((): ComponentType<Props> => () => null) }));
}
