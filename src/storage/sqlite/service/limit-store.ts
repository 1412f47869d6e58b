import type { DatabaseSync } from 'node:sqlite';
import {
  countOneMore,
  type CountedFailures,
  type Counter,
  type LimitChange,
  type LimitStore,
} from '../../../domain/accounts/throttle.ts';
import type { NewAuditEntry } from '../../../domain/audit.ts';
import { toCountedFailures, type CountRow } from '../../rows/requests.ts';
import { prepareAuditWriter } from './audit-store.ts';
import { prepare, prepareRows } from '../engine/database.ts';
import type { TransactionWrites, Writer } from '../engine/writer.ts';

/** Reads on the event loop's own connection. */
export class SqliteLimitStore implements LimitStore {
  readonly #writer: Writer;
  readonly #find: (key: string) => CountedFailures | undefined;

  constructor({ reader, writer }: { reader: DatabaseSync; writer: Writer }) {
    this.#writer = writer;
    this.#find = prepareFind(reader);
  }

  find(key: string): CountedFailures | undefined {
    return this.#find(key);
  }

  apply(change: LimitChange): Promise<number> {
    return this.#writer.apply('limit', change);
  }
}

export class LimitWrites implements TransactionWrites<LimitChange, number> {
  readonly #audit: (entry: NewAuditEntry) => void;
  readonly #find: (key: string) => CountedFailures | undefined;
  readonly #set;
  readonly #clear;
  readonly #forgetCounts;
  readonly #spentOf;
  readonly #lease;
  readonly #forgetLeases;

  constructor(db: DatabaseSync) {
    this.#audit = prepareAuditWriter(db);
    this.#find = prepareFind(db);
    this.#set = prepare(
      db,
      'insert or replace into counted_failures (key, count, first_at_ms, last_at_ms, forget_at_ms) values (?, ?, ' +
        '?, ?, ?)',
    );
    this.#clear = prepare(db, 'delete from counted_failures where key = ?');
    this.#forgetCounts = prepare(
      db,
      'delete from counted_failures where key in (select key from counted_failures where forget_at_ms <= ? order ' +
        'by forget_at_ms limit ?)',
    );
    this.#spentOf = prepareRows<[spent: bigint]>(db, 'select spent from request_lease where key = ? and hour = ?');
    this.#lease = prepare(db, 'insert or replace into request_lease (key, hour, spent) values (?, ?, ?)');
    this.#forgetLeases = prepare(
      db,
      'delete from request_lease where (key, hour) in (select key, hour from request_lease where hour < ? order ' +
        'by hour limit ?)',
    );
  }

  apply(change: LimitChange): number {
    switch (change.kind) {
      case 'count':
        for (const counter of change.counters) this.#countFailure(counter, change.nowMs);
        if (change.entry !== undefined) this.#audit(change.entry);
        break;
      case 'clear':
        for (const key of change.keys) this.#clear.run(key);
        break;
      case 'lease':
        return this.#takeLease(change);
      case 'forget': {
        const counts = Number(this.#forgetCounts.run(change.nowMs, change.limit).changes);
        return counts + Number(this.#forgetLeases.run(change.hour, change.limit - counts).changes);
      }
    }
    return 0;
  }

  #countFailure({ key, limit }: Counter, nowMs: number): void {
    const next = countOneMore(this.#find(key), limit, nowMs);
    this.#set.run(key, next.count, next.firstAtMs, next.lastAtMs, next.lastAtMs + limit.forgetAfterMs);
  }

  #takeLease({ key, hour, amount, most }: Extract<LimitChange, { kind: 'lease' }>): number {
    const spent = Number(this.#spentOf(key, hour)[0]?.[0] ?? 0);
    const granted = Math.max(0, Math.min(amount, most - spent));
    if (granted > 0) this.#lease.run(key, hour, spent + granted);
    return granted;
  }
}

function prepareFind(db: DatabaseSync): (key: string) => CountedFailures | undefined {
  const find = prepareRows<CountRow>(db, 'select count, first_at_ms, last_at_ms from counted_failures where key = ?');
  return (key) => {
    const [row] = find(key);
    return row && toCountedFailures(row);
  };
}
