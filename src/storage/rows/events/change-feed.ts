import { MAX_CHARACTERS_READ } from '../../../domain/batches.ts';
import type { AccountAction, AccountEvent, ChangeEvent } from '../../../domain/events/change-event.ts';
import type { ChangeFeedStore, FeedChange } from '../../../domain/events/ports.ts';
import { MAX_INT64 } from '../../../domain/int64.ts';
import type { PetAction } from '../../../domain/pets/pet-change.ts';
import { statement } from '../statements.ts';
import { ask, send, type CommonTransaction, type Reads, type StoreDeps, type Steps } from '../steps.ts';
import { nameOfStored, storedName } from '../stored-names.ts';

/** A version of a pet, or a change of an account, which has a user name. */
type ChangeRow = [
  version: bigint,
  subjectId: bigint,
  storedAction: string,
  actorId: bigint | null,
  changedAtMs: bigint,
  text: string | null,
  profile: string | null,
  isDraft: bigint,
  wasDraft: bigint,
  username: string | null,
  details: string | null,
];

/** The version of the last change of a pet or an account. */
export const lastVersion = statement(({ either }) =>
  either(
    'select last_version from change_order where only_row = 1',
    'select max(ifnull((select max(version) from pet_version), 0), ifnull((select max(version) from account_change), 0))',
  ),
);
const COLUMNS =
  'version, pet_id, action, changed_by, changed_at_ms, text, profile, is_draft, was_draft, username, details';
// A deleted pet that was restored as a draft was not public before, although it was no draft: it did not exist.
// PostgreSQL might read all versions for `exists`.
const WAS_DRAFT = `case when action = 'restored' and is_draft = 1 and (select earlier.text is null
    from pet_version as earlier where earlier.pet_id = pet_version.pet_id and earlier.version = pet_version.previous)
  then 1 else was_draft end as was_draft`;
const BYTES = '(coalesce(octet_length(text), 0) + coalesce(octet_length(profile), 0))';
// On PostgreSQL one statement, and so one state of the data: changes are committed in the order of their versions, and
// none is skipped. A change is returned if the texts before it have at most as many bytes as the last parameter; so the
// first one is always returned. SQLite reads both tables in the order of their keys and merges them, row by row.
const after = statement(({ either }) =>
  either(
    `select ${COLUMNS} from (
     select ${COLUMNS}, sum(${BYTES})
       over (order by version rows between unbounded preceding and current row) - ${BYTES} as bytes_before
     from (select * from ((select version, pet_id, action, changed_by, changed_at_ms, text, profile, is_draft, ${WAS_DRAFT},
         null::text as username, null::text as details
       from pet_version where version > $1 order by version limit $2)
     union all (select version, account_id, action, changed_by, changed_at_ms, null::text, null::text, 0, 0, username, details
       from account_change where version > $1 order by version limit $2)) as changes
     order by version limit $2) as found) as measured
     where bytes_before <= $3::int8 order by version`,
    `select version, pet_id, action, changed_by, changed_at_ms, text, profile, is_draft, ${WAS_DRAFT}, null as username, null as details
       from pet_version where version > $1
     union all select version, account_id, action, changed_by, changed_at_ms, null, null, 0, 0, username, details
       from account_change where version > $1
     order by version limit $2`,
  ),
);
const insert = statement(
  `insert into account_change (version, account_id, username, action, details, changed_by, changed_at_ms)
   values ($1, $2, $3, $4, $5, $6, $7)`,
);
// In the order of the versions, up to the first one that is young enough. The newest stays, because the next version
// follows it, and followers read up to it.
const forget = statement(
  ({ once, isAmong }) =>
    `with oldest as ${once}(select version, changed_at_ms from account_change order by version limit $2)
   delete from account_change where ${isAmong('version', 'select version from oldest')}
     and version < coalesce((select min(version) from oldest where changed_at_ms >= $1), ${MAX_INT64})
     and version < (select max(version) from account_change) returning version`,
);

export class SqlChangeFeed implements ChangeFeedStore {
  readonly #reads: Reads;
  readonly #apply;

  constructor({ reads, apply }: StoreDeps<FeedChange, number>) {
    this.#reads = reads;
    this.#apply = apply;
  }

  async lastVersion(): Promise<bigint> {
    return (await this.#reads.ask<[version: bigint]>(lastVersion))[0]?.[0] ?? 0n;
  }

  async list(afterVersion: bigint, limit: number): Promise<readonly ChangeEvent[]> {
    let characters = 0;
    const isLast = ([, , , , , text, profile]: ChangeRow) =>
      (characters += (text?.length ?? 0) + (profile?.length ?? 0)) > MAX_CHARACTERS_READ;
    const rows = await this.#reads.askUntil(isLast, after, afterVersion, limit, MAX_CHARACTERS_READ);
    return rows.map(toChangeEvent);
  }

  apply(change: FeedChange): Promise<number> {
    return this.#apply(change);
  }
}

/** Deletes old changes of accounts. */
export function* applyFeedChange({ beforeMs, limit }: FeedChange): Steps<number> {
  return (yield* ask(forget, beforeMs, limit)).length;
}

/** Writes the event of an account, inside the transaction of its change. */
export function* writeAccountChange(
  event: Omit<AccountEvent, 'kind' | 'version'>,
  { takeVersion }: CommonTransaction,
): Steps<void> {
  const { accountId, username, action, details, actorId, atMs } = event;
  const text = details === null ? null : JSON.stringify(details);
  yield* send(insert, takeVersion(), accountId, username, storedName(action), text, actorId, atMs);
}

function toChangeEvent(row: ChangeRow): ChangeEvent {
  const [version, subjectId, storedAction, actorId, changedAtMs, ...rest] = row;
  const [text, profile, isDraft, wasDraft, username, details] = rest;
  const base = { version, actorId, atMs: Number(changedAtMs) };
  const action = nameOfStored(storedAction) as PetAction;
  const drafts = { isDraft: isDraft !== 0n, wasDraft: wasDraft !== 0n };
  if (username === null) return { kind: 'pet', ...base, action, petId: subjectId, text, profile, ...drafts };
  return {
    kind: 'account',
    ...base,
    action: nameOfStored(storedAction) as AccountAction,
    accountId: subjectId,
    username,
    details: details === null ? null : (JSON.parse(details) as Record<string, string>),
  };
}
