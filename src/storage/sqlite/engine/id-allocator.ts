import type { DatabaseSync } from 'node:sqlite';
import { Failure } from '../../../domain/failure.ts';
import { prepare, prepareRows } from './database.ts';

/** Every JavaScript client can hold an assigned id, even one that rounds larger numbers. */
const MAX_ASSIGNED_ID = BigInt(Number.MAX_SAFE_INTEGER);

/** So many ids are asked for at once: about as many as one transaction takes. */
const FREE_RUN = 64n;

export interface IdAllocator {
  /** Before the first use in a transaction: another process may have assigned ids since the last one. */
  begin(): void;
  take(): bigint;
  /** Tells of an id that is about to be stored without having been taken here. */
  notice(id: bigint): void;
  /** Before the commit: remembers how far it got, once for all ids of the transaction. */
  save(): void;
}

/**
 * Assigns ids: upwards from 1, past every id that was ever in use, whoever chose it. It does not look at the largest id, so a client that
 * picks 9223372036854775807 takes away that one id and nothing else.
 *
 * @param kind the row of `next_id` that remembers how far it got
 * @param countUsed SQL that counts how many different ids at or above the first parameter and below the second were ever in use
 */
export function createIdAllocator(db: DatabaseSync, kind: 'pet' | 'account', countUsed: string): IdAllocator {
  const read = prepareRows<[id: bigint]>(db, 'select id from next_id where kind = ?');
  const write = prepare(db, 'update next_id set id = ? where kind = ?');
  const count = prepareRows<[count: bigint]>(db, countUsed);

  function areAllUsed(from: bigint, length: bigint): boolean {
    return only(count(from, from + length)) === length;
  }

  function isFree(from: bigint, length: bigint): boolean {
    return only(count(from, from + length)) === 0n;
  }

  /** The first id at or above `from` that was never used. Strides double, then halve: a million taken ids in a row cost a few statements. */
  function firstUnused(from: bigint): bigint {
    let id = from;
    let stride = 1n;
    for (; areAllUsed(id, stride); stride *= 2n) id += stride;
    for (; stride > 1n; stride /= 2n) if (areAllUsed(id, stride / 2n)) id += stride / 2n;
    return id;
  }

  let next: bigint | undefined;
  /** From `next` up to here, nothing is used: known without asking again. */
  let freeUntil = 0n;

  return {
    begin() {
      next = undefined;
      freeUntil = 0n;
    },
    take() {
      const from = next ?? only(read(kind));
      const id = from < freeUntil ? from : firstUnused(from);
      if (id >= freeUntil && isFree(id, FREE_RUN)) freeUntil = id + FREE_RUN;
      if (id > MAX_ASSIGNED_ID) throw new Failure('unavailable', 'There is no id left to assign. Choose one yourself.');
      next = id + 1n;
      return id;
    },
    notice(id) {
      if (id < freeUntil) freeUntil = 0n;
    },
    save() {
      if (next !== undefined) write.run(next, kind);
    },
  };
}

function only(rows: readonly [bigint][]): bigint {
  return (rows[0] as [bigint])[0];
}
