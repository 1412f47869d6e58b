import { fork } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chmodSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openDesk, type Desk } from './desk.ts';
import type { Outcome } from './event-reporter.ts';
import { Report } from './report.ts';

/* The test runner. CONTRIBUTING.md describes it, and decision 21 its reasons. */

/**
 * Path prefixes that only `--all` and `--rest` run: further variants, and tests that are slow or need other programs.
 */
const REST = [
  'interop/',
  'test/deploy/',
  'test/faults/',
  'test/http/login-timing.test.ts',
  'test/nodes/',
  'test/package/',
  'test/processes/',
  'test/s3/',
  'test/stores/sqlite-in-memory.test.ts',
  'test/web/pages/',
];

/**
 * Path prefixes. Each file runs in a process of its own, after the others, because it asserts durations or checks all
 * modules of its process.
 */
const SEPARATE = [
  'test/faults/',
  'test/http/login-timing.test.ts',
  'test/playgrounds/in-process.test.ts',
  'test/postgres/portable-sql.test.ts',
  'test/stores/postgres.test.ts',
  'test/stores/sqlite.test.ts',
];

/** One lane runs the files that need a browser, so that there is one browser. */
const BROWSER_FOLDER = 'test/web/';
const BROWSER_LANE = 0;

/** Tests spend a fifth of their time waiting, so there is one lane more than processors. */
const LANES = Math.max(2, Math.min(availableParallelism() + 1, 8));

/** A process that reports no test for longer hangs. A file has less time. */
const MAX_SILENCE_MS = 12 * 60_000;

/** If more files fail, the cause is not chance. */
const MAX_RETRIED_FILES = 3;

const ROOT = join(import.meta.dirname, '../..');
const FLAKY_FILE = 'test-results/flaky.ndjson';

/**
 * A file system in memory, if it has many times what the tests store at once: flushes to a disk took a tenth of the
 * run.
 */
const MEMORY_FOLDER = '/dev/shm';
const NEEDED_MEMORY_BYTES = 4 * 1024 ** 3;

const USAGE = `Usage: npm test [-- [--all | --rest] [--name PATTERN] [FILE or folder ...]]
  --all           also the tests that npm test leaves out
  --rest          only those
  --name PATTERN  only the tests whose name matches this regular expression`;

/** Caches the translation of TypeScript, so that each process does not repeat it. */
process.env['NODE_COMPILE_CACHE'] ??= join(ROOT, 'node_modules/.cache/menagerie-tests');

interface Request {
  files: readonly string[];
  name: string | undefined;
  /** Files were named: each test gets a line, and nothing is repeated. */
  isDetailed: boolean;
}

