import { personKey } from '../../../domain/mail/mail-address.ts';
import type { MailKind } from '../../../domain/mail/mail.ts';
import { statement } from '../statements.ts';
import { ask, send, type Steps } from '../steps.ts';

/* Rows of persons, who are known by their e-mail addresses. */

/**
 * The key of an address is in ASCII. Earlier versions, also on nodes beside this one, and their backups have keys with
 * the domain as it was typed.
 */
const OF_EARLIER_VERSION = 'length(email_key) <> octet_length(email_key)';

const TABLES = (
  [
    ['enquiry', 'id'],
    ['confirmed_email', 'account_id'],
  ] as const
).map(([table, id]) => ({
  outdated: statement(`select ${id}, email, email_key from ${table} where ${OF_EARLIER_VERSION}`),
  setKey: statement(`update ${table} set email_key = $2 where ${id} = $1`),
}));

const outdatedSearches = statement(
  `select id, email, email_key, search, confirmed_at_ms from saved_search where ${OF_EARLIER_VERSION}`,
);
const sameSearch = statement('select id, confirmed_at_ms from saved_search where email_key = $1 and search = $2');
const setKeyOfSearch = statement('update saved_search set email_key = $2 where id = $1');
const moveLinks = statement('update saved_search_link set search_id = $2 where search_id = $1');
const deleteSearch = statement('delete from saved_search where id = $1');

type OutdatedRow = [id: bigint, email: string, key: string];
type OutdatedSearch = [id: string, email: string, key: string, search: string, confirmedAtMs: bigint | null];

/** Brings the keys of earlier versions to the current form. @returns the number of renewed keys */
export function* renewPersonKeys(): Steps<number> {
  let renewed = 0;
  for (const { outdated, setKey } of TABLES) {
    for (const [id, email, key] of yield* ask<OutdatedRow>(outdated)) {
      if (personKey(email) === key) continue;
      yield* send(setKey, id, personKey(email));
      renewed++;
    }
  }
  for (const row of yield* ask<OutdatedSearch>(outdatedSearches)) {
    if (personKey(row[1]) === row[2]) continue;
    yield* renewKeyOfSearch(row);
    renewed++;
  }
  return renewed;
}

/** A person may have saved a search under both forms of a domain: one stays, with the links of both. */
function* renewKeyOfSearch([id, email, , search, confirmedAtMs]: OutdatedSearch): Steps<void> {
  const key = personKey(email);
  const [other] = yield* ask<[id: string, confirmedAtMs: bigint | null]>(sameSearch, key, search);
  if (other === undefined) {
    yield* send(setKeyOfSearch, id, key);
    return;
  }
  const [kept, dropped] = confirmedAtMs !== null && other[1] === null ? [id, other[0]] : [other[0], id];
  yield* send(moveLinks, dropped, kept);
  yield* send(deleteSearch, dropped);
  if (kept === id) yield* send(setKeyOfSearch, id, key);
}

const recipients = statement((sql) => `select distinct recipient from mail where ${sql.isOneOf('kind', '$1', 'text')}`);
const deleteMail = statement(
  (sql) => `delete from mail where ${sql.isOneOf('kind', '$1', 'text')} and ${sql.isOneOf('recipient', '$2', 'text')}`,
);

/** Deletes messages to a person, however the address was typed: those that wait, and those that could not be sent. */
export function* deleteMailTo(email: string, kinds: readonly MailKind[]): Steps<void> {
  const all = yield* ask<[recipient: string]>(recipients, kinds);
  const key = personKey(email);
  const own = all.map(([recipient]) => recipient).filter((recipient) => personKey(recipient) === key);
  if (own.length > 0) yield* send(deleteMail, kinds, own);
}
