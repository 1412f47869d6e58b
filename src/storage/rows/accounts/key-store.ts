import type { Role, Scope } from '../../../domain/access.ts';
import type { ApiKey, KeyChange, OwnedKey } from '../../../domain/accounts/api-key.ts';
import type { KeyStore } from '../../../domain/accounts/ports.ts';
import { done, keySubject } from '../../../domain/audit.ts';
import { Failure } from '../../../domain/failure.ts';
import { queueAlert } from '../mail/mail-rows.ts';
import { requireCredential } from '../credential-check.ts';
import { forgetOldest, statement } from '../statements.ts';
import { ask, send, type CommonTransaction, type Reads, type StoreDeps, type Steps } from '../steps.ts';

type Change<K extends KeyChange['kind']> = Extract<KeyChange, { kind: K }>;

type KeyRow = [
  id: string,
  name: string,
  scopes: string,
  createdAtMs: bigint,
  expiresAtMs: bigint,
  lastUsedAtMs: bigint | null,
];

/** A key with its account. The last version that was written with the key is 0 on SQLite, which needs none. */
type OwnedKeyRow = [
  digest: string,
  userId: bigint,
  username: string,
  role: Role,
  userStatus: bigint | null,
  lastWritten: bigint,
  clientId: string | null,
  ...key: KeyRow,
];

const COLUMNS = 'api_key.id, name, scopes, created_at_ms, expires_at_ms, last_used_at_ms';

const find = statement(
  (sql) => `select digest, account.id, username, role, user_status, ${sql.either('last_version', '0')}, client_id,
     ${COLUMNS}
   from api_key join account on account.id = account_id where ${sql.isKey('digest')}`,
);
const ofAccount = statement(
  `select ${COLUMNS} from api_key where account_id = $1 and client_id is null order by created_at_ms desc, id`,
);
const countOf = statement(
  `select (select count(*) from api_key where account_id = account.id and client_id is null and expires_at_ms > $2), username
   from account where id = $1`,
);
const insert = statement(({ either }) => {
  const [column, value] = [either(', last_version', ''), either(', $8', '')];
  return `insert into api_key (digest, id, account_id, name, scopes, created_at_ms, expires_at_ms${column})
   values ($1, $2, $3, $4, $5, $6, $7${value})`;
});
const revoke = statement(
  'delete from api_key where id = $1 and ($2::int8 is null or account_id = $2) returning name, account_id',
);
const usernameOf = statement('select username from account where id = $1');
const touch = statement(
  ({ greatest }) =>
    `update api_key set last_used_at_ms = ${greatest('coalesce(last_used_at_ms, 0)', '$1')} where digest = $2`,
);
const forgetExpired = forgetOldest('api_key', 'digest', 'expires_at_ms');

export class SqlKeyStore implements KeyStore {
  readonly find: KeyStore['find'];
  readonly #reads: Reads;
  readonly #apply;

  constructor({ reads, apply }: StoreDeps<KeyChange, number>) {
    this.find = reads.finder(find, toOwnedKey);
    this.#reads = reads;
    this.#apply = apply;
  }

  async listOf(userId: bigint): Promise<readonly ApiKey[]> {
    return (await this.#reads.ask<KeyRow>(ofAccount, userId)).map(toKey);
  }

  apply(change: KeyChange): Promise<number> {
    return this.#apply(change);
  }
}

export function* applyKeyChange(change: KeyChange, transaction: CommonTransaction): Steps<number> {
  if ('stamp' in change) yield* requireCredential(change.stamp);
  switch (change.kind) {
    case 'create':
      yield* create(change, transaction);
      break;
    case 'revoke':
      yield* revokeKey(change, transaction);
      break;
    case 'touch':
      yield* send(touch, change.usedAtMs, change.digest);
      break;
    case 'forget-expired':
      return (yield* ask(forgetExpired, change.beforeMs, change.limit)).length;
  }
  return 0;
}

function* create(change: Change<'create'>, { audit, lastVersion }: CommonTransaction): Steps<void> {
  const { digest, userId, key, maxOfAccount, stamp } = change;
  const { id, name, createdAtMs, expiresAtMs } = key;
  const [owner] = yield* ask<[count: bigint, username: string]>(countOf, userId, createdAtMs);
  if (owner === undefined) throw new Failure('conflict', 'The account was deleted.');
  const [count, account] = owner;
  if (count >= maxOfAccount)
    throw new Failure('conflict', `The account already has ${maxOfAccount} API keys. Revoke one first.`);
  const scopes = key.scopes.join(' ');
  yield* send(insert, digest, id, userId, name, scopes, createdAtMs, expiresAtMs, lastVersion());
  const expires = new Date(expiresAtMs).toISOString();
  audit(done(stamp, 'key.created', keySubject(key), { account, scopes, expires }));
  yield* queueAlert(userId, 'key-created', stamp, { name });
}

function* revokeKey({ id, userId, stamp }: Change<'revoke'>, { audit }: CommonTransaction): Steps<void> {
  const [revoked] = yield* ask<[name: string, accountId: bigint]>(revoke, id, userId ?? null);
  if (revoked === undefined) throw new Failure('not-found', 'API key not found');
  const [name, accountId] = revoked;
  const [owner] = yield* ask<[username: string]>(usernameOf, accountId);
  audit(done(stamp, 'key.revoked', keySubject({ id, name }), { account: owner?.[0] ?? '' }));
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

function toOwnedKey(row: OwnedKeyRow): OwnedKey {
  const [digest, userId, username, role, status, lastWritten, clientId, ...key] = row;
  const userStatus = status === null ? undefined : Number(status);
  const owner = { userId, username, role, userStatus };
  const isAccessToken = clientId !== null;
  return { digest, ...owner, ...(lastWritten > 0n && { lastWritten }), isAccessToken, ...toKey(key) };
}
