import { OUTCOMES, ProblemGroups, type Outcome, type ProblemGroup, type RowResult } from '../../transfer/row-result.ts';
import type { LeftOut } from '../../transfer/profiles/left-out.ts';
import { problemText } from '../../transfer/source-row.ts';
import { FAILED, plainText, print, printError } from '../terminal/output.ts';

/** The outcomes of rows without problems. */
const DONE: readonly Outcome[] = ['created', 'updated', 'skipped'];

const LEFT_OUT_TEXTS: Readonly<Record<LeftOut, string>> = {
  repeated: 'with nothing new about the pet of an earlier row',
  header: 'with the column names',
  deceased: 'deceased',
  transferred: 'transferred or returned to their owners',
  'not-for-adoption': 'not for adoption',
  deleted: 'deleted',
};

const MAX_PRINTED_PROBLEMS = 100;
const MAX_PRINTED_IDS = 50;

function stillStoredText(ids: readonly bigint[]): string {
  const more = ids.length > MAX_PRINTED_IDS ? ', ...' : '';
  const list = ids.slice(0, MAX_PRINTED_IDS).join(', ');
  return `Skipped, but still stored here: IDs ${list}${more}. Change their status, make them drafts, or delete them.`;
}

/** As a shell reports a command that was ended by SIGINT. */
const CANCELLED = 130;

function groupText({ problem, rows, count }: ProblemGroup): string {
  const more = count > rows.length ? ` and ${count - rows.length} more` : '';
  return `${count === 1 ? 'row' : 'rows'} ${rows.join(', ')}${more}: ${problemText(problem)}`;
}

/** Counts the results, and prints the first problems. */
export class ImportReport {
  readonly #records: string;
  readonly #counts = new Map<Outcome, number>();
  readonly #leftOut = new Map<LeftOut, number>();
  /** Pets that the file leaves out. */
  readonly #stillStored: bigint[] = [];
  readonly #problems = new ProblemGroups(MAX_PRINTED_PROBLEMS);
  /** New pets that are not published. */
  drafts = 0;

  constructor(records: string) {
    this.#records = records;
  }

  add(result: RowResult): void {
    const { id, outcome, leftOut, isDraft = false } = result;
    if (isDraft) this.drafts++;
    if (outcome === 'skipped' && id !== undefined) this.#stillStored.push(id);
    if (leftOut !== undefined) this.#leftOut.set(leftOut, (this.#leftOut.get(leftOut) ?? 0) + 1);
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1);
    this.#problems.add(result);
  }

  print({ isDryRun, total, isCancelled }: { isDryRun: boolean; total: number; isCancelled: boolean }): void {
    for (const group of this.#problems.groups) printError(plainText(groupText(group)));
    const { withheld } = this.#problems;
    if (withheld > 0) printError(`${withheld} more rows have problems. --result FILE records all of them.`);
    const reasons = Array.from(this.#leftOut, ([reason, count]) => `${count} ${LEFT_OUT_TEXTS[reason]}`);
    if (reasons.length > 0) printError(`Skipped: ${reasons.join(', ')}`);
    if (this.#stillStored.length > 0) printError(stillStoredText(this.#stillStored));
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
    else if (counts.length === 0 || DONE.reduce((sum, each) => sum + this.#count(each), 0) < total)
      process.exitCode = FAILED;
  }

  #count(outcome: Outcome): number {
    return this.#counts.get(outcome) ?? 0;
  }
}
