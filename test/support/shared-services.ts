import { after } from 'node:test';

/*
 * What all test processes of one run share. `test/runner/` owns it and says in the environment where it is reached; a test file that runs by itself
 * (`node --test FILE`) starts its own.
 */

const RUNNER = process.env['MENAGERIE_TEST_RUNNER'];

/** Asks the runner. Returns undefined in a test file that runs by itself. */
export async function askRunner<T>(path: `/${string}`): Promise<T | undefined> {
  if (RUNNER === undefined) return undefined;
  const response = await fetch(RUNNER + path, { method: 'POST' });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return JSON.parse(text) as T;
}

type End = () => Promise<void>;

const ends: End[] = [];

/** Ends a child process that all files of this process use. */
export function atProcessEnd(end: End): void {
  // A hook of the first file that uses it would come too early.
  if (RUNNER === undefined) after(end);
  else ends.push(end);
}

/** How many processes all files of this process use. */
export function countShared(): number {
  return ends.length;
}

/** For the lane, after its last file. */
export async function endProcess(): Promise<void> {
  for (const end of ends) await end();
}
