import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import * as oauth from 'openid-client';
import { createClient } from '../../src/client/client.ts';
import { assertRefused } from '../support/client.ts';
import { askForToken, decide, redirectIn, registerProgram, tokenIn } from '../support/oauth.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';

/* OAuth 2.0 with a client library that knows nothing of this service but its address. */

/** The library compares it without its query. */
const REDIRECT_URI = 'https://program.example/back';

const HOUR_MS = 3_600_000;

let nowMs = Date.UTC(2026, 10, 26, 9);
const service = await startSecuredService({ after }, { clock: () => nowMs });
const { call, origin, base } = service;
const tokens = { root: await logIn(call, 'root'), edna: await logIn(call, 'edna'), vera: await logIn(call, 'vera') };

function discover(id: string, authentication: oauth.ClientAuth): Promise<oauth.Configuration> {
  const options = { algorithm: 'oauth2' as const, execute: [oauth.allowInsecureRequests] };
  return oauth.discovery(new URL(origin), id, undefined, authentication, options);
}

/** What a user does in a browser: opens the page, and allows the access. */
async function allow(url: URL, token: string): Promise<URL> {
  assert.equal(`${url.origin}${url.pathname}`, `${origin}/oauth/authorize`);
  const parameters = Object.fromEntries(url.searchParams);
  const asked = await call('GET', `oauth/consent${url.search}`, { headers: bearer(token) });
  assert.match(asked.text, /^\{"question":/, asked.text);
  return redirectIn(await decide(call, token, parameters));
}

async function codeFlow(config: oauth.Configuration, token: string, scope: string, redirectUri = REDIRECT_URI) {
  const pkceCodeVerifier = oauth.randomPKCECodeVerifier();
  const expectedState = oauth.randomState();
  const url = oauth.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope,
    state: expectedState,
    code_challenge: await oauth.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  const back = await allow(url, token);
  return oauth.authorizationCodeGrant(config, back, { pkceCodeVerifier, expectedState });
}

void test('OAuth: a client library gets a token with a code and PKCE, uses it and revokes it', async () => {
  const { id, secret = '' } = await registerProgram(call, tokens.root, { redirectUris: [REDIRECT_URI] });
  for (const authentication of [oauth.ClientSecretBasic(secret), oauth.ClientSecretPost(secret)]) {
    const config = await discover(id, authentication);
    const granted = await codeFlow(config, tokens.edna, 'read:pets write:pets');
    assert.deepEqual([granted.token_type, granted.scope], ['bearer', 'read:pets write:pets']);
    assert.ok(granted.expires_in !== undefined && granted.expires_in > 3500 && granted.expires_in <= 3600);
    const program = createClient({ base, token: granted.access_token });
    assert.equal((await program.addPet({ body: { name: 'Rex' } })).name, 'Rex');
    await oauth.tokenRevocation(config, granted.access_token);
    await assert.rejects(program.addPet({ body: { name: 'Rex' } }), { status: 401 });
  }
});

void test('OAuth: a program without a secret uses any port of a loopback address', async () => {
  const redirectUris = ['http://127.0.0.1/callback', 'http://[::1]:7777/callback', 'com.example.pets:/callback'];
  const { id } = await registerProgram(call, tokens.edna, { redirectUris, isPublic: true });
  const config = await discover(id, oauth.None());
  for (const uri of ['http://127.0.0.1:43211/callback', 'http://[::1]:9/callback', 'com.example.pets:/callback']) {
    const granted = await codeFlow(config, tokens.edna, 'write:pets', uri);
    assert.equal(granted.scope, 'write:pets');
  }
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: id,
    redirect_uri: 'http://127.0.0.1:99999/callback',
    code_challenge: 'A'.repeat(43),
    code_challenge_method: 'S256',
  });
  assertRefused(await call('GET', `oauth/consent?${query.toString()}`, { headers: bearer(tokens.edna) }), 400);
});

void test('OAuth: client credentials act as the owner of the program, with its scopes', async () => {
  const { id, secret = '' } = await registerProgram(call, tokens.edna, { redirectUris: [], scopes: ['write:pets'] });
  const config = await discover(id, oauth.ClientSecretBasic(secret));
  const granted = await oauth.clientCredentialsGrant(config);
  assert.equal(granted.scope, 'write:pets');
  const { id: petId } = await createClient({ base, token: granted.access_token }).addPet({ body: { name: 'Rex' } });
  const history = await createClient({ base, token: tokens.edna }).listPetHistory({ petId: petId ?? 0n });
  assert.equal(history[0]?.actor?.name, 'edna');
});

