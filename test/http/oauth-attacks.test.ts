import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
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
} from '../support/oauth.ts';
import { bearer, logIn, PASSWORDS, startSecuredService } from '../support/secured.ts';

/* Attacks on the authorization server: a stolen code, other redirect URIs, more scopes, forged consent. */

const MINUTE_MS = 60_000;
const EVIL = 'https://evil.example/back';

let nowMs = Date.UTC(2026, 10, 26, 9);
const flags = ['--trusted-proxies', '1'];
const service = await startSecuredService({ after }, { clock: () => nowMs, flags });
const { call, origin } = service;
const root = await logIn(call, 'root');
const edna = await logIn(call, 'edna');
const vera = await logIn(call, 'vera');
const program = await registerProgram(call, root);

async function canRead(token: string): Promise<boolean> {
  // Anyone may read pets, so a change that is refused for its body shows that the token is valid.
  const { status } = await call('POST', 'pet', { headers: bearer(token), json: {} });
  return status !== 401;
}

/** Exchanges a code of the editor, and returns the program's request for the token. */
async function newCode(others: Readonly<Record<string, string>> = {}) {
  const pkce = newPkce();
  return { code: await codeFor(call, edna, requestOf(program, pkce, others)), verifier: pkce.verifier };
}

void describe('OAuth codes:', () => {
  void it('a second use is refused, and revokes the token of the first', async () => {
    const { code, verifier } = await newCode();
    const { access_token: token } = tokenIn(await exchange(call, program, code, { code_verifier: verifier }));
    assert.equal(await canRead(token), true);
    assertOAuthError(await exchange(call, program, code, { code_verifier: verifier }), 'invalid_grant');
    assert.equal(await canRead(token), false);
  });

  void it('of ten uses at the same time, at most one is answered with a token, which ends', async () => {
    const { code, verifier } = await newCode();
    const all = await Promise.all(
      Array.from({ length: 10 }, () => exchange(call, program, code, { code_verifier: verifier })),
    );
    const given = all.filter(({ status }) => status === 200).map((response) => tokenIn(response).access_token);
    assert.ok(given.length <= 1);
    for (const token of given) assert.equal(await canRead(token), false);
  });

  for (const [what, other] of [
    ['without the verifier', { code_verifier: undefined }],
    ['with another verifier', { code_verifier: newPkce().verifier }],
    ['with the challenge as the verifier', 'challenge'],
    ['with another redirect URI', { redirect_uri: EVIL }],
    ['without the redirect URI', { redirect_uri: undefined }],
  ] as const)
    void it(`an exchange ${what} is refused, and uses up the code`, async () => {
      const pkce = newPkce();
      const code = await codeFor(call, edna, requestOf(program, pkce));
      const given = other === 'challenge' ? { code_verifier: pkce.challenge } : other;
      const refused = await exchange(call, program, code, { code_verifier: pkce.verifier, ...given });
      assert.match(refused.text, /"error":"invalid_(?:grant|request)"/);
      const again = await exchange(call, program, code, { code_verifier: pkce.verifier });
      assertOAuthError(again, 'invalid_grant');
    });

  void it('a program cannot exchange the code of another, which stays valid', async () => {
    const other = await registerProgram(call, root, { name: 'Other' });
    const { code, verifier } = await newCode();
    assertOAuthError(await exchange(call, other, code, { code_verifier: verifier }), 'invalid_grant');
    tokenIn(await exchange(call, program, code, { code_verifier: verifier }));
  });

  void it('a program with a secret has to send it, with PKCE as well', async () => {
    const { code, verifier } = await newCode();
    const form = { code_verifier: verifier };
    assertOAuthError(await exchange(call, { id: program.id }, code, form), 'invalid_client');
    assertOAuthError(await exchange(call, { ...program, secret: 'mgs_wrong' }, code, form), 'invalid_client');
    const basic = `Basic ${Buffer.from(`${program.id}:wrong`).toString('base64')}`;
    const headers = { authorization: basic };
    const response = await call('POST', 'oauth/token', {
      headers,
      form: { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, ...form },
    });
    assertOAuthError(response, 'invalid_client', 401);
    assert.match(response.headers.get('www-authenticate') ?? '', /^Basic /);
    tokenIn(await exchange(call, program, code, form));
  });

  void it('end after a minute, and with the session of the user', async () => {
    const late = await newCode();
    nowMs += MINUTE_MS;
    assertOAuthError(await exchange(call, program, late.code, { code_verifier: late.verifier }), 'invalid_grant');
    const session = await logIn(call, 'vera');
    const pkce = newPkce();
    const code = await codeFor(call, session, requestOf(program, pkce));
    await call('GET', 'user/logout', { headers: bearer(session) });
    assertOAuthError(await exchange(call, program, code, { code_verifier: pkce.verifier }), 'invalid_grant');
  });
});

