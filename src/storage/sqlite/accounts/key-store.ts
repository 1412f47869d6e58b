import type { DatabaseSync } from 'node:sqlite';
import type { Role, Scope } from '../../../domain/access.ts';
import type { ApiKey, KeyChange, OwnedKey } from '../../../domain/accounts/api-key.ts';
import type { BatchedKeyStore } from '../../../domain/accounts/ports.ts';
import { done, keySubject } from '../../../domain/audit.ts';
import { Failure } from '../../../domain/failure.ts';
import { createAuditWriter } from '../audit-store.ts';
import { createStandingCheck } from './standing.ts';
import { prepare, prepareRows } from '../engine/database.ts';
import type { TransactionWrites, Writer } from '../engine/writer.ts';

type KeyRow = [
  id: string,
  name: string,
  scopes: string,
  createdAtMs: bigint,
  expiresAtMs: bigint,
  lastUsedAtMs: bigint | null,
];

type OwnerRow = [key: bigint, digest: string, userId: bigint, username: string, role: Role, userStatus: bigint | null];

const COLUMNS = 'api_key.id, name, scopes, created_at_ms, expires_at_ms, last_used_at_ms';

/** Reads on the event loop's own connection; changes through the writer. */
export function openKeyStore(reader: DatabaseSync, writer: Writer): BatchedKeyStore {
  const byDigests = prepareRows<[...OwnerRow, ...KeyRow]>(
    reader,
    `select key, digest, account.id, username, role, user_status, ${COLUMNS}
     from json_each(?) join api_key on digest = value join account on account.id = account_id`,
  );
  const ofAccount = prepareRows<KeyRow>(
    reader,
    `select ${COLUMNS} from api_key where account_id = ? order by created_at_ms desc, id`,
  );

  return {
    findMany: async (digests) => {
      const found: (OwnedKey | undefined)[] = Array.from({ length: digests.length });
      for (const [key, digest, userId, username, role, userStatus, ...row] of byDigests(JSON.stringify(digests))) {
        const owner = { userId, username, role, userStatus: userStatus === null ? undefined : Number(userStatus) };
        found[Number(key)] = { digest, ...owner, ...toKey(row) };
      }
      return found;
    },
    listOf: async (userId) => ofAccount(userId).map(toKey),
    applyAll: (changes) => writer.apply('key', changes),
  };
}

/** The changes of keys. */
export function createKeyWrites(db: DatabaseSync): TransactionWrites<KeyChange, number> {
  const audit = createAuditWriter(db);
  const demandStanding = createStandingCheck(db);
  const countOf = prepareRows<[count: bigint, username: string]>(
    db,
    `select (select count(*) from api_key where account_id = account.id and expires_at_ms > ?2), username
     from account where id = ?1`,
  );
  const insert = prepare(
    db,
    'insert into api_key (digest, id, account_id, name, scopes, created_at_ms, expires_at_ms) values (?, ?, ?, ?, ?, ?, ?)',
  );
  const revoke = prepareRows<[name: string, accountId: bigint]>(
    db,
    'delete from api_key where id = ?1 and (?2 is null or account_id = ?2) returning name, account_id',
  );
  const usernameOf = prepareRows<[username: string]>(db, 'select username from account where id = ?');
  const touch = prepare(db, 'update api_key set last_used_at_ms = max(ifnull(last_used_at_ms, 0), ?) where digest = ?');
  const forgetExpired = prepare(
    db,
    'delete from api_key where digest in (select digest from api_key where expires_at_ms <= ? order by expires_at_ms limit ?)',
  );

  function create({ digest, userId, key, maxOfAccount, stamp }: Extract<KeyChange, { kind: 'create' }>): void {
    const [owner] = countOf(userId, key.createdAtMs);
    if (owner === undefined) throw new Failure('conflict', 'The account is gone.');
    const [count, username] = owner;
    if (count >= maxOfAccount) {
      throw new Failure('conflict', `The account has ${maxOfAccount} keys already. Revoke one first.`);
    }
    const scopes = key.scopes.join(' ');
    insert.run(digest, key.id, userId, key.name, scopes, key.createdAtMs, key.expiresAtMs);
    const expires = new Date(key.expiresAtMs).toISOString();
    audit(done(stamp, 'key.created', keySubject(key), { account: username, scopes, expires }));
  }

  return {
    apply(change) {
      if ('stamp' in change) demandStanding(change.stamp);
      switch (change.kind) {
        case 'create':
          create(change);
          break;
        case 'revoke': {
          const [revoked] = revoke(change.id, change.userId ?? null);
          if (revoked === undefined) throw new Failure('not-found', 'Key not found');
          const [name, accountId] = revoked;
          const account = usernameOf(accountId)[0]?.[0] ?? '';
          audit(done(change.stamp, 'key.revoked', keySubject({ id: change.id, name }), { account }));
          break;
        }
        case 'touch':
          touch.run(change.usedAtMs, change.digest);
          break;
        case 'forget-expired':
          return Number(forgetExpired.run(change.beforeMs, change.limit).changes);
      }
      return 0;
    },
  };
}

function toKey([id, name, scopes, createdAtMs, expiresAtMs, lastUsedAtMs]: KeyRow): ApiKey {
  return {
    id,
    name,
    scopes: scopes.split(' ') as Scope[],
    createdAtMs: Number(createdAtMs),
    expiresAtMs: Number(expiresAtMs),
    lastUsedAtMs: lastUsedAtMs === null ? undefined : Number(lastUsedAtMs),
  };
}
