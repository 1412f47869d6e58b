/*
 * What commands tell the person, or the shell, that called them.
 */

/** Exit codes, as shells have them: for a call that makes no sense, and for one that could not be carried out. */
export const USAGE = 2;
export const FAILED = 1;

/** A call that makes no sense; the message says what would. */
export class UsageError extends Error {}

export function print(text: string): void {
  process.stdout.write(text);
}
