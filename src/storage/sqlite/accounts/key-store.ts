import type { DatabaseSync } from 'node:sqlite';
import type { ApiKey, KeyChange, OwnedKey } from '../../../domain/accounts/api-key.ts';
import type { KeyStore } from '../../../domain/accounts/ports.ts';
import { done, keySubject, type NewAuditEntry, type Stamp } from '../../../domain/audit.ts';
import {
  KEY_COLUMNS,
  keyCreated,
  keyNotFound,
  requireRoomForKey,
  toKey,
  toOwnedKey,
  type KeyOwnerRow,
  type KeyRow,
  type OwnedKeyRow,
} from '../../rows/credentials.ts';
import { prepareAuditWriter } from '../service/audit-store.ts';
import { prepare, prepareRow, prepareRows } from '../engine/database.ts';
import type { TransactionWrites, Writer } from '../engine/writer.ts';
import { prepareCredentialCheck } from '../service/credential-check.ts';

/** Reads on the event loop's own connection. */
export class SqliteKeyStore implements KeyStore {
  readonly #writer: Writer;
  readonly #byDigest;
  readonly #ofAccount;

  constructor({ reader, writer }: { reader: DatabaseSync; writer: Writer }) {
    this.#writer = writer;
    this.#byDigest = prepareRow(
      reader,
      `select digest, account.id, username, role, user_status, 0, ${KEY_COLUMNS}
       from api_key join account on account.id = account_id where digest = ?`,
    );
    this.#ofAccount = prepareRows<KeyRow>(
      reader,
      `select ${KEY_COLUMNS} from api_key where account_id = ? order by created_at_ms desc, id`,
    );
  }

  find(digest: string): OwnedKey | undefined {
    const row = this.#byDigest(digest) as OwnedKeyRow | undefined;
    return row && toOwnedKey(row);
  }

  async listOf(userId: bigint): Promise<readonly ApiKey[]> {
    return this.#ofAccount(userId).map(toKey);
  }

  apply(change: KeyChange): Promise<number> {
    return this.#writer.apply('key', change);
  }
}

export class KeyWrites implements TransactionWrites<KeyChange, number> {
  readonly #audit: (entry: NewAuditEntry) => void;
  readonly #requireCredential: (stamp: Stamp) => void;
  readonly #ownerOf;
  readonly #insert;
  readonly #revoke;
  readonly #usernameOf;
  readonly #touch;
  readonly #forgetExpired;

  constructor(db: DatabaseSync) {
    this.#audit = prepareAuditWriter(db);
    this.#requireCredential = prepareCredentialCheck(db);
    this.#ownerOf = prepareRows<KeyOwnerRow>(
      db,
      `select (select count(*) from api_key where account_id = account.id and expires_at_ms > ?2), username
       from account where id = ?1`,
    );
    this.#insert = prepare(
      db,
      'insert into api_key (digest, id, account_id, name, scopes, created_at_ms, expires_at_ms) values (?, ?, ?, ' +
        '?, ?, ?, ?)',
    );
    this.#revoke = prepareRows<[name: string, accountId: bigint]>(
      db,
      'delete from api_key where id = ?1 and (?2 is null or account_id = ?2) returning name, account_id',
    );
    this.#usernameOf = prepareRows<[username: string]>(db, 'select username from account where id = ?');
    this.#touch = prepare(
      db,
      'update api_key set last_used_at_ms = max(ifnull(last_used_at_ms, 0), ?) where digest = ?',
    );
    this.#forgetExpired = prepare(
      db,
      'delete from api_key where digest in (select digest from api_key where expires_at_ms <= ? order by ' +
        'expires_at_ms limit ?)',
    );
  }

  apply(change: KeyChange): number {
    if ('stamp' in change) this.#requireCredential(change.stamp);
    switch (change.kind) {
      case 'create':
        this.#create(change);
        break;
      case 'revoke':
        this.#revokeKey(change);
        break;
      case 'touch':
        this.#touch.run(change.usedAtMs, change.digest);
        break;
      case 'forget-expired':
        return Number(this.#forgetExpired.run(change.beforeMs, change.limit).changes);
    }
    return 0;
  }

  #create({ digest, userId, key, maxOfAccount, stamp }: Extract<KeyChange, { kind: 'create' }>): void {
    const username = requireRoomForKey(this.#ownerOf(userId, key.createdAtMs)[0], maxOfAccount);
    this.#insert.run(digest, key.id, userId, key.name, key.scopes.join(' '), key.createdAtMs, key.expiresAtMs);
    this.#audit(keyCreated(stamp, key, username));
  }

  #revokeKey({ id, userId, stamp }: Extract<KeyChange, { kind: 'revoke' }>): void {
    const [revoked] = this.#revoke(id, userId ?? null);
    if (revoked === undefined) throw keyNotFound();
    const [name, accountId] = revoked;
    const account = this.#usernameOf(accountId)[0]?.[0] ?? '';
    this.#audit(done(stamp, 'key.revoked', keySubject({ id, name }), { account }));
  }
}
