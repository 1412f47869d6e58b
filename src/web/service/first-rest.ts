/** At most this long after the page has loaded, for one that never rests. */
const LATEST_MS = 500;

let rest: Promise<void> | undefined;

/**
 * When the page has loaded what it shows first, and rests: until then, what only staff use would take turns with the pictures on a slow connection.
 * Later on, at once.
 */
export function firstRest(): Promise<void> {
  rest ??= new Promise((resolve) => {
    const wait = () => {
      // Not in every browser.
      if ('requestIdleCallback' in window) requestIdleCallback(() => resolve(), { timeout: LATEST_MS });
      else setTimeout(resolve, LATEST_MS);
    };
    if (document.readyState === 'complete') wait();
    else window.addEventListener('load', wait, { once: true });
  });
  return rest;
}
