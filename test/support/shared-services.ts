import { after } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

/*
 * Services shared by all test processes of a run. `test/runner/` owns them and passes its address in the environment; a
 * file run by itself (`node --test FILE`) starts its own.
 */

const DEADLINE_MS = 30_000;

const RUNNER = process.env['MENAGERIE_TEST_RUNNER'];

/** Asks the runner. Returns undefined in a test file that runs by itself. */
export async function askRunner<T>(path: `/${string}`): Promise<T | undefined> {
  if (RUNNER === undefined) return undefined;
  // On a separate connection: a test that blocks the event loop for 5 s keeps undici from noticing that the runner has
  // closed an idle one.
  const response = await fetch(RUNNER + path, { method: 'POST', headers: { connection: 'close' } });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return JSON.parse(text) as T;
}

const ends: { name: string; end: () => Promise<void> }[] = [];

/** Ends a child process that all files of this process use. */
export function atProcessEnd(name: string, end: () => Promise<void>): void {
  // A hook of the first file that uses it would run too early.
  if (RUNNER === undefined) after(end);
  else ends.push({ name, end });
}

/** The number of child processes shared by all files of this process. */
export function countShared(): number {
  return ends.length;
}

/** For the lane, after its last file. Returns the processes that have not ended after 30 s. */
export async function endShared(): Promise<string[]> {
  const results = await Promise.all(
    ends.map(async ({ name, end }) => {
      const late = delay(DEADLINE_MS, name, { ref: false });
      return Promise.race([end().then(() => undefined), late]);
    }),
  );
  return results.filter((name) => name !== undefined);
}
