import type { DatabaseSync } from 'node:sqlite';
import { usernameKey } from '../../../domain/accounts/user.ts';
import { prepare, prepareRows } from '../engine/database.ts';

/** Gives each account the key of its name of now, unless an older account has it: that name keeps its old key. Only names beyond ASCII differ. */
export function backfillUsernameKeys(db: DatabaseSync): void {
  const accounts = prepareRows<[id: bigint, username: string, key: string]>(
    db,
    'select id, username, username_key from account where length(username_key) <> octet_length(username_key) order by id',
  );
  const owner = prepareRows(db, 'select 1 from account where username_key = ?');
  const setKey = prepare(db, 'update account set username_key = ? where id = ?');
  for (const [id, username, oldKey] of accounts()) {
    const key = usernameKey(username);
    if (key !== oldKey && owner(key).length === 0) setKey.run(key, id);
  }
}
