import { setTimeout as delay } from 'node:timers/promises';

const TIMEOUT_MS = 30_000;
const POLL_MS = 50;

/**
 * Waits until a condition holds.
 *
 * @param what describes the condition
 * @throws Error with the description after a timeout
 */
export async function waitFor(isSo: () => Promise<boolean>, what: string): Promise<void> {
  const endMs = performance.now() + TIMEOUT_MS;
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`Timed out waiting until ${what}.`);
    await delay(POLL_MS);
  }
}
