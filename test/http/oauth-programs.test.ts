import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { assertRefused, type HttpResponse } from '../support/client.ts';
import {
  askForToken,
  assertOAuthError,
  codeFor,
  decide,
  exchange,
  newPkce,
  redirectIn,
  REDIRECT_URI,
  registerProgram,
  requestOf,
  tokenIn,
  type Program,
} from '../support/oauth.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';

/* OAuth 2.0 as agents, editors and API clients speak it: their redirect URIs, and what they send for nothing. */

const { call, origin } = await startSecuredService({ after });
const root = await logIn(call, 'root');
const edna = await logIn(call, 'edna');

/** Registers a public program with these URIs. */
function register(redirectUris: readonly string[]): Promise<HttpResponse> {
  const json = { name: 'Agent', redirectUris, scopes: ['read:pets', 'write:pets'], isPublic: true };
  return call('POST', 'account/oauth-clients', { headers: bearer(root), json });
}

/** The whole way of a program: the question, the answer, the code in the redirect, and the token. */
async function scopeFor({ id }: Program, redirectUri: string): Promise<string> {
  const pkce = newPkce();
  const parameters = requestOf({ id }, pkce, { redirect_uri: redirectUri });
  const query = new URLSearchParams(parameters).toString();
  const asked = await call('GET', `oauth/consent?${query}`, { headers: bearer(edna) });
  const { question } = JSON.parse(asked.text) as { question?: { redirectUri: string } };
  assert.equal(question?.redirectUri, redirectUri, asked.text);
  const url = redirectIn(await decide(call, edna, parameters));
  assert.ok(url.href.startsWith(redirectUri), url.href);
  assert.deepEqual([url.searchParams.get('state'), url.searchParams.get('iss')], ['state of the program', origin]);
  const code = url.searchParams.get('code') ?? assert.fail(url.href);
  const form = { redirect_uri: redirectUri, code_verifier: pkce.verifier };
  return tokenIn(await exchange(call, { id }, code, form)).scope;
}

void describe('OAuth redirect URIs:', () => {
  for (const [registered, used] of [
    ['https://claude.ai/api/mcp/auth_callback', 'https://claude.ai/api/mcp/auth_callback'],
    ['http://localhost/callback', 'http://localhost:43211/callback'],
    ['http://localhost:6274/oauth/callback', 'http://localhost:6277/oauth/callback'],
    ['http://127.0.0.1/', 'http://127.0.0.1:33418/'],
    ['cursor://anysphere.cursor-mcp/oauth/callback', 'cursor://anysphere.cursor-mcp/oauth/callback'],
    ['vscode://publisher.extension/callback', 'vscode://publisher.extension/callback'],
    ['vscode-insiders://publisher.extension?from=x', 'vscode-insiders://publisher.extension?from=x'],
    ['raycast:///oauth', 'raycast:///oauth'],
    ['com.example.app:/callback', 'com.example.app:/callback'],
  ] as const)
    void it(`${registered}: ${used} gets a token`, async () => {
      const program = await registerProgram(call, root, { redirectUris: [registered], isPublic: true });
      assert.equal(await scopeFor(program, used), 'read:pets write:pets');
    });

  for (const [registered, used] of [
    ['cursor://anysphere.cursor-mcp/oauth/callback', 'cursor://anysphere.cursor-mcp/oauth/callback/more'],
    ['cursor://anysphere.cursor-mcp/oauth/callback', 'cursor://anysphere.cursor-mcp:99/oauth/callback'],
    ['cursor://anysphere.cursor-mcp/oauth/callback', 'CURSOR://anysphere.cursor-mcp/oauth/callback'],
    ['cursor://anysphere.cursor-mcp/oauth/callback', 'cursor://evil@anysphere.cursor-mcp/oauth/callback'],
    ['http://localhost/callback', 'http://127.0.0.1:80/callback'],
    ['http://localhost/callback', 'http://localhost.evil.example/callback'],
    ['http://localhost/callback', 'http://localhost:80@evil.example/callback'],
    ['http://localhost/callback', 'https://localhost/callback'],
    ['http://localhost/callback', 'http://localhost:1/callback?more'],
    ['http://localhost/callback', 'http://localhost:99999/callback'],
  ] as const)
    void it(`${registered}: ${used} gets no redirect`, async () => {
      const program = await registerProgram(call, root, { redirectUris: [registered], isPublic: true });
      const parameters = requestOf(program, newPkce(), { redirect_uri: used });
      assertRefused(await decide(call, edna, parameters), 400);
      assertRefused(await decide(call, edna, parameters, false), 400);
    });

  void it('schemes of browsers, systems and networks cannot be registered', async () => {
    for (const uri of [
      'javascript:alert(1)',
      'javascript://program.example/%0aalert(1)',
      'JavaScript://x/%0aalert(1)',
      'java\tscript://x/%0aalert(1)',
      ' javascript://x',
      'data:text/html,<script>alert(1)</script>',
      'data://text/html,x',
      'vbscript://x',
      'blob:https://program.example/1',
      'blob://x',
      'file:///etc/passwd',
      'file://server/share',
      'filesystem:https://program.example/',
      'about:blank',
      'about://blank',
      'view-source:https://program.example/',
      'view-source://x',
      'chrome://settings',
      'chrome-extension://abc/page.html',
      'moz-extension://abc/page.html',
      'edge://settings',
      'microsoft-edge://program.example',
      'x-safari-https://program.example',
      'web+pets://callback',
      'ext+pets://callback',
      'intent://scan/',
      'android-app://com.example.app',
      'ms-msdt://x',
      'search-ms://x',
      'x-apple.systempreferences:com.apple.preference',
      'mailto:a@program.example',
      'ws://program.example/',
      'ftp://program.example/',
      'ssh://program.example/',
      'http://program.example/',
      'http://localhost\\@evil.example/',
      'http://localhost.evil.example/',
      'http://[::2]/',
      'c://windows',
      'cursor:callback',
      'cursor://x/"onclick=',
      'cursor://x/<script>',
      'cursor://x/#fragment',
      'cursor://name@x/',
      'cursor://x\r\nset-cookie:a=b',
      '//evil.example/',
      '://x',
    ])
      assertRefused(await register([uri]), 400, uri);
    const { text } = await call('GET', 'account/oauth-clients', { headers: bearer(root) });
    assert.doesNotMatch(text, /script|data:|evil/i);
  });
});

