import {
  countOneMore,
  type CountedFailures,
  type Counter,
  type LimitChange,
  type LimitStore,
} from '../../../domain/accounts/throttle.ts';
import { toCountedFailures, type CountRow } from '../../rows/requests.ts';
import { gather } from '../../rows/gather.ts';
import { statement, type Ask } from '../engine/statements.ts';
import { eachInTurn, type StoreWrites } from '../engine/transactions.ts';
import type { Writer } from '../engine/writer.ts';

const byKeys = statement(
  'select key, count, first_at_ms, last_at_ms from counted_failures where key = any($1::text[])',
);
const find = statement('select count, first_at_ms, last_at_ms from counted_failures where key = $1');
const set = statement(
  `insert into counted_failures (key, count, first_at_ms, last_at_ms, forget_at_ms) values ($1, $2, $3, $4, $5)
   on conflict (key) do update set count = excluded.count, first_at_ms = excluded.first_at_ms,
     last_at_ms = excluded.last_at_ms, forget_at_ms = excluded.forget_at_ms`,
);
const clear = statement('delete from counted_failures where key = any($1::text[])');
const forgetCounts = statement(
  `delete from counted_failures where key = any(array(
     select key from counted_failures where forget_at_ms <= $1 order by forget_at_ms limit $2)) returning key`,
);
const spentOf = statement('select spent from request_lease where key = $1 and hour = $2');
const lease = statement(
  `insert into request_lease (key, hour, spent) values ($1, $2, $3)
   on conflict (key, hour) do update set spent = excluded.spent`,
);
const forgetLeases = statement(
  `delete from request_lease where hour < $1 and key = any(array(
     select key from request_lease where hour < $1 order by hour limit $2)) returning key`,
);

export class PostgresLimitStore implements LimitStore {
  readonly #ask: Ask;
  readonly #writer: Writer;

  constructor({ ask, writer }: { ask: Ask; writer: Writer }) {
    this.#ask = ask;
    this.#writer = writer;
  }

  readonly find = gather(async (keys: readonly string[]): Promise<readonly (CountedFailures | undefined)[]> => {
    const rows = await this.#ask<[key: string, ...CountRow]>(byKeys, keys);
    const counted = new Map(rows.map(([key, ...row]) => [key, toCountedFailures(row)]));
    return keys.map((key) => counted.get(key));
  });

  apply(change: LimitChange): Promise<number> {
    return this.#writer.apply('limit', change);
  }
}

async function count(ask: Ask, { key, limit }: Counter, nowMs: number): Promise<void> {
  const [row] = await ask<CountRow>(find, key);
  const next = countOneMore(row && toCountedFailures(row), limit, nowMs);
  await ask(set, key, next.count, next.firstAtMs, next.lastAtMs, next.lastAtMs + limit.forgetAfterMs);
}

async function take(ask: Ask, { key, hour, amount, most }: Extract<LimitChange, { kind: 'lease' }>): Promise<number> {
  const [row] = await ask<[spent: bigint]>(spentOf, key, hour);
  const spent = Number(row?.[0] ?? 0);
  const granted = Math.max(0, Math.min(amount, most - spent));
  if (granted > 0) await ask(lease, key, hour, spent + granted);
  return granted;
}

export const limitWrites: StoreWrites<LimitChange, number> = eachInTurn(async (change, { ask, audit }) => {
  switch (change.kind) {
    case 'count':
      for (const counter of change.counters) await count(ask, counter, change.nowMs);
      if (change.entry !== undefined) audit(change.entry);
      break;
    case 'clear':
      await ask(clear, change.keys);
      break;
    case 'lease':
      return take(ask, change);
    case 'forget': {
      const counts = (await ask(forgetCounts, change.nowMs, change.limit)).length;
      return counts + (await ask(forgetLeases, change.hour, change.limit - counts)).length;
    }
  }
  return 0;
});
