import { setTimeout as delay } from 'node:timers/promises';

const PATIENCE_MS = 30_000;
const POLL_MS = 50;

/** Waits until the service has it so. @throws Error that says what did not come */
export async function waitFor(isSo: () => Promise<boolean>, what: string): Promise<void> {
  const endMs = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`It did not come to pass that ${what}.`);
    await delay(POLL_MS);
  }
}
