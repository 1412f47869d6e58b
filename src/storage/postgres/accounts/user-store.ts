import type { Account, UserChange, UserFilter, UserStore } from '../../../domain/accounts/ports.ts';
import { USER_STATUS_CLOSED, usernameKeys, type UserProfile } from '../../../domain/accounts/user.ts';
import type { ListPage } from '../../../domain/ports.ts';
import {
  ACCOUNT_COLUMNS,
  accountOfName,
  IS_STAFF,
  searchKey,
  toAccount,
  type AccountRow,
} from '../../rows/accounts.ts';
import { gather } from '../../rows/gather.ts';
import { statement, type Ask } from '../engine/statements.ts';
import { windowsOf } from '../engine/windows.ts';
import type { Writer } from '../engine/writer.ts';

/** The condition for an administrator who can log in. */
export const IS_LIVING_ADMIN = `role = 'admin' and password_hash is not null and user_status is distinct from ${USER_STATUS_CLOSED}`;

const byKeys = statement(`select ${ACCOUNT_COLUMNS} from account where username_key = any($1::text[])`);
// `position` finds an empty text everywhere, as it should.
const matching = statement(
  `select ${ACCOUNT_COLUMNS} from account
   where ($1::text is null or exists (select 1 from unnest(search_keys) as search (key) where position($1 in key) > 0))
     and ($2::text is null or role = $2) and ($3::int8 is null or user_status = $3) and id > $4 and id <= $5 order by id limit $6`,
);
const firstEver = statement('select 1 from used_account_id limit 1');
const administrator = statement(`select 1 from account where ${IS_LIVING_ADMIN} limit 1`);
const staff = statement(`select username from account where ${IS_STAFF}`);
const resetFor = statement(
  `select username from password_reset join account on account.id = account_id
   where digest = $1 and expires_at_ms > $2 and user_status is distinct from ${USER_STATUS_CLOSED}`,
);

export class PostgresUserStore implements UserStore {
  readonly #ask: Ask;
  readonly #writer: Writer;
  readonly #readUp;

  constructor({ ask, writer }: { ask: Ask; writer: Writer }) {
    this.#ask = ask;
    this.#writer = writer;
    this.#readUp = windowsOf(ask, 'account');
  }

  readonly find = gather(async (usernames: readonly string[]): Promise<readonly (Account | undefined)[]> => {
    const keys = usernames.flatMap(usernameKeys).filter(isStorable);
    const rows = await this.#ask<AccountRow>(byKeys, keys);
    const found = new Map(rows.map((row) => [row[3], toAccount(row)]));
    return usernames.map((username) => accountOfName(username, found));
  });

  async search({ text, role, userStatus }: UserFilter, { afterId, limit }: ListPage): Promise<readonly Account[]> {
    if (text !== undefined && !isStorable(text)) return [];
    const filter = [text === undefined ? null : searchKey(text), role ?? null, userStatus ?? null] as const;
    const rows = await this.#readUp(afterId, limit, (startId, endId, most) =>
      this.#ask<AccountRow>(matching, ...filter, startId, endId, most),
    );
    return rows.map(toAccount);
  }

  async isUnused(): Promise<boolean> {
    return (await this.#ask(firstEver)).length === 0;
  }

  async hasAdministrator(): Promise<boolean> {
    return (await this.#ask(administrator)).length > 0;
  }

  async staffNames(): Promise<readonly string[]> {
    return (await this.#ask<[username: string]>(staff)).map(([username]) => username);
  }

  async findReset(digest: string, nowMs: number): Promise<string | undefined> {
    return (await this.#ask<[username: string]>(resetFor, digest, nowMs))[0]?.[0];
  }

  apply(change: UserChange): Promise<readonly bigint[]> {
    return this.#writer.apply('user', change);
  }
}

/** PostgreSQL cannot store texts with U+0000, so no account matches one. */
export function isStorable(text: string): boolean {
  return !text.includes('\0');
}

/** The texts by which an account is searched. */
export function searchKeysOf({ username, firstName, lastName, email }: UserProfile): readonly string[] {
  return [username, firstName, lastName, email].filter((text) => text !== undefined).map(searchKey);
}