process.chdir(ROOT);
try {
  const request = readRequest();
  useMemory();
  process.exitCode = (await runAll(request)) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}\n`);
  process.exitCode = 2;
}

/** @throws Error for invalid arguments */
function readRequest(): Request {
  const flag = { type: 'boolean', default: false } as const;
  const options = { name: { type: 'string' }, all: flag, rest: flag } as const;
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const name = values.name === undefined ? undefined : new RegExp(values.name).source;
  // The folders with the longest files are the last ones.
  const standard = filesAt(['interop', 'test'])
    .filter((file) => values.all || isIn(REST, file) === values.rest)
    .toReversed();
  const files = positionals.length === 0 ? standard : filesAt(positionals);
  if (files.length === 0) throw new Error(`No test files in ${positionals.join(', ')}.`);
  const isOfFiles = positionals.length > 0 && positionals.every((path) => path.endsWith('.ts'));
  return { files, name, isDetailed: name !== undefined || isOfFiles };
}

function filesAt(paths: readonly string[]): string[] {
  return paths
    .flatMap((path) => (path.endsWith('.ts') ? [path] : globSync(`${path}/**/*.test.ts`, { exclude: isPackage })))
    .map((file) => file.replaceAll('\\', '/').replace(/^\.\//, ''))
    .toSorted();
}

function isPackage(path: string): boolean {
  return path.includes('node_modules');
}

function isIn(prefixes: readonly string[], file: string): boolean {
  return prefixes.some((prefix) => file.startsWith(prefix));
}

/** Puts temporary files into memory until the runner ends. */
function useMemory(): void {
  if (process.env['TMPDIR'] !== undefined || !existsSync(MEMORY_FOLDER)) return;
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
  if (bavail * bsize < NEEDED_MEMORY_BYTES) return;
  const folder = mkdtempSync(join(MEMORY_FOLDER, 'menagerie-tests-'));
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o711);
  process.env['TMPDIR'] = folder;
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
}

/** Returns whether all tests passed. */
async function runAll({ files, name, isDetailed }: Request): Promise<boolean> {
  const report = new Report(isDetailed);
  const queue = files.filter((file) => isDetailed || !isIn(SEPARATE, file));
  /** The last file of each lane. A lane that crashes was running it. */
  const taken = new Map<number, string>();
  const desk = await openDesk((lane) => {
    const index = queue.findIndex((file) => lane === BROWSER_LANE || !file.startsWith(BROWSER_FOLDER));
    const [file] = index < 0 ? [] : queue.splice(index, 1);
    if (file !== undefined) taken.set(lane, file);
    return file ?? null;
  });
  const run = (work: string | number, fileOf: () => string) => runProcess(desk, report, name, work, fileOf);
  const runFiles = async (list: string[]) => {
    for (let file = list.shift(); file !== undefined; file = list.shift()) await run(file, () => file);
  };
  const runLane = async (lane: number) => {
    // After a crash, another process continues. One that crashed before it took a file would crash again.
    for (let before = Infinity; queue.length > 0 && queue.length < before;) {
      before = queue.length;
      await run(lane, () => taken.get(lane) ?? `test process ${lane}`);
    }
  };
  try {
    if (isDetailed) await runFiles(queue);
    else {
      await Promise.all(Array.from({ length: LANES }, (_, lane) => runLane(lane)));
      const separate = files.filter((file) => isIn(SEPARATE, file));
      await Promise.all([runFiles(separate), runFiles(separate)]);
      await retry(report, runFiles);
    }
  } finally {
    await desk.close();
  }
  report.end();
  return report.isGreen;
}

/**
 * Runs a few failed files again, each alone. Those that pass are flaky: defects of a test or of the product, which are
 * recorded.
 */
async function retry(report: Report, runFiles: (list: string[]) => Promise<void>): Promise<void> {
  const failed = report.failedFiles;
  if (failed.length > MAX_RETRIED_FILES) return;
  for (const file of failed.filter((each) => each.endsWith('.ts'))) {
    const failures = report.startAgain(file);
    await runFiles([file]);
    if (!report.markFlaky(file)) continue;
    mkdirSync('test-results', { recursive: true });
    appendFileSync(FLAKY_FILE, `${JSON.stringify({ at: new Date().toISOString(), file, failures })}\n`);
  }
}

/** Runs one file, or the files assigned to a lane, in a separate process. */
async function runProcess(
  desk: Desk,
  report: Report,
  name: string | undefined,
  work: string | number,
  fileOf: () => string,
): Promise<void> {
  const child = fork(join(import.meta.dirname, 'lane.ts'), [typeof work === 'number' ? String(work) : resolve(work)], {
    execArgv: [
      `--import=${new URL('cheaper-tracking.ts', import.meta.url).href}`,
      `--test-reporter=${new URL('event-reporter.ts', import.meta.url).href}`,
      // Node runs no hooks of a file in which no test matches, so its services stay open.
      ...(name === undefined ? [] : [`--test-name-pattern=${name}`, '--test-force-exit']),
    ],
    // Under `node --watch`, a process would also send the modules that it imports.
    env: { ...process.env, MENAGERIE_TEST_RUNNER: desk.url, WATCH_REPORT_DEPENDENCIES: undefined },
  });
  let hasFailed = false;
  const watch = setTimeout(() => child.kill('SIGKILL'), MAX_SILENCE_MS);
  child.on('message', (outcome: Outcome) => {
    watch.refresh();
    hasFailed ||= outcome.kind === 'fail';
    report.add(outcome);
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  clearTimeout(watch);
  // A failed test sets the exit code as well.
  if (code === 0 || (hasFailed && signal === null)) return;
  report.addFailure(fileOf(), `The process ended with ${signal ?? `exit code ${code}`}; its own message is above.`);
}
