import { Failure } from '../../domain/failure.ts';
import type { Statement } from './statements.ts';
import { ask, type Steps } from './steps.ts';

/** Every JavaScript client can hold an assigned id, even one that rounds larger numbers. */
const MAX_ASSIGNED_ID = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Statements that return which ids were ever in use. Parameters: the first id of a range, and the first id after it.
 */
export interface UsedIds {
  /** Returns one row for each used id. */
  list: Statement;
  count: Statement;
}

interface IdsDeps {
  used: UsedIds;
  /** The first id to try. */
  next: bigint;
  /** The number of ids that are read together. */
  batch: number;
  /** The used ids among the first `batch`, if they have been read already. */
  known?: readonly bigint[];
}

/**
 * Assigns ids upwards in one transaction, skipping every id that was ever in use, including ids that a client chose. It
 * does not look at the largest id, so a client that chooses 9223372036854775807 takes that one id and nothing else.
 */
export class Ids {
  readonly #used: UsedIds;
  readonly #batch: bigint;
  readonly #noticed = new Set<bigint>();
  #position: bigint;
  /** `#taken` has the used ids below this one. */
  #knownUntil: bigint;
  #taken: ReadonlySet<bigint>;

  constructor({ used, next, batch, known }: IdsDeps) {
    this.#used = used;
    this.#batch = BigInt(Math.max(1, batch));
    this.#position = next;
    this.#knownUntil = known === undefined ? next : next + BigInt(batch);
    this.#taken = new Set(known);
  }

  /** @throws Failure `conflict` when no id is left */
  *take(): Steps<bigint> {
    for (;;) {
      while (this.#position >= this.#knownUntil) yield* this.#lookFurther();
      const id = this.#position++;
      if (this.#taken.has(id) || this.#noticed.has(id)) continue;
      if (id <= MAX_ASSIGNED_ID) return id;
      this.#position = id;
      throw new Failure('conflict', 'No ID is left to assign. Choose one yourself.');
    }
  }

  /** To be called for an id that is about to be stored and was not taken here. */
  notice(id: bigint): void {
    this.#noticed.add(id);
  }

  /** The id at which the next transaction begins. */
  next(): bigint {
    return this.#position;
  }

  *#lookFurther(): Steps<void> {
    const end = this.#position + this.#batch;
    const rows = yield* ask<[id: bigint]>(this.#used.list, this.#position, end);
    this.#taken = new Set(rows.map(([id]) => id));
    this.#knownUntil = end;
    if (this.#taken.size < Number(this.#batch)) return;
    this.#position = yield* this.#firstUnused(end);
    this.#knownUntil = this.#position;
  }

  /**
   * The first id at or above `from` that was never used. Strides double, then halve: a million used ids in a row take a
   * few statements.
   */
  *#firstUnused(from: bigint): Steps<bigint> {
    let id = from;
    let stride = 1n;
    for (; yield* this.#areAllUsed(id, stride); stride *= 2n) id += stride;
    for (; stride > 1n; stride /= 2n) if (yield* this.#areAllUsed(id, stride / 2n)) id += stride / 2n;
    return id;
  }

  *#areAllUsed(from: bigint, length: bigint): Steps<boolean> {
    const [row] = yield* ask<[count: bigint]>(this.#used.count, from, from + length);
    return row?.[0] === length;
  }
}
