import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';

const PATIENCE_MS = 30_000;

/** Polls for a condition, up to a deadline. */
export async function until(condition: string, holds: () => Promise<boolean>, patienceMs = PATIENCE_MS): Promise<void> {
  const endMs = performance.now() + patienceMs;
  while (!(await holds())) {
    assert.ok(performance.now() < endMs, `${condition}: not within ${patienceMs} ms`);
    await delay(20);
  }
}
