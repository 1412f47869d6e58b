import type { Access, Actor, LoggedIn } from '../access.ts';
import type { FreshProof } from '../accounts/fresh-proof.ts';
import { requireOwner } from '../accounts/own-account.ts';
import type { Tokens } from '../accounts/ports.ts';
import { stampOf } from '../audit.ts';
import type { Clock } from '../ports.ts';
import {
  checkNewClient,
  CLIENT_SECRET_PREFIX,
  OAUTH_CLIENT_LIMITS,
  type NewOAuthClient,
  type OAuthClient,
  type OAuthClientStore,
} from './client.ts';
import type { AccessToken, OAuthTokenStore } from './tokens.ts';

interface OAuthClientsDeps {
  access: Access;
  oauthClients: OAuthClientStore;
  oauthTokens: Pick<OAuthTokenStore, 'listOf'>;
  tokens: Tokens;
  clock: Clock;
  freshProof: FreshProof;
}

export interface RegisteredClient extends OAuthClient {
  /** It is not stored, and shown only once; undefined for a public client. */
  secret: string | undefined;
}

/** Registers the programs that get access with OAuth 2.0, and lists their access tokens. */
export class OAuthClients {
  readonly #deps: OAuthClientsDeps;

  constructor(deps: OAuthClientsDeps) {
    this.#deps = deps;
  }

  async list(actor: Actor): Promise<readonly OAuthClient[]> {
    return this.#deps.oauthClients.list(this.#requireOwner(actor).userId);
  }

  /**
   * A client with a secret can act as its owner, like an API key, so it requires a recent login as well.
   *
   * @throws Failure `invalid-input` for a redirect URI that is not safe; `forbidden` if the login is not recent;
   *   `conflict` at the maximum number of clients
   */
  async register(actor: Actor, newClient: NewOAuthClient): Promise<RegisteredClient> {
    const { oauthClients, tokens, clock, freshProof } = this.#deps;
    const owner = this.#requireOwner(actor);
    checkNewClient(newClient);
    await freshProof.require(owner);
    const nowMs = clock();
    const secret = newClient.isPublic ? undefined : CLIENT_SECRET_PREFIX + tokens.create();
    const secretDigest = secret === undefined ? undefined : tokens.digest(secret);
    const { userId: accountId, username, role } = owner;
    const client = { ...newClient, id: tokens.createId(), accountId, secretDigest, createdAtMs: nowMs };
    const maxOfAccount = OAUTH_CLIENT_LIMITS.ofAccount;
    await oauthClients.apply({ kind: 'create', client, maxOfAccount, stamp: stampOf(owner, nowMs) });
    const { id, createdAtMs } = client;
    return { ...newClient, id, createdAtMs, owner: { accountId, username, role, userStatus: undefined }, secret };
  }

  /** The access tokens of the client end as well. @throws Failure `not-found` */
  async delete(actor: Actor, id: string): Promise<void> {
    const owner = this.#requireOwner(actor);
    await this.#delete(owner, id, owner.userId);
  }

  /** The programs that have access to the account at present, with their tokens. */
  async listTokens(actor: Actor): Promise<readonly AccessToken[]> {
    return this.#deps.oauthTokens.listOf(this.#requireOwner(actor).userId, this.#deps.clock());
  }

  async listAll(actor: Actor): Promise<readonly OAuthClient[]> {
    this.#deps.access(actor, 'administer');
    return this.#deps.oauthClients.list(undefined);
  }

  /** @throws Failure `not-found` */
  async deleteAny(actor: Actor, id: string): Promise<void> {
    this.#deps.access(actor, 'administer');
    await this.#delete(actor, id, undefined);
  }

  async #delete(actor: Actor, id: string, userId: bigint | undefined): Promise<void> {
    const { oauthClients, clock } = this.#deps;
    await oauthClients.apply({ kind: 'delete', id, userId, stamp: stampOf(actor, clock()) });
  }

  #requireOwner(actor: Actor): LoggedIn {
    return requireOwner(this.#deps.access, actor, 'use own account');
  }
}
