import type { DatabaseSync } from 'node:sqlite';
import type { LimitChange, BatchedLimitStore } from '../../domain/accounts/throttle.ts';
import { countOneMore, type CountedFailures, type Counter } from '../../domain/accounts/throttle.ts';
import { createAuditWriter } from './audit-store.ts';
import { prepare, prepareRows } from './engine/database.ts';
import type { TransactionWrites, Writer } from './engine/writer.ts';

type CountRow = [count: bigint, firstAtMs: bigint, lastAtMs: bigint];

/** Reads on the event loop's own connection; changes through the writer. */
export function openLimitStore(reader: DatabaseSync, writer: Writer): BatchedLimitStore {
  const byKeys = prepareRows<[key: bigint, ...CountRow]>(
    reader,
    'select json_each.key, count, first_at_ms, last_at_ms from json_each(?) join counted_failures on counted_failures.key = value',
  );

  return {
    findMany: async (keys) => {
      const found: (CountedFailures | undefined)[] = Array.from({ length: keys.length });
      for (const [key, ...row] of byKeys(JSON.stringify(keys))) found[Number(key)] = toCounted(row);
      return found;
    },
    applyAll: (changes) => writer.apply('limit', changes),
  };
}

/** The changes of counts. */
export function createLimitWrites(db: DatabaseSync): TransactionWrites<LimitChange, number> {
  const audit = createAuditWriter(db);
  const find = prepareRows<CountRow>(db, 'select count, first_at_ms, last_at_ms from counted_failures where key = ?');
  const set = prepare(
    db,
    'insert or replace into counted_failures (key, count, first_at_ms, last_at_ms, forget_at_ms) values (?, ?, ?, ?, ?)',
  );
  const clear = prepare(db, 'delete from counted_failures where key = ?');
  const forgetCounts = prepare(
    db,
    'delete from counted_failures where key in (select key from counted_failures where forget_at_ms <= ? order by forget_at_ms limit ?)',
  );
  const spentOf = prepareRows<[spent: bigint]>(db, 'select spent from request_lease where key = ? and hour = ?');
  const lease = prepare(db, 'insert or replace into request_lease (key, hour, spent) values (?, ?, ?)');
  const forgetLeases = prepare(
    db,
    'delete from request_lease where (key, hour) in (select key, hour from request_lease where hour < ? order by hour limit ?)',
  );

  function count({ key, limit }: Counter, nowMs: number): void {
    const [row] = find(key);
    const next = countOneMore(row === undefined ? undefined : toCounted(row), limit, nowMs);
    set.run(key, next.count, next.firstAtMs, next.lastAtMs, next.lastAtMs + limit.forgetAfterMs);
  }

  function take({ key, hour, amount, most }: Extract<LimitChange, { kind: 'lease' }>): number {
    const spent = Number(spentOf(key, hour)[0]?.[0] ?? 0);
    const granted = Math.max(0, Math.min(amount, most - spent));
    if (granted > 0) lease.run(key, hour, spent + granted);
    return granted;
  }

  return {
    apply(change) {
      switch (change.kind) {
        case 'count':
          for (const counter of change.counters) count(counter, change.nowMs);
          if (change.entry !== undefined) audit(change.entry);
          break;
        case 'clear':
          for (const key of change.keys) clear.run(key);
          break;
        case 'lease':
          return take(change);
        case 'forget': {
          const counts = Number(forgetCounts.run(change.nowMs, change.limit).changes);
          return counts + Number(forgetLeases.run(change.hour, change.limit - counts).changes);
        }
      }
      return 0;
    },
  };
}

function toCounted([count, firstAtMs, lastAtMs]: CountRow): CountedFailures {
  return { count: Number(count), firstAtMs: Number(firstAtMs), lastAtMs: Number(lastAtMs) };
}
