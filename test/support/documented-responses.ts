import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { problemsOf, type SeenResponse } from './response-check.ts';
import { watchResponses } from './response-watch.ts';

/* Compares every response of every test with the OpenAPI document. A deviation fails the test file at its end. */

const MAX_REPORTED = 15;

const RECORDER = new URL('recorded-responses.ts', import.meta.url);

/**
 * Responses of servers in separate processes, one a line. Not named by the process: a killed one with the same number
 * may have left its file.
 */
const recorded = join(tmpdir(), `menagerie-responses-${randomUUID()}.ndjson`);

const problems = new Map<string, { first: string; count: number }>();
let isChecking = false;
let isIgnoring = false;

/** Checks all later responses of this process. */
export function checkResponses(): void {
  if (isChecking) return;
  isChecking = true;
  watchResponses(check);
  process.on('exit', reportProblems);
}

/** For a file whose responses have values of a later version, which the document does not list. */
export function ignoreResponses(): void {
  isIgnoring = true;
}

/**
 * The environment in which the responses of a separate server are checked as well. The recorder is imported before the
 * program enables its compile cache, so it is translated at every start if the tests run without one.
 */
export function checkedEnvironment(): Readonly<Record<string, string>> {
  checkResponses();
  const { NODE_COMPILE_CACHE: cache } = process.env;
  const translated = cache === undefined ? {} : { NODE_COMPILE_CACHE: cache };
  return { ...translated, NODE_OPTIONS: `--import ${RECORDER.href}`, TEST_RESPONSES_FILE: recorded };
}

function check(response: SeenResponse): void {
  for (const problem of problemsOf(response)) {
    const known = problems.get(problem);
    if (known === undefined)
      problems.set(problem, { first: `${response.method} ${response.target.slice(0, 200)}`, count: 1 });
    else known.count++;
  }
}

function checkRecorded(): void {
  if (!existsSync(recorded)) return;
  // A killed process may have left an incomplete line.
  const lines = readFileSync(recorded, 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('}'));
  for (const line of lines) check(JSON.parse(line) as SeenResponse);
  rmSync(recorded);
}

function reportProblems(): void {
  checkRecorded();
  if (problems.size === 0 || isIgnoring) return;
  process.exitCode = 1;
  const listed = [...problems].slice(0, MAX_REPORTED).map(([problem, { first, count }]) => {
    const times = count === 1 ? '' : ` (${count} times)`;
    return `- ${problem}${times}\n  first at ${first}`;
  });
  const more = problems.size > MAX_REPORTED ? `\n... and ${problems.size - MAX_REPORTED} more.` : '';
  process.stderr.write(
    `Responses deviate from src/api/documents/. Correct the description or the response:\n${listed.join('\n')}${more}\n`,
  );
}
