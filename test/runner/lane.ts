import { relative } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { askRunner, countShared, endShared } from '../support/shared-services.ts';
import { forgetPastFiles } from './cheaper-tracking.ts';
import type { Outcome } from './event-reporter.ts';

/*
 * Runs test files one by one in this process, so that the modules of the service are loaded once. A file is a test, and
 * its tests are subtests: they end, with their hooks, before the next file begins. The argument is the number of the
 * lane, or a file to run alone.
 */

/** A file that takes longer hangs. */
const FILE_TIMEOUT_MS = 10 * 60_000;

/** For handles that a file leaves open, and for the end of this process after its last file. */
const DEADLINE_MS = 30_000;

/** Handles of Node itself, and connections to the runner and to the shared browser. */
const IGNORED = /^(?:PipeWrap|TTYWrap|FSReqCallback|FSReqPromise|FILEHANDLE|CloseReq|Immediate)$/;

const [argument = ''] = process.argv.slice(2);

// A lane does not outlive the runner. The channel to the runner does not keep this process alive.
process.on('disconnect', () => process.exit(1));
process.channel?.unref();

try {
  // A suite runs whatever its name is, because a pattern selects tests inside it.
  if (argument.endsWith('.ts')) await describe(nameOf(argument), () => load(argument));
  else for (let file = await nextFile(); file !== null; file = await nextFile()) await runFile(file);
  const open = await endShared();
  if (open.length > 0) failToEnd(open.join(', '));
  // Fires only if something keeps this process alive. Work in the thread pool is not listed, and ends by itself.
  setTimeout(() => failToEnd(process.getActiveResourcesInfo().join(', ')), 4 * DEADLINE_MS).unref();
} catch (error) {
  // Without this, node:test swallows the error, and the browser keeps the process alive.
  failToEnd(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

/** Returns null when no file is left for this lane. */
async function nextFile(): Promise<string | null> {
  return (await askRunner<string | null>(`/next-file?${argument}`)) ?? null;
}

async function runFile(file: string): Promise<void> {
  const [open, shared] = [countOpen(), countShared()];
  await test(nameOf(file), { timeout: FILE_TIMEOUT_MS }, () => load(file));
  // A browser that this file has started stays open for later files.
  open.set('ProcessWrap', (open.get('ProcessWrap') ?? 0) + countShared() - shared);
  const left = await untilClosed(open);
  if (left !== '') sendFailure(nameOf(file), `left open after its tests: ${left}`);
  forgetPastFiles();
}

async function load(file: string): Promise<void> {
  await import(pathToFileURL(file).href);
}

/** The handles that keep this process alive, by type. */
function countOpen(): Map<string, number> {
  const types = process.getActiveResourcesInfo().filter((type) => !IGNORED.test(type));
  return new Map([...Map.groupBy(types, (type) => type)].map(([type, { length }]) => [type, length]));
}

/** Waits until no more handles are open than before. A file that leaves some open would disturb the files after it. */
async function untilClosed(before: ReadonlyMap<string, number>): Promise<string> {
  const untilMs = performance.now() + DEADLINE_MS;
  for (;;) {
    const more = [...countOpen()].filter(([type, count]) => count > (before.get(type) ?? 0));
    if (more.length === 0 || performance.now() > untilMs)
      return more.map(([type, count]) => `${count} ${type}`).join(', ');
    await delay(20);
  }
}

function failToEnd(reason: string): void {
  sendFailure(`test process ${argument}`, `did not end: ${reason}`, () => process.exit(1));
}

function sendFailure(name: string, reason: string, onSent = () => {}): void {
  const error = { reason, stack: reason };
  const outcome: Outcome = { name, path: [], file: name, line: 1, tookMs: 0, kind: 'fail', isSuite: false, error };
  process.send?.(outcome, onSent);
}

function nameOf(file: string): string {
  return relative(process.cwd(), file).replaceAll('\\', '/');
}
