import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

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

/**
 * Waits until a value equals the expected one. For values that follow a change later, such as positions and texts.
 *
 * @throws AssertionError with the last value after a timeout
 */
export async function waitForValue<Value>(read: () => Promise<Value>, expected: NoInfer<Value>): Promise<void> {
  const endMs = performance.now() + TIMEOUT_MS;
  for (;;) {
    const value = await read();
    if (isDeepStrictEqual(value, expected) || performance.now() > endMs) return assert.deepEqual(value, expected);
    await delay(POLL_MS);
  }
}
