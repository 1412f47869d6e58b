import type { DatabaseSync } from 'node:sqlite';
import type { NewAccount, Rehash, StampedUserChange, UserChange } from '../../../domain/accounts/ports.ts';
import { resetLinkNotFound } from '../../../domain/accounts/password-reset.ts';
import { USER_STATUS_CLOSED, keptUsernameKey, usernameKey, type UserProfile } from '../../../domain/accounts/user.ts';
import { accountSubject, done, keysRevoked, type AuditAction, type Stamp } from '../../../domain/audit.ts';
import { accountActionOf } from '../../../domain/events/change-event.ts';
import { Failure, taken, type FieldProblem } from '../../../domain/failure.ts';
import { createAuditWriter } from '../audit-store.ts';
import { createAccountChangeWriter } from '../change-feed.ts';
import { prepare, prepareRows } from '../engine/database.ts';
import { createIdAllocator } from '../engine/id-allocator.ts';
import { createAccountLookup, type CurrentAccount } from './account-lookup.ts';
import { createStandingCheck } from './standing.ts';
import type { Versions } from '../engine/versions.ts';
import type { TransactionWrites } from '../engine/writer.ts';

type Change<K extends StampedUserChange['kind']> = Extract<StampedUserChange, { kind: K }>;

/** The changes of accounts, each with its entry in the audit trail, and with what others are told of it. */
export function createUserWrites(
  db: DatabaseSync,
  versions: Versions,
): TransactionWrites<UserChange, readonly bigint[]> {
  const audit = createAuditWriter(db);
  const writeChange = createAccountChangeWriter(db);
  const demandStanding = createStandingCheck(db);
  const columns = 'username, username_key, first_name, last_name, email, phone, user_status';
  const { find, get, getAsSeen, requireOtherAdmin } = createAccountLookup(db);
  const ids = createIdAllocator(db, 'account', 'select count(*) from used_account_id where id >= ? and id < ?');
  const rememberId = prepare(db, 'insert into used_account_id (id) values (?) on conflict (id) do nothing');
  const insert = prepare(
    db,
    `insert into account (id, public_id, role, password_hash, ${columns}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = prepare(db, `update account set (public_id, ${columns}) = (?, ?, ?, ?, ?, ?, ?, ?) where id = ?`);
  const updateRole = prepare(db, 'update account set role = ? where id = ?');
  const updateStatus = prepare(db, 'update account set user_status = ? where id = ?');
  const updateHash = prepare(db, 'update account set password_hash = ? where id = ?');
  const rehash = prepare(db, 'update account set password_hash = ?3 where id = ?1 and password_hash = ?2');
  const endSessions = prepare(db, 'delete from session where account_id = ? and digest is not ?');
  const removeKeys = prepareRows<[id: string, name: string]>(
    db,
    'delete from api_key where account_id = ? returning id, name',
  );
  const removeAccount = prepare(db, 'delete from account where id = ?');
  const addReset = prepare(
    db,
    `insert into password_reset (digest, account_id, expires_at_ms) values (?, ?, ?)
     on conflict (account_id) do update set digest = excluded.digest, expires_at_ms = excluded.expires_at_ms`,
  );
  const findReset = prepareRows<[usernameKey: string]>(
    db,
    'select username_key from password_reset join account on account.id = account_id where digest = ? and expires_at_ms > ?',
  );
  const forgetResets = prepare(db, 'delete from password_reset where account_id = ?');

  function tell(
    stamp: Stamp,
    action: AuditAction,
    { id, username }: Pick<CurrentAccount, 'id' | 'username'>,
    details: Readonly<Record<string, string>> | null = null,
  ): void {
    audit(done(stamp, action, accountSubject(id, username), details));
    const told = accountActionOf(action);
    if (told === undefined) return;
    const { actorId: changedBy, atMs } = stamp;
    const version = versions.take();
    writeChange({ kind: 'account', version, accountId: id, username, action: told, details, changedBy, atMs });
  }

  function create({ accounts, isList, stamp }: Change<'create'>): readonly bigint[] {
    refuseTaken(accounts, isList);
    const chosen = new Set(accounts.map(({ publicId }) => publicId));
    // All ids before the first row: when none is left to assign, nothing was written.
    const assigned = accounts.map(() => takeIdNotIn(chosen));
    return accounts.map(({ publicId: chosenId, role, passwordHash, profile }, index) => {
      const id = assigned[index] as bigint;
      const publicId = chosenId ?? id;
      insert.run(id, publicId, role, passwordHash ?? null, ...profileColumns(profile, usernameKey(profile.username)));
      rememberId.run(id);
      if (chosenId !== undefined) rememberPublicId(chosenId);
      tell(stamp, 'account.created', { id, username: profile.username }, { role });
      return publicId;
    });
  }

  /** Keeps the id from being assigned. */
  function rememberPublicId(publicId: bigint): void {
    ids.notice(publicId);
    rememberId.run(publicId);
  }

  function takeIdNotIn(chosen: ReadonlySet<bigint | undefined>): bigint {
    let id = ids.take();
    while (chosen.has(id)) id = ids.take();
    return id;
  }

  function refuseTaken(accounts: readonly NewAccount[], isList: boolean): void {
    const problems: FieldProblem[] = [];
    const seen = new Set<string>();
    accounts.forEach(({ profile }, index) => {
      const path = isList ? `/${index}` : '';
      const key = usernameKey(profile.username);
      if (seen.has(key) || find(profile.username) !== undefined) {
        problems.push({ path: `${path}/username`, message: `the user name ${profile.username} is taken` });
      }
      seen.add(key);
    });
    if (problems.length > 0) throw taken(problems);
  }

  function replace(change: Change<'replace'>): bigint {
    const { username, seen, profile, passwordHash, keepSession, stamp } = change;
    const current = getAsSeen(username, seen);
    const { id } = current;
    const owner = find(profile.username);
    if (owner !== undefined && owner.id !== id) {
      throw taken([{ path: '/username', message: `the user name ${profile.username} is taken` }]);
    }
    // What the new profile leaves out is gone, but nobody reopens an account by leaving something out.
    const userStatus = profile.userStatus ?? (current.isClosed ? USER_STATUS_CLOSED : undefined);
    const closes = userStatus === USER_STATUS_CLOSED;
    if (closes) requireOtherAdmin(current);
    const key = keptUsernameKey(profile.username, current.key);
    const { publicId = current.publicId } = change;
    if (publicId !== current.publicId) rememberPublicId(publicId);
    update.run(publicId, ...profileColumns({ ...profile, userStatus }, key), id);
    const account = { id, username: profile.username };
    const isRenamed = profile.username !== current.username;
    tell(stamp, 'account.updated', account, isRenamed ? { renamedFrom: current.username } : null);
    if (passwordHash !== undefined) {
      replacePassword(id, passwordHash, keepSession);
      tell(stamp, 'account.password-changed', account);
      revokeKeys(account, stamp);
    }
    tellStatus(stamp, current, account, closes);
    return publicId;
  }

  function tellStatus(
    stamp: Stamp,
    before: CurrentAccount,
    account: Pick<CurrentAccount, 'id' | 'username'>,
    closes: boolean,
  ): void {
    if (closes) {
      endSessions.run(account.id, null);
      forgetResets.run(account.id);
    }
    if (closes !== before.isClosed) tell(stamp, closes ? 'account.closed' : 'account.reopened', account);
  }

  function replacePassword(id: bigint, passwordHash: string, keepSession: string | undefined): void {
    updateHash.run(passwordHash, id);
    endSessions.run(id, keepSession ?? null);
    forgetResets.run(id);
  }

  function revokeKeys({ id, username }: Pick<CurrentAccount, 'id' | 'username'>, stamp: Stamp): void {
    const keys = removeKeys(id).map(([keyId, name]) => ({ id: keyId, name }));
    for (const entry of keysRevoked(stamp, keys, username)) audit(entry);
  }

  function remove({ username, seen, stamp }: Change<'remove'>): bigint {
    const current = getAsSeen(username, seen);
    requireOtherAdmin(current);
    removeAccount.run(current.id);
    tell(stamp, 'account.removed', current);
    return current.id;
  }

  function setRole({ username, role, stamp }: Change<'set-role'>): bigint {
    const current = get(username);
    if (role === current.role) return current.id;
    if (role !== 'admin') requireOtherAdmin(current);
    updateRole.run(role, current.id);
    tell(stamp, 'account.role-set', current, { from: current.role, to: role });
    return current.id;
  }

  function setStatus({ username, userStatus, stamp }: Change<'set-status'>): bigint {
    const current = get(username);
    const closes = userStatus === USER_STATUS_CLOSED;
    if (closes === current.isClosed) return current.id;
    if (closes) requireOtherAdmin(current);
    updateStatus.run(userStatus, current.id);
    tellStatus(stamp, current, current, closes);
    return current.id;
  }

  function setPassword(change: Change<'set-password'>): bigint {
    const { username, passwordHash, replacedHash, keepSession, keepKeys, stamp } = change;
    const current = get(username);
    if (replacedHash !== undefined && replacedHash !== current.passwordHash) {
      throw new Failure(
        'conflict',
        'The password was changed by somebody else in this very moment. Nothing was stored.',
      );
    }
    replacePassword(current.id, passwordHash, keepSession);
    tell(stamp, 'account.password-changed', current);
    if (!keepKeys) revokeKeys(current, stamp);
    return current.id;
  }

  function issueReset({ username, digest, expiresAtMs, stamp }: Change<'issue-reset'>): bigint {
    const current = get(username);
    addReset.run(digest, current.id, expiresAtMs);
    tell(stamp, 'account.reset-link-issued', current, { expires: new Date(expiresAtMs).toISOString() });
    return current.id;
  }

  function useReset({ digest, passwordHash, stamp }: Change<'use-reset'>): bigint {
    const [found] = findReset(digest, stamp.atMs);
    const current = found === undefined ? undefined : find(found[0]);
    if (current === undefined || current.isClosed) throw resetLinkNotFound();
    replacePassword(current.id, passwordHash, undefined);
    tell(stamp, 'account.password-reset', current);
    revokeKeys(current, stamp);
    return current.id;
  }

  function applyRehash({ userId, from, to }: Rehash): bigint {
    rehash.run(userId, from, to);
    return userId;
  }

  return {
    begin: () => ids.begin(),
    apply(change) {
      if (change.kind !== 'rehash') demandStanding(change.stamp);
      switch (change.kind) {
        case 'create':
          return create(change);
        case 'replace':
          return [replace(change)];
        case 'remove':
          return [remove(change)];
        case 'set-role':
          return [setRole(change)];
        case 'set-status':
          return [setStatus(change)];
        case 'set-password':
          return [setPassword(change)];
        case 'issue-reset':
          return [issueReset(change)];
        case 'use-reset':
          return [useReset(change)];
        case 'rehash':
          break;
      }
      return [applyRehash(change)];
    },
    save: () => ids.save(),
  };
}

function profileColumns({ username, firstName, lastName, email, phone, userStatus }: UserProfile, key: string) {
  const optional = [firstName ?? null, lastName ?? null, email ?? null, phone ?? null, userStatus ?? null];
  return [username, key, ...optional] as const;
}
