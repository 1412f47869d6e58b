import type { Account, UserChange, UserFilter, UserStore } from '../../../domain/accounts/ports.ts';
import { USER_STATUS_CLOSED, usernameKeys } from '../../../domain/accounts/user.ts';
import type { Awaitable, ListPage } from '../../../domain/ports.ts';
import { IS_LIVING_ADMIN } from '../sign-in/ways-in.ts';
import { statement } from '../statements.ts';
import type { Reads, StoreDeps } from '../steps.ts';
import { endOfWindow, readWindows } from '../windows.ts';
import {
  ACCOUNT_COLUMNS,
  IS_STAFF,
  KEY_INDEX,
  searchKey,
  SEARCHED_COLUMNS,
  toAccount,
  type AccountRow,
} from './account-rows.ts';

const byKey = statement(({ isKey }) => `select ${ACCOUNT_COLUMNS} from account where ${isKey('username_key')}`);
const WINDOWS = {
  end: endOfWindow('account', 'ascending'),
  matching: statement(({ either }) => {
    // `position` finds an empty text everywhere, as it should. SQLite has no case folding beyond ASCII.
    const containsText = either(
      'exists (select 1 from unnest(search_keys) as search (key) where position($1 in key) > 0)',
      SEARCHED_COLUMNS.map((column) => `contains_text(${column}, $1)`).join(' or '),
    );
    return `select ${ACCOUNT_COLUMNS} from account where ($1::text is null or ${containsText})
      and ($2::text is null or role = $2) and ($3::int8 is null or user_status = $3) and id > $4 and id <= $5 order by id limit $6`;
  }),
};
const firstEver = statement('select 1 from used_account_id limit 1');
const administrator = statement(`select 1 from account where ${IS_LIVING_ADMIN} limit 1`);
const staff = statement(`select username from account where ${IS_STAFF}`);
const resetFor = statement(
  `select username from password_reset join account on account.id = account_id
   where digest = $1 and expires_at_ms > $2 and user_status is distinct from ${USER_STATUS_CLOSED}`,
);

export class SqlUserStore implements UserStore {
  readonly #findByKey: (key: string) => Awaitable<Account | undefined>;
  readonly #reads: Reads;
  readonly #apply;

  constructor({ reads, apply }: StoreDeps<UserChange, readonly bigint[]>) {
    this.#findByKey = reads.finder(byKey, toAccount, KEY_INDEX);
    this.#reads = reads;
    this.#apply = apply;
  }

  find(username: string): Awaitable<Account | undefined> {
    // Few names have two keys.
    const [key = '', otherKey] = usernameKeys(username);
    const found = this.#findByKey(key);
    if (otherKey === undefined) return found;
    if (found instanceof Promise) return found.then((account) => account ?? this.#findByKey(otherKey));
    return found ?? this.#findByKey(otherKey);
  }

  async search({ text, role, userStatus }: UserFilter, { afterId, limit }: ListPage): Promise<readonly Account[]> {
    const filter = [text === undefined ? null : searchKey(text), role ?? null, userStatus ?? null];
    return (await readWindows<AccountRow>(this.#reads, WINDOWS, filter, { startId: afterId, limit })).map(toAccount);
  }

  async isUnused(): Promise<boolean> {
    return (await this.#reads.ask(firstEver)).length === 0;
  }

  async hasAdministrator(): Promise<boolean> {
    return (await this.#reads.ask(administrator)).length > 0;
  }

  async staffNames(): Promise<readonly string[]> {
    return (await this.#reads.ask<[username: string]>(staff)).map(([username]) => username);
  }

  async findReset(digest: string, nowMs: number): Promise<string | undefined> {
    return (await this.#reads.ask<[username: string]>(resetFor, digest, nowMs))[0]?.[0];
  }

  apply(change: UserChange): Promise<readonly bigint[]> {
    return this.#apply(change);
  }
}
