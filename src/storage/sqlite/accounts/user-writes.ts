import type { DatabaseSync } from 'node:sqlite';
import type { NewAccount, StampedUserChange, UserChange } from '../../../domain/accounts/ports.ts';
import { resetLinkNotFound } from '../../../domain/accounts/password-reset.ts';
import { USER_STATUS_CLOSED, keptUsernameKey, usernameKey, type UserProfile } from '../../../domain/accounts/user.ts';
import {
  accountSubject,
  done,
  keysRevoked,
  type AuditAction,
  type NewAuditEntry,
  type Stamp,
} from '../../../domain/audit.ts';
import { accountActionOf, type AccountEvent } from '../../../domain/events/change-event.ts';
import { taken, type FieldProblem } from '../../../domain/failure.ts';
import { detailsOfNew, requireReplacedHash, type CurrentAccount } from '../../rows/accounts.ts';
import { prepareAuditWriter } from '../service/audit-store.ts';
import { prepareAccountChangeWriter } from '../service/change-feed.ts';
import { prepare, prepareRows } from '../engine/database.ts';
import { IdAllocator } from '../engine/id-allocator.ts';
import type { Versions } from '../engine/versions.ts';
import type { TransactionWrites } from '../engine/writer.ts';
import { AccountLookup } from './account-lookup.ts';
import { prepareCredentialCheck } from '../service/credential-check.ts';

type Change<K extends StampedUserChange['kind']> = Extract<StampedUserChange, { kind: K }>;

type NamedAccount = Pick<CurrentAccount, 'id' | 'username'>;

const COLUMNS = 'username, username_key, first_name, last_name, email, phone, user_status';

/** The changes of accounts, each with its entry in the audit log and its event. */
export class UserWrites implements TransactionWrites<UserChange, readonly bigint[]> {
  readonly #audit: (entry: NewAuditEntry) => void;
  readonly #writeEvent: (event: AccountEvent) => void;
  readonly #requireCredential: (stamp: Stamp) => void;
  readonly #versions: Versions;
  readonly #accounts: AccountLookup;
  readonly #ids: IdAllocator;
  readonly #insertUsedId;
  readonly #insert;
  readonly #update;
  readonly #updateRole;
  readonly #updateStatus;
  readonly #updateHash;
  readonly #rehash;
  readonly #endSessions;
  readonly #deleteKeys;
  readonly #deleteAccount;
  readonly #addReset;
  readonly #findReset;
  readonly #forgetResets;

