import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, globSync, mkdtempSync, rmSync, statfsSync, statSync, watch } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openDesk, type Desk } from './desk.ts';
import type { Outcome } from './event-reporter.ts';
import { Report } from './report.ts';

/*
 * The test runner: `npm test`, `npm test -- FILE`, `npm test -- --name PATTERN`. CONTRIBUTING.md describes it.
 */

const ROOT = join(import.meta.dirname, '../..');

/**
 * Not part of `npm test`: tests that kill, freeze and fail over processes, that take half a minute of processor time,
 * that need a server from Debian's packages, or that build the package and the container image.
 */
const SLOW = ['test/faults', 'test/s3', 'test/package', 'test/deploy'];

/** Path prefixes in starting order. These files take longest, so starting them first lets the lanes end together. */
const FIRST = [
  'test/web/',
  'test/http/webhooks',
  'test/http/events',
  'test/nodes/',
  'test/cli/',
  'test/stores/',
  'test/http/',
];

/** One lane runs the files that need a browser, so that there is one browser. */
const BROWSER_FOLDER = 'test/web/';
const BROWSER_LANE = 0;

/** Each runs in a separate process: it checks every SQL statement declared by the modules of its process. */
const ISOLATED = ['test/stores/postgres.test.ts', 'test/postgres/portable-sql.test.ts'];

/** Two at a time, after the others: they assert upper limits of durations, and mostly wait for servers. */
const TIMED = [
  'test/faults/connections.test.ts',
  'test/faults/cut-off-followers.test.ts',
  'test/faults/failover.test.ts',
  'test/faults/frozen-database.test.ts',
  'test/faults/killed-database.test.ts',
  'test/faults/killed-workers.test.ts',
  'test/faults/lost-nodes.test.ts',
  'test/faults/refused-starts.test.ts',
  'test/faults/standby-reads.test.ts',
];

/** Alone, at the end: it compares durations. */
const ALONE = ['test/http/no-enumeration.test.ts'];

/** Tests spend a fifth of their time waiting, so there is one lane more than processors. */
const LANES = Math.max(2, Math.min(availableParallelism() + 1, 8));

/** A process that reports no test for longer hangs. A file has less time. */
const MAX_SILENCE_MS = 12 * 60_000;

const USAGE = `Usage: npm test [-- [--name PATTERN] [--watch] [FILE or folder ...]]
  --name PATTERN  only the tests whose name matches this regular expression
  --watch         again after each change in src/ or test/; needs a FILE or folder`;

/** Caches the translation of TypeScript, so that each process does not repeat it. */
process.env['NODE_COMPILE_CACHE'] ??= join(ROOT, 'node_modules/.cache/menagerie-tests');

/** A file system in memory. Flushes to a disk took a tenth of the run, and half of the time in the kernel. */
const MEMORY_FOLDER = '/dev/shm';

/** Many times what the tests store at once. */
const NEEDED_MEMORY_BYTES = 4 * 1024 ** 3;

process.chdir(ROOT);
const request = readRequest();
if (typeof request === 'string') {
  process.stderr.write(`${request}\n${USAGE}\n`);
  process.exitCode = 2;
} else {
  useMemory();
  if (request.isWatching) await watchAndRun(request);
  process.exitCode = (await runAll(request)) ? 0 : 1;
}

interface Request {
  files: readonly string[];
  name: string | undefined;
  isWatching: boolean;
  /** Whether every test gets a line. */
  isDetailed: boolean;
}

/** Returns a message if the arguments are invalid. */
function readRequest(): Request | string {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { name: { type: 'string' }, watch: { type: 'boolean', default: false } },
    });
    const name = values.name === undefined ? undefined : new RegExp(values.name).source;
    if (values.watch && positionals.length === 0) return 'Name the files or folders to watch.';
    const files = positionals.length === 0 ? standardFiles() : positionals.flatMap(filesAt);
    if (files.length === 0) return `No test files in ${positionals.join(', ')}.`;
    const isDetailed =
      name !== undefined || (positionals.length > 0 && positionals.every((path) => path.endsWith('.ts')));
    return { files, name, isWatching: values.watch, isDetailed };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function standardFiles(): string[] {
  return filesAt('test')
    .filter((file) => !SLOW.some((folder) => file.startsWith(`${folder}/`)))
    .toSorted((one, other) => rankOf(one) - rankOf(other));
}

