import type { DatabaseSync } from 'node:sqlite';
import type { Role } from '../domain/access.ts';
import { Failure, type FieldProblem } from '../domain/failure.ts';
import type { Account, NewAccount, UserChange, UserStore } from '../domain/accounts/ports.ts';
import { userNotFound } from '../domain/accounts/user-accounts.ts';
import { usernameKey, type UserProfile } from '../domain/accounts/user.ts';
import { prepare, prepareRows } from './database.ts';
import { createIdAllocator } from './id-allocator.ts';
import type { TransactionWrites, Writer } from './writer.ts';

interface AccountRow {
  key: bigint;
  id: bigint;
  username: string;
  first_name: string | null;
  last_name: string | null;
  email: string | null;
  phone: string | null;
  user_status: bigint | null;
  role: Role;
  password_hash: string | null;
}

/** Reads on the event loop's own connection; changes through the writer. */
export function openUserStore(reader: DatabaseSync, writer: Writer): UserStore {
  const byKeys = prepare(reader, 'select key, account.* from json_each(?) join account on username_key = value');

  const firstEver = prepareRows(reader, 'select 1 from used_account_id limit 1');

  return {
    findMany: async (usernames) => {
      const found: (Account | undefined)[] = Array.from({ length: usernames.length });
      const keys = JSON.stringify(usernames.map(usernameKey));
      for (const row of byKeys.all(keys) as unknown as AccountRow[]) found[Number(row.key)] = toAccount(row);
      return found;
    },
    isUnused: async () => firstEver().length === 0,
    applyAll: (changes) => writer.apply('user', changes),
  };
}

/** The changes of accounts. */
export function createUserWrites(db: DatabaseSync): TransactionWrites<UserChange, readonly bigint[]> {
  const idByKey = prepare(db, 'select id from account where username_key = ?');
  const isIdUsed = prepare(db, 'select 1 from used_account_id where id = ?');
  const ids = createIdAllocator(db, 'account', 'select count(*) from used_account_id where id >= ? and id < ?');
  const rememberId = prepare(db, 'insert into used_account_id (id) values (?)');
  const columns = 'username, username_key, first_name, last_name, email, phone, user_status';
  const insert = prepare(
    db,
    `insert into account (id, role, password_hash, ${columns}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = prepare(db, `update account set (${columns}) = (?, ?, ?, ?, ?, ?, ?) where id = ?`);
  const setPassword = prepare(db, 'update account set password_hash = ? where id = ?');
  const endSessions = prepare(db, 'delete from session where account_id = ? and digest is not ?');
  const remove = prepare(db, 'delete from account where id = ?');

  function findId(username: string): bigint | undefined {
    return (idByKey.get(usernameKey(username)) as { id: bigint } | undefined)?.id;
  }

  function getId(username: string): bigint {
    const id = findId(username);
    if (id === undefined) throw userNotFound();
    return id;
  }

  function create({ accounts, isList }: Extract<UserChange, { kind: 'create' }>): readonly bigint[] {
    refuseTaken(accounts, isList);
    const chosen = new Set(accounts.map(({ id }) => id));
    // All ids before the first row: when none is left to assign, nothing was written.
    const assigned = accounts.map(({ id }) => id ?? takeIdNotIn(chosen));
    accounts.forEach(({ id: chosenId, role, passwordHash, profile }, index) => {
      const id = assigned[index] as bigint;
      if (chosenId !== undefined) ids.notice(chosenId);
      insert.run(id, role, passwordHash ?? null, ...profileColumns(profile));
      rememberId.run(id);
    });
    return assigned;
  }

  function takeIdNotIn(chosen: ReadonlySet<bigint | undefined>): bigint {
    let id = ids.take();
    while (chosen.has(id)) id = ids.take();
    return id;
  }

  function refuseTaken(accounts: readonly NewAccount[], isList: boolean): void {
    const problems: FieldProblem[] = [];
    const seen = new Set<string | bigint>();
    accounts.forEach(({ id, profile }, index) => {
      const path = isList ? `/${index}` : '';
      const key = usernameKey(profile.username);
      if (seen.has(key) || findId(key) !== undefined) {
        problems.push({ path: `${path}/username`, message: `the user name ${profile.username} is taken` });
      }
      if (id !== undefined && (seen.has(id) || isIdUsed.get(id) !== undefined)) {
        problems.push({ path: `${path}/id`, message: `the id ${id} is taken` });
      }
      seen.add(key);
      if (id !== undefined) seen.add(id);
    });
    if (problems.length > 0) throw taken(problems);
  }

  function replace({ username, profile, passwordHash, keepSession }: Extract<UserChange, { kind: 'replace' }>): bigint {
    const id = getId(username);
    const owner = findId(profile.username);
    if (owner !== undefined && owner !== id) {
      throw taken([{ path: '/username', message: `the user name ${profile.username} is taken` }]);
    }
    update.run(...profileColumns(profile), id);
    if (passwordHash !== undefined) {
      setPassword.run(passwordHash, id);
      endSessions.run(id, keepSession ?? null);
    }
    return id;
  }

  return {
    begin: () => ids.begin(),
    apply(change) {
      if (change.kind === 'create') return create(change);
      if (change.kind === 'replace') return [replace(change)];
      const id = getId(change.username);
      remove.run(id);
      return [id];
    },
    save: () => ids.save(),
  };
}

function taken(problems: readonly FieldProblem[]): Failure {
  const sentences = problems.slice(0, 5).map(({ message }) => message);
  const more = problems.length > 5 ? `, and ${problems.length - 5} more` : '';
  return new Failure('conflict', `Nothing was stored: ${sentences.join('; ')}${more}.`, { problems });
}

function profileColumns({ username, firstName, lastName, email, phone, userStatus }: UserProfile) {
  const optional = [firstName ?? null, lastName ?? null, email ?? null, phone ?? null, userStatus ?? null];
  return [username, usernameKey(username), ...optional] as const;
}

function toAccount(row: AccountRow): Account {
  return {
    user: {
      id: row.id,
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
