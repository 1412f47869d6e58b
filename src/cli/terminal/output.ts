import { once } from 'node:events';
import { explainFailure } from '../../server/log/explain-failure.ts';

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

/**
 * Replaces control characters: in text that users wrote, they could move the cursor, forge rows or reverse the text.
 */
export function plainText(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\uFFFD');
}

/** Messages quote file names and text from archives, tables and servers. */
export function printError(message: string): void {
  process.stderr.write(`${message.split('\n').map(plainText).join('\n')}\n`);
}

export function printProblems(heading: string, problems: readonly string[]): void {
  printError([heading, ...problems.map((problem) => `- ${problem}`)].join('\n'));
  process.exitCode = USAGE;
}

/** Reports that a command failed, and sets its exit code. */
export function printFailure(error: unknown): void {
  printError(error instanceof UsageError ? error.message : explainFailure(error));
  process.exitCode = error instanceof UsageError ? USAGE : FAILED;
}