  constructor({ db, versions }: { db: DatabaseSync; versions: Versions }) {
    this.#audit = prepareAuditWriter(db);
    this.#writeEvent = prepareAccountChangeWriter(db);
    this.#requireCredential = prepareCredentialCheck(db);
    this.#versions = versions;
    this.#accounts = new AccountLookup(db);
    this.#ids = new IdAllocator(db, 'account', 'select count(*) from used_account_id where id >= ? and id < ?');
    this.#insertUsedId = prepare(db, 'insert into used_account_id (id) values (?) on conflict (id) do nothing');
    this.#insert = prepare(
      db,
      `insert into account (id, public_id, role, password_hash, ${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#update = prepare(db, `update account set (public_id, ${COLUMNS}) = (?, ?, ?, ?, ?, ?, ?, ?) where id = ?`);
    this.#updateRole = prepare(db, 'update account set role = ? where id = ?');
    this.#updateStatus = prepare(db, 'update account set user_status = ? where id = ?');
    this.#updateHash = prepare(db, 'update account set password_hash = ? where id = ?');
    this.#rehash = prepare(db, 'update account set password_hash = ?3 where id = ?1 and password_hash = ?2');
    this.#endSessions = prepare(db, 'delete from session where account_id = ? and digest is not ?');
    this.#deleteKeys = prepareRows<[id: string, name: string]>(
      db,
      'delete from api_key where account_id = ? returning id, name',
    );
    this.#deleteAccount = prepare(db, 'delete from account where id = ?');
    this.#addReset = prepare(
      db,
      `insert into password_reset (digest, account_id, expires_at_ms) values (?, ?, ?)
       on conflict (account_id) do update set digest = excluded.digest, expires_at_ms = excluded.expires_at_ms`,
    );
    this.#findReset = prepareRows<[usernameKey: string]>(
      db,
      'select username_key from password_reset join account on account.id = account_id where digest = ? and ' +
        'expires_at_ms > ?',
    );
    this.#forgetResets = prepare(db, 'delete from password_reset where account_id = ?');
  }

  begin(): void {
    this.#ids.begin();
  }

  apply(change: UserChange): readonly bigint[] {
    if (change.kind === 'rehash') {
      this.#rehash.run(change.userId, change.from, change.to);
      return [change.userId];
    }
    this.#requireCredential(change.stamp);
    switch (change.kind) {
      case 'create':
        return this.#create(change);
      case 'replace':
        return [this.#replace(change)];
      case 'delete':
        return [this.#delete(change)];
      case 'set-role':
        return [this.#setRole(change)];
      case 'set-status':
        return [this.#setStatus(change)];
      case 'set-password':
        return [this.#setPassword(change)];
      case 'issue-reset':
        return [this.#issueReset(change)];
      case 'use-reset':
        break;
    }
    return [this.#useReset(change)];
  }

  save(): void {
    this.#ids.save();
  }

  #create({ accounts, isList, isFirstAdmin, stamp }: Change<'create'>): readonly bigint[] {
    if (isFirstAdmin === true) this.#accounts.requireNoAdmin();
    this.#requireFreeNames(accounts, isList);
    const chosen = new Set(accounts.map(({ publicId }) => publicId));
    // All ids before the first row: if none is left to assign, nothing was written.
    const assigned = accounts.map(() => this.#takeIdNotIn(chosen));
    return accounts.map((account, index) => {
      const { publicId: chosenId, role, passwordHash, profile, invitation } = account;
      const id = assigned[index] as bigint;
      const publicId = chosenId ?? id;
      const columns = profileColumns(profile, usernameKey(profile.username));
      this.#insert.run(id, publicId, role, passwordHash ?? null, ...columns);
      this.#insertUsedId.run(id);
      if (chosenId !== undefined) this.#addUsedId(chosenId);
      if (invitation !== undefined) this.#addReset.run(invitation.digest, id, invitation.expiresAtMs);
      this.#report(stamp, 'account.created', { id, username: profile.username }, detailsOfNew(account));
      return publicId;
    });
  }

  /** The id will not be assigned. */
  #addUsedId(publicId: bigint): void {
    this.#ids.notice(publicId);
    this.#insertUsedId.run(publicId);
  }

  #takeIdNotIn(chosen: ReadonlySet<bigint | undefined>): bigint {
    let id = this.#ids.take();
    while (chosen.has(id)) id = this.#ids.take();
    return id;
  }

  #requireFreeNames(accounts: readonly NewAccount[], isList: boolean): void {
    const problems: FieldProblem[] = [];
    const seen = new Set<string>();
    accounts.forEach(({ profile }, index) => {
      const path = isList ? `/${index}` : '';
      const key = usernameKey(profile.username);
      if (seen.has(key) || this.#accounts.find(profile.username) !== undefined) {
        problems.push({ path: `${path}/username`, message: `the user name ${profile.username} is taken` });
      }
      seen.add(key);
    });
    if (problems.length > 0) throw taken(problems);
  }

  #replace(change: Change<'replace'>): bigint {
    const { username, seen, profile, passwordHash, keepSession, stamp } = change;
    const current = this.#accounts.get(username, seen);
    const { id } = current;
    const owner = this.#accounts.find(profile.username);
    if (owner !== undefined && owner.id !== id) {
      throw taken([{ path: '/username', message: `the user name ${profile.username} is taken` }]);
    }
    // A field that the new profile omits is deleted, but omitting the status does not reopen a closed account.
    const userStatus = profile.userStatus ?? (current.isClosed ? USER_STATUS_CLOSED : undefined);
    const closes = userStatus === USER_STATUS_CLOSED;
    if (closes) this.#accounts.requireOtherAdmin(current);
    const key = keptUsernameKey(profile.username, current.key);
    const { publicId = current.publicId } = change;
    if (publicId !== current.publicId) this.#addUsedId(publicId);
    this.#update.run(publicId, ...profileColumns({ ...profile, userStatus }, key), id);
    const account = { id, username: profile.username };
    const isRenamed = profile.username !== current.username;
    this.#report(stamp, 'account.updated', account, isRenamed ? { renamedFrom: current.username } : null);
    if (passwordHash !== undefined) {
      this.#replacePassword(id, passwordHash, keepSession);
      this.#report(stamp, 'account.password-changed', account);
      this.#revokeKeys(account, stamp);
    }
    this.#closeOrReopen(stamp, current, account, closes);
    return publicId;
  }

  #closeOrReopen(stamp: Stamp, before: CurrentAccount, account: NamedAccount, closes: boolean): void {
    if (closes) {
      this.#endSessions.run(account.id, null);
      this.#forgetResets.run(account.id);
    }
    if (closes !== before.isClosed) this.#report(stamp, closes ? 'account.closed' : 'account.reopened', account);
  }

  #replacePassword(id: bigint, passwordHash: string, keepSession: string | undefined): void {
    this.#updateHash.run(passwordHash, id);
    this.#endSessions.run(id, keepSession ?? null);
    this.#forgetResets.run(id);
  }

  #revokeKeys({ id, username }: NamedAccount, stamp: Stamp): void {
    const keys = this.#deleteKeys(id).map(([keyId, name]) => ({ id: keyId, name }));
    for (const entry of keysRevoked(stamp, keys, username)) this.#audit(entry);
  }

  #delete({ username, seen, stamp }: Change<'delete'>): bigint {
    const current = this.#accounts.get(username, seen);
    this.#accounts.requireOtherAdmin(current);
    this.#deleteAccount.run(current.id);
    this.#report(stamp, 'account.deleted', current);
    return current.id;
  }

  #setRole({ username, role, stamp }: Change<'set-role'>): bigint {
    const current = this.#accounts.get(username);
    if (role === current.role) return current.id;
    if (role !== 'admin') this.#accounts.requireOtherAdmin(current);
    this.#updateRole.run(role, current.id);
    this.#report(stamp, 'account.role-set', current, { from: current.role, to: role });
    return current.id;
  }

  #setStatus({ username, userStatus, stamp }: Change<'set-status'>): bigint {
    const current = this.#accounts.get(username);
    const closes = userStatus === USER_STATUS_CLOSED;
    if (closes === current.isClosed) return current.id;
    if (closes) this.#accounts.requireOtherAdmin(current);
    this.#updateStatus.run(userStatus, current.id);
    this.#closeOrReopen(stamp, current, current, closes);
    return current.id;
  }

  #setPassword(change: Change<'set-password'>): bigint {
    const { username, passwordHash, replacedHash, keepSession, keepKeys, stamp } = change;
    const current = this.#accounts.get(username);
    requireReplacedHash(current, replacedHash);
    this.#replacePassword(current.id, passwordHash, keepSession);
    this.#report(stamp, 'account.password-changed', current);
    if (!keepKeys) this.#revokeKeys(current, stamp);
    return current.id;
  }

  #issueReset({ username, digest, expiresAtMs, stamp }: Change<'issue-reset'>): bigint {
    const current = this.#accounts.get(username);
    this.#addReset.run(digest, current.id, expiresAtMs);
    this.#report(stamp, 'account.reset-link-issued', current, { expires: new Date(expiresAtMs).toISOString() });
    return current.id;
  }

  #useReset({ digest, passwordHash, stamp }: Change<'use-reset'>): bigint {
    const [found] = this.#findReset(digest, stamp.atMs);
    const current = found === undefined ? undefined : this.#accounts.find(found[0]);
    if (current === undefined || current.isClosed) throw resetLinkNotFound();
    this.#replacePassword(current.id, passwordHash, undefined);
    this.#report(stamp, 'account.password-reset', current);
    this.#revokeKeys(current, stamp);
    return current.id;
  }

  /** Writes an entry into the audit log, and the event if the action has one. */
  #report(
    stamp: Stamp,
    action: AuditAction,
    { id, username }: NamedAccount,
    details: Readonly<Record<string, string>> | null = null,
  ): void {
    this.#audit(done(stamp, action, accountSubject(id, username), details));
    const event = accountActionOf(action);
    if (event === undefined) return;
    const { actorId, atMs } = stamp;
    const version = this.#versions.take();
    this.#writeEvent({ kind: 'account', version, accountId: id, username, action: event, details, actorId, atMs });
  }
}

function profileColumns({ username, firstName, lastName, email, phone, userStatus }: UserProfile, key: string) {
  const optional = [firstName ?? null, lastName ?? null, email ?? null, phone ?? null, userStatus ?? null];
  return [username, key, ...optional] as const;
}
