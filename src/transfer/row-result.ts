import type { SimilarLabel } from './label-spellings.ts';
import type { LeftOut } from './profiles/left-out.ts';
import type { RowProblem, SourceRow } from './source-row.ts';

/**
 * `skipped`: left out for a reason that is no problem. `incomplete`: stored without some of its values or photos.
 * `unknown`: the connection was lost, so the row may have been stored or not.
 */
export const OUTCOMES = ['created', 'updated', 'skipped', 'failed', 'incomplete', 'unknown'] as const;

export type Outcome = (typeof OUTCOMES)[number];

export interface RowResult {
  row: number;
  outcome: Outcome;
  id: bigint | undefined;
  problems: readonly RowProblem[];
  /** Only for skipped rows. */
  leftOut?: LeftOut;
  /** Whether the row becomes a new pet that is not published. */
  isDraft?: boolean;
}

export interface NewNames {
  /** Categories that the import creates with their first pet. */
  categories: readonly string[];
  /** Locations that the organisation does not have. Only an administrator can create them. */
  locations: readonly string[];
}

/** Imports rows in two passes: `addRow` for each, `prepare`, then `run` or, for a dry run, `tryRow` for each. */
export interface Import {
  /** @throws UnusableFile */
  addRow: (row: SourceRow) => void;
  /** Finds the stored records that the rows belong to. */
  prepare: (signal?: AbortSignal) => Promise<void>;
  /** Rows that become new records each time they are imported. */
  keylessRows: number;
  /** The number of stored records that would be renamed, if they are probably others than those of the file. */
  renames: number;
  /** Categories and tags of the rows that are probably misspelled. After `prepare`. */
  similarLabels: readonly SimilarLabel[];
  /** What the rows name for the first time. After `prepare`. */
  newNames: NewNames;
  /** The result of a row without storing it. */
  tryRow: (row: SourceRow) => RowResult | Promise<RowResult>;
  /** Stores the rows. An abort of the signal takes effect after the current batch. */
  run: (rows: AsyncIterable<SourceRow>, signal?: AbortSignal) => AsyncGenerator<RowResult, void, void>;
}

/** A problem, and the rows that have it. */
export interface ProblemGroup {
  problem: RowProblem;
  /** The first of them. */
  rows: readonly number[];
  count: number;
}

const MAX_ROWS_OF_GROUP = 3;

/** The problems of rows: a word that a hundred rows have is one problem. */
export class ProblemGroups {
  readonly #maxGroups: number;
  readonly #groups = new Map<string, ProblemGroup>();
  /** The number of rows with problems that are in no group. */
  withheld = 0;

  constructor(maxGroups: number) {
    this.#maxGroups = maxGroups;
  }

  get groups(): readonly ProblemGroup[] {
    return [...this.#groups.values()];
  }

  /** Without the reason why an import stopped, which is said once. */
  add({ row, problems }: RowResult): void {
    const isKept = problems.filter(({ kind }) => kind !== 'stopped').map((problem) => this.#keep(problem, row));
    if (isKept.includes(false)) this.withheld++;
  }

  #keep(problem: RowProblem, row: number): boolean {
    const key = JSON.stringify(problem);
    const { rows, count } = this.#groups.get(key) ?? { rows: [], count: 0 };
    if (count === 0 && this.#groups.size >= this.#maxGroups) return false;
    this.#groups.set(key, {
      problem,
      rows: rows.length < MAX_ROWS_OF_GROUP ? [...rows, row] : rows,
      count: count + 1,
    });
    return true;
  }
}

export function failedRow(row: number, problems: readonly RowProblem[]): RowResult {
  return { row, outcome: 'failed', id: undefined, problems };
}

/** @param id the stored pet of an animal that is left out */
export function skippedRow(row: number, leftOut: LeftOut, id?: bigint): RowResult {
  return { row, outcome: 'skipped', id, problems: [], leftOut };
}
