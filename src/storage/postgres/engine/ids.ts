import { Failure } from '../../../domain/failure.ts';
import type { Ask, Statement } from './statements.ts';

/** Every JavaScript client can hold an assigned id, even one that rounds larger numbers. */
const MAX_ASSIGNED_ID = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Statements that return which ids were ever in use. Parameters: the first id of a range, and the first id after it.
 */
interface UsedIds {
  /** Returns one row for each used id. */
  list: Statement;
  count: Statement;
}

/** A range of ids that begins with the next id, and which of them were ever in use. */
export interface KnownRun {
  used: readonly bigint[];
  length: number;
}

/**
 * Assigns ids in one transaction: upwards, skipping every id that was ever in use, including ids that a client chose.
 * It does not look at the largest id, so a client that chooses 9223372036854775807 takes that one id and nothing else.
 */
export class Ids {
  readonly #ask: Ask;
  readonly #used: UsedIds;
  readonly #rangeLength: number;
  readonly #noticed = new Set<bigint>();
  #position: bigint;
  /** The used ids below `#knownUntil`. */
  #taken: ReadonlySet<bigint>;
  #knownUntil: bigint;

  /**
   * @param next the first id to try
   * @param run the range that has been read already; ranges of the same length are read after it
   */
  constructor(ask: Ask, used: UsedIds, next: bigint, run: KnownRun) {
    this.#ask = ask;
    this.#used = used;
    this.#rangeLength = run.length;
    this.#position = next;
    this.#taken = new Set(run.used);
    this.#knownUntil = next + BigInt(run.length);
  }

  async take(): Promise<bigint> {
    for (;;) {
      while (this.#position >= this.#knownUntil) await this.#lookFurther();
      const id = this.#position++;
      if (this.#taken.has(id) || this.#noticed.has(id)) continue;
      if (id > MAX_ASSIGNED_ID) {
        this.#position = id;
        throw new Failure('unavailable', 'No ID is left to assign. Choose one yourself.');
      }
      return id;
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

  async #lookFurther(): Promise<void> {
    const length = BigInt(Math.max(1, this.#rangeLength));
    const rows = await this.#ask<[id: bigint]>(this.#used.list, this.#position, this.#position + length);
    this.#taken = new Set(rows.map(([id]) => id));
    this.#knownUntil = this.#position + length;
    if (this.#taken.size < Number(length)) return;
    this.#position = await this.#firstUnused(this.#knownUntil);
    this.#knownUntil = this.#position;
  }

  /**
   * The first id at or above `from` that was never used. Strides double, then halve: a million used ids in a row take a
   * few statements.
   */
  async #firstUnused(from: bigint): Promise<bigint> {
    let id = from;
    let stride = 1n;
    for (; await this.#areAllUsed(id, stride); stride *= 2n) id += stride;
    for (; stride > 1n; stride /= 2n) if (await this.#areAllUsed(id, stride / 2n)) id += stride / 2n;
    return id;
  }

  async #areAllUsed(from: bigint, length: bigint): Promise<boolean> {
    const [row] = await this.#ask<[count: bigint]>(this.#used.count, from, from + length);
    return row?.[0] === length;
  }
}
