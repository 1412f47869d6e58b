/*
 * Whoever logs out leaves nothing on the page for the next one. What is kept outside of the queries is forgotten by whoever keeps it.
 */

const forgetters: (() => void)[] = [];

/** Is called whenever somebody has logged out. */
export function onLeaving(forget: () => void): void {
  forgetters.push(forget);
}

export function forgetAll(): void {
  for (const forget of forgetters) forget();
}