void describe('OAuth requests:', () => {
  for (const [what, others] of [
    ['an unknown program', { client_id: 'f'.repeat(24) }],
    ['another redirect URI', { redirect_uri: EVIL }],
    ['a redirect URI with more behind it', { redirect_uri: `${REDIRECT_URI}&more` }],
    ['a redirect URI with another path', { redirect_uri: 'https://program.example/back/../evil' }],
    ['a script as the redirect URI', { redirect_uri: 'javascript:alert(1)' }],
  ] as const)
    void it(`${what} gets no redirect`, async () => {
      const parameters = requestOf(program, newPkce(), others);
      const query = new URLSearchParams(parameters).toString();
      assertRefused(await call('GET', `oauth/consent?${query}`, { headers: bearer(edna) }), 400);
      assertRefused(await decide(call, edna, parameters), 400);
      assertRefused(await decide(call, edna, parameters, false), 400);
    });

  for (const [what, others, error] of [
    ['without PKCE', { code_challenge: '' }, 'invalid_request'],
    ['with plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['with a challenge that is no digest', { code_challenge: 'short' }, 'invalid_request'],
    ['for a token in the redirect', { response_type: 'token' }, 'unsupported_response_type'],
    ['for unknown scopes only', { scope: 'read:metrics admin' }, 'invalid_scope'],
  ] as const)
    void it(`a request ${what} is sent back to the program with ${error}`, async () => {
      const parameters = requestOf(program, newPkce(), others);
      const query = new URLSearchParams(parameters).toString();
      const asked = await call('GET', `oauth/consent?${query}`, { headers: bearer(edna) });
      for (const url of [redirectIn(asked), redirectIn(await decide(call, edna, parameters))]) {
        assert.ok(url.href.startsWith(`${REDIRECT_URI}&`), url.href);
        const { error: given, state, iss, from, code } = Object.fromEntries(url.searchParams);
        assert.deepEqual(
          [given, state, iss, from, code],
          [error, 'state of the program', origin, 'menagerie', undefined],
        );
      }
    });

  void it('a user who denies the access sends access_denied', async () => {
    const url = redirectIn(await decide(call, edna, requestOf(program, newPkce()), false));
    assert.deepEqual([url.searchParams.get('error'), url.searchParams.get('code')], ['access_denied', null]);
  });

  void it('consent needs a session, not a key, and no page of another site', async () => {
    const parameters = requestOf(program, newPkce());
    const json = { isAllowed: true, parameters };
    assertRefused(await call('POST', 'oauth/consent', { json }), 401);
    const { code, verifier } = await newCode();
    const { access_token: token } = tokenIn(await exchange(call, program, code, { code_verifier: verifier }));
    assertRefused(await decide(call, token, parameters), 403);
    const cookie = `menagerie_session=${edna}`;
    for (const headers of [
      { cookie, origin: 'https://evil.example' },
      { cookie, origin: 'null' },
      { cookie, 'sec-fetch-site': 'cross-site' },
      { cookie, 'sec-fetch-site': 'same-site' },
    ])
      assertRefused(await call('POST', 'oauth/consent', { headers, json }), 403);
    const form = new URLSearchParams({ isAllowed: 'true', ...parameters }).toString();
    const headers = { cookie, 'content-type': 'text/plain' };
    assertRefused(await call('POST', 'oauth/consent', { headers, body: Buffer.from(form) }), 415);
  });

  void it('the program of a user is for that user only; those of administrators are for everyone', async () => {
    const own = await registerProgram(call, vera);
    const parameters = requestOf(own, newPkce());
    assertRefused(await decide(call, edna, parameters), 400);
    redirectIn(await decide(call, vera, parameters));
    redirectIn(await decide(call, vera, requestOf(program, newPkce())));
  });
});

void describe('OAuth scopes:', () => {
  void it('a viewer who is asked for write access gives read access', async () => {
    const pkce = newPkce();
    const code = await codeFor(call, vera, requestOf(program, pkce, { scope: 'read:pets write:pets' }));
    const { scope, access_token: token } = tokenIn(
      await exchange(call, program, code, { code_verifier: pkce.verifier }),
    );
    assert.equal(scope, 'read:pets');
    assertRefused(await call('POST', 'pet', { headers: bearer(token), json: { name: 'Rex' } }), 403);
    const onlyWrite = redirectIn(await decide(call, vera, requestOf(program, newPkce(), { scope: 'write:pets' })));
    assert.equal(onlyWrite.searchParams.get('error'), 'invalid_scope');
  });

  void it('a program gets no scope that it was not registered for', async () => {
    const reader = await registerProgram(call, root, { scopes: ['read:pets'] });
    const pkce = newPkce();
    const code = await codeFor(call, edna, requestOf(reader, pkce, { scope: 'read:pets write:pets' }));
    const more = { code_verifier: pkce.verifier, scope: 'write:pets' };
    assert.equal(tokenIn(await exchange(call, reader, code, more)).scope, 'read:pets');
    const form = { grant_type: 'client_credentials', client_id: reader.id, client_secret: reader.secret };
    assertOAuthError(await askForToken(call, { ...form, scope: 'write:pets' }), 'invalid_scope');
  });

  void it('a token loses what the role of its user loses', async () => {
    const { code, verifier } = await newCode({ scope: 'write:pets' });
    const { access_token: token } = tokenIn(await exchange(call, program, code, { code_verifier: verifier }));
    const write = () => call('POST', 'pet', { headers: bearer(token), json: { name: 'Rex' } });
    const setRole = (role: string) => call('PUT', 'admin/users/edna/role', { headers: bearer(root), json: { role } });
    assert.equal((await write()).status, 200);
    await setRole('viewer');
    const refused = await write();
    assertRefused(refused, 403);
    // Another scope would not help.
    assert.equal(refused.headers.get('www-authenticate'), null);
    await setRole('editor');
    assert.equal((await write()).status, 200);
  });
});

void test('OAuth: a closed account loses its tokens, codes and programs', async () => {
  const headers = bearer(root);
  await call('POST', 'user', { headers, json: { username: 'ina', password: PASSWORDS['otto'] } });
  await call('PUT', 'admin/users/ina/role', { headers, json: { role: 'editor' } });
  const ina = await logIn(call, 'ina', PASSWORDS['otto']);
  const own = await registerProgram(call, ina);
  const pkce = newPkce();
  const code = await codeFor(call, ina, requestOf(own, pkce));
  const form = { grant_type: 'client_credentials', client_id: own.id, client_secret: own.secret };
  const { access_token: token } = tokenIn(await askForToken(call, form));
  assert.equal((await call('POST', 'admin/users/ina/close', { headers })).status, 200);
  assert.equal(await canRead(token), false);
  assertOAuthError(await askForToken(call, form), 'invalid_grant');
  assertOAuthError(await exchange(call, own, code, { code_verifier: pkce.verifier }), 'invalid_grant');
});

void test('OAuth: a new password deletes programs with a secret, and ends all tokens', async () => {
  const otto = await logIn(call, 'otto');
  const withSecret = await registerProgram(call, otto, { name: 'With secret' });
  await registerProgram(call, otto, { name: 'Public', isPublic: true });
  const form = { grant_type: 'client_credentials', client_id: withSecret.id, client_secret: withSecret.secret };
  tokenIn(await askForToken(call, form));
  const passwords = { oldPassword: PASSWORDS['otto'], newPassword: 'twelve green parrots read the news' };
  await call('POST', 'account/password', { headers: bearer(otto), json: passwords });
  assertOAuthError(await askForToken(call, form), 'invalid_client');
  const names = (JSON.parse((await list('account/oauth-clients', otto)).text) as { name: string }[]).map(
    ({ name }) => name,
  );
  assert.deepEqual(names, ['Public']);
  assert.equal((await list('account/access-tokens', otto)).text, '[]');
});

function list(path: string, token: string): Promise<HttpResponse> {
  return call('GET', path, { headers: bearer(token) });
}

void test('OAuth: redirect URIs that lead to other places are refused', async () => {
  for (const uri of [
    'http://program.example/',
    'http://127.0.0.1.evil.example/',
    'http://localhost.evil.example/',
    'http://127.0.0.1@evil.example/',
    'https://name:secret@program.example/',
    'https://program.example/#fragment',
    'javascript:alert(1)',
    'data:text/html,x',
    'https://',
    '/back',
    '',
  ]) {
    const json = { name: 'Program', redirectUris: [uri], scopes: ['read:pets'], isPublic: true };
    assertRefused(await call('POST', 'account/oauth-clients', { headers: bearer(edna), json }), 400);
  }
});

void test('OAuth: a program can be registered only soon after a login', async () => {
  const session = await logIn(call, 'edna');
  nowMs += 16 * MINUTE_MS;
  const json = { name: 'Late', redirectUris: [], scopes: ['read:pets'], isPublic: false };
  assertRefused(await call('POST', 'account/oauth-clients', { headers: bearer(session), json }), 403);
});

void test('OAuth: wrong secrets and codes from one address are slowed down', async () => {
  const headers = { 'x-forwarded-for': '198.51.100.7' };
  const form = { grant_type: 'client_credentials', client_id: program.id, client_secret: 'mgs_wrong' };
  const statuses = new Set<number>();
  for (let attempt = 0; attempt < 102; attempt++)
    statuses.add((await call('POST', 'oauth/token', { headers, form })).status);
  assert.deepEqual([...statuses], [400, 429]);
  tokenIn(await askForToken(call, { ...form, client_secret: program.secret }));
});

void test('OAuth: a session that needs a second factor first gives no access, and registers nothing', async (t) => {
  const strict = await startSecuredService(t, { flags: ['--require-second-factor', 'editor'] });
  const admins = await registerProgram(strict.call, await logIn(strict.call, 'root'));
  const limited = await logIn(strict.call, 'edna');
  const parameters = requestOf(admins, newPkce());
  assertRefused(await decide(strict.call, limited, parameters), 403);
  const json = { name: 'Program', redirectUris: [], scopes: ['write:pets'], isPublic: false };
  assertRefused(await strict.call('POST', 'account/oauth-clients', { headers: bearer(limited), json }), 403);
});
