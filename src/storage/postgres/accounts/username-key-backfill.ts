import { usernameKey } from '../../../domain/accounts/user.ts';
import type { Ask } from '../engine/statements.ts';
import { statement } from '../engine/statements.ts';

const accounts = statement(
  'select id, username, username_key from account where char_length(username_key) <> octet_length(username_key) order by id',
);
const owner = statement('select 1 from account where username_key = $1');
const setKey = statement('update account set username_key = $1 where id = $2');

/** Gives each account the key of its name of now, unless an older account has it: that name keeps its old key. Only names beyond ASCII differ. */
export async function backfillUsernameKeys(ask: Ask): Promise<void> {
  for (const [id, username, oldKey] of await ask<[id: bigint, username: string, key: string]>(accounts)) {
    const key = usernameKey(username);
    if (key !== oldKey && (await ask(owner, key)).length === 0) await ask(setKey, key, id);
  }
}
