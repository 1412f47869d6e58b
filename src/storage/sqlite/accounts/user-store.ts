import type { DatabaseSync } from 'node:sqlite';
import type { Account, UserChange, UserFilter, UserStore } from '../../../domain/accounts/ports.ts';
import { USER_STATUS_CLOSED, usernameKeys } from '../../../domain/accounts/user.ts';
import type { ListPage } from '../../../domain/ports.ts';
import {
  ACCOUNT_COLUMNS,
  accountOfName,
  IS_STAFF,
  searchKey,
  toAccount,
  type AccountRow,
} from '../../rows/accounts.ts';
import { prepareRows } from '../engine/database.ts';
import { prepareWindows } from '../engine/windows.ts';
import type { Writer } from '../engine/writer.ts';

/** The condition for an administrator who can log in. */
export const IS_LIVING_ADMIN = `role = 'admin' and password_hash is not null and user_status is not ${USER_STATUS_CLOSED}`;

/** Reads on the event loop's own connection. */
export class SqliteUserStore implements UserStore {
  readonly #writer: Writer;
  readonly #byKey;
  readonly #readUp;
  readonly #matching;
  readonly #firstEver;
  readonly #administrator;
  readonly #staff;
  readonly #resetFor;

  constructor({ reader, writer }: { reader: DatabaseSync; writer: Writer }) {
    this.#writer = writer;
    // Node's SQLite has no case folding beyond ASCII.
    reader.function('contains_text', { deterministic: true }, (text, part) =>
      typeof text === 'string' && searchKey(text).includes(String(part)) ? 1 : 0,
    );
    this.#byKey = prepareRows<AccountRow>(reader, `select ${ACCOUNT_COLUMNS} from account where username_key = ?`);
    this.#readUp = prepareWindows(reader, 'account', 'up');
    this.#matching = prepareRows<AccountRow>(
      reader,
      `select ${ACCOUNT_COLUMNS} from account
       where (?1 is null or contains_text(username, ?1) or contains_text(first_name, ?1) or contains_text(last_name, ?1)
              or contains_text(email, ?1))
         and (?2 is null or role = ?2) and (?3 is null or user_status = ?3) and id > ?4 and id <= ?5 order by id limit ?6`,
    );
    this.#firstEver = prepareRows(reader, 'select 1 from used_account_id limit 1');
    this.#administrator = prepareRows(reader, `select 1 from account where ${IS_LIVING_ADMIN} limit 1`);
    this.#staff = prepareRows<[username: string]>(reader, `select username from account where ${IS_STAFF}`);
    this.#resetFor = prepareRows<[username: string]>(
      reader,
      `select username from password_reset join account on account.id = account_id
       where digest = ? and expires_at_ms > ? and user_status is not ${USER_STATUS_CLOSED}`,
    );
  }

  find(username: string): Account | undefined {
    const rows = usernameKeys(username).flatMap((key) => this.#byKey(key));
    return accountOfName(username, new Map(rows.map((row) => [row[3], toAccount(row)])));
  }

  async search({ text, role, userStatus }: UserFilter, { afterId, limit }: ListPage): Promise<readonly Account[]> {
    const filter = [text === undefined ? null : searchKey(text), role ?? null, userStatus ?? null] as const;
    const rows = await this.#readUp(afterId, limit, (startId, endId, most) =>
      this.#matching(...filter, startId, endId, most),
    );
    return rows.map(toAccount);
  }

  async isUnused(): Promise<boolean> {
    return this.#firstEver().length === 0;
  }

  async hasAdministrator(): Promise<boolean> {
    return this.#administrator().length > 0;
  }

  async staffNames(): Promise<readonly string[]> {
    return this.#staff().map(([username]) => username);
  }

  async findReset(digest: string, nowMs: number): Promise<string | undefined> {
    return this.#resetFor(digest, nowMs)[0]?.[0];
  }

  apply(change: UserChange): Promise<readonly bigint[]> {
    return this.#writer.apply('user', change);
  }
}
