import { relative } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { askRunner, countShared, endShared } from '../support/shared-services.ts';
import { forgetPastFiles } from './cheaper-tracking.ts';
import type { Outcome } from './event-reporter.ts';
import { countOpen, untilClosed } from './open-handles.ts';

/*
 * Runs test files one by one in this process, so that the modules of the service are loaded once. A file is a test, and
 * its tests are subtests: they end, with their hooks, before the next file begins. The argument is the number of the
 * lane, or a file to run alone.
 */

/** A file that takes longer hangs. */
const FILE_TIMEOUT_MS = 10 * 60_000;

/** How long this process may take to end after its last file. */
const DEADLINE_MS = 30_000;

/** Number of further deadlines while no handle is open. */
const CHECKS_OF_WORK = 4;

const [argument = ''] = process.argv.slice(2);

// A lane does not outlive the runner. The channel to the runner does not keep this process alive.
process.on('disconnect', () => process.exit(1));
process.channel?.unref();

try {
  await runFiles();
  const open = await endShared();
  if (open.length > 0) failToEnd(open);
  watchEnd(CHECKS_OF_WORK);
} catch (error) {
  // Without this, node:test swallows the error, and the browser keeps the process alive.
  failToEnd([error instanceof Error ? (error.stack ?? error.message) : String(error)]);
}

/**
 * The timer fires only if something keeps this process alive. Work in the thread pool is not listed as open, and ends
 * by itself.
 */
function watchEnd(checks: number): void {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo();
    if (open.length === 0 && checks > 0) watchEnd(checks - 1);
    else failToEnd(open);
  }, DEADLINE_MS).unref();
}

async function runFiles(): Promise<void> {
  // A suite runs whatever its name is, because a pattern selects tests inside it.
  if (argument.endsWith('.ts')) return describe(nameOf(argument), () => load(argument));
  for (let file = await nextFile(); file !== null; file = await nextFile()) await runFile(file);
}

/** Returns null when no file is left for this lane. */
async function nextFile(): Promise<string | null> {
  return (await askRunner<string | null>(`/next-file?${argument}`)) ?? null;
}

async function runFile(file: string): Promise<void> {
  const open = countOpen();
  const shared = countShared();
  await test(nameOf(file), { timeout: FILE_TIMEOUT_MS }, () => load(file));
  // A browser that this file has started stays open for later files.
  const left = await untilClosed(open, countShared() - shared);
  if (left !== undefined) sendFailure(nameOf(file), `left open after its tests: ${left}`);
  forgetPastFiles();
}

function failToEnd(reasons: readonly string[]): void {
  sendFailure(`test process ${argument}`, `did not end: ${reasons.join(', ')}`, () => process.exit(1));
}

function sendFailure(name: string, reason: string, onSent = () => {}): void {
  const error = { reason, stack: reason };
  const outcome: Outcome = { name, path: [], file: name, line: 1, tookMs: 0, kind: 'fail', isSuite: false, error };
  process.send?.(outcome, onSent);
}

async function load(file: string): Promise<void> {
  await import(pathToFileURL(file).href);
}

function nameOf(file: string): string {
  return relative(process.cwd(), file).replaceAll('\\', '/');
}
