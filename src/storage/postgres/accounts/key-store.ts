import type { Role, Scope } from '../../../domain/access.ts';
import type { ApiKey, KeyChange, OwnedKey } from '../../../domain/accounts/api-key.ts';
import type { BatchedKeyStore } from '../../../domain/accounts/ports.ts';
import { done, keySubject } from '../../../domain/audit.ts';
import { Failure } from '../../../domain/failure.ts';
import type { Ask } from '../engine/statements.ts';
import { statement } from '../engine/statements.ts';
import { eachInTurn, type StoreWrites, type Transaction } from '../engine/transactions.ts';
import type { Writer } from '../engine/writer.ts';
import { demandStanding } from './standing.ts';

type KeyRow = [
  id: string,
  name: string,
  scopes: string,
  createdAtMs: bigint,
  expiresAtMs: bigint,
  lastUsedAtMs: bigint | null,
];

type OwnerRow = [
  digest: string,
  userId: bigint,
  username: string,
  role: Role,
  userStatus: bigint | null,
  lastWritten: bigint,
];

const COLUMNS = 'api_key.id, name, scopes, created_at_ms, expires_at_ms, last_used_at_ms';

const byDigests = statement(
  `select digest, account.id, username, role, user_status, last_version, ${COLUMNS}
   from api_key join account on account.id = account_id where digest = any($1::text[])`,
);
const ofAccount = statement(`select ${COLUMNS} from api_key where account_id = $1 order by created_at_ms desc, id`);
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

export function openKeyStore(ask: Ask, writer: Writer): BatchedKeyStore {
  return {
    findMany: async (digests) => {
      const found = new Map<string, OwnedKey>();
      const rows = await ask<[...OwnerRow, ...KeyRow]>(byDigests, digests);
      for (const [digest, userId, username, role, userStatus, lastWritten, ...row] of rows) {
        const owner = { userId, username, role, userStatus: userStatus === null ? undefined : Number(userStatus) };
        found.set(digest, { digest, ...owner, ...(lastWritten > 0n && { lastWritten }), ...toKey(row) });
      }
      return digests.map((digest) => found.get(digest));
    },
    listOf: async (userId) => (await ask<KeyRow>(ofAccount, userId)).map(toKey),
    applyAll: (changes) => writer.apply('key', changes),
  };
}

async function create(
  { digest, userId, key, maxOfAccount, stamp }: Extract<KeyChange, { kind: 'create' }>,
  { ask, audit, counters }: Transaction,
): Promise<void> {
  const [owner] = await ask<[count: bigint, username: string]>(countOf, userId, key.createdAtMs);
  if (owner === undefined) throw new Failure('conflict', 'The account is gone.');
  const [count, username] = owner;
  if (count >= maxOfAccount) {
    throw new Failure('conflict', `The account has ${maxOfAccount} keys already. Revoke one first.`);
  }
  const scopes = key.scopes.join(' ');
  const { lastVersion } = await counters;
  await ask(insert, digest, key.id, userId, key.name, scopes, key.createdAtMs, key.expiresAtMs, lastVersion);
  const expires = new Date(key.expiresAtMs).toISOString();
  audit(done(stamp, 'key.created', keySubject(key), { account: username, scopes, expires }));
}

/** The changes of keys. */
export const keyWrites: StoreWrites<KeyChange, number> = eachInTurn(async (change, transaction) => {
  const { ask, audit } = transaction;
  if ('stamp' in change) await demandStanding(change.stamp, transaction);
  switch (change.kind) {
    case 'create':
      await create(change, transaction);
      break;
    case 'revoke': {
      const [revoked] = await ask<[name: string, accountId: bigint]>(revoke, change.id, change.userId ?? null);
      if (revoked === undefined) throw new Failure('not-found', 'Key not found');
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
