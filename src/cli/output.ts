import { once } from 'node:events';

/** Exit codes: invalid usage, and a command that failed. */
export const USAGE = 2;
export const FAILED = 1;

/** Invalid usage of a command. The message says what is valid. */
export class UsageError extends Error {}

export function print(text: string): void {
  process.stdout.write(text);
}

/** Waits for a slow reader. */
export async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

/** Reports invalid settings. */
export function printProblems(heading: string, problems: readonly string[]): void {
  process.stderr.write(`${heading}\n${problems.map((problem) => `- ${problem}\n`).join('')}`);
  process.exitCode = USAGE;
}
