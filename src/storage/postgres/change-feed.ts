import type { AccountAction, AccountEvent, ChangeEvent } from '../../domain/events/change-event.ts';
import type { BatchedChangeFeed, FeedChange } from '../../domain/events/ports.ts';
import type { PetAction } from '../../domain/pets/pet-change.ts';
import { MAX_CHARACTERS_READ } from '../../domain/portions.ts';
import type { Ask } from './engine/statements.ts';
import { positionOf } from './engine/standby.ts';
import { statement } from './engine/statements.ts';
import { eachInTurn, type StoreWrites, type Transaction } from './engine/transactions.ts';
import type { Writer } from './engine/writer.ts';

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

// One statement, and so one state of the data: changes are committed in the order of their numbers, and none is left out. As many as have no more bytes
// before them than the last parameter: the first one is always among them.
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

const MAX_VERSION = 2n ** 63n - 1n;

// In the order of the numbers, and no further than the first one that is young enough. The newest one stays: whoever follows asks for what is up to it.
const forget = statement(
  `with oldest as (select version, changed_at_ms from account_change order by version limit $2)
   delete from account_change where version = any(array(select version from oldest))
     and version < coalesce((select min(version) from oldest where changed_at_ms >= $1), ${MAX_VERSION})
     and version < (select max(version) from account_change) returning version`,
);

export function openChangeFeed(ask: Ask, writer: Writer): BatchedChangeFeed {
  return {
    lastVersion: () => positionOf(ask),
    list: async (afterVersion, limit) =>
      (await ask<ChangeRow>(after, afterVersion, limit, MAX_CHARACTERS_READ)).map(toEvent),
    applyAll: (changes) => writer.apply('feed', changes),
  };
}

/** Forgets what became of accounts. */
export const feedWrites: StoreWrites<FeedChange, number> = eachInTurn(
  async ({ beforeMs, limit }, { ask }) => (await ask(forget, beforeMs, limit)).length,
);

/** Writes what became of an account, inside the transaction that did it; once it has its turn. */
export function writeAccountChange(
  { ask, later, countersNow }: Transaction,
  { accountId, username, action, details, changedBy, atMs }: Omit<AccountEvent, 'kind' | 'version'>,
): void {
  const counters = countersNow();
  if (counters === undefined) throw new Error('A change is written before the transaction has its turn.');
  const version = ++counters.lastVersion;
  const text = details === null ? null : JSON.stringify(details);
  later(ask(insert, version, accountId, username, action, text, changedBy, atMs));
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
