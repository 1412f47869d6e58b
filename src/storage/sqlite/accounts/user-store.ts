import type { DatabaseSync } from 'node:sqlite';
import { STAFF_ROLES, type Role } from '../../../domain/access.ts';
import type { Account, BatchedUserStore } from '../../../domain/accounts/ports.ts';
import { lowerCaseOf, USER_STATUS_CLOSED, usernameKeys } from '../../../domain/accounts/user.ts';
import { prepare, prepareRows } from '../engine/database.ts';
import { prepareWindows } from '../engine/windows.ts';
import type { Writer } from '../engine/writer.ts';

interface AccountRow {
  id: bigint;
  public_id: bigint;
  username: string;
  username_key: string;
  first_name: string | null;
  last_name: string | null;
  email: string | null;
  phone: string | null;
  user_status: bigint | null;
  role: Role;
  password_hash: string | null;
}

/** An administrator who can log in. */
export const IS_LIVING_ADMIN = `role = 'admin' and password_hash is not null and user_status is not ${USER_STATUS_CLOSED}`;

/** Reads on the event loop's own connection; changes through the writer. */
export function openUserStore(reader: DatabaseSync, writer: Writer): BatchedUserStore {
  // Node's SQLite has no case folding beyond ASCII; that of user names is done once, when they are stored.
  reader.function('contains_text', { deterministic: true }, (text, part) =>
    typeof text === 'string' && searchKey(text).includes(String(part)) ? 1 : 0,
  );
  const byKeys = prepare(reader, 'select account.* from json_each(?) join account on username_key = value');
  const readUp = prepareWindows(reader, 'account', 'up');
  const matching = prepare(
    reader,
    `select * from account
     where (?1 is null or contains_text(username, ?1) or contains_text(first_name, ?1) or contains_text(last_name, ?1)
            or contains_text(email, ?1))
       and (?2 is null or role = ?2) and (?3 is null or user_status = ?3) and id > ?4 and id <= ?5 order by id limit ?6`,
  );
  const firstEver = prepareRows(reader, 'select 1 from used_account_id limit 1');
  const administrator = prepareRows(reader, `select 1 from account where ${IS_LIVING_ADMIN} limit 1`);
  const staff = prepareRows<[username: string]>(
    reader,
    `select username from account where role in (${STAFF_ROLES.map((role) => `'${role}'`).join(', ')})`,
  );
  const resetFor = prepareRows<[username: string]>(
    reader,
    `select username from password_reset join account on account.id = account_id
     where digest = ? and expires_at_ms > ? and user_status is not ${USER_STATUS_CLOSED}`,
  );

  return {
    findMany: async (usernames) => {
      const keys = usernames.map(usernameKeys);
      const rows = byKeys.all(JSON.stringify(keys.flat())) as unknown as AccountRow[];
      const found = new Map(rows.map((row) => [row.username_key, toAccount(row)]));
      return keys.map((ofName) => ofName.map((key) => found.get(key)).find((account) => account !== undefined));
    },
    search: async ({ text, role, userStatus }, { afterId, limit }) => {
      const filter = [text === undefined ? null : searchKey(text), role ?? null, userStatus ?? null] as const;
      const rows = await readUp(
        afterId,
        limit,
        (startId, endId, most) => matching.all(...filter, startId, endId, most) as unknown as AccountRow[],
      );
      return rows.map(toAccount);
    },
    isUnused: async () => firstEver().length === 0,
    hasAdministrator: async () => administrator().length > 0,
    staffNames: async () => staff().map(([username]) => username),
    findReset: async (digest, nowMs) => resetFor(digest, nowMs)[0]?.[0],
    applyAll: (changes) => writer.apply('user', changes),
  };
}

/** Without regard to case; and to where in a word a Greek sigma stands, which decides how its small letter looks. */
function searchKey(text: string): string {
  return lowerCaseOf(text).replaceAll('ς', 'σ');
}

function toAccount(row: AccountRow): Account {
  return {
    id: row.id,
    user: {
      id: row.public_id,
      username: row.username,
      firstName: row.first_name ?? undefined,
      lastName: row.last_name ?? undefined,
      email: row.email ?? undefined,
      phone: row.phone ?? undefined,
      userStatus: row.user_status === null ? undefined : Number(row.user_status),
    },
    role: row.role,
    passwordHash: row.password_hash ?? undefined,
  };
}
