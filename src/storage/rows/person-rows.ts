import { personKey } from '../../domain/mail/mail-address.ts';
import type { MailKind } from '../../domain/mail/mail.ts';
import { statement, type Statement } from './statements.ts';
import { ask, send, type Steps } from './steps.ts';

/* Rows of persons, who are known by their e-mail addresses. */

/**
 * Keys of earlier versions, also of nodes beside this one and in backups: the domain is as it was typed. The key of
 * today is in ASCII. The statement reads the index on the keys only.
 */
const outdatedKeysOf = (table: string) =>
  statement(`select distinct email_key from ${table} where length(email_key) <> octet_length(email_key)`);

const TABLES = ['enquiry', 'confirmed_email'].map((table) => ({
  outdatedKeys: outdatedKeysOf(table),
  setKey: statement(`update ${table} set email_key = $2 where email_key = $1`),
}));

const outdatedKeysOfSearches = outdatedKeysOf('saved_search');
const searchesOf = statement('select id, search, confirmed_at_ms from saved_search where email_key = $1');
const sameSearch = statement('select id, confirmed_at_ms from saved_search where email_key = $1 and search = $2');
const setKeyOfSearch = statement('update saved_search set email_key = $2 where id = $1');
const moveLinks = statement('update saved_search_link set search_id = $2 where search_id = $1');
const deleteSearch = statement('delete from saved_search where id = $1');

type SearchRow = [id: string, search: string, confirmedAtMs: bigint | null];

/** Brings the keys of earlier versions to the current form. @returns the number of renewed keys */
export function* renewPersonKeys(): Steps<number> {
  let renewed = 0;
  for (const { outdatedKeys, setKey } of TABLES) {
    for (const [outdated, key] of yield* renewable(outdatedKeys)) {
      yield* send(setKey, outdated, key);
      renewed++;
    }
  }
  return renewed + (yield* renewKeysOfSearches());
}

/** @returns the number of renewed keys */
export function* renewKeysOfSearches(): Steps<number> {
  const keys = yield* renewable(outdatedKeysOfSearches);
  for (const [outdated, key] of keys)
    for (const search of yield* ask<SearchRow>(searchesOf, outdated)) yield* renewKeyOfSearch(search, key);
  return keys.length;
}

/** Outdated keys, each with the current one. That of a domain that no URL can have stays. */
function* renewable(outdatedKeys: Statement): Steps<readonly (readonly [outdated: string, key: string])[]> {
  const keys = yield* ask<[key: string]>(outdatedKeys);
  return keys.map(([key]) => [key, personKey(key)] as const).filter(([outdated, key]) => outdated !== key);
}

/** A person may have saved a search under both forms of a domain: one stays, with the links of both. */
function* renewKeyOfSearch([id, search, confirmedAtMs]: SearchRow, key: string): Steps<void> {
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

const recipients = statement('select distinct recipient from mail');
const deleteMail = statement(
  (sql) => `delete from mail where ${sql.isOneOf('kind', '$1', 'text')} and ${sql.isOneOf('recipient', '$2', 'text')}`,
);

/** Deletes messages to a person, however the address was typed: those that wait, and those that could not be sent. */
export function* deleteMailTo(email: string, kinds: readonly MailKind[]): Steps<void> {
  const all = yield* ask<[recipient: string]>(recipients);
  const key = personKey(email);
  const own = all.map(([recipient]) => recipient).filter((recipient) => personKey(recipient) === key);
  if (own.length > 0) yield* send(deleteMail, kinds, own);
}
