import type { DatabaseSync } from 'node:sqlite';
import type { AccountAction, AccountEvent, ChangeEvent } from '../../domain/events/change-event.ts';
import type { BatchedChangeFeed, FeedChange } from '../../domain/events/ports.ts';
import type { PetAction } from '../../domain/pets/pet-change.ts';
import { MAX_CHARACTERS_READ } from '../../domain/portions.ts';
import { iterateRows, prepare, prepareRow } from './engine/database.ts';
import { LAST_VERSION } from './engine/versions.ts';
import type { TransactionWrites, Writer } from './engine/writer.ts';

/** A version of a pet, or a change of an account: that has a user name. */
type ChangeRow = [
  version: bigint,
  subjectId: bigint,
  action: string,
  changedBy: bigint | null,
  changedAtMs: bigint,
  text: string | null,
  username: string | null,
  details: string | null,
];

const MAX_VERSION = 2n ** 63n - 1n;

/** Reads on a connection of the event loop; changes through the writer. */
export function openChangeFeed(reader: DatabaseSync, writer: Writer): BatchedChangeFeed {
  const lastVersion = prepareRow(reader, LAST_VERSION);
  const after = iterateRows<ChangeRow>(
    reader,
    // Both are walked in the order of their keys, and merged on the way: no row is read before it is its turn.
    `select version, pet_id, action, changed_by, changed_at_ms, text, null as username, null as details
       from pet_version where version > ?1
     union all select version, account_id, action, changed_by, changed_at_ms, null, username, details
       from account_change where version > ?1
     order by version limit ?2`,
  );

  return {
    lastVersion: async () => lastVersion()?.[0] as bigint,
    list: async (afterVersion, limit) => {
      const events: ChangeEvent[] = [];
      let characters = 0;
      for (const row of after(afterVersion, limit)) {
        events.push(toEvent(row));
        characters += row[5]?.length ?? 0;
        if (characters > MAX_CHARACTERS_READ) break;
      }
      return events;
    },
    applyAll: (changes) => writer.apply('feed', changes),
  };
}

/** Forgets what became of accounts. */
export function createFeedWrites(db: DatabaseSync): TransactionWrites<FeedChange, number> {
  // In the order of the numbers, and no further than the first one that is young enough. The next number comes after the newest one there is.
  const forget = prepare(
    db,
    `with oldest as materialized (select version, changed_at_ms from account_change order by version limit ?2)
     delete from account_change where version in (select version from oldest)
       and version < ifnull((select min(version) from oldest where changed_at_ms >= ?1), ${MAX_VERSION})
       and version < (select max(version) from account_change)`,
  );
  return { apply: ({ beforeMs, limit }) => Number(forget.run(beforeMs, limit).changes) };
}

/** Writes what became of an account, inside the transaction that did it. */
export function createAccountChangeWriter(db: DatabaseSync): (change: AccountEvent) => void {
  const insert = prepare(
    db,
    `insert into account_change (version, account_id, username, action, details, changed_by, changed_at_ms)
     values (?, ?, ?, ?, ?, ?, ?)`,
  );
  return ({ version, accountId, username, action, details, changedBy, atMs }) => {
    insert.run(
      version,
      accountId,
      username,
      action,
      details === null ? null : JSON.stringify(details),
      changedBy,
      atMs,
    );
  };
}

function toEvent(row: ChangeRow): ChangeEvent {
  const [version, subjectId, action, changedBy, changedAtMs, text, username, details] = row;
  const base = { version, changedBy, atMs: Number(changedAtMs) };
  if (username === null) return { kind: 'pet', ...base, action: action as PetAction, petId: subjectId, text };
  return {
    kind: 'account',
    ...base,
    action: action as AccountAction,
    accountId: subjectId,
    username,
    details: details === null ? null : (JSON.parse(details) as Record<string, string>),
  };
}
