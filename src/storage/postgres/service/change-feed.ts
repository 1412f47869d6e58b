import type { AccountEvent, ChangeEvent } from '../../../domain/events/change-event.ts';
import type { ChangeFeedStore, FeedChange } from '../../../domain/events/ports.ts';
import { MAX_INT64 } from '../../../domain/int64.ts';
import { MAX_CHARACTERS_READ } from '../../../domain/batches.ts';
import { toChangeEvent, type ChangeRow } from '../../rows/changes.ts';
import { storedName } from '../../rows/stored-names.ts';
import { positionOf } from '../engine/standby.ts';
import { statement, type Ask } from '../engine/statements.ts';
import { eachInTurn, type StoreWrites, type Transaction } from '../engine/transactions.ts';
import type { Writer } from '../engine/writer.ts';

// One statement, and so one state of the data: changes are committed in the order of their versions, and none is
// skipped. A change is returned if the texts before it have at most as many bytes as the last parameter; so the first
// one is always returned.
const after = statement(
  `select version, pet_id, action, changed_by, changed_at_ms, text, username, details from (
   select version, pet_id, action, changed_by, changed_at_ms, text, username, details, sum(coalesce(octet_length(text), 0))
     over (order by version rows between unbounded preceding and current row) - coalesce(octet_length(text), 0) as bytes_before
   from (select * from ((select version, pet_id, action, changed_by, changed_at_ms, text, null::text as username, null::text as details
     from pet_version where version > $1 order by version limit $2)
   union all (select version, account_id, action, changed_by, changed_at_ms, null::text, username, details
     from account_change where version > $1 order by version limit $2)) as changes
   order by version limit $2) as found) as measured
   where bytes_before <= $3::int8 order by version`,
);
const insert = statement(
  `insert into account_change (version, account_id, username, action, details, changed_by, changed_at_ms)
   values ($1, $2, $3, $4, $5, $6, $7)`,
);

// In the order of the versions, up to the first one that is young enough. The newest stays, because followers read up
// to it.
const forget = statement(
  `with oldest as (select version, changed_at_ms from account_change order by version limit $2)
   delete from account_change where version = any(array(select version from oldest))
     and version < coalesce((select min(version) from oldest where changed_at_ms >= $1), ${MAX_INT64})
     and version < (select max(version) from account_change) returning version`,
);

export class PostgresChangeFeed implements ChangeFeedStore {
  readonly #ask: Ask;
  readonly #writer: Writer;

  constructor({ ask, writer }: { ask: Ask; writer: Writer }) {
    this.#ask = ask;
    this.#writer = writer;
  }

  lastVersion(): Promise<bigint> {
    return positionOf(this.#ask);
  }

  async list(afterVersion: bigint, limit: number): Promise<readonly ChangeEvent[]> {
    return (await this.#ask<ChangeRow>(after, afterVersion, limit, MAX_CHARACTERS_READ)).map(toChangeEvent);
  }

  apply(change: FeedChange): Promise<number> {
    return this.#writer.apply('feed', change);
  }
}

/** Deletes old changes of accounts. */
export const feedWrites: StoreWrites<FeedChange, number> = eachInTurn(
  async ({ beforeMs, limit }, { ask }) => (await ask(forget, beforeMs, limit)).length,
);

/** Writes the event of an account, inside the transaction of its change, after the transaction has the lock. */
export function writeAccountChange(
  { ask, later, countersNow }: Transaction,
  { accountId, username, action, details, actorId, atMs }: Omit<AccountEvent, 'kind' | 'version'>,
): void {
  const counters = countersNow();
  if (counters === undefined) throw new Error('A change is written before the transaction has the lock.');
  const version = ++counters.lastVersion;
  const text = details === null ? null : JSON.stringify(details);
  later(ask(insert, version, accountId, username, storedName(action), text, actorId, atMs));
}
