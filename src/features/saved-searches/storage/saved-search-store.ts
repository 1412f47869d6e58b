import { done } from '../../../domain/audit.ts';
import { personKey } from '../../../domain/mail/mail-address.ts';
import type { SavedSearchChange, SavedSearchCounts, SavedSearchStore } from '../domain/ports.ts';
import { SAVED_SEARCH_LIMITS, type SavedSearch } from '../domain/saved-search.ts';
import { rowOf } from '../../../storage/rows/row.ts';
import { statement } from '../../../storage/rows/statements.ts';
import {
  ask,
  send,
  type CommonTransaction,
  type Reads,
  type StoreDeps,
  type Steps,
} from '../../../storage/rows/steps.ts';
import { requireCredential } from '../../../storage/rows/credential-check.ts';
import { deleteMailTo, queueMail } from '../../../storage/rows/mail/mail-rows.ts';
import { renewKeysOfSearches } from './search-keys.ts';

type Change<K extends SavedSearchChange['kind']> = Extract<SavedSearchChange, { kind: K }>;

const SEARCH = rowOf<SavedSearch>({
  id: 'text',
  email: 'text',
  language: 'text',
  search: 'text',
  createdAtMs: 'number',
  confirmedAtMs: 'number?',
  endsAtMs: 'number',
  seenVersion: 'bigint',
  mailedAtMs: 'number?',
});

const { ofAddress, unconfirmedOfAddress, total, petsInMail, unconfirmedMs, lifetimeMs, betweenMailsMs } =
  SAVED_SEARCH_LIMITS;

const DUE = 'confirmed_at_ms is not null and next_at_ms <= $1 and ends_at_ms > $1 and seen_version <> $2';

const anyDue = statement(`select 1 from saved_search where ${DUE} limit 1`);
// The conditions hold for all: they select indexes.
const counts = statement(
  `select (select count(*) from saved_search where ends_at_ms >= 0),
     (select count(*) from saved_search where confirmed_at_ms is not null and next_at_ms >= 0)`,
);
const byId = statement(`select ${SEARCH.columns} from saved_search where id = $1`);
const ofKey = statement(`select ${SEARCH.columns} from saved_search where email_key = $1 order by search limit 100`);
const insert = statement(
  `insert into saved_search (id, email, email_key, language, search, created_at_ms, ends_at_ms, seen_version, next_at_ms)
   values ($1, $2, $3, $4, $5, $6, $7, 0, $6)`,
);
const ofLink = statement(
  `select ${SEARCH.columns} from saved_search where id = (select search_id from saved_search_link where digest = $1)`,
);
const addLink = statement('insert into saved_search_link (digest, search_id) values ($1, $2)');
const confirmFirst = statement(
  'update saved_search set confirmed_at_ms = $2, ends_at_ms = $3, seen_version = $4, next_at_ms = $2 where id = $1',
);
const keep = statement('update saved_search set ends_at_ms = $2 where id = $1');
const remove = statement('delete from saved_search where id = $1');
const claim = statement((sql) => {
  const due = `select id from saved_search where ${DUE} order by next_at_ms limit $4`;
  return `update saved_search set next_at_ms = $3 where ${sql.isAmong('id', due)} returning ${SEARCH.columns}`;
});
const renew = statement(
  (sql) =>
    `update saved_search set next_at_ms = $3
     where next_at_ms = $2 and ${sql.isAmong('id', `select value from ${sql.each('$1', 'text')}`)} returning ${SEARCH.columns}`,
);
const recordLook = statement(
  `update saved_search set seen_version = $3, next_at_ms = $4 where id = $1 and next_at_ms = $2 returning ${SEARCH.columns}`,
);
const unsent = statement(
  (sql) =>
    `select value from ${sql.each('$2', 'int8')}
     where not exists (select 1 from saved_search_pet where search_id = $1 and pet_id = value)`,
);
const addPets = statement(
  (sql) =>
    `insert into saved_search_pet (search_id, pet_id) select $1, value from ${sql.each('$2', 'int8')} where true
     on conflict (search_id, pet_id) do nothing`,
);
const setMailed = statement('update saved_search set mailed_at_ms = $2, next_at_ms = $3 where id = $1');
const erase = statement(`delete from saved_search where email_key = $1 returning ${SEARCH.columns}`);
const forget = statement((sql) => {
  const ended = 'select id from saved_search where ends_at_ms <= $1 order by ends_at_ms limit $2';
  return `delete from saved_search where ${sql.isAmong('id', ended)} returning ${SEARCH.columns}`;
});

export class SqlSavedSearchStore implements SavedSearchStore {
  readonly #reads: Reads;
  readonly #apply;

  constructor({ reads, apply }: StoreDeps<SavedSearchChange, readonly SavedSearch[]>) {
    this.#reads = reads;
    this.#apply = apply;
  }

