import type { Role } from '../../../domain/access.ts';
import { clientSubject, done, type Stamp } from '../../../domain/audit.ts';
import { Failure } from '../../../domain/failure.ts';
import {
  OAUTH_CLIENT_LIMITS,
  type OAuthAccount,
  type OAuthClient,
  type OAuthClientChange,
  type OAuthClientStore,
  type OAuthScope,
  type StoredOAuthClient,
} from '../../../domain/oauth/client.ts';
import { requireCredential } from '../credential-check.ts';
import { statement } from '../statements.ts';
import { ask, send, type CommonTransaction, type Reads, type StoreDeps, type Steps } from '../steps.ts';

type Change<K extends OAuthClientChange['kind']> = Extract<OAuthClientChange, { kind: K }>;

/** An account beside a client or a code. */
export type AccountRow = [accountId: bigint, username: string, role: Role, userStatus: bigint | null];

type ClientRow = [
  id: string,
  name: string,
  secretDigest: string | null,
  redirectUris: string,
  scopes: string,
  createdAtMs: bigint,
  lastUsedAtMs: bigint | null,
  ...owner: AccountRow,
];

const clientsWith = (lastUse: string) => `select oauth_client.id, name, secret_digest, redirect_uris, scopes,
    created_at_ms, ${lastUse}, account.id, username, role, user_status
  from oauth_client join account on account.id = account_id`;

/** A new token replaces those that have expired, so its creation counts as well. */
const CLIENTS = clientsWith(
  `(select max(case when last_used_at_ms is null then created_at_ms else last_used_at_ms end)
     from api_key where client_id = oauth_client.id)`,
);

const find = statement(`${clientsWith('cast(null as int8)')} where oauth_client.id = $1`);
const all = statement(
  `${CLIENTS} where oauth_client.id > '' order by oauth_client.id limit ${OAUTH_CLIENT_LIMITS.listed}`,
);
const ofAccount = statement(`${CLIENTS} where account_id = $1`);
const countOf = statement(
  `select (select count(*) from oauth_client where account_id = account.id), username from account where id = $1`,
);
const insert = statement(
  `insert into oauth_client (id, account_id, name, secret_digest, redirect_uris, scopes, created_at_ms)
   values ($1, $2, $3, $4, $5, $6, $7)`,
);
const deleteClient = statement(
  `delete from oauth_client where id = $1 and ($2::int8 is null or account_id = $2) returning name, account_id`,
);
const deleteTokens = statement('delete from api_key where client_id = $1');
const deleteTokensOf = statement(
  ({ isAmong }) =>
    `delete from api_key where ${isAmong('client_id', 'select id from oauth_client where account_id = $1')}`,
);
const usernameOf = statement('select username from account where id = $1');
const deleteWithSecret = statement(
  'delete from oauth_client where account_id = $1 and secret_digest is not null returning id, name',
);

export class SqlOAuthClientStore implements OAuthClientStore {
  readonly #reads: Reads;
  readonly #apply;

  constructor({ reads, apply }: StoreDeps<OAuthClientChange, number>) {
    this.#reads = reads;
    this.#apply = apply;
  }

  async find(id: string): Promise<StoredOAuthClient | undefined> {
    const [row] = await this.#reads.ask<ClientRow>(find, id);
    return row === undefined ? undefined : { ...toClient(row), secretDigest: row[2] ?? undefined };
  }

  async list(userId: bigint | undefined): Promise<readonly OAuthClient[]> {
    const reads = this.#reads;
    const rows = await (userId === undefined ? reads.ask<ClientRow>(all) : reads.ask<ClientRow>(ofAccount, userId));
    return rows.map(toClient).toSorted((a, b) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1));
  }

  apply(change: OAuthClientChange): Promise<number> {
    return this.#apply(change);
  }
}

export function* applyOAuthClientChange(change: OAuthClientChange, transaction: CommonTransaction): Steps<number> {
  yield* requireCredential(change.stamp);
  yield* change.kind === 'create' ? create(change, transaction) : deleteOne(change, transaction);
  return 0;
}

function* create(
  { client, maxOfAccount, stamp }: Change<'create'>,
  { audit }: Pick<CommonTransaction, 'audit'>,
): Steps<void> {
  const { id, accountId, name, secretDigest, redirectUris, scopes, createdAtMs } = client;
  const [owner] = yield* ask<[count: bigint, username: string]>(countOf, accountId);
  if (owner === undefined) throw new Failure('conflict', 'The account was deleted.');
  const [count, account] = owner;
  if (count >= maxOfAccount)
    throw new Failure('conflict', `The account already has ${maxOfAccount} programs. Delete one first.`);
  const texts = [JSON.stringify(redirectUris), scopes.join(' ')];
  yield* send(insert, id, accountId, name, secretDigest ?? null, ...texts, createdAtMs);
  audit(done(stamp, 'oauth-client.created', clientSubject(client), { account, scopes: scopes.join(' ') }));
}

function* deleteOne({ id, userId, stamp }: Change<'delete'>, { audit }: Pick<CommonTransaction, 'audit'>): Steps<void> {
  const [deleted] = yield* ask<[name: string, accountId: bigint]>(deleteClient, id, userId ?? null);
  if (deleted === undefined) throw new Failure('not-found', 'Program not found');
  const [name, accountId] = deleted;
  yield* send(deleteTokens, id);
  const [owner] = yield* ask<[username: string]>(usernameOf, accountId);
  audit(done(stamp, 'oauth-client.deleted', clientSubject({ id, name }), { account: owner?.[0] ?? '' }));
}

/** Deletes the tokens that any account has given to the clients of this one, which is about to be deleted. */
export function* deleteTokensOfClients(accountId: bigint): Steps<void> {
  yield* send(deleteTokensOf, accountId);
}

/** Deletes the clients of an account that can act as its owner without the owner, like API keys. */
export function* deleteClientsWithSecret(
  accountId: bigint,
  account: string,
  stamp: Stamp,
  { audit }: Pick<CommonTransaction, 'audit'>,
): Steps<void> {
  const rows = yield* ask<[id: string, name: string]>(deleteWithSecret, accountId);
  for (const [id, name] of rows.toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    yield* send(deleteTokens, id);
    audit(done(stamp, 'oauth-client.deleted', clientSubject({ id, name }), { account }));
  }
}

function toClient(row: ClientRow): OAuthClient {
  const [id, name, digest, redirectUris, scopes, createdAtMs, lastUsedAtMs, ...owner] = row;
  return {
    id,
    name,
    redirectUris: JSON.parse(redirectUris) as string[],
    scopes: scopes.split(' ') as OAuthScope[],
    isPublic: digest === null,
    createdAtMs: Number(createdAtMs),
    lastUsedAtMs: lastUsedAtMs === null ? undefined : Number(lastUsedAtMs),
    owner: toAccount(owner),
  };
}

export function toAccount([accountId, username, role, userStatus]: AccountRow): OAuthAccount {
  return { accountId, username, role, userStatus: userStatus === null ? undefined : Number(userStatus) };
}
