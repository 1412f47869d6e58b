import type { DatabaseSync } from 'node:sqlite';
import type { SeenAccount } from '../../../domain/accounts/ports.ts';
import { usernameKeys } from '../../../domain/accounts/user.ts';
import {
  accountOfName,
  administratorExists,
  onlyAdministrator,
  requireAccount,
  requireAsSeen,
  toCurrentAccount,
  type CurrentAccount,
  type CurrentAccountRow,
} from '../../rows/accounts.ts';
import { prepareRows } from '../engine/database.ts';
import { IS_LIVING_ADMIN } from './user-store.ts';

/** Reads the accounts that a transaction changes. */
export class AccountLookup {
  readonly #byKey;
  readonly #otherAdmin;

  constructor(db: DatabaseSync) {
    this.#byKey = prepareRows<CurrentAccountRow>(
      db,
      `select id, public_id, username, username_key, role, user_status, password_hash, (${IS_LIVING_ADMIN}) from account where username_key = ?`,
    );
    this.#otherAdmin = prepareRows(db, `select 1 from account where ${IS_LIVING_ADMIN} and id <> ? limit 1`);
  }

  find(username: string): CurrentAccount | undefined {
    const rows = usernameKeys(username).flatMap((key) => this.#byKey(key));
    return accountOfName(username, new Map(rows.map((row) => [row[3], toCurrentAccount(row)])));
  }

  /** @throws Failure `not-found`, or `conflict` if it is not the account that the permission check saw */
  get(username: string, seen?: SeenAccount): CurrentAccount {
    return requireAsSeen(requireAccount(this.find(username)), seen);
  }

  /** @throws Failure `conflict` for the only administrator who can log in: without one, no account could get a role */
  requireOtherAdmin(current: CurrentAccount): void {
    if (current.isLivingAdmin && this.#otherAdmin(current.id).length === 0) throw onlyAdministrator(current);
  }

  /** IDs are positive. @throws Failure `conflict` if an administrator can log in */
  requireNoAdmin(): void {
    if (this.#otherAdmin(0n).length > 0) throw administratorExists();
  }
}
