import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose';
import { Provider } from 'oidc-provider';
import type { Lifetime } from './lifetime.ts';

/* OpenID Connect providers on loopback: a real one, and one whose responses a test chooses. */

export const CLIENT_ID = 'menagerie';
export const CLIENT_SECRET = 'a secret of the client, with / and +';

/** The claims of a person at the provider. */
export type Person = Readonly<Record<string, unknown>>;

export interface TestProvider {
  issuer: string;
  /** The people by subject. */
  people: Map<string, Person>;
  /** Logs in next, without a form. */
  subject: string;
  /** With these factors. */
  amr: readonly string[];
}

async function keysOf(alg: string, kid: string = crypto.randomUUID()) {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const [secret, open] = [await exportJWK(privateKey), await exportJWK(publicKey)];
  return {
    privateKey,
    kid,
    secretJwk: { ...secret, kid, alg, use: 'sig' },
    openJwk: { ...open, kid, alg, use: 'sig' },
  };
}

async function listenOn(t: Lifetime, server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/**
 * A real provider that logs in `subject` without asking.
 * @param name of the provider in the settings
 * @param hasUserInfo whether only the response about the user has claims, and not the ID token
 */
export async function startProvider(
  t: Lifetime,
  publicUrl: string,
  name: string,
  hasUserInfo = false,
): Promise<TestProvider> {
  const server = createServer();
  const issuer = await listenOn(t, server);
  const state: TestProvider = { issuer, people: new Map(), subject: 'nobody', amr: [] };
  const { secretJwk } = await keysOf('RS256');
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [`${publicUrl}/sign-in/${name}/callback`],
        post_logout_redirect_uris: [`${publicUrl}/`],
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
    claims: {
      openid: ['sub', 'amr'],
      profile: ['preferred_username', 'name', 'given_name', 'family_name', 'realm_access'],
      email: ['email', 'email_verified'],
    },
    conformIdTokenClaims: hasUserInfo,
    ttl: { AccessToken: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
    cookies: { keys: ['a key of the test'] },
    jwks: { keys: [secretJwk] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, subject) => ({
      accountId: subject,
      claims: () => ({ ...state.people.get(subject), sub: subject }),
    }),
    loadExistingGrant: async ({ oidc }) => {
      const { client, account, params } = oidc;
      const grant = new provider.Grant({ clientId: client?.clientId ?? '', accountId: account?.accountId ?? '' });
      grant.addOIDCScope(String(params?.['scope']));
      await grant.save();
      return grant;
    },
  });
  const respond = provider.callback();
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/interaction/') !== true) void respond(request, response);
    else
      void provider.interactionFinished(request, response, {
        login: { accountId: state.subject, amr: [...state.amr], remember: false },
      });
  });
  return state;
}

type Key = Awaited<ReturnType<typeof keysOf>>;

interface TokenParts {
  claims: JWTPayload;
  /** The key that the provider publishes. */
  key: Key;
  /** A key that it does not publish. */
  otherKey: Key;
}

export interface HostileProvider {
  issuer: string;
  /** The nonce of the login. */
  nonce: string;
  /** Further claims of the ID token. */
  claims: Person;
  /** Replaces the key, which may then be of another algorithm. */
  rotate: (alg?: string, kid?: string) => Promise<void>;
  /** Makes the ID token; by default a valid one. */
  forge: (parts: TokenParts) => Promise<string>;
  /** Replaces the response at a path. */
  respond: Map<string, (response: ServerResponse) => void>;
  /** Called with each request for tokens. */
  onToken: (request: IncomingMessage) => void;
  /** The bodies that the token endpoint got. */
  codes: URLSearchParams[];
}

export function signed({ claims, key }: TokenParts, header: Readonly<Record<string, string>> = {}): Promise<string> {
  const { alg } = key.openJwk;
  return new SignJWT(claims).setProtectedHeader({ alg, kid: key.kid, ...header }).sign(key.privateKey);
}

export async function unsigned({ claims }: TokenParts): Promise<string> {
  return new UnsecuredJWT(claims).encode();
}

/**
 * Says anything. It has no page: a test calls the redirect URI itself. It has UserInfo if a test sets the response at
 * `/user`.
 */
export async function startHostileProvider(t: Lifetime): Promise<HostileProvider> {
  const server = createServer();
  const issuer = await listenOn(t, server);
  const otherKey = await keysOf('RS256');
  let key = await keysOf('RS256');
  const state: HostileProvider = {
    issuer,
    nonce: '',
    claims: {},
    rotate: async (alg = 'RS256', kid) => {
      key = await keysOf(alg, kid);
    },
    forge: (parts) => signed(parts),
    respond: new Map(),
    onToken: () => {},
    codes: [],
  };
  const documentAt = (path: string): object | undefined => {
    if (path === '/keys') return { keys: [key.openJwk] };
    if (path !== '/.well-known/openid-configuration') return undefined;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      ...(state.respond.has('/user') && { userinfo_endpoint: `${issuer}/user` }),
      authorization_response_iss_parameter_supported: true,
      id_token_signing_alg_values_supported: ['RS256', 'none', 'HS256'],
    };
  };
  const tokens = async (body: string) => {
    state.codes.push(new URLSearchParams(body));
    const seconds = Math.floor(Date.now() / 1000);
    const claims = { iss: issuer, sub: 'mallory', aud: CLIENT_ID, nonce: state.nonce, iat: seconds, exp: seconds + 60 };
    const idToken = await state.forge({ claims: { ...claims, ...state.claims }, key, otherKey });
    return { access_token: 'x', token_type: 'Bearer', expires_in: 60, id_token: idToken };
  };
  server.on('request', (request, response) => {
    const path = request.url ?? '';
    const own = state.respond.get(path);
    if (own !== undefined) return own(response);
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.once('end', () => {
      if (path === '/token') state.onToken(request);
      void (path === '/token' ? tokens(body) : Promise.resolve(documentAt(path))).then((document) => {
        response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(document ?? {}));
      });
    });
  });
  return state;
}
