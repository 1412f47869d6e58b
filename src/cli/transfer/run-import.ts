import { SingleBar } from 'cli-progress';
import { OUTCOMES, type Import, type Outcome, type RowResult } from '../../transfer/row-result.ts';
import type { SourceRow, Table } from '../../transfer/rows.ts';
import { FAILED, plainText, print, printError } from '../output.ts';
import { stopOnSignal } from '../progress.ts';
import { problemText } from './problem-text.ts';
import { ResultFile } from './result-file.ts';
import type { SourceFile } from './source-file.ts';

export interface ImportCall {
  source: SourceFile;
  table: Table;
  /** The kind of records, in the plural. */
  records: 'pets' | 'users';
  work: Import;
  isDryRun: boolean;
  /** The path of the result file. */
  resultPath: string | undefined;
  /** A sentence about rows without a key; undefined if they are intended. */
  keylessText?: ((count: number) => string) | undefined;
}

const MAX_PRINTED_PROBLEMS = 100;

/** As a shell reports a command that was ended by SIGINT. */
const CANCELLED = 130;

/** Runs an import with progress, reports its results, and sets the exit code. The first SIGINT ends it after the current batch. */
export async function runImport(call: ImportCall): Promise<void> {
  const { work, isDryRun, resultPath, records } = call;
  const stop = stopOnSignal();
  const report = new Report(records);
  try {
    const total = await matchRows(call, stop.signal);
    if (work.keylessRows > 0 && call.keylessText) printError(call.keylessText(work.keylessRows));
    try {
      if (!stop.signal.aborted) await record(resultsOf(call, stop.signal), { report, total, resultPath });
    } finally {
      report.print({ isDryRun, total, isCancelled: stop.signal.aborted });
    }
  } finally {
    stop.forget();
  }
}

/** @returns the number of rows @throws UnusableFile before anything was changed */
async function matchRows({ source, table, work }: ImportCall, signal: AbortSignal): Promise<number> {
  let total = 0;
  for await (const row of source.rows(table, ({ ignored }) => reportIgnored(ignored))) {
    if (signal.aborted) return total;
    total++;
    work.addRow(row);
  }
  try {
    await work.prepare(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return total;
}

async function record(
  results: AsyncIterable<RowResult>,
  { report, total, resultPath }: { report: Report; total: number; resultPath: string | undefined },
): Promise<void> {
  const file = resultPath === undefined ? undefined : await ResultFile.open(resultPath);
  const bar = startBar(total);
  try {
    for await (const result of results) {
      report.add(result);
      await file?.add(result);
      bar?.increment();
    }
  } finally {
    bar?.stop();
    await file?.close();
  }
}

async function* resultsOf(
  { source, table, work, isDryRun }: ImportCall,
  signal: AbortSignal,
): AsyncGenerator<RowResult> {
  const rows: AsyncGenerator<SourceRow> = source.rows(table);
  if (!isDryRun) {
    yield* work.run(rows, signal);
    return;
  }
  for await (const row of rows) {
    if (signal.aborted) return;
    yield await work.tryRow(row);
  }
}

/** Only on a terminal. */
function startBar(total: number): SingleBar | undefined {
  if (!process.stderr.isTTY) return undefined;
  const bar = new SingleBar({ stream: process.stderr, format: '{bar} {value}/{total}', gracefulExit: false });
  bar.start(total, 0);
  return bar;
}

function reportIgnored(names: readonly string[]): void {
  if (names.length > 0) printError(`Ignored columns: ${names.map(plainText).join(', ')}`);
}

/** Counts the results, and prints the first problems. */
class Report {
  readonly #records: string;
  readonly #counts = new Map<Outcome, number>();
  #printed = 0;
  #withheld = 0;

  constructor(records: string) {
    this.#records = records;
  }

  add({ row, outcome, problems }: RowResult): void {
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1);
    if (problems.length === 0) return;
    if (this.#printed++ >= MAX_PRINTED_PROBLEMS) this.#withheld++;
    else for (const problem of problems) printError(plainText(`row ${row}: ${problemText(problem)}`));
  }

  print({ isDryRun, total, isCancelled }: { isDryRun: boolean; total: number; isCancelled: boolean }): void {
    if (this.#withheld > 0) printError(`${this.#withheld} more rows have problems. --result FILE records all of them.`);
    const reached = OUTCOMES.reduce((sum, outcome) => sum + this.#count(outcome), 0);
    const counts = OUTCOMES.filter((outcome) => this.#count(outcome) > 0).map(
      (outcome) => `${this.#count(outcome)} ${outcome}`,
    );
    const outcome = counts.length === 0 ? 'none stored' : counts.join(', ');
    print(`${isDryRun ? 'Dry run, nothing was stored: ' : ''}${this.#records}: ${outcome}\n`);
    if (isCancelled || reached < total)
      process.stderr.write(
        `${isCancelled ? 'Cancelled' : 'Stopped'} after ${reached} of ${total} rows. Run the same command again to continue.\n`,
      );
    if (isCancelled) process.exitCode = CANCELLED;
    else if (counts.length === 0 || this.#count('created') + this.#count('updated') < total) process.exitCode = FAILED;
  }

  #count(outcome: Outcome): number {
    return this.#counts.get(outcome) ?? 0;
  }
}
