import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { problemsOf, type SeenAnswer } from './answer-check.ts';
import { watchAnswers } from './answer-watch.ts';

/*
 * Every answer that a service gives in whatever test is compared with the document of the interface. What does not agree fails the test file, at its
 * end.
 */

const MAX_TOLD = 15;

const RECORDER = new URL('recorded-answers.ts', import.meta.url);

/** What servers in processes of their own have answered, one answer a line. */
const recorded = join(tmpdir(), `menagerie-answers-${process.pid}.ndjson`);

const problems = new Map<string, { first: string; count: number }>();
let isChecking = false;

/** From now on, every answer of this process. */
export function checkAnswers(): void {
  if (isChecking) return;
  isChecking = true;
  watchAnswers(check);
  process.on('exit', tell);
}

/**
 * The environment in which a server of its own has its answers checked as well. The recorder comes before the cache that the program itself begins, and
 * is translated at every start where the tests run without one.
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
  // A process that was killed may have left half a line.
  const lines = readFileSync(recorded, 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('}'));
  for (const line of lines) check(JSON.parse(line) as SeenAnswer);
  rmSync(recorded);
}

function tell(): void {
  checkRecorded();
  if (problems.size === 0) return;
  process.exitCode = 1;
  const told = [...problems].slice(0, MAX_TOLD).map(([problem, { first, count }]) => {
    const times = count === 1 ? '' : ` (${count} times)`;
    return `- ${problem}${times}\n  first at ${first}`;
  });
  const more = problems.size > MAX_TOLD ? `\n... and ${problems.size - MAX_TOLD} more.` : '';
  process.stderr.write(
    `Answers are not as src/api/documents/ says. Mend the description, or the answer:\n${told.join('\n')}${more}\n`,
  );
}
