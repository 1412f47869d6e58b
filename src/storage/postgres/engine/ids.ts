import { Failure } from '../../../domain/failure.ts';
import type { Ask } from './statements.ts';
import type { Statement } from './statements.ts';

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

/** A range of ids that begins with the next id, and which of them were ever in use. */
export interface KnownRun {
  used: readonly bigint[];
  length: number;
}

/** Assigns ids in one transaction. */
export interface Ids {
  take(): Promise<bigint>;
  /** To be called for an id that is about to be stored and was not taken here. */
  notice(id: bigint): void;
  /** The id at which the next transaction begins. */
  next(): bigint;
}

/**
 * Assigns ids upwards, skipping every id that was ever in use, including ids that a client chose. It does not look at
 * the largest id, so a client that chooses 9223372036854775807 takes that one id and nothing else.
 *
 * @param next the first id to try
 * @param run the range that has been read already; ranges of the same length are read after it
 */
export function createIds(ask: Ask, used: UsedIds, next: bigint, run: KnownRun): Ids {
  const noticed = new Set<bigint>();
  let taken = new Set(run.used);
  let position = next;
  /** `taken` has the used ids below this one. */
  let knownUntil = next + BigInt(run.length);

  async function lookFurther(): Promise<void> {
    const length = BigInt(Math.max(1, run.length));
    const rows = await ask<[id: bigint]>(used.list, position, position + length);
    taken = new Set(rows.map(([id]) => id));
    knownUntil = position + length;
    if (taken.size < Number(length)) return;
    position = await firstUnused(knownUntil);
    knownUntil = position;
  }

  /**
   * The first id at or above `from` that was never used. Strides double, then halve: a million used ids in a row take a
   * few statements.
   */
  async function firstUnused(from: bigint): Promise<bigint> {
    let id = from;
    let stride = 1n;
    for (; await areAllUsed(id, stride); stride *= 2n) id += stride;
    for (; stride > 1n; stride /= 2n) if (await areAllUsed(id, stride / 2n)) id += stride / 2n;
    return id;
  }

  async function areAllUsed(from: bigint, length: bigint): Promise<boolean> {
    const [row] = await ask<[count: bigint]>(used.count, from, from + length);
    return row?.[0] === length;
  }

  return {
    async take() {
      for (;;) {
        while (position >= knownUntil) await lookFurther();
        const id = position++;
        if (taken.has(id) || noticed.has(id)) continue;
        if (id > MAX_ASSIGNED_ID) {
          position = id;
          throw new Failure('unavailable', 'No ID is left to assign. Choose one yourself.');
        }
        return id;
      }
    },
    notice: (id) => void noticed.add(id),
    next: () => position,
  };
}
