import { mayUseScope, type Access, type Actor, type Anonymous, type LoggedIn } from '../access.ts';
import type { AttemptThrottle, CountedAttempt } from '../accounts/attempt-throttle.ts';
import type { AccountWriteLimits } from '../accounts/account-writes.ts';
import { KEY_PREFIX } from '../accounts/api-key.ts';
import { requireOwner } from '../accounts/own-account.ts';
import type { Tokens } from '../accounts/ports.ts';
import { USER_STATUS_CLOSED } from '../accounts/user.ts';
import { clientSubject, stampOf, type NewAuditEntry, type Stamp } from '../audit.ts';
import { Failure } from '../failure.ts';
import type { Clock } from '../ports.ts';
import {
  docsClient,
  type OAuthAccount,
  type OAuthClient,
  type OAuthClientStore,
  type OAuthScope,
  type StoredOAuthClient,
} from './client.ts';
import type {
  AskedGrant,
  AskedScopes,
  AuthorizationRules,
  ClientCredentials,
  OAuthParameters,
  OAuthProtocol,
  OAuthResponse,
  TokenGrant,
  TokenRequest,
  TokenRules,
} from './protocol.ts';
import { CODE_LIFETIME_MS, TOKEN_LIFETIME_MS, type OAuthTokenStore } from './tokens.ts';

interface AuthorizationServerDeps {
  access: Access;
  oauthClients: Pick<OAuthClientStore, 'find'>;
  oauthTokens: OAuthTokenStore;
  protocol: OAuthProtocol;
  attempts: AttemptThrottle;
  writeLimits: AccountWriteLimits;
  tokens: Tokens;
  clock: Clock;
}

/** What a user is asked to allow. */
export interface ConsentQuestion {
  client: OAuthClient;
  redirectUri: string;
  scopes: readonly OAuthScope[];
}

export type ConsentAnswer = { question: ConsentQuestion } | { redirectTo: string };

/** What a token request did besides its response. */
interface Exchange extends CountedAttempt {
  response: OAuthResponse;
}

/**
 * Gives programs access to the account of a user who allows it (authorization code with PKCE), and to the account of
 * the owner of the program (client credentials). An access token is an API key that belongs to a client.
 */
export class AuthorizationServer {
  readonly #deps: AuthorizationServerDeps;

  constructor(deps: AuthorizationServerDeps) {
    this.#deps = deps;
  }