async function ownToken(session: string, scope: string): Promise<string> {
  const program = await registerProgram(call, session, { redirectUris: [], scopes: [scope] });
  const credentials = { client_id: program.id, client_secret: program.secret ?? '' };
  return tokenIn(await askForToken(call, { grant_type: 'client_credentials', ...credentials })).access_token;
}

void test('OAuth: a token without the scope of an operation gets 403 with that scope', async () => {
  const [reader, writer] = [await ownToken(tokens.root, 'read:pets'), await ownToken(tokens.root, 'write:pets')];
  const [lacking, none] = ['insufficient_scope", scope="write:pets', 'insufficient_scope'];
  const cases = [
    ['POST', 'pet', reader, lacking, /access token does not have the scope write:pets/],
    ['DELETE', 'pet/1', reader, lacking, /access token does not have the scope write:pets/],
    ['GET', 'account', writer, none, /^Access tokens are not allowed/],
    ['GET', 'admin/audit', writer, none, /^Access tokens are not allowed/],
    ['GET', 'metrics', writer, none, /access token does not have the scope read:metrics/],
  ] as const;
  for (const [method, path, token, error, text] of cases) {
    const address = path === 'metrics' ? `${origin}/metrics` : path;
    const json = method === 'POST' ? { name: 'Rex' } : undefined;
    const response = await call(method, address, { headers: bearer(token), ...(json && { json }) });
    assert.match(assertRefused(response, 403, path).message, text);
    assert.equal(response.headers.get('www-authenticate'), `Bearer realm="menagerie", error="${error}"`, path);
  }
});

void test('OAuth: a token ends after an hour', async () => {
  const { id, secret = '' } = await registerProgram(call, await logIn(call, 'edna'), { redirectUris: [] });
  const { access_token: token } = tokenIn(
    await askForToken(call, { grant_type: 'client_credentials', client_id: id, client_secret: secret }),
  );
  const write = async () => (await call('POST', 'pet', { headers: bearer(token), json: { name: 'Rex' } })).status;
  assert.equal(await write(), 200);
  nowMs += HOUR_MS;
  assert.equal(await write(), 401);
});

void test('OAuth: tokens are listed with their program, and not as API keys', async () => {
  const session = await logIn(call, 'vera');
  const { id, secret = '' } = await registerProgram(call, session, { name: 'Reader', redirectUris: [REDIRECT_URI] });
  const config = await discover(id, oauth.ClientSecretPost(secret));
  await codeFlow(config, session, 'read:pets');
  const vera = createClient({ base, token: session });
  assert.deepEqual(await vera.listKeys(), []);
  const [token, ...others] = await vera.listAccessTokens();
  assert.deepEqual([token?.clientId, token?.clientName, token?.scopes, others], [id, 'Reader', ['read:pets'], []]);
  await vera.revokeKey({ keyId: token?.id ?? '' });
  assert.deepEqual(await vera.listAccessTokens(), []);
  await vera.deleteOAuthClient({ clientId: id });
  await assert.rejects(oauth.clientCredentialsGrant(config), { error: 'invalid_client' });
});

void test('OAuth: a page of another origin can exchange a code, without cookies', async () => {
  const headers = { origin: 'https://app.example', 'sec-fetch-site': 'cross-site', cookie: 'menagerie_session=x' };
  const response = await call('POST', 'oauth/token', { headers, form: { grant_type: 'authorization_code' } });
  assert.equal(response.headers.get('access-control-allow-origin'), '*');
  assert.equal(response.headers.get('access-control-allow-credentials'), null);
  assert.match(response.text, /"error":"invalid_client"/);
  const preflight = { ...headers, 'access-control-request-method': 'POST' };
  const allowed = await call('OPTIONS', 'oauth/token', { headers: preflight });
  assert.equal(allowed.headers.get('access-control-allow-origin'), '*');
  const metadata = await call('GET', `${origin}/.well-known/oauth-authorization-server`, { headers });
  assert.equal(metadata.headers.get('access-control-allow-origin'), '*');
  const { status } = await call('GET', 'account', { headers });
  assert.equal(status, 401);
});
