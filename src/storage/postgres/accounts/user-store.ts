import { STAFF_ROLES, type Role } from '../../../domain/access.ts';
import type { Account, BatchedUserStore } from '../../../domain/accounts/ports.ts';
import { lowerCaseOf, USER_STATUS_CLOSED, usernameKeys, type UserProfile } from '../../../domain/accounts/user.ts';
import type { Ask } from '../engine/statements.ts';
import { statement } from '../engine/statements.ts';
import { windowsOf } from '../engine/windows.ts';
import type { Writer } from '../engine/writer.ts';

type AccountRow = [
  id: bigint,
  username: string,
  usernameKey: string,
  firstName: string | null,
  lastName: string | null,
  email: string | null,
  phone: string | null,
  userStatus: bigint | null,
  role: Role,
  passwordHash: string | null,
  publicId: bigint,
];

/** An administrator who can log in. */
export const IS_LIVING_ADMIN = `role = 'admin' and password_hash is not null and user_status is distinct from ${USER_STATUS_CLOSED}`;

const COLUMNS =
  'id, username, username_key, first_name, last_name, email, phone, user_status, role, password_hash, public_id';

const byKeys = statement(`select ${COLUMNS} from account where username_key = any($1::text[])`);
// `position` finds an empty text everywhere, as it should be.
const matching = statement(
  `select ${COLUMNS} from account
   where ($1::text is null or exists (select 1 from unnest(search_keys) as search (key) where position($1 in key) > 0))
     and ($2::text is null or role = $2) and ($3::int8 is null or user_status = $3) and id > $4 and id <= $5 order by id limit $6`,
);
const firstEver = statement('select 1 from used_account_id limit 1');
const administrator = statement(`select 1 from account where ${IS_LIVING_ADMIN} limit 1`);
const staff = statement(
  `select username from account where role in (${STAFF_ROLES.map((role) => `'${role}'`).join(', ')})`,
);
const resetFor = statement(
  `select username from password_reset join account on account.id = account_id
   where digest = $1 and expires_at_ms > $2 and user_status is distinct from ${USER_STATUS_CLOSED}`,
);

export function openUserStore(ask: Ask, writer: Writer): BatchedUserStore {
  const readUp = windowsOf(ask, 'account');
  return {
    findMany: async (usernames) => {
      const keys = usernames.map(usernameKeys);
      const rows = await ask<AccountRow>(byKeys, keys.flat().filter(isStorable));
      const found = new Map(rows.map((row) => [row[2], toAccount(row)]));
      return keys.map((ofName) => ofName.map((key) => found.get(key)).find((account) => account !== undefined));
    },
    search: async ({ text, role, userStatus }, { afterId, limit }) => {
      if (text !== undefined && !isStorable(text)) return [];
      const filter = [text === undefined ? null : searchKey(text), role ?? null, userStatus ?? null] as const;
      const rows = await readUp(afterId, limit, (startId, endId, most) =>
        ask<AccountRow>(matching, ...filter, startId, endId, most),
      );
      return rows.map(toAccount);
    },
    isUnused: async () => (await ask(firstEver)).length === 0,
    hasAdministrator: async () => (await ask(administrator)).length > 0,
    staffNames: async () => (await ask<[username: string]>(staff)).map(([username]) => username),
    findReset: async (digest, nowMs) => (await ask<[username: string]>(resetFor, digest, nowMs))[0]?.[0],
    applyAll: (changes) => writer.apply('user', changes),
  };
}

/** PostgreSQL keeps no text with U+0000, so it can find none. */
export function isStorable(text: string): boolean {
  return !text.includes('\0');
}

/** What an account is searched by. */
export function searchKeysOf({ username, firstName, lastName, email }: UserProfile): readonly string[] {
  return [username, firstName, lastName, email].filter((text) => text !== undefined).map(searchKey);
}

/** Without regard to case; and to where in a word a Greek sigma stands, which decides how its small letter looks. */
function searchKey(text: string): string {
  return lowerCaseOf(text).replaceAll('ς', 'σ');
}

function toAccount(row: AccountRow): Account {
  const [id, username, , firstName, lastName, email, phone, userStatus, role, passwordHash, publicId] = row;
  return {
    id,
    user: {
      id: publicId,
      username,
      firstName: firstName ?? undefined,
      lastName: lastName ?? undefined,
      email: email ?? undefined,
      phone: phone ?? undefined,
      userStatus: userStatus === null ? undefined : Number(userStatus),
    },
    role,
    passwordHash: passwordHash ?? undefined,
  };
}
