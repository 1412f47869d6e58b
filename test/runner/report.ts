import { relative } from 'node:path';
import type { Outcome } from './event-reporter.ts';

const MAX_REASON_LENGTH = 200;

export interface Failure {
  /** `test/http/xml.test.ts:43` */
  place: string;
  title: string;
  reason: string;
}

const NO_COUNTS = { tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 };

interface FileRecord {
  counts: typeof NO_COUNTS;
  failures: Failure[];
  /** The failures of the first run, if the second one passed. */
  flaky: readonly Failure[];
}

/** Writes the outcome of each file, or of each test, and a summary at the end. */
export class Report {
  readonly #files = new Map<string, FileRecord>();
  readonly #firstFailures = new Map<string, readonly Failure[]>();
  readonly #startedAtMs = performance.now();
  readonly #isDetailed: boolean;

  constructor(isDetailed: boolean) {
    this.#isDetailed = isDetailed;
  }

  /** Whether at least one test ran, and no file failed, or failed twice. */
  get isGreen(): boolean {
    return this.failedFiles.length === 0 && this.#totals().tests > 0;
  }

  get failedFiles(): readonly string[] {
    return [...this.#files].filter(([, { failures }]) => failures.length > 0).map(([file]) => file);
  }

  /** Forgets the outcome of a file, which runs again. @returns its failures */
  startAgain(file: string): readonly Failure[] {
    const { failures } = this.#recordOf(file);
    this.#firstFailures.set(file, failures);
    this.#files.delete(file);
    write(`\nRunning ${file} again, alone.`);
    return failures;
  }

  /** Whether the second run of the file passed. */
  markFlaky(file: string): boolean {
    const record = this.#recordOf(file);
    if (record.failures.length > 0 || record.counts.tests === 0) return false;
    record.flaky = this.#firstFailures.get(file) ?? [];
    return true;
  }

  add({ error, file, line, path, name, kind, isSuite, tookMs }: Outcome): void {
    const isFile = path.length === 0;
    const record = this.#recordOf(path[0] ?? name);
    if (error !== undefined) {
      const place = isFile ? name : `${relative(process.cwd(), file).replaceAll('\\', '/')}:${line}`;
      record.failures.push({ place, title: isFile ? '' : [...path, name].join(' > '), reason: error.reason });
      write(`✖ ${place} ${isFile ? '' : name}\n${error.stack.replaceAll(/^/gm, '    ')}`);
    }
    const { counts } = record;
    if (!isFile && isSuite) counts.suites++;
    else if (!isFile) {
      counts.tests++;
      counts[kind === 'skip' ? 'skipped' : kind]++;
    }
    const mark = kind === 'fail' ? '✖' : kind === 'skip' ? '﹣' : isSuite && !isFile ? '▸' : '✔';
    // With a name pattern, most files have no matching test.
    if (isFile && (counts.tests > 0 || kind === 'fail'))
      write(`${mark} ${name} (${counts.tests} tests, ${(tookMs / 1000).toFixed(1)} s)`);
    else if (!isFile && this.#isDetailed) write(`${'  '.repeat(path.length)}${mark} ${name} (${tookMs.toFixed(1)} ms)`);
  }

  /** A test process that failed outside of a test. */
  addFailure(file: string, reason: string): void {
    this.#recordOf(file).failures.push({ place: file, title: '', reason });
    write(`✖ ${file}\n    ${reason}`);
  }

  /** Every failure in two lines, then the totals in the format of Node's reporter. */
  end(): void {
    const records = [...this.#files.values()];
    writeFailures(
      'Flaky: failed, then passed alone',
      records.flatMap(({ flaky }) => flaky),
    );
    writeFailures(
      'Failures',
      records.flatMap(({ failures }) => failures),
    );
    write('');
    const durationMs = Math.round(performance.now() - this.#startedAtMs);
    for (const [name, value] of Object.entries(this.#totals())) write(`ℹ ${name} ${value}`);
    write(`ℹ flaky files ${records.filter(({ flaky }) => flaky.length > 0).length}\nℹ duration_ms ${durationMs}`);
  }

  #totals(): FileRecord['counts'] {
    const totals = { ...NO_COUNTS };
    for (const { counts, failures } of this.#files.values()) {
      for (const name of Object.keys(totals) as (keyof typeof totals)[]) totals[name] += counts[name];
      // A process that failed is a failure as well.
      totals.fail += Math.max(0, failures.length - counts.fail);
    }
    return totals;
  }

  #recordOf(file: string): FileRecord {
    const record = this.#files.get(file) ?? { counts: { ...NO_COUNTS }, failures: [], flaky: [] };
    this.#files.set(file, record);
    return record;
  }
}

function writeFailures(title: string, failures: readonly Failure[]): void {
  if (failures.length > 0) write(`\n${title}:`);
  for (const { place, title: test, reason } of failures)
    write(`✖ ${place} ${test}\n    ${reason.replaceAll(/\s+/g, ' ').slice(0, MAX_REASON_LENGTH)}`);
}

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}