  /**
   * Checks an authorization request, and returns what the user has to decide, or the redirect with an error.
   * @throws Failure `invalid-input` for an unknown client or redirect URI
   */
  async ask(actor: Actor, parameters: OAuthParameters, issuer: string): Promise<ConsentAnswer> {
    const user = this.#requireUser(actor);
    let question: ConsentQuestion | undefined;
    const saveCode = async ({ client, redirectUri, scopes }: AskedGrant) => {
      question = { client, redirectUri, scopes };
      return 'none';
    };
    const rules = { ...this.#authorizationRules(user, issuer), isDenied: false, saveCode };
    const { redirectTo } = await this.#deps.protocol.authorize(parameters, issuer, rules);
    return question === undefined ? { redirectTo } : { question };
  }

  /** @returns where the browser has to go, with a code or an error @throws Failure as `ask` */
  async decide(actor: Actor, parameters: OAuthParameters, isAllowed: boolean, issuer: string): Promise<string> {
    const user = this.#requireUser(actor);
    const rules = {
      ...this.#authorizationRules(user, issuer),
      isDenied: !isAllowed,
      saveCode: (grant: AskedGrant) => this.#saveCode(user, grant),
    };
    return (await this.#deps.protocol.authorize(parameters, issuer, rules)).redirectTo;
  }

  /** The token endpoint. @throws Failure `too-many-requests` after many wrong secrets and codes from one address */
  async requestToken(request: TokenRequest, actor: Anonymous, issuer: string): Promise<OAuthResponse> {
    const { attempts, protocol } = this.#deps;
    const { response } = await attempts.tryClient<Exchange>(actor.address, async () => {
      const noted: CountedAttempt = { isFailed: false };
      const response = await protocol.requestToken(request, this.#tokenRules(noted, actor, issuer));
      return { ...noted, response };
    });
    return response;
  }

  /**
   * Revokes an access token of the client (RFC 7009). Ignores unknown tokens, as section 2.2 requires.
   * @throws Failure `too-many-requests`
   */
  async revokeToken(request: TokenRequest, actor: Anonymous, issuer: string): Promise<OAuthResponse> {
    const { attempts, protocol, tokens, oauthTokens, clock } = this.#deps;
    const { response } = await attempts.tryClient<Exchange>(actor.address, async () => {
      const noted: CountedAttempt = { isFailed: false };
      const credentials = await protocol.credentialsIn(request);
      const client = credentials && (await this.#authenticate(credentials, noted, actor.address, issuer));
      if (client === undefined) return { ...noted, response: INVALID_CLIENT };
      const { token } = request.form;
      if (token === undefined) return { ...noted, response: NO_TOKEN };
      const stamp = stampOf(actor, clock());
      await oauthTokens.apply({ kind: 'revoke', digest: tokens.digest(token), clientId: client.id, stamp });
      return { ...noted, response: { status: 200, headers: {}, body: {} } };
    });
    return response;
  }

  #requireUser(actor: Actor): LoggedIn {
    return requireOwner(this.#deps.access, actor, 'use own account');
  }

  #authorizationRules(user: LoggedIn, issuer: string): Pick<AuthorizationRules, 'findClient' | 'scopesFor'> {
    return {
      findClient: async (id) => {
        const client = await this.#findClient(id, issuer);
        return client !== undefined && mayAllow(user, client) ? client : undefined;
      },
      scopesFor: (client, asked) => scopesFor(client, user.role, asked),
    };
  }

  #tokenRules(noted: CountedAttempt, actor: Anonymous, issuer: string): TokenRules {
    const { oauthTokens, tokens, clock } = this.#deps;
    const { address } = actor;
    return {
      authenticate: (id, secret) => this.#authenticate({ id, secret }, noted, address, issuer),
      findCode: async (text) => {
        const code = await oauthTokens.findCode(tokens.digest(text));
        noted.isFailed = code === undefined;
        return code !== undefined && clock() < code.expiresAtMs && !isClosed(code.user) ? code : undefined;
      },
      useCode: async ({ digest, user }) => {
        const atMs = clock();
        const stamp = stampFor(user, 'oauth-client', null, address, atMs);
        return (
          (await oauthTokens.apply({ kind: 'use-code', digest, stamp, keptUntilMs: atMs + TOKEN_LIFETIME_MS })) > 0
        );
      },
      ownerOf: ({ owner }) => (owner === undefined || isClosed(owner) ? undefined : owner),
      scopesFor: (client, { role }, asked) => scopesFor(client, role, asked),
      issue: (grant) => this.#issue(grant, actor),
    };
  }

  async #findClient(id: string, issuer: string): Promise<StoredOAuthClient | undefined> {
    return docsClient(id, issuer) ?? (await this.#deps.oauthClients.find(id));
  }

  /** Notes a wrong secret of a known client in the audit log. */
  async #authenticate(
    { id, secret }: ClientCredentials,
    noted: CountedAttempt,
    address: string,
    issuer: string,
  ): Promise<OAuthClient | undefined> {
    const { tokens, clock } = this.#deps;
    const client = await this.#findClient(id, issuer);
    // Both are digests of the same length, so the time of the comparison reveals nothing of the secret.
    const digest = secret === undefined ? undefined : tokens.digest(secret);
    if (client !== undefined && client.secretDigest === digest) return client;
    noted.isFailed = true;
    if (client !== undefined) noted.entry = wrongSecret(client, { kind: 'anonymous', address }, clock());
    return undefined;
  }

  async #saveCode(user: LoggedIn, { client, redirectUri, scopes, challenge }: AskedGrant): Promise<string> {
    const { oauthTokens, writeLimits, tokens, clock } = this.#deps;
    const text = tokens.create();
    const stamp = stampOf(user, clock());
    await writeLimits.spend('changes', stamp);
    const code = {
      clientId: client.id,
      redirectUri,
      scopes,
      challenge,
      sessionId: user.session.id,
      tokenId: tokens.createId(),
    };
    const expiresAtMs = stamp.atMs + CODE_LIFETIME_MS;
    const digest = tokens.digest(text);
    await oauthTokens.apply({ kind: 'save-code', digest, code, clientName: client.name, expiresAtMs, stamp });
    return text;
  }

