import type { DatabaseSync } from 'node:sqlite';
import type { AccountEvent, ChangeEvent } from '../../../domain/events/change-event.ts';
import type { ChangeFeedStore, FeedChange } from '../../../domain/events/ports.ts';
import { MAX_INT64 } from '../../../domain/int64.ts';
import { MAX_CHARACTERS_READ } from '../../../domain/batches.ts';
import { toChangeEvent, type ChangeRow } from '../../rows/changes.ts';
import { storedName } from '../../rows/stored-names.ts';
import { iterateRows, prepare, prepareRow } from '../engine/database.ts';
import { LAST_VERSION } from '../engine/versions.ts';
import type { TransactionWrites, Writer } from '../engine/writer.ts';

/** Reads on a connection of the event loop. */
export class SqliteChangeFeed implements ChangeFeedStore {
  readonly #writer: Writer;
  readonly #lastVersion;
  readonly #after;

  constructor({ reader, writer }: { reader: DatabaseSync; writer: Writer }) {
    this.#writer = writer;
    this.#lastVersion = prepareRow(reader, LAST_VERSION);
    this.#after = iterateRows<ChangeRow>(
      reader,
      // Both tables are read in the order of their keys and merged: no row is read before its turn.
      `select version, pet_id, action, changed_by, changed_at_ms, text, null as username, null as details
         from pet_version where version > ?1
       union all select version, account_id, action, changed_by, changed_at_ms, null, username, details
         from account_change where version > ?1
       order by version limit ?2`,
    );
  }

  async lastVersion(): Promise<bigint> {
    return this.#lastVersion()?.[0] as bigint;
  }

  async list(afterVersion: bigint, limit: number): Promise<readonly ChangeEvent[]> {
    const events: ChangeEvent[] = [];
    let characters = 0;
    for (const row of this.#after(afterVersion, limit)) {
      events.push(toChangeEvent(row));
      characters += row[5]?.length ?? 0;
      if (characters > MAX_CHARACTERS_READ) break;
    }
    return events;
  }

  apply(change: FeedChange): Promise<number> {
    return this.#writer.apply('feed', change);
  }
}

/** Deletes old changes of accounts. */
export class FeedWrites implements TransactionWrites<FeedChange, number> {
  readonly #forget;

  constructor(db: DatabaseSync) {
    // In the order of the versions, up to the first one that is young enough. The newest stays, because the next
    // version follows it.
    this.#forget = prepare(
      db,
      `with oldest as materialized (select version, changed_at_ms from account_change order by version limit ?2)
       delete from account_change where version in (select version from oldest)
         and version < ifnull((select min(version) from oldest where changed_at_ms >= ?1), ${MAX_INT64})
         and version < (select max(version) from account_change)`,
    );
  }

  apply({ beforeMs, limit }: FeedChange): number {
    return Number(this.#forget.run(beforeMs, limit).changes);
  }
}

/** Returns a function that writes the event of an account, inside the transaction of its change. */
export function prepareAccountChangeWriter(db: DatabaseSync): (event: AccountEvent) => void {
  const insert = prepare(
    db,
    `insert into account_change (version, account_id, username, action, details, changed_by, changed_at_ms)
     values (?, ?, ?, ?, ?, ?, ?)`,
  );
  return ({ version, accountId, username, action, details, actorId, atMs }) => {
    const json = details === null ? null : JSON.stringify(details);
    insert.run(version, accountId, username, storedName(action), json, actorId, atMs);
  };
}
