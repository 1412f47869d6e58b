import { personKey } from '../../domain/mail/mail-address.ts';
import { statement, type Statement } from './statements.ts';
import { ask, send, type Steps } from './steps.ts';

/**
 * Keys of earlier versions, also of nodes beside this one and in backups: the domain is as it was typed. The key of
 * today is in ASCII. The statement reads the index on the keys only.
 */
export const outdatedKeysOf = (table: string) =>
  statement(`select distinct email_key from ${table} where length(email_key) <> octet_length(email_key)`);

/** Outdated keys, each with the current one. That of a domain that no URL can have stays. */
export function* renewable(outdatedKeys: Statement): Steps<readonly (readonly [outdated: string, key: string])[]> {
  const keys = yield* ask<[key: string]>(outdatedKeys);
  return keys.map(([key]) => [key, personKey(key)] as const).filter(([outdated, key]) => outdated !== key);
}

/** The steps that renew the keys of a table in which persons have any number of rows. */
export function renewalIn(table: string): () => Steps<number> {
  const outdatedKeys = outdatedKeysOf(table);
  const setKey = statement(`update ${table} set email_key = $2 where email_key = $1`);
  return function* () {
    const keys = yield* renewable(outdatedKeys);
    for (const [outdated, key] of keys) yield* send(setKey, outdated, key);
    return keys.length;
  };
}
