export type DumpValue = bigint | string | null;

/** The values in column order, key first. */
export type DumpRow = readonly DumpValue[];

export interface DumpTable {
  name: string;
  /**
   * Key columns first. A table or column that was added after 2026-11-25 is absent in older backups; key columns never
   * change.
   */
  columns: Readonly<Record<string, 'int' | 'text'>>;
  /** The values of columns that older backups do not have; null without one. */
  defaults?: Readonly<Record<string, DumpValue>>;
  /** Number of key columns. Rows are sorted by key: integers by value, texts by their UTF-8 bytes. */
  keyLength: number;
  /**
   * Maximum rows per batch. An engine may have to sort tables with a text key for each batch, so their batches are
   * larger.
   */
  batchRows: number;
}

export const SMALL_ROWS = 20_000;
export const ROWS = 1000;
/** For recorded responses of up to a megabyte. */
export const LARGE_ROWS = 200;