function rankOf(file: string): number {
  const rank = FIRST.findIndex((beginning) => file.startsWith(beginning));
  return rank < 0 ? FIRST.length : rank;
}

/** @throws Error for a path that does not exist */
function filesAt(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return globSync(`${path}/**/*.test.ts`)
    .map((file) => file.replaceAll('\\', '/'))
    .toSorted();
}

/** Returns whether all tests passed. */
async function runAll(request: Request): Promise<boolean> {
  const report = new Report(request.isDetailed);
  const files = [...request.files];
  const desk = await openDesk((lane) => takeFile(files, lane) ?? null);
  try {
    if (request.isDetailed) for (const file of request.files) await runProcess(desk, report, request, file);
    else await runLanes(desk, report, request, files);
  } finally {
    await desk.close();
  }
  report.end();
  return report.isGreen;
}

/** Puts temporary files into memory, if there is enough, until the runner ends. */
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

async function runLanes(desk: Desk, report: Report, request: Request, files: string[]): Promise<void> {
  const isolated = ISOLATED.filter((file) => files.includes(file));
  const timed = TIMED.filter((file) => files.includes(file));
  const alone = ALONE.filter((file) => files.includes(file));
  for (const file of [...isolated, ...timed, ...alone]) files.splice(files.indexOf(file), 1);
  const runFiles = async (queue: string[]) => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift())
      await runProcess(desk, report, request, file);
  };
  const runLane = async (lane: number) => {
    if (lane !== BROWSER_LANE) await runFiles(isolated);
    // After a crash, another process continues with the next file. A process that crashed before it took a file would
    // crash again.
    for (let before = Infinity; files.length < before && files.some((file) => isFor(lane, file));) {
      before = files.length;
      await runProcess(desk, report, request, lane);
    }
  };
  await Promise.all(Array.from({ length: LANES }, (_, lane) => runLane(lane)));
  await Promise.all([runFiles(timed), runFiles(timed)]);
  await runFiles(alone);
}

function takeFile(files: string[], lane: number): string | undefined {
  const index = files.findIndex((file) => isFor(lane, file));
  return index < 0 ? undefined : files.splice(index, 1)[0];
}

function isFor(lane: number, file: string): boolean {
  return lane === BROWSER_LANE || !file.startsWith(BROWSER_FOLDER);
}

/** Runs one file, or the files assigned to a lane, in a separate process. */
async function runProcess(desk: Desk, report: Report, { name }: Request, work: string | number): Promise<void> {
  const argument = typeof work === 'number' ? String(work) : resolve(work);
  const child = fork(join(import.meta.dirname, 'lane.ts'), [argument], {
    execArgv: [
      `--import=${new URL('cheaper-tracking.ts', import.meta.url).href}`,
      `--test-reporter=${join(import.meta.dirname, 'event-reporter.ts')}`,
      // Node runs no hooks of a file in which no test matches, so its services stay open.
      ...(name === undefined ? [] : [`--test-name-pattern=${name}`, '--test-force-exit']),
    ],
    env: { ...process.env, MENAGERIE_TEST_RUNNER: desk.url },
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
  if (code === 0 || hasFailed) return;
  report.addFailure(
    typeof work === 'number' ? `test process ${work}` : work,
    `ended with ${signal ?? `exit code ${code}`}; its own message is above`,
  );
}

async function watchAndRun(request: Request): Promise<never> {
  for (;;) {
    await runAll(request);
    process.stdout.write('\nWaiting for a change in src/ or test/ ...\n');
    const watchers = ['src', 'test'].map((folder) => watch(folder, { recursive: true }));
    await Promise.race(watchers.map((watcher) => once(watcher, 'change')));
    for (const watcher of watchers) watcher.close();
  }
}
