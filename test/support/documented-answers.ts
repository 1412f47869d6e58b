import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { problemsOf, type SeenAnswer } from './answer-check.ts';
import { watchAnswers } from './answer-watch.ts';

/* Compares every answer of every test with the OpenAPI document. A deviation fails the test file at its end. */

const MAX_REPORTED = 15;

const RECORDER = new URL('recorded-answers.ts', import.meta.url);

/**
 * Answers of servers in separate processes, one a line. Not named by the process: a killed one with the same number may
 * have left its file.
 */
const recorded = join(tmpdir(), `menagerie-answers-${randomUUID()}.ndjson`);

const problems = new Map<string, { first: string; count: number }>();
let isChecking = false;

/** Checks all later answers of this process. */
export function checkAnswers(): void {
  if (isChecking) return;
  isChecking = true;
  watchAnswers(check);
  process.on('exit', reportProblems);
}

/**
 * The environment in which the answers of a separate server are checked as well. The recorder is imported before the
 * program enables its compile cache, so it is translated at every start if the tests run without one.
 */
export function checkedEnvironment(): Readonly<Record<string, string>> {
  checkAnswers();
  const { NODE_COMPILE_CACHE: cache } = process.env;
  const translated = cache === undefined ? {} : { NODE_COMPILE_CACHE: cache };
  return { ...translated, NODE_OPTIONS: `--import ${RECORDER.href}`, TEST_ANSWERS_FILE: recorded };
}

function check(answer: SeenAnswer): void {
  for (const problem of problemsOf(answer)) {
    const known = problems.get(problem);
    if (known === undefined)
      problems.set(problem, { first: `${answer.method} ${answer.target.slice(0, 200)}`, count: 1 });
    else known.count++;
  }
}

function checkRecorded(): void {
  if (!existsSync(recorded)) return;
  // A killed process may have left an incomplete line.
  const lines = readFileSync(recorded, 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('}'));
  for (const line of lines) check(JSON.parse(line) as SeenAnswer);
  rmSync(recorded);
}

function reportProblems(): void {
  checkRecorded();
  if (problems.size === 0) return;
  process.exitCode = 1;
  const listed = [...problems].slice(0, MAX_REPORTED).map(([problem, { first, count }]) => {
    const times = count === 1 ? '' : ` (${count} times)`;
    return `- ${problem}${times}\n  first at ${first}`;
  });
  const more = problems.size > MAX_REPORTED ? `\n... and ${problems.size - MAX_REPORTED} more.` : '';
  process.stderr.write(
    `Answers deviate from src/api/documents/. Correct the description or the answer:\n${listed.join('\n')}${more}\n`,
  );
}
