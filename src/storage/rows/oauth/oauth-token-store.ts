import { clientSubject, done, keySubject } from '../../../domain/audit.ts';
import {
  TOKENS_OF_CLIENT_AND_ACCOUNT,
  type AccessToken,
  type GrantedCode,
  type OAuthTokenStore,
  type StoredCode,
  type TokenChange,
} from '../../../domain/oauth/tokens.ts';
import { requireCredential } from '../credential-check.ts';
import { rowOf } from '../row.ts';
import { statement } from '../statements.ts';
import { ask, send, type CommonTransaction, type Reads, type StoreDeps, type Steps } from '../steps.ts';
import { toAccount, type AccountRow } from './oauth-client-store.ts';

type Change<K extends TokenChange['kind']> = Extract<TokenChange, { kind: K }>;

type Issue = Change<'issue'>;

type CodeRow = [digest: string, details: string, expiresAtMs: bigint, ...user: AccountRow];

const TOKEN = rowOf<AccessToken>({
  id: 'text',
  clientId: 'text',
  clientName: ['text', 'name'],
  scopes: 'words',
  createdAtMs: 'number',
  expiresAtMs: 'number',
  lastUsedAtMs: 'number?',
});

/** The kinds of steps (table sign_in_step): a code stays known while its token lives. */
const CODE = 'oauth-code';
const USED_CODE = 'used-oauth-code';

const findCode = statement(
  `select digest, details, expires_at_ms, account.id, username, role, user_status
   from sign_in_step join account on account.id = account_id
   where digest = $1 and kind in ('${CODE}', '${USED_CODE}')`,
);
const insertCode = statement(
  `insert into sign_in_step (digest, kind, account_id, details, expires_at_ms) values ($1, '${CODE}', $2, $3, $4)`,
);
const markUsed = statement(
  `update sign_in_step set kind = '${USED_CODE}', expires_at_ms = $2 where digest = $1 and kind = '${CODE}' returning digest`,
);
const deleteUsed = statement(
  `delete from sign_in_step where digest = $1 and kind = '${USED_CODE}' returning details, account_id`,
);
const isUsed = statement(`select 1 from sign_in_step where digest = $1 and kind = '${USED_CODE}'`);
const isClient = statement('select 1 from oauth_client where id = $1');
const roleOf = statement('select 1 from account where id = $1 and role = $2');
const tokensOf = statement(
  `select ${TOKEN.columns} from api_key
   where account_id = $1 and client_id is not null and expires_at_ms > $2`,
);
const insertToken = statement(({ either }) => {
  const [column, value] = [either(', last_version', ''), either(', $9', '')];
  return `insert into api_key (digest, id, account_id, name, scopes, created_at_ms, expires_at_ms, client_id${column})
   values ($1, $2, $3, $4, $5, $6, $7, $8${value})`;
});
const ofClient = statement(
  'select digest, created_at_ms, expires_at_ms from api_key where client_id = $1 and account_id = $2',
);
const deleteTokens = statement(({ isOneOf }) => `delete from api_key where ${isOneOf('digest', '$1', 'text')}`);
const revokeById = statement('delete from api_key where id = $1 and client_id is not null returning id, name');
const revoke = statement('delete from api_key where digest = $1 and client_id = $2 returning id, name, account_id');
const usernameOf = statement('select username from account where id = $1');

export class SqlOAuthTokenStore implements OAuthTokenStore {
  readonly #reads: Reads;
  readonly #apply;

  constructor({ reads, apply }: StoreDeps<TokenChange, number>) {
    this.#reads = reads;
    this.#apply = apply;
  }

  async findCode(digest: string): Promise<StoredCode | undefined> {
    const [row] = await this.#reads.ask<CodeRow>(findCode, digest);
    if (row === undefined) return undefined;
    const [, details, expiresAtMs, ...user] = row;
    const code = JSON.parse(details) as GrantedCode;
    return { ...code, digest, user: toAccount(user), expiresAtMs: Number(expiresAtMs) };
  }