function basic(id: string, secret: string): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
}

void describe('OAuth parameters without a value:', () => {
  void it('an empty secret in HTTP Basic is that of a public program', async () => {
    const program = await registerProgram(call, root, { isPublic: true });
    const pkce = newPkce();
    const code = await codeFor(call, edna, requestOf(program, pkce));
    const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, code_verifier: pkce.verifier };
    const headers = basic(program.id, '');
    const { access_token: token } = tokenIn(await call('POST', 'oauth/token', { headers, form }));
    const write = async () => (await call('POST', 'pet', { headers: bearer(token), json: { name: 'Rex' } })).status;
    assert.equal(await write(), 200);
    assert.equal((await call('POST', 'oauth/revoke', { headers, form: { token } })).status, 200);
    assert.equal(await write(), 401);
  });

  void it('an empty header besides the client_id in the form counts as left out', async () => {
    const program = await registerProgram(call, root, { isPublic: true });
    const pkce = newPkce();
    const code = await codeFor(call, edna, requestOf(program, pkce));
    const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, client_id: program.id };
    const sent = { ...form, client_secret: '', code_verifier: pkce.verifier };
    tokenIn(await call('POST', 'oauth/token', { headers: basic('', ''), form: sent }));
  });

  void it('an empty secret is wrong for a program that has one', async () => {
    const program = await registerProgram(call, root);
    const form = { grant_type: 'client_credentials' };
    const refused = await call('POST', 'oauth/token', { headers: basic(program.id, ''), form });
    assertOAuthError(refused, 'invalid_client', 401);
    assert.match(refused.headers.get('www-authenticate') ?? '', /^Basic /);
    assertOAuthError(await askForToken(call, { ...form, client_id: program.id, client_secret: '' }), 'invalid_client');
    const revoke = await call('POST', 'oauth/revoke', { headers: basic(program.id, ''), form: { token: 'x' } });
    assertOAuthError(revoke, 'invalid_client', 401);
  });

  void it('an empty scope asks for all that the program may have', async () => {
    const program = await registerProgram(call, root);
    const credentials = { client_id: program.id, client_secret: program.secret };
    const form = { grant_type: 'client_credentials', ...credentials, scope: '', resource: '' };
    assert.equal(tokenIn(await askForToken(call, form)).scope, 'read:pets write:pets');
    const pkce = newPkce();
    const code = await codeFor(call, edna, requestOf(program, pkce, { scope: '', state: '' }));
    const sent = { code_verifier: pkce.verifier, scope: '' };
    assert.equal(tokenIn(await exchange(call, program, code, sent)).scope, 'read:pets write:pets');
  });

  void it('empty parameters that are needed are missing', async () => {
    const program = await registerProgram(call, root);
    const credentials = { client_id: program.id, client_secret: program.secret };
    assertOAuthError(await askForToken(call, { ...credentials, grant_type: '' }), 'invalid_request');
    const revoke = await call('POST', 'oauth/revoke', {
      form: { ...credentials, token: '' } as Record<string, string>,
    });
    assertOAuthError(revoke, 'invalid_request');
    const noUri = requestOf(program, newPkce(), { redirect_uri: '' });
    assertRefused(await decide(call, edna, noUri), 400);
  });
});

void describe('OAuth grants that the service does not have:', () => {
  void it('are unsupported for every program', async () => {
    const withSecret = await registerProgram(call, root);
    const isPublic = await registerProgram(call, root, { isPublic: true });
    for (const { id, secret } of [withSecret, isPublic])
      for (const grant of ['refresh_token', 'password', 'urn:ietf:params:oauth:grant-type:device_code']) {
        const form = { grant_type: grant, client_id: id, client_secret: secret, refresh_token: 'x' };
        assertOAuthError(await askForToken(call, form), 'unsupported_grant_type');
        const headers = basic(id, secret ?? '');
        const response = await call('POST', 'oauth/token', { headers, form: { grant_type: grant } });
        assertOAuthError(response, 'unsupported_grant_type');
      }
  });

  void it('a public program gets no token for itself, and none for a code without its verifier', async () => {
    const program = await registerProgram(call, root, { isPublic: true });
    const form = { grant_type: 'client_credentials', client_id: program.id };
    assertOAuthError(await askForToken(call, form), 'unauthorized_client');
    const code = await codeFor(call, edna, requestOf(program, newPkce()));
    assert.match((await exchange(call, program, code)).text, /"error":"invalid_(?:grant|request)"/);
  });
});
