import type { ApiKey, KeyChange, OwnedKey } from '../../../domain/accounts/api-key.ts';
import type { KeyStore } from '../../../domain/accounts/ports.ts';
import { done, keySubject } from '../../../domain/audit.ts';
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
import { gather } from '../../rows/gather.ts';
import { statement, type Ask } from '../engine/statements.ts';
import { eachInTurn, type StoreWrites, type Transaction } from '../engine/transactions.ts';
import type { Writer } from '../engine/writer.ts';
import { requireCredential } from '../service/credential-check.ts';

const byDigests = statement(
  `select digest, account.id, username, role, user_status, last_version, ${KEY_COLUMNS}
   from api_key join account on account.id = account_id where digest = any($1::text[])`,
);
const ofAccount = statement(`select ${KEY_COLUMNS} from api_key where account_id = $1 order by created_at_ms desc, id`);
const countOf = statement(
  `select (select count(*) from api_key where account_id = account.id and expires_at_ms > $2), username
   from account where id = $1`,
);
const insert = statement(
  `insert into api_key (digest, id, account_id, name, scopes, created_at_ms, expires_at_ms, last_version) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
);
const revoke = statement(
  'delete from api_key where id = $1 and ($2::int8 is null or account_id = $2) returning name, account_id',
);
const usernameOf = statement('select username from account where id = $1');
const touch = statement(
  'update api_key set last_used_at_ms = greatest(coalesce(last_used_at_ms, 0), $1) where digest = $2',
);
const forgetExpired = statement(
  `delete from api_key where digest = any(array(
     select digest from api_key where expires_at_ms <= $1 order by expires_at_ms limit $2)) returning digest`,
);

export class PostgresKeyStore implements KeyStore {
  readonly #ask: Ask;
  readonly #writer: Writer;

  constructor({ ask, writer }: { ask: Ask; writer: Writer }) {
    this.#ask = ask;
    this.#writer = writer;
  }

  readonly find = gather(async (digests: readonly string[]): Promise<readonly (OwnedKey | undefined)[]> => {
    const rows = await this.#ask<OwnedKeyRow>(byDigests, digests);
    const found = new Map(rows.map((row) => [row[0], toOwnedKey(row)]));
    return digests.map((digest) => found.get(digest));
  });

  async listOf(userId: bigint): Promise<readonly ApiKey[]> {
    return (await this.#ask<KeyRow>(ofAccount, userId)).map(toKey);
  }

  apply(change: KeyChange): Promise<number> {
    return this.#writer.apply('key', change);
  }
}

async function create(
  { digest, userId, key, maxOfAccount, stamp }: Extract<KeyChange, { kind: 'create' }>,
  { ask, audit, counters }: Transaction,
): Promise<void> {
  const [owner] = await ask<KeyOwnerRow>(countOf, userId, key.createdAtMs);
  const username = requireRoomForKey(owner, maxOfAccount);
  const { lastVersion } = await counters;
  await ask(
    insert,
    digest,
    key.id,
    userId,
    key.name,
    key.scopes.join(' '),
    key.createdAtMs,
    key.expiresAtMs,
    lastVersion,
  );
  audit(keyCreated(stamp, key, username));
}

export const keyWrites: StoreWrites<KeyChange, number> = eachInTurn(async (change, transaction) => {
  const { ask, audit } = transaction;
  if ('stamp' in change) await requireCredential(change.stamp, transaction);
  switch (change.kind) {
    case 'create':
      await create(change, transaction);
      break;
    case 'revoke': {
      const [revoked] = await ask<[name: string, accountId: bigint]>(revoke, change.id, change.userId ?? null);
      if (revoked === undefined) throw keyNotFound();
      const [name, accountId] = revoked;
      const account = (await ask<[string]>(usernameOf, accountId))[0]?.[0] ?? '';
      audit(done(change.stamp, 'key.revoked', keySubject({ id: change.id, name }), { account }));
      break;
    }
    case 'touch':
      await ask(touch, change.usedAtMs, change.digest);
      break;
    case 'forget-expired':
      return (await ask(forgetExpired, change.beforeMs, change.limit)).length;
  }
  return 0;
});
