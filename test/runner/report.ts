import { relative } from 'node:path';
import type { Outcome } from './event-reporter.ts';

const MAX_REASON_LENGTH = 200;

interface Failure {
  /** `test/http/xml.test.ts:43` */
  place: string;
  title: string;
  reason: string;
}

/** Writes the outcome of each file, or of each test, and a summary at the end. */
export class Report {
  readonly #failures: Failure[] = [];
  readonly #counts = { tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 };
  readonly #testsOf = new Map<string, number>();
  readonly #startedAtMs = performance.now();
  readonly #isDetailed: boolean;

  constructor(isDetailed: boolean) {
    this.#isDetailed = isDetailed;
  }

  /** Whether at least one test ran, and none failed. */
  get isGreen(): boolean {
    return this.#failures.length === 0 && this.#counts.tests > 0;
  }

  add(outcome: Outcome): void {
    const { error, file, line, path, name } = outcome;
    const isFile = path.length === 0;
    if (error !== undefined) {
      const place = isFile ? name : `${relative(process.cwd(), file).replaceAll('\\', '/')}:${line}`;
      this.#fail({ place, title: isFile ? '' : [...path, name].join(' > '), reason: error.reason }, error.stack);
    }
    if (isFile) this.#addFile(outcome);
    else this.#addTest(outcome);
  }

  /** A test process that failed outside of a test. */
  addFailure(place: string, reason: string): void {
    this.#fail({ place, title: '', reason }, reason);
  }

  /** Every failure in two lines, then the totals in the format of Node's reporter. */
  end(): void {
    if (this.#failures.length > 0) write('\nFailures:');
    for (const { place, title, reason } of this.#failures) {
      const short = reason.replaceAll(/\s+/g, ' ').slice(0, MAX_REASON_LENGTH);
      write(`✖ ${place} ${title}\n    ${short}`);
    }
    write('');
    // A process that failed is a failure as well.
    const fail = Math.max(this.#counts.fail, this.#failures.length);
    const totals = { ...this.#counts, fail, duration_ms: Math.round(performance.now() - this.#startedAtMs) };
    for (const [name, value] of Object.entries(totals)) write(`ℹ ${name} ${value}`);
  }

  #fail(failure: Failure, details: string): void {
    this.#failures.push(failure);
    write(`✖ ${failure.place} ${failure.title}\n${details.replaceAll(/^/gm, '    ')}`);
  }

  #addFile({ name, kind, tookMs }: Outcome): void {
    const tests = this.#testsOf.get(name) ?? 0;
    // With a name pattern, most files have no matching test.
    if (tests === 0 && kind !== 'fail') return;
    write(`${kind === 'fail' ? '✖' : '✔'} ${name} (${tests} tests, ${(tookMs / 1000).toFixed(1)} s)`);
  }

  #addTest({ name, path, kind, isSuite, tookMs }: Outcome): void {
    if (isSuite) this.#counts.suites++;
    else {
      const [file = ''] = path;
      this.#testsOf.set(file, (this.#testsOf.get(file) ?? 0) + 1);
      this.#counts.tests++;
      this.#counts[kind === 'skip' ? 'skipped' : kind]++;
    }
    if (!this.#isDetailed || kind === 'fail') return;
    const mark = isSuite ? '▸' : kind === 'pass' ? '✔' : '﹣';
    write(`${'  '.repeat(path.length)}${mark} ${name} (${tookMs.toFixed(1)} ms)${kind === 'skip' ? ' skipped' : ''}`);
  }
}

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}