  async listOf(userId: bigint, nowMs: number): Promise<readonly AccessToken[]> {
    const tokens = (await this.#reads.ask(tokensOf, userId, nowMs)).map(TOKEN.read);
    return tokens.toSorted((a, b) => b.createdAtMs - a.createdAtMs || (a.id < b.id ? -1 : 1));
  }

  apply(change: TokenChange): Promise<number> {
    return this.#apply(change);
  }
}

export function* applyTokenChange(change: TokenChange, transaction: CommonTransaction): Steps<number> {
  switch (change.kind) {
    case 'save-code':
      return yield* saveCode(change, transaction);
    case 'use-code':
      return yield* useCode(change, transaction);
    case 'issue':
      return yield* issue(change, transaction);
    case 'revoke':
      break;
  }
  return yield* revokeToken(change, transaction);
}

function* saveCode(change: Change<'save-code'>, { audit }: CommonTransaction): Steps<number> {
  const { digest, code, clientName: name, expiresAtMs, stamp } = change;
  yield* requireCredential(stamp);
  yield* send(insertCode, digest, stamp.actorId, JSON.stringify(code), expiresAtMs);
  const { clientId: id, scopes, redirectUri } = code;
  const details = { scopes: scopes.join(' '), redirectUri };
  audit(done(stamp, 'oauth-client.allowed', clientSubject({ id, name }), details));
  return 0;
}

function* useCode({ digest, stamp, keptUntilMs }: Change<'use-code'>, { audit }: CommonTransaction): Steps<number> {
  if ((yield* ask(markUsed, digest, keptUntilMs)).length > 0) return 1;
  const [used] = yield* ask<[details: string, accountId: bigint]>(deleteUsed, digest);
  if (used === undefined) return 0;
  const { tokenId } = JSON.parse(used[0]) as GrantedCode;
  const [token] = yield* ask<[id: string, name: string]>(revokeById, tokenId);
  if (token === undefined) return 0;
  const [id, name] = token;
  audit(
    done(stamp, 'key.revoked', keySubject({ id, name }), { account: stamp.actorName ?? '', reason: 'code reused' }),
  );
  return 0;
}

function* issue(change: Issue, { audit, lastVersion }: CommonTransaction): Steps<number> {
  const { token, codeDigest, isOfService, stamp } = change;
  const { id, digest, accountId, clientId, clientName: name, createdAtMs, expiresAtMs } = token;
  yield* requireCredential(stamp);
  if ((yield* ask(roleOf, accountId, stamp.actorRole)).length === 0) return 0;
  if (codeDigest !== undefined && (yield* ask(isUsed, codeDigest)).length === 0) return 0;
  if (!isOfService && (yield* ask(isClient, clientId)).length === 0) return 0;
  yield* deleteOld(token);
  const scopes = token.scopes.join(' ');
  const values = [digest, id, accountId, name, scopes, createdAtMs, expiresAtMs, clientId] as const;
  yield* send(insertToken, ...values, lastVersion());
  const expires = new Date(expiresAtMs).toISOString();
  const details = { account: stamp.actorName ?? '', scopes, expires, client: clientId };
  audit(done(stamp, 'key.created', keySubject({ id, name }), details));
  return 1;
}

function* deleteOld({ clientId, accountId, createdAtMs: nowMs }: Issue['token']): Steps<void> {
  const rows = yield* ask<[digest: string, createdAtMs: bigint, expiresAtMs: bigint]>(ofClient, clientId, accountId);
  const valid = rows.filter(([, , expiresAtMs]) => expiresAtMs > nowMs);
  const kept = valid.toSorted((a, b) => Number(b[1] - a[1])).slice(0, TOKENS_OF_CLIENT_AND_ACCOUNT - 1);
  const old = rows.filter((row) => !kept.includes(row)).map(([digest]) => digest);
  if (old.length > 0) yield* send(deleteTokens, old);
}

function* revokeToken({ digest, clientId, stamp }: Change<'revoke'>, { audit }: CommonTransaction): Steps<number> {
  const rows = yield* ask<[id: string, name: string, accountId: bigint]>(revoke, digest, clientId);
  for (const [id, name, accountId] of rows) {
    const [owner] = yield* ask<[username: string]>(usernameOf, accountId);
    audit(done(stamp, 'key.revoked', keySubject({ id, name }), { account: owner?.[0] ?? '' }));
  }
  return rows.length;
}