  async hasDue(nowMs: number, version: bigint): Promise<boolean> {
    return (await this.#reads.ask(anyDue, nowMs, version)).length > 0;
  }

  async count(): Promise<SavedSearchCounts> {
    const [[all, confirmed] = [0n, 0n]] = await this.#reads.ask<[all: bigint, confirmed: bigint]>(counts);
    return { confirmed: Number(confirmed), unconfirmed: Number(all - confirmed) };
  }

  async find(id: string): Promise<SavedSearch | undefined> {
    return (await this.#reads.ask(byId, id)).map(SEARCH.read)[0];
  }

  async listOf(email: string): Promise<readonly SavedSearch[]> {
    const searches = (await this.#reads.ask(ofKey, personKey(email))).map(SEARCH.read);
    return searches.toSorted((a, b) => a.createdAtMs - b.createdAtMs);
  }

  apply(change: SavedSearchChange): Promise<readonly SavedSearch[]> {
    return this.#apply(change);
  }
}

export function* applySavedSearchChange(
  change: SavedSearchChange,
  transaction: CommonTransaction,
): Steps<readonly SavedSearch[]> {
  switch (change.kind) {
    case 'add':
      return yield* add(change);
    case 'offer':
      return yield* offer(change);
    case 'confirm':
      return yield* confirm(change, transaction);
    case 'stop': {
      const found = (yield* ask(ofLink, change.digest)).map(SEARCH.read);
      for (const { id } of found) yield* send(remove, id);
      return found;
    }
    case 'claim': {
      const { nowMs, version, untilMs, limit } = change;
      return (yield* ask(claim, nowMs, version, untilMs, limit)).map(SEARCH.read);
    }
    case 'renew':
      return (yield* ask(renew, change.ids, change.untilMs, change.nextMs)).map(SEARCH.read);
    case 'looked':
      return yield* look(change);
    case 'erase':
      return yield* eraseOf(change, transaction);
    case 'forget':
      break;
  }
  return (yield* ask(forget, change.nowMs, change.limit)).map(SEARCH.read);
}

function* add({ search: sent, nowMs }: Change<'add'>): Steps<readonly SavedSearch[]> {
  const { id, email, language, search } = sent;
  const key = personKey(email);
  const known = (yield* ask(ofKey, key)).map(SEARCH.read);
  const same = known.filter((each) => each.id === id);
  if (same.length > 0) return same;
  const unconfirmed = known.filter(({ confirmedAtMs }) => confirmedAtMs === undefined);
  const isFull = known.length >= ofAddress || unconfirmed.length >= unconfirmedOfAddress;
  if (isFull || known.some((each) => each.search === search)) return [];
  const [[all] = [0n]] = yield* ask<[all: bigint, confirmed: bigint]>(counts);
  if (Number(all) >= total) return [];
  yield* send(insert, id, email, key, language, search, nowMs, nowMs + unconfirmedMs);
  return (yield* ask(byId, id)).map(SEARCH.read);
}

function* offer({ id, purpose, digest, nowMs }: Change<'offer'>): Steps<readonly SavedSearch[]> {
  const found = (yield* ask(byId, id)).map(SEARCH.read);
  const wanted = found.filter(
    ({ endsAtMs, confirmedAtMs }) => endsAtMs > nowMs && (confirmedAtMs === undefined) === (purpose === 'confirm'),
  );
  for (const _ of wanted) yield* send(addLink, digest, id);
  return wanted;
}

/** A search starts with the pets that are added from now on. */
function* confirm(
  { digest, stamp: { atMs: nowMs } }: Change<'confirm'>,
  { lastVersion }: CommonTransaction,
): Steps<readonly SavedSearch[]> {
  const [found] = (yield* ask(ofLink, digest)).map(SEARCH.read);
  if (found === undefined || found.endsAtMs <= nowMs) return [];
  const endsAtMs = nowMs + lifetimeMs;
  if (found.confirmedAtMs === undefined) yield* send(confirmFirst, found.id, nowMs, endsAtMs, lastVersion());
  else yield* send(keep, found.id, endsAtMs);
  return [{ ...found, confirmedAtMs: found.confirmedAtMs ?? nowMs, endsAtMs }];
}

function* look(change: Change<'looked'>): Steps<readonly SavedSearch[]> {
  const { id, untilMs, version, petIds, nowMs, nextAtMs } = change;
  const looked = (yield* ask(recordLook, id, untilMs, version, nextAtMs)).map(SEARCH.read);
  const [search] = looked;
  if (search === undefined || petIds.length === 0) return [];
  const fresh = new Set((yield* ask<[petId: bigint]>(unsent, id, petIds)).map(([petId]) => petId));
  // In their order, the newest last.
  const found = petIds.filter((petId) => fresh.has(petId));
  if (found.length === 0) return [];
  yield* send(addPets, id, found);
  yield* send(setMailed, id, nowMs, nowMs + betweenMailsMs);
  const listed = found.slice(-petsInMail);
  const details = {
    search: id,
    language: search.language,
    pets: listed.join(' '),
    more: String(found.length - listed.length),
  };
  yield* queueMail({ kind: 'search-matches', accountId: null, recipient: search.email, details }, nowMs);
  return looked;
}

/** The address is not in the audit log, which is kept longer. */
function* eraseOf({ email, stamp }: Change<'erase'>, { audit }: CommonTransaction): Steps<readonly SavedSearch[]> {
  yield* requireCredential(stamp);
  yield* renewKeysOfSearches();
  const erased = (yield* ask(erase, personKey(email))).map(SEARCH.read);
  yield* deleteMailTo(email, ['search-confirmation', 'search-matches']);
  audit(done(stamp, 'saved-search.erased', null, { searches: String(erased.length) }));
  return erased;
}