  async #issue({ client, user, scopes, code }: TokenGrant, { address, claim }: Anonymous): Promise<string | undefined> {
    const { oauthTokens, writeLimits, tokens, clock } = this.#deps;
    const secret = KEY_PREFIX + tokens.create();
    const createdAtMs = clock();
    const author =
      code === undefined
        ? stampFor(user, 'oauth-client', client.id, address, createdAtMs)
        : stampFor(user, 'session', code.sessionId, address, createdAtMs);
    const stamp = { ...author, ...(claim !== undefined && { claim }) };
    await writeLimits.spend('changes', stamp);
    const token = {
      id: code?.tokenId ?? tokens.createId(),
      digest: tokens.digest(secret),
      accountId: user.accountId,
      clientId: client.id,
      clientName: client.name,
      scopes,
      createdAtMs,
      expiresAtMs: createdAtMs + TOKEN_LIFETIME_MS,
    };
    const isOfService = client.owner === undefined;
    const issued = oauthTokens.apply({ kind: 'issue', token, codeDigest: code?.digest, isOfService, stamp });
    return (await issued.catch(asEndedGrant)) > 0 ? secret : undefined;
  }
}

const INVALID_CLIENT: OAuthResponse = {
  status: 401,
  headers: { 'www-authenticate': 'Basic realm="Menagerie"' },
  body: { error: 'invalid_client', error_description: 'Unknown client or wrong secret' },
};

const NO_TOKEN: OAuthResponse = {
  status: 400,
  headers: {},
  body: { error: 'invalid_request', error_description: 'Missing parameter: `token`' },
};

/**
 * Anyone may register a client under any name, so it gets access to its owner's account only. Those of administrators
 * are for everyone.
 */
function mayAllow(user: LoggedIn, { owner }: OAuthClient): boolean {
  if (owner === undefined) return true;
  return !isClosed(owner) && (owner.accountId === user.userId || owner.role === 'admin');
}

function scopesFor(client: OAuthClient, role: LoggedIn['role'], asked: AskedScopes): readonly OAuthScope[] {
  return client.scopes.filter((scope) => asked?.includes(scope) !== false && mayUseScope(role, scope));
}

function isClosed({ userStatus }: OAuthAccount): boolean {
  return userStatus === USER_STATUS_CLOSED;
}

function stampFor(
  { accountId: actorId, username: actorName, role: actorRole }: OAuthAccount,
  via: 'session' | 'oauth-client',
  credentialId: string | null,
  address: string,
  atMs: number,
): Stamp {
  return { atMs, via, actorId, actorName, actorRole, credentialId, address };
}

function wrongSecret(client: OAuthClient, actor: Anonymous, atMs: number): NewAuditEntry {
  const [stamp, subject] = [stampOf(actor, atMs), clientSubject(client)];
  return { stamp, action: 'oauth-client.allowed', subject, outcome: 'failed', details: null };
}

/** For a session that has ended since the user allowed the access, or an account that was closed. */
function asEndedGrant(error: unknown): number {
  if (error instanceof Failure && error.code === 'unauthenticated') return 0;
  throw error;
}
