/*
 * Each part of the service counts its own work, for metrics. Counting must be cheap: the text of the metrics is
 * computed when they are read.
 */

/** Upper bounds for durations in seconds, from a cached read to a slow upload. */
const DURATION_BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const BATCH_BOUNDS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/** Counts values by upper bound. */
export class Distribution {
  readonly bounds: readonly number[];
  /**
   * The number of values up to each bound, but above the one before it; the last number is that of values above all
   * bounds.
   */
  readonly counts: Float64Array;
  sum = 0;

  private constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  static ofDurations(): Distribution {
    return new Distribution(DURATION_BOUNDS);
  }

  static ofBatchSizes(): Distribution {
    return new Distribution(BATCH_BOUNDS);
  }

  add(value: number): void {
    const { bounds, counts } = this;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] as number)) index++;
    counts[index] = (counts[index] as number) + 1;
    this.sum += value;
  }

  /** Adds the time since a result of `performance.now()`. */
  addSince(startMs: number): void {
    this.add((performance.now() - startMs) / 1000);
  }
}

/**
 * Estimates a quantile as Prometheus does: values are spread evenly between the bounds that they are counted in. Beyond
 * the last bound it is that bound. Undefined without values.
 *
 * @param counts of values up to each bound, and last of those above all bounds
 */
export function quantileOf(bounds: readonly number[], counts: ArrayLike<number>, share: number): number | undefined {
  const rank = share * Array.from(counts).reduce((sum, count) => sum + count, 0);
  if (rank === 0) return undefined;
  let below = 0;
  for (const [index, bound] of bounds.entries()) {
    const count = counts[index] ?? 0;
    const lower = bounds[index - 1] ?? 0;
    if (count > 0 && below + count >= rank) return lower + (bound - lower) * ((rank - below) / count);
    below += count;
  }
  return bounds.at(-1);
}

/** Work with a limited concurrency. */
export interface QueueActivity {
  waiting: number;
  running: number;
  /** In seconds, without the wait. */
  durations: ReadonlyMap<string, Distribution>;
}

export interface WriterActivity {
  /** The changes that wait for the current transaction to end. */
  waiting: number;
  /** The number of changes of each transaction. */
  batchSizes: Distribution;
  /** The durations of transactions, up to the confirmation of the disk, in seconds. */
  durations: Distribution;
}

export interface DatabaseActivity {
  writer: WriterActivity;
  /** Size of the write-ahead log of an embedded database. */
  logBytes?: number;
  /** Connections to PostgreSQL. */
  pool?: { open: number; idle: number; waiting: number };
}

export interface SearchActivity {
  waiting: number;
  durations: Distribution;
}

/** Messages sent by e-mail by this process. */
export class MailActivity {
  sent = 0;
  /** Failed attempts that are retried. */
  failed = 0;
  /** Messages that are not tried again. */
  dead = 0;
  /** Messages that no longer have a recipient. */
  dropped = 0;
  readonly durations = Distribution.ofDurations();
}
