import type { DatabaseSync } from 'node:sqlite';
import { Failure } from '../../../domain/failure.ts';
import { prepare, prepareRows } from './database.ts';

/** Every JavaScript client can hold an assigned id, even one that rounds larger numbers. */
const MAX_ASSIGNED_ID = BigInt(Number.MAX_SAFE_INTEGER);

/** Number of ids that are checked together: about as many as one transaction takes. */
const FREE_RUN = 64n;

/**
 * Assigns ids upwards from 1, skipping every id that was ever in use, including ids that a client chose. It does not
 * look at the largest id, so a client that chooses 9223372036854775807 takes that one id and nothing else.
 */
export class IdAllocator {
  readonly #kind: 'pet' | 'account';
  readonly #read;
  readonly #write;
  readonly #count;
  #next: bigint | undefined;
  /** No id from `#next` up to this one is in use. */
  #freeUntil = 0n;

  /**
   * @param kind the row of `next_id` that stores the position
   * @param countUsed SQL that counts the different ids from the first parameter up to, not including, the second that
   *   were ever in use
   */
  constructor(db: DatabaseSync, kind: 'pet' | 'account', countUsed: string) {
    this.#kind = kind;
    this.#read = prepareRows<[id: bigint]>(db, 'select id from next_id where kind = ?');
    this.#write = prepare(db, 'update next_id set id = ? where kind = ?');
    this.#count = prepareRows<[count: bigint]>(db, countUsed);
  }

  /** To be called before the first use in a transaction: another process may have assigned ids since the last one. */
  begin(): void {
    this.#next = undefined;
    this.#freeUntil = 0n;
  }

  /** @throws Failure `unavailable` when no id is left */
  take(): bigint {
    const from = this.#next ?? only(this.#read(this.#kind));
    const id = from < this.#freeUntil ? from : this.#firstUnused(from);
    if (id >= this.#freeUntil && this.#countUsed(id, FREE_RUN) === 0n) this.#freeUntil = id + FREE_RUN;
    if (id > MAX_ASSIGNED_ID) throw new Failure('unavailable', 'No ID is left to assign. Choose one yourself.');
    this.#next = id + 1n;
    return id;
  }

  /** To be called for an id that is about to be stored and was not taken here. */
  notice(id: bigint): void {
    if (id < this.#freeUntil) this.#freeUntil = 0n;
  }

  /** To be called before the commit. Stores the position, once for all ids of the transaction. */
  save(): void {
    if (this.#next !== undefined) this.#write.run(this.#next, this.#kind);
  }

  /**
   * The first id at or above `from` that was never used. Strides double, then halve: a million used ids in a row take a
   * few statements.
   */
  #firstUnused(from: bigint): bigint {
    let id = from;
    let stride = 1n;
    for (; this.#areAllUsed(id, stride); stride *= 2n) id += stride;
    for (; stride > 1n; stride /= 2n) if (this.#areAllUsed(id, stride / 2n)) id += stride / 2n;
    return id;
  }

  #areAllUsed(from: bigint, length: bigint): boolean {
    return this.#countUsed(from, length) === length;
  }

  #countUsed(from: bigint, length: bigint): bigint {
    return only(this.#count(from, from + length));
  }
}

function only(rows: readonly [bigint][]): bigint {
  return (rows[0] as [bigint])[0];
}
